/* Code for a device, made while a test runs: LTO-IR and PTX by NVRTC, objects and fatbins by nvcc where there is one.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_DEVICE_CODE_H
#define TESSERA_TESTS_DEVICE_CODE_H

#include <stddef.h>

struct code {
  char *bytes; /* NULL: it could not be made, and why has been printed */
  size_t size;
};

/* `option` is "-dlto" (LTO-IR) or "-rdc=true" (PTX). */
struct code code_by_nvrtc(const char *text, const char *option, int ptx);

/* Through the files user.cu and `file` of the test's directory; `options` go to nvcc. */
struct code code_by_nvcc(const char *text, const char *file, const char *options);

#endif
