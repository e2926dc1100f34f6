# An overlay port: vcpkg install tessera --overlay-ports=packaging/vcpkg. For a registry SOURCE_PATH comes from vcpkg_from_github.
# SPDX-License-Identifier: BSD-3-Clause
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

# A shared library in every triplet: drop-ins take the place of others, and plug-ins are opened beside it.
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  fftw TESSERA_FFTW
  cuda TESSERA_CUDA)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features} -DTESSERA_TESTS=OFF -DTESSERA_EXAMPLES=OFF -DTESSERA_FORTRAN=OFF -DTESSERA_MPI=OFF -DTESSERA_RANDOM123=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tessera)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES tessera AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
