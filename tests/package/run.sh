#!/usr/bin/env bash
# Uses the library as its users do: from a tree that was installed and then moved elsewhere, by find_package or pkg-config, or
# as a subdirectory of another project. Every program prints the version and an integral, which are compared.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: run.sh find_package|pkg_config|add_subdirectory|add_subdirectory_whole; the environment (tests/CMakeLists.txt) says where everything
# is. add_subdirectory takes objects that the build has made by the same commands (reuse.sh), add_subdirectory_whole compiles all.
set -euo pipefail
way=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$BUILD/tests/package_$way
rm -rf "$work"
mkdir -p "$work"
unset DESTDIR LD_LIBRARY_PATH

# Is the text in what comes in? Reads to the end: a reader that leaves early would end the writer by a signal.
says() {
  local all
  all=$(cat)
  [[ $all == *"$1"* ]]
}

expect() { # name program [arguments]
  local name=$1 output
  shift
  output=$("$@")
  [ "$output" = "tessera $VERSION: 2.952492" ] || { echo "$name: '$output'"; exit 1; }
  echo "$name: $output"
}

fortran=()
if [ -n "${FC:-}" ]; then
  fortran=(-DWITH_FORTRAN=ON "-DCMAKE_Fortran_COMPILER=$FC")
fi

# The programs for the drop-ins check their results themselves.
expect_legacy() { # directory
  "$1/consumer_cuba" > "$work/cuba.txt" && grep -q 'fail 0' "$work/cuba.txt" || { cat "$work/cuba.txt"; exit 1; }
  if [ -n "${FC:-}" ]; then
    "$1/consumer_dcuhre" | says 'as in closed form' || { echo "DCUHRE: wrong"; exit 1; }
    "$1/consumer_adapt" | says 'as in closed form' || { echo "ADAPT: wrong"; exit 1; }
    "$1/consumer_quadpack" | says 'as in closed form' || { echo "QUADPACK: wrong"; exit 1; }
  fi
  echo "drop-ins: as they should"
}

