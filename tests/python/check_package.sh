#!/usr/bin/env bash
# The Python package over the libraries of a build tree: its tests and the examples of docs/python.md, in an environment of its own, which is
# kept in the build tree. Skipped (77) where there is no Python 3.10 with pip, or no package index within reach.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_package.sh SOURCE_DIRECTORY libtessera.so BUILD_DIRECTORY [PACKAGE...]     PACKAGE: of PyPI, beside those that the tests need
set -euo pipefail
source=$1 library=$2 environment=$3/python-environment
shift 3
python=
for candidate in python3 python3.14 python3.13 python3.12 python3.11 python3.10 /usr/bin/python3; do
  if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))' 2> /dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || { echo "there is no Python 3.10 or newer"; exit 77; }
packages=(numpy pytest cffi "$@")
if [ "$(cat "$environment/packages" 2> /dev/null)" != "${packages[*]}" ]; then
  rm -rf "$environment"
  # pip of the system's Python, where it can, spares an installation of pip.
  if ! { "$python" -m venv --without-pip "$environment" && "$python" -m pip -q --disable-pip-version-check --retries 1 --timeout 10 --python "$environment/bin/python" \
      install "${packages[@]}"; } 2> /dev/null; then
    rm -rf "$environment"
    { "$python" -m venv "$environment" && "$environment/bin/python" -m pip -q --disable-pip-version-check --retries 1 --timeout 10 install "${packages[@]}"; } ||
      { echo "pip cannot install ${packages[*]}"; exit 77; }
  fi
  echo "${packages[*]}" > "$environment/packages"
fi
export PYTHONPATH=$source/bindings/python TESSERA_LIBRARY=$library PYTHONDONTWRITEBYTECODE=1
"$environment/bin/python" "$source/scripts/generate-python" --check
exec "$environment/bin/python" -m pytest -q -p no:cacheprovider -rs "$source/bindings/python/tests"
