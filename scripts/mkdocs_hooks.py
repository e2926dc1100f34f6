# For mkdocs.yml: the manual is written to be read in the repository, and links to files outside docs/ and to directories. In the site the
# files come along, directories become lists, and CHANGELOG.md is a chapter.
# SPDX-License-Identifier: BSD-3-Clause
import os
import re

from mkdocs.structure.files import File

OUTSIDE = re.compile(r"\]\(\.\./([^)\s#]+)\)")
OF_ROOT = re.compile(r"\]\((?!docs/|[a-z]+:|#)([^)\s#]+)\)")
DIRECTORY = re.compile(r"\]\((examples(?:/legacy)?)/?\)")


def not_in_nav(file):
    file.inclusion = type(file.inclusion).NOT_IN_NAV
    return file


def on_files(files, config):
    docs = config["docs_dir"]
    root = os.path.dirname(config["config_file_path"])
    outside = set()
    for name in sorted(os.listdir(docs)):
        if name.endswith(".md"):
            with open(os.path.join(docs, name), encoding="utf-8") as text:
                outside.update(OUTSIDE.findall(text.read()))
    with open(os.path.join(root, "CHANGELOG.md"), encoding="utf-8") as text:
        changes = text.read()
    outside.update(p for p in OF_ROOT.findall(changes) if os.path.exists(os.path.join(root, p)))
    for path in sorted(outside):
        files.append(not_in_nav(File.generated(config, "source/" + path, abs_src_path=os.path.join(root, path))))
    for directory in ("examples", "examples/legacy"):
        names = sorted(n for n in os.listdir(os.path.join(docs, directory)) if n != "CMakeLists.txt" and "." in n)
        lines = ["# Files in %s" % directory, ""] + ["- [%s](%s)" % (n, n) for n in names]
        files.append(not_in_nav(File.generated(config, directory + "/index.md", content="\n".join(lines) + "\n")))
    changes = OF_ROOT.sub(r"](source/\1)", changes).replace("](docs/", "](")
    files.append(File.generated(config, "changelog.md", content=changes))
    return files


def on_page_markdown(markdown, page, config, files):
    markdown = OUTSIDE.sub(r"](source/\1)", markdown)
    return DIRECTORY.sub(r"](\1/index.md)", markdown)
