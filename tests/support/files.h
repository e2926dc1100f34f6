/* Files of a test, in a directory of its own.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_TESTS_FILES_H
#define TESSERA_TESTS_FILES_H

#include <stddef.h>

enum { path_bytes = 256 };

/* Made by open_test_directory, removed with all that test_path has named by close_test_directory. */
extern char test_directory[path_bytes];
void open_test_directory(void);
void close_test_directory(void);

/* The same around a group of tests. Of thousands of files that need not last: let_files_be_short_lived() before. */
int begin_in_test_directory(void **state);
int end_in_test_directory(void **state);
void let_files_be_short_lived(void);

/* The path of a file of that name, or of a directory, which must be named before what is in it. */
const char *test_path(const char *name);
const char *put_bytes(const char *name, const void *bytes, size_t n);
const char *put_file(const char *name, const char *text);
const char *put_directory(const char *name);

#endif
