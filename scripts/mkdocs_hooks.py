# For mkdocs.yml: the manual is written to be read in the repository, and links to files outside docs/ and to directories. In the site the
# files come along, directories become lists, and CHANGELOG.md is a chapter.
# SPDX-License-Identifier: BSD-3-Clause
import os
import re

from mkdocs.structure.files import File

OUTSIDE = re.compile(r"\]\(\.\./([^)\s#]+)\)")
DIRECTORY = re.compile(r"\]\((examples(?:/legacy)?)/?\)")


def on_files(files, config):
    docs = config["docs_dir"]
    root = os.path.dirname(config["config_file_path"])
    outside = set()
    for name in sorted(os.listdir(docs)):
        if name.endswith(".md"):
            with open(os.path.join(docs, name), encoding="utf-8") as text:
                outside.update(OUTSIDE.findall(text.read()))
    for path in sorted(outside):
        files.append(File.generated(config, "source/" + path, abs_src_path=os.path.join(root, path)))
    for directory in ("examples", "examples/legacy"):
        names = sorted(n for n in os.listdir(os.path.join(docs, directory)) if n != "CMakeLists.txt" and "." in n)
        lines = ["# Files in %s" % directory, ""] + ["- [%s](%s)" % (n, n) for n in names]
        page = File.generated(config, directory + "/index.md", content="\n".join(lines) + "\n")
        page.inclusion = type(page.inclusion).NOT_IN_NAV
        files.append(page)
    with open(os.path.join(root, "CHANGELOG.md"), encoding="utf-8") as text:
        files.append(File.generated(config, "changelog.md", content=text.read().replace("](docs/", "](")))
    return files


def on_page_markdown(markdown, page, config, files):
    markdown = OUTSIDE.sub(r"](source/\1)", markdown)
    return DIRECTORY.sub(r"](\1/index.md)", markdown)
