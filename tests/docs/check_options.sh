#!/usr/bin/env bash
# docs/options.md is what scripts/options_doc.cpp makes of src/tables.def and tessera.h now.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_options.sh OPTIONS_DOC HEADER DOCUMENT
set -euo pipefail
"$1" "$2" | diff "$3" - || {
  echo "docs/options.md is out of date: run scripts/generate-options"
  exit 1
}
