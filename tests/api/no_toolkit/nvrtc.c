/* Stands in for libnvrtc.so: a file of that name which is no compiler.
 * SPDX-License-Identifier: BSD-3-Clause */
int tessera_test_no_nvrtc(void);
int tessera_test_no_nvrtc(void) { return 0; }
