#!/usr/bin/env bash
# Who may include what: core <- engine <- host, cuda; host and cuda never see each other; jit is for the places, the solver and the
# seam; vectors <- solver <- api; tessera.h is for these three, the rule builder and the ranks (which need the enum values) only, and for the
# program, which sees beside it what jit and the driver's table know of the machine.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_includes.sh SOURCE_DIRECTORY
set -euo pipefail
cd "$1"
bad=0
files=0
lines=0

complain() { # file:line text reason
  echo "$1: #include $2: $3"
  bad=1
}

while IFS= read -r file; do
  files=$((files + 1))
  directory=${file%/*}
  room=${directory#src}
  room=${room#/}
  room=${room%%/*} # core, engine, ..., or "" for the ground and the seam, which lie in src itself
  while IFS=: read -r number text; do
    lines=$((lines + 1))
    [[ $text =~ include[[:space:]]*([\<\"][^\>\"]*[\>\"]) ]] && name=${BASH_REMATCH[1]} || name=$text
    where="$file:$number"
    path=${name:1:-1}
    case $path in
      cuda*.h | cub/* | thrust/* | nv*.h | cufft*.h | curand*.h)
        [ "$room" = cuda ] || [ "$room" = jit ] || complain "$where" "$name" "CUDA is for src/cuda and src/jit"
        continue
        ;;
    esac
    # what it is: a header of ours is given by its path from the top, anything else as it stands
    target=
    for candidate in "$directory/$path" "src/$path" "include/$path"; do
      if [ -f "$candidate" ]; then
        target=$candidate
        while [[ $target =~ ^(.*/)?[^/.][^/]*/\.\./(.*)$ ]]; do target=${BASH_REMATCH[1]}${BASH_REMATCH[2]}; done
        break
      fi
    done
    if [ -z "$target" ]; then
      [ "${name:0:1}" = '<' ] || complain "$where" "$name" "there is no such file"
      case $room in
        core | engine)
          case $path in
            thread | iostream | mutex | condition_variable | future | fstream | cstdio | stdio.h | pthread.h | unistd.h | dlfcn.h)
              complain "$where" "$name" "no threads and no input or output in core and engine"
              ;;
          esac
          ;;
      esac
      continue
    fi
    case $target in
      include/tessera.h)
        case $file in
          src/api/* | src/solver/* | src/vectors/* | src/core/rule_build.cpp | src/ranks.cpp | src/program/*) ;;
          *) complain "$where" "$name" "only api, solver, vectors, core/rule_build.cpp, ranks.cpp and program see tessera.h" ;;
        esac
        continue
        ;;
    esac
    allowed=
    case $room in
      core) allowed='^src/core/' ;;
      engine) allowed='^src/(core|engine)/' ;;
      jit) allowed='^src/(core/hd\.hpp$|jit/|integrand\.hpp$|text_file\.hpp$)' ;;
      host) allowed='^src/((core|engine|host)/|[^/]*$)' ;;
      cuda) allowed='^src/((core|engine|jit|cuda)/|[^/]*$)' ;;
      vectors) allowed='^src/((core|engine|vectors)/|[^/]*$)' ;;
      solver) allowed='^src/((core|engine|jit|vectors|solver)/|[^/]*$)' ;;
      api) allowed='^src/((vectors|solver|api)/|[^/]*$)' ;;
      program) allowed='^src/(jit/|program/|cuda/device/driver\.hpp$)' ;;
      '') allowed='^src/((core|engine|jit)/|[^/]*$)' ;;
      *) complain "$where" "$name" "a directory that this check does not know" ;;
    esac
    if [ -n "$allowed" ] && ! [[ $target =~ $allowed ]]; then
      complain "$where" "$name" "src/${room:-*.cpp} may not include $target"
    fi
  done < <(grep -nE '^[[:space:]]*#[[:space:]]*include' "$file" || true)
done < <(find src -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.cuh' -o -name '*.cu' \) | sort)

# Users, and the tests that stand for them, have the public header only.
if grep -rnE '^[[:space:]]*#[[:space:]]*include.*(src/|core/|engine/|host/|\.hpp)' docs/examples tests/api tests/methods tests/abi \
  --include='*.c' --include='*.h' --include='*.cpp'; then
  echo "these may include tessera.h, the tests' support and the system's headers only"
  bad=1
fi

# The drop-ins are thin: over the public headers, and their own. QUADPACK's decisions are those of the engine itself.
if grep -rnE '^[[:space:]]*#[[:space:]]*include.*(src|core|engine|host|cuda)/' bindings |
  grep -vE '^bindings/quadpack/[a-z]+\.hpp:[0-9]+:#include "../../src/engine/quadrature/[a-z_]+\.hpp"$'; then
  echo "a drop-in may include the public headers only"
  bad=1
fi

echo "$lines #include lines in $files files"
[ "$files" -gt 0 ] && [ "$bad" -eq 0 ]
