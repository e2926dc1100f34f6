/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "close.h"

enum { most_files = 32 };

char test_directory[path_bytes];
static char files[most_files][path_bytes];
static int file_count;

void open_test_directory(void) {
  const char *top = getenv("TMPDIR");
  snprintf(test_directory, sizeof test_directory, "%.150s/tessera_test_XXXXXX", top && *top ? top : "/tmp");
  if (mkdtemp(test_directory)) return;
  perror(test_directory);
  exit(1);
}

void close_test_directory(void) {
  while (file_count > 0) remove(files[--file_count]);
  rmdir(test_directory);
}

int begin_in_test_directory(void **state) {
  (void)state;
  open_test_directory();
  return 0;
}
int end_in_test_directory(void **state) {
  (void)state;
  close_test_directory();
  return 0;
}
void let_files_be_short_lived(void) {
  if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
}

const char *test_path(const char *name) {
  char path[path_bytes];
  assert_true(snprintf(path, sizeof path, "%s/%s", test_directory, name) < (int)sizeof path);
  for (int i = 0; i < file_count; ++i)
    if (strcmp(files[i], path) == 0) return files[i];
  assert_true(file_count < most_files);
  return strcpy(files[file_count++], path);
}

const char *put_bytes(const char *name, const void *bytes, size_t n) {
  const char *path = test_path(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fwrite(bytes, 1, n, file) == n);
  assert_int_equal(fclose(file), 0);
  return path;
}

const char *put_file(const char *name, const char *text) { return put_bytes(name, text, strlen(text)); }

const char *put_directory(const char *name) {
  const char *path = test_path(name);
  struct stat there;
  if (stat(path, &there) != 0) assert_int_equal(mkdir(path, 0700), 0);
  return path;
}
