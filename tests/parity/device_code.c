/* SPDX-License-Identifier: BSD-3-Clause */
#include "device_code.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "close.h"
#include "files.h"

/* cuda.h and nvrtc.h need not be there: what is called is written down here. */
struct compiler {
  int (*create)(void **program, const char *text, const char *name, int headers, const char *const *,
                const char *const *);
  int (*compile)(void *program, int options, const char *const *option);
  int (*ltoir_size)(void *program, size_t *size);
  int (*ltoir)(void *program, char *bytes);
  int (*ptx_size)(void *program, size_t *size);
  int (*ptx)(void *program, char *bytes);
  int (*destroy)(void **program);
};

static void *open_nvrtc(void) {
  static const char *const places[] = {"", "/usr/local/cuda/lib64/"};
  static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  char path[path_bytes];
  for (size_t p = 0; p < sizeof places / sizeof places[0]; ++p)
    for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
      snprintf(path, sizeof path, "%s%s", places[p], names[n]);
      void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (library) return library;
    }
  return NULL;
}

static int bind(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  memcpy(function, &address, sizeof address); /* ISO C knows no conversion from void * to a function */
  return address != NULL;
}

struct code code_by_nvrtc(const char *text, const char *option, int ptx) {
  const char *const options[] = {"-arch=compute_80", "-default-device", option};
  struct code code = {NULL, 0};
  struct compiler c;
  void *program = NULL, *library = open_nvrtc();
  if (!library || !bind(library, "nvrtcCreateProgram", &c.create) ||
      !bind(library, "nvrtcCompileProgram", &c.compile) || !bind(library, "nvrtcGetLTOIRSize", &c.ltoir_size) ||
      !bind(library, "nvrtcGetLTOIR", &c.ltoir) || !bind(library, "nvrtcGetPTXSize", &c.ptx_size) ||
      !bind(library, "nvrtcGetPTX", &c.ptx) || !bind(library, "nvrtcDestroyProgram", &c.destroy)) {
    print_message("  no NVRTC\n");
    return code;
  }
  if (c.create(&program, text, "user.cu", 0, NULL, NULL) == 0 && c.compile(program, 3, options) == 0 &&
      (ptx ? c.ptx_size(program, &code.size) : c.ltoir_size(program, &code.size)) == 0) {
    code.bytes = malloc(code.size);
    assert_non_null(code.bytes);
    if ((ptx ? c.ptx(program, code.bytes) : c.ltoir(program, code.bytes)) != 0) {
      free(code.bytes);
      code.bytes = NULL;
    }
  }
  if (program) c.destroy(&program);
  if (!code.bytes) print_message("  NVRTC does not compile the text with %s\n", option);
  return code;
}

static struct code bytes_of(const char *path) {
  struct code code = {NULL, 0};
  FILE *file = fopen(path, "rb");
  if (!file) return code;
  fseek(file, 0, SEEK_END);
  code.size = (size_t)ftell(file);
  rewind(file);
  code.bytes = malloc(code.size + 1);
  assert_non_null(code.bytes);
  assert_true(fread(code.bytes, 1, code.size, file) == code.size);
  fclose(file);
  return code;
}

struct code code_by_nvcc(const char *text, const char *file, const char *options) {
  struct code code = {NULL, 0};
  char command[8192];
  int length;
  if (access(TESSERA_TEST_NVCC, X_OK) != 0) {
    print_message("  no nvcc\n");
    return code;
  }
  put_file("user.cu", text);
  length = snprintf(command, sizeof command, "%s %s -o %s %s > %s 2>&1", TESSERA_TEST_NVCC, options, test_path(file),
                    test_path("user.cu"), test_path("messages"));
  assert_true(length < (int)sizeof command);
  if (system(command) == 0) code = bytes_of(test_path(file));
  if (!code.bytes) print_message("  %s failed\n", command);
  return code;
}
