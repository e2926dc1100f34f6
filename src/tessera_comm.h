/* What libtessera asks of a library that connects the ranks of a program: the table of functions that a communication plug-in hands
 * out. tessera_mpi.c makes one over MPI; another transport fills in the same table.
 *
 * All functions of an open communicator are called by one thread of the rank, the one that calls the solver. Unless it is said
 * otherwise they are collective, return 0, or else write why not to why[TESSERA_COMM_WHY] (a text ending in NUL).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESSERA_COMM_H
#define TESSERA_COMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plug-in is used only if this number is the same on both sides. */
#define TESSERA_COMM_ABI 2

#define TESSERA_COMM_WHY 512

/* Which communicator is meant. */
enum tessera_comm_handle {
  TESSERA_COMM_HANDLE_C = 0,       /* handle[bytes]: the transport's own type in C */
  TESSERA_COMM_HANDLE_FORTRAN = 1, /* handle: an int, the same in Fortran */
  TESSERA_COMM_HANDLE_WORLD = 2    /* all ranks of the program; handle is NULL */
};

/* Of an open communicator. */
struct tessera_comm_ranks {
  int rank, size;
  int here;    /* ranks on this rank's machine, itself among them; at least 1 */
  int threads; /* 0: a rank may have one thread only */
};

struct tessera_comm_plugin {
  int abi;          /* TESSERA_COMM_ABI */
  const char *name; /* of the transport, for messages: "MPI" */

  /* A copy of the communicator, which stays the caller's: *state is what the other functions are given. */
  int (*open)(int kind, const void *handle, size_t bytes, void **state, struct tessera_comm_ranks *ranks, char *why);
  /* Gives it back; nothing is communicated any more where the transport has been shut down. */
  void (*close)(void *state);

  /* Every rank hands in `bytes` bytes, as many as the others; all[size][bytes], in the order of the ranks. */
  int (*gather)(void *state, const void *mine, size_t bytes, void *all, char *why);
  /* The same where ranks hand in different numbers: bytes[size], known to all of them; they follow each other in `all`.
   * `mine` may be the rank's own part of `all`. */
  int (*gather_each)(void *state, const void *mine, const size_t *bytes, void *all, char *why);

  /* A counter that all ranks share: 0 for all of them when the call returns. */
  int (*reset_counter)(void *state, char *why);
  /* Not collective: *before is what it was, and it grows by `by`. */
  int (*fetch_and_add)(void *state, int64_t by, int64_t *before, char *why);
  /* Not collective: lets the requests of others be served, where the transport does that within calls only. */
  void (*progress)(void *state);

  /* Not collective: may the calling thread communicate now? */
  int (*may_call)(void *state, char *why);
};

/* The one symbol of a plug-in. */
typedef const struct tessera_comm_plugin *(*tessera_comm_entry)(void);
#define TESSERA_COMM_ENTRY "tessera_comm_plugin"

#ifdef __cplusplus
}
#endif

#endif
