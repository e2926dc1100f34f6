/* Files of a test, in a directory of its own.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_FILES_H
#define TESSERA_TESTS_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "close.h"

enum { path_bytes = 256 };
static char test_directory[path_bytes];
static char test_files[32][path_bytes];
static int test_file_count;

static inline void open_test_directory(void) {
  const char *top = getenv("TMPDIR");
  snprintf(test_directory, sizeof test_directory, "%.200s/tessera_test_XXXXXX", top && *top ? top : "/tmp");
  if (!mkdtemp(test_directory)) perror("mkdtemp"), exit(1);
}

static inline void close_test_directory(void) {
  for (int i = test_file_count; i-- > 0;) remove(test_files[i]);
  rmdir(test_directory);
}

/* The path of a file of that name, which is removed at the end. */
static inline const char *test_path(const char *name) {
  char path[2 * path_bytes];
  snprintf(path, sizeof path, "%s/%s", test_directory, name);
  assert_true(strlen(path) < path_bytes);
  for (int i = 0; i < test_file_count; ++i)
    if (strcmp(test_files[i], path) == 0) return test_files[i];
  assert_true(test_file_count < 32);
  return strcpy(test_files[test_file_count++], path);
}

static inline const char *put_bytes(const char *name, const void *bytes, size_t n) {
  const char *path = test_path(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fwrite(bytes, 1, n, file) == n);
  assert_int_equal(fclose(file), 0);
  return path;
}

static inline const char *put_file(const char *name, const char *text) { return put_bytes(name, text, strlen(text)); }

#endif