# What fpm does with a package: the manifest in its root, all sources of source-dir with the flags that fpm gives GNU Fortran by default,
# and the libraries of `link`.
fpm() { # directory
  local manifest=$1/fpm.toml sources link objects
  [ -f "$manifest" ] || { echo "no $manifest"; exit 1; }
  sources=$1/$(sed -n 's/^source-dir = "\(.*\)"$/\1/p' "$manifest")
  link=$(sed -n 's/^link = \["\(.*\)"\]$/\1/p' "$manifest")
  objects=$work/fpm$(tr / _ <<< "$1")
  mkdir -p "$objects"
  for source in "$sources/tessera.f90" $(find "$sources" -maxdepth 1 -name '*.f90' ! -name tessera.f90); do
    "$FC" -fimplicit-none -Werror=implicit-interface -ffree-form -J "$objects" -c "$source" -o "$objects/$(basename "$source" .f90).o"
  done
  "$FC" -fimplicit-none -Werror=implicit-interface -I"$objects" "$here/consumer.f90" "$objects"/*.o -o "$objects/consumer" \
    -L"$prefix/$LIBDIR" -Wl,-rpath,"$prefix/$LIBDIR" -l"$link"
  expect "fpm's way from $manifest" env -u LD_LIBRARY_PATH "$objects/consumer"
}

targets= # all
project() { # name source arguments... : configures and builds, in $work/name
  local name=$1 source=$2
  shift 2
  echo "== $name"
  if ! { "$CMAKE" -S "$source" -B "$work/$name" "-DCMAKE_C_COMPILER=$CC" "-DCMAKE_CXX_COMPILER=$CXX" "${fortran[@]}" "$@" &&
    "$CMAKE" --build "$work/$name" --parallel "$(nproc)" ${targets:+--target} $targets; } > "$work/$name.log" 2>&1; then
    cat "$work/$name.log"
    exit 1
  fi
}

if [[ $way == add_subdirectory* ]]; then
  targets="consumer_c consumer_cuba${FC:+ consumer_fortran consumer_dcuhre}" # with what they need; no device engine, and of the drop-ins two: one function makes all
  launcher=()
  if [ "$way" = add_subdirectory ]; then
    bash "$here/reuse.sh" --table "$BUILD" > "$work/table.txt"
    launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=bash;$here/reuse.sh;$work/table.txt")
  fi
  project build "$here/add_subdirectory" "-DTESSERA_SOURCE=$SOURCE" "${launcher[@]}"
  echo "$(grep -c '^reused' "$work/build.log") objects taken from the build"
  expect C "$work/build/consumer_c"
  [ -z "${FC:-}" ] || expect Fortran "$work/build/consumer_fortran"
  "$work/build/consumer_cuba" | says 'fail 0' || { echo "Cuba: wrong"; exit 1; }
  [ -z "${FC:-}" ] || "$work/build/consumer_dcuhre" | says 'as in closed form' || { echo "DCUHRE: wrong"; exit 1; }
  exit 0
fi

"$CMAKE" --install "$BUILD" --prefix "$work/first place" > "$work/install.log"
prefix=$work/second_place
mv "$work/first place" "$prefix"
(cd "$prefix" && find . -type f -o -type l | sort) > "$work/files.txt"
if grep -rlIF -e "$work/first place" -e "$SOURCE" "$prefix/include" "$prefix/$LIBDIR/cmake" "$prefix/$LIBDIR/pkgconfig"; then
  echo "these installed files name a directory of the build"
  exit 1
fi

# The program finds the library from its own place, and its manual page and completions are there.
if [ -f "$BUILD/src/program/tessera" ]; then
  [ "$("$prefix/bin/tessera" --version)" = "tessera $VERSION" ] || { echo "the installed program does not run"; exit 1; }
  ldd "$prefix/bin/tessera" | says "$prefix/" || { echo "the installed program takes another library"; exit 1; }
  for file in man/man1/tessera.1 bash-completion/completions/tessera zsh/site-functions/_tessera fish/vendor_completions.d/tessera.fish; do
    [ -f "$prefix/share/$file" ] || { echo "not installed: share/$file"; exit 1; }
  done
fi

# Documentation and examples are installed, and the device engine is where the library looks for it.
grep -q '/methods\.md$' "$work/files.txt" && grep -q '/examples/quickstart\.c$' "$work/files.txt" || { echo "no documentation"; exit 1; }
if [ -f "$BUILD/src/libtessera_cuda.so" ]; then
  printf '%s\n' '#include <stdio.h>' '#include <tessera.h>' 'int main(void) { tessera_solver *s; double v, e; int r; tessera_create(&s, 2, 1);' \
    'tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, "double f(const double *x) { return x[0]; }", "f");' \
    'tessera_set_int(s, TESSERA_DEVICE, 0); r = tessera_integrate(s, TESSERA_CUBATURE, &v, &e);' \
    'printf("%d %s\n", r, tessera_last_error(s)); return 0; }' > "$work/engine.c"
  "$CC" -I"$prefix/include" "$work/engine.c" -o "$work/engine" -L"$prefix/$LIBDIR" -ltessera -Wl,-rpath,"$prefix/$LIBDIR"
  if "$work/engine" | says 'is not installed'; then
    echo "the installed library does not find its device engine"
    exit 1
  fi
fi

case $way in
  find_package)
    project build "$here/find_package" "-DCMAKE_PREFIX_PATH=$prefix" "-DTESSERA_WANTED=$VERSION"
    expect C "$work/build/consumer_c"
    expect_legacy "$work/build"
    if [ -n "${FC:-}" ]; then
      expect Fortran "$work/build/consumer_fortran"
      ldd "$work/build/consumer_fortran" | says libtessera_fortran || { echo "not linked to the Fortran library"; exit 1; }

      # A module that this compiler cannot read: the sources take its place.
      find "$prefix/include" -name tessera.mod -exec sh -c 'echo "written by another compiler" > "$1"' _ {} \;
      project other_compiler "$here/find_package" "-DCMAKE_PREFIX_PATH=$prefix"
      expect "Fortran from source" "$work/other_compiler/consumer_fortran"
      if ldd "$work/other_compiler/consumer_fortran" | grep libtessera_fortran; then
        echo "the module was not compiled from source"
        exit 1
      fi
    fi

    # A version that we are not.
    echo "== wrong version"
    if "$CMAKE" -S "$here/find_package" -B "$work/wrong" "-DCMAKE_C_COMPILER=$CC" "-DCMAKE_PREFIX_PATH=$prefix" \
      -DTESSERA_WANTED=$((${VERSION%%.*} + 1)).0 > "$work/wrong.log" 2>&1; then
      echo "find_package accepted another major version"
      exit 1
    fi
    grep -q "tessera" "$work/wrong.log"

    # Components that are not there: which, and why.
    mkdir -p "$work/components"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' 'project(components LANGUAGES C)' \
      'find_package(tessera REQUIRED COMPONENTS ${WANTED})' > "$work/components/CMakeLists.txt"
    component() { # expected component : configures with it alone; what CMake says must have the text, "" means that it is found
      local log=$work/component_$2.log
      rm -rf "$work/components/build"
      if "$CMAKE" -S "$work/components" -B "$work/components/build" "-DCMAKE_C_COMPILER=$CC" "-DCMAKE_PREFIX_PATH=$prefix" "-DWANTED=$2" \
        > "$log" 2>&1; then
        [ -z "$1" ] || { echo "component $2 was found"; exit 1; }
      else
        [ -n "$1" ] && tr -s ' \n' ' ' < "$log" | says "tessera has no component $2 here: $1" || { echo "component $2:"; cat "$log"; exit 1; }
      fi
    }
    for name in dcuhre dcuhre_ilp64 adapt adapt_ilp64 cuba quadpack quadpack_ilp64; do component "" "$name"; done
    component "Fortran is not enabled: call enable_language(Fortran) before find_package(tessera)" fortran
    component "there are fortran, cuda, mpi, dcuhre, dcuhre_ilp64, adapt, adapt_ilp64, cuba, quadpack and quadpack_ilp64" Fortran
    engine=$prefix/$LIBDIR/tessera/libtessera_cuda.so
    if [ -f "$engine" ]; then
      component "" cuda
      mv "$engine" "$work/engine.so"
    fi
    component "the device engine is not installed" cuda
    echo "components: as they should"
    ;;
  pkg_config)
    command -v pkg-config > /dev/null || { echo "no pkg-config"; exit 77; }
    export PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig LD_LIBRARY_PATH=$prefix/$LIBDIR
    [ "$(pkg-config --modversion tessera)" = "$VERSION" ] || { echo "wrong version in tessera.pc"; exit 1; }
    # shellcheck disable=SC2046
    "$CC" "$here/consumer.c" -o "$work/consumer_c" $(pkg-config --cflags --libs tessera) -lm
    expect C "$work/consumer_c"
    if [ -n "${FC:-}" ]; then
      # shellcheck disable=SC2046
      "$FC" -J "$work" "$here/consumer.f90" -o "$work/consumer_fortran" $(pkg-config --cflags --libs tessera_fortran)
      expect Fortran "$work/consumer_fortran"
      [ -f "$(pkg-config --variable=sourcedir tessera_fortran)/tessera.f90" ] || { echo "no module source"; exit 1; }
      # Found in the place that -rpath names, as the manual's link lines have it.
      # shellcheck disable=SC2046
      "$FC" -J "$work" "$here/consumer.f90" -o "$work/consumer_rpath" $(pkg-config --cflags --libs tessera_fortran) \
        -Wl,-rpath,"$(pkg-config --variable=libdir tessera)"
      expect "Fortran with -rpath" env -u LD_LIBRARY_PATH "$work/consumer_rpath"
      fpm "$SOURCE"
      fpm "$(pkg-config --variable=sourcedir tessera_fortran)"
    fi
    # A drop-in is all that an old program is linked with: libtessera is found beside it.
    legacy=$here/../../docs/examples/legacy
    # shellcheck disable=SC2046
    "$CC" "$legacy/cross_section.c" -o "$work/consumer_cuba" $(pkg-config --cflags --libs tessera_cuba) -lm
    # and with its name alone, in C
    "$CC" -I"$prefix/include/tessera/cuba" "$legacy/cross_section.c" -o "$work/consumer_cuba_name" -L"$prefix/$LIBDIR" -ltessera_cuba -lm
    "$work/consumer_cuba_name" | says 'fail 0'
    for routine in dcuhre_dcuhre adapt_adapt quadpack_dqags; do
      name=${routine%_*}
      printf '#include <tessera_%s.h>\nint main(void) { return (void (*)(void))%s_ == 0; }\n' "$name" "${routine#*_}" > "$work/$name.c"
      "$CC" -I"$prefix/include" "$work/$name.c" -o "$work/name_$name" -L"$prefix/$LIBDIR" "-ltessera_$name"
      "$work/name_$name"
    done
    if [ -n "${FC:-}" ]; then
      "$FC" "$legacy/posterior.f" -o "$work/consumer_dcuhre" -L"$prefix/$LIBDIR" -ltessera_dcuhre
      "$FC" -fdefault-integer-8 "$legacy/posterior.f" -o "$work/consumer_ilp64" -L"$prefix/$LIBDIR" -ltessera_dcuhre_ilp64
      "$work/consumer_ilp64" | says 'as in closed form'
      "$FC" "$legacy/normal_probability.f" -o "$work/consumer_adapt" -L"$prefix/$LIBDIR" -ltessera_adapt
      "$FC" "$legacy/form_factor.f" -o "$work/consumer_quadpack" -L"$prefix/$LIBDIR" -ltessera_quadpack
      "$FC" -fdefault-integer-8 "$legacy/form_factor.f" -o "$work/consumer_quadpack_ilp64" -L"$prefix/$LIBDIR" -ltessera_quadpack_ilp64
      "$work/consumer_quadpack_ilp64" | says 'as in closed form'
      "$FC" "$legacy/cross_section.f90" -o "$work/consumer_cuba_fortran" -L"$prefix/$LIBDIR" -ltessera_cuba
      "$work/consumer_cuba_fortran" | says 'fail 0'
    fi
    # Under the original's name: -lcuba, and loaded by a program that knows nothing but the file.
    cuba=$prefix/$LIBDIR/tessera/cuba
    "$CC" -I"$prefix/include/tessera/cuba" "$legacy/cross_section.c" -o "$work/consumer_lcuba" -L"$cuba" -lcuba -Wl,-rpath,"$cuba" -lm
    (cd / && env -u LD_LIBRARY_PATH "$work/consumer_lcuba") | says 'fail 0'
    ldd "$work/consumer_lcuba" | says 'libcuba.so =>' || { echo "not linked to libcuba.so"; exit 1; }
    printf '%s\n' '#include <dlfcn.h>' '#include <cuba.h>' '#include <stdio.h>' \
      'static int f(const int *n, const double x[], const int *m, double f[], void *u) { (void)n, (void)m, (void)u; f[0] = x[0]; return 0; }' \
      'int main(int argc, char **argv) { void *l = dlopen(argv[argc - 1], RTLD_NOW); int regions, evaluations, fail; double v, e, p;' \
      'if (!l) return puts(dlerror()), 1;' '__typeof__(Cuhre) *c = (__typeof__(Cuhre) *)dlsym(l, "Cuhre");' \
      'c(3, 1, f, 0, 1, 1e-3, 0., 0, 0, 10000, 0, 0, 0, &regions, &evaluations, &fail, &v, &e, &p);' \
      'printf("fail %d after %d: %.6f\n", fail, evaluations, v); return 0; }' > "$work/loader.c"
    "$CC" -I"$prefix/include/tessera/cuba" "$work/loader.c" -o "$work/loader" -ldl
    (cd / && env -u LD_LIBRARY_PATH "$work/loader" "$cuba/libcuba.so") | says 'fail 0 after 381: 0.500000'
    LD_LIBRARY_PATH=$cuba "$work/loader" libcuba.so | says 'fail 0 after 381: 0.500000'
    expect_legacy "$work"
    # As a finished program with LD_PRELOAD, and with the drop-in's directory known to nobody but the name given there.
    "$CC" -shared -fPIC -x c "$legacy/stand_in.c" -o "$work/libstandin.so"
    if [ -n "${FC:-}" ]; then
      "$FC" "$legacy/posterior.f" -o "$work/finished" -L"$work" -lstandin
      LD_LIBRARY_PATH=$work LD_PRELOAD=$prefix/$LIBDIR/libtessera_dcuhre.so "$work/finished" | says 'as in closed form'
      "$FC" "$legacy/normal_probability.f" -o "$work/finished_adapt" -L"$work" -lstandin
      LD_LIBRARY_PATH=$work LD_PRELOAD=$prefix/$LIBDIR/libtessera_adapt.so "$work/finished_adapt" | says 'as in closed form'
      "$FC" "$legacy/form_factor.f" -o "$work/finished_quadpack" -L"$work" -lstandin
      LD_LIBRARY_PATH=$work LD_PRELOAD=$prefix/$LIBDIR/libtessera_quadpack.so "$work/finished_quadpack" | says 'as in closed form'
    fi
    "$CC" "$legacy/cross_section.c" $(pkg-config --cflags tessera_cuba) -o "$work/finished_c" -L"$work" -lstandin -lm
    LD_LIBRARY_PATH=$work LD_PRELOAD=$prefix/$LIBDIR/libtessera_cuba.so "$work/finished_c" | says 'fail 0'
    echo "drop-ins with LD_PRELOAD: as they should"
    ;;
  *)
    echo "unknown: $way"
    exit 2
    ;;
esac
