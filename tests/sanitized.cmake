# What scripts/test runs a second time under the address and undefined-behaviour sanitizers: each part of the library that owns memory, counts in
# it or reads what others wrote, once. The label "sanitized" and the target sanitized-tests, which builds what these tests need and nothing else, are made of
# this list. docs/contributing.md says what the rest is and how it is run. SPDX-License-Identifier: BSD-3-Clause
set(sanitized_tests
  support_cases
  # numerics, by their own tests
  core_rules core_raised core_shift_trust core_sparse core_maps core_quadrature core_many_devices core_sobol core_lattice
  # the interface: all but what waits for other compilers
  api_life_cycle api_arguments api_options api_callbacks api_exceptions api_lattice api_forms api_files api_fork api_devices api_no_ranks api_no_memory
  api_memory_limit api_grid_files api_state api_saved_state api_state_files api_extrapolate api_integrate_limit api_complex api_evaluate
  api_no_toolkit api_device_callback
  # texts: what is read, rewritten, kept in files and opened
  api_source api_fortran_source jit_cache jit_c_text jit_fortran_text jit_translation jit_nvvm jit_slot program_expression twins_map
  # random calls, random and damaged files
  fuzz_api_short fuzz_api_threads fuzz_dropins_short fuzz_files_short fuzz_maps_short fuzz_arguments_short
  # each method once, and what they share
  methods_vector methods_regions methods_ranges methods_lattice_stopped methods_weights methods_quadrature methods_quadrature_forms
  methods_quadrature_many methods_limits methods_nonfinite methods_auto methods_threads methods_many_methods
  # what others call
  dropins_dcuhre dropins_adapt dropins_cuba dropins_quadpack dropins_quadpack_calls dropins_quadpack_single dropins_exceptions dropins_report
  twins_pie twins_f77 twins_quadpack fortran_module fortran_f77 mpi_ranks_2 mpi_killed)

add_custom_target(sanitized-tests)
foreach(plugin tessera_cuda tessera-jitlink tessera_mpi) # opened or started, linked by nobody
  if(TARGET ${plugin})
    add_dependencies(sanitized-tests ${plugin})
  endif()
endforeach()

# tessera_register(name labels timeout [targets...]): the test's properties; the targets that it needs are the one of its name unless others are told.
function(tessera_register name labels timeout)
  if(name IN_LIST sanitized_tests)
    list(APPEND labels sanitized)
    set_property(GLOBAL APPEND PROPERTY tessera_sanitized_tests ${name})
    foreach(target ${name} ${ARGN})
      if(TARGET ${target})
        add_dependencies(sanitized-tests ${target})
      endif()
    endforeach()
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout} SKIP_RETURN_CODE 77)
endfunction()

# tessera_check_sanitized_tests(): where everything is built, each name of the list has to be a test's.
function(tessera_check_sanitized_tests)
  get_property(seen GLOBAL PROPERTY tessera_sanitized_tests)
  set(unknown ${sanitized_tests})
  list(REMOVE_ITEM unknown ${seen})
  if(unknown AND fortran AND mpi AND cuda AND TARGET tessera_program)
    message(FATAL_ERROR "tests/sanitized.cmake names what is no test: ${unknown}")
  endif()
endfunction()
