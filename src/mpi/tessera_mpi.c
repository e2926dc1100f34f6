/* libtessera_mpi.so: the ranks of an MPI program, for libtessera.so, which opens it on first use of a communicator.
 *
 *   mpicc -O2 -shared -fPIC -o libtessera_mpi.so tessera_mpi.c
 *
 * makes one for the MPI at hand; the environment variable TESSERA_COMM_LIB names it. It needs MPI 3.0.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tessera_comm.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(OPEN_MPI)
#define BUILT_FOR "Open MPI"
#elif defined(MPICH_VERSION)
#define BUILT_FOR "MPICH"
#else
#define BUILT_FOR ""
#endif

struct state {
  MPI_Comm comm;
  int rank, size;
  MPI_Win window; /* of the counter; MPI_WIN_NULL until it is first reset */
  int64_t *counter;
  int *counts, *starts; /* [size] */
};

static int refuse(char *why, const char *text) {
  snprintf(why, TESSERA_COMM_WHY, "%s", text);
  return 1;
}

/* What MPI says of a code. */
static int explain(int code, const char *call, char *why) {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  text[length] = '\0';
  for (char *c = text; *c; ++c)
    if (*c == '\n') *c = ' ';
  snprintf(why, TESSERA_COMM_WHY, "%s failed: %.400s", call, text);
  return 1;
}

/* The MPI that the program runs and the one whose handles are known here must be of one kind: what they call a handle differs. This may be
 * asked of any of them, at any time; the room for the answer is that of the one that says most. */
static int is_other_mpi(char *why) {
  char version[16384] = "";
  int length = 0;
  if (MPI_Get_library_version(version, &length) != MPI_SUCCESS) return 0;
  version[length] = '\0';
  const int open_mpi = strstr(version, "Open MPI") != NULL, built_for_it = strcmp(BUILT_FOR, "Open MPI") == 0;
  if (BUILT_FOR[0] == '\0' || open_mpi == built_for_it) return 0;
  version[strcspn(version, "\n,")] = '\0';
  for (char *c = version; *c; ++c)
    if (*c == '\t') *c = ' ';
  snprintf(why, TESSERA_COMM_WHY,
           "libtessera_mpi.so was built for " BUILT_FOR
           ", and the program runs %.80s: build tessera_mpi.c with its mpicc, and let "
           "TESSERA_COMM_LIB name the result",
           version);
  return 1;
}

static int is_running(char *why) {
  int begun = 0, over = 0;
  MPI_Initialized(&begun);
  if (!begun)
    return refuse(why,
                  "MPI is not initialised in this program, or not the MPI for which libtessera_mpi.so was built: call "
                  "MPI_Init_thread first"),
           0;
  MPI_Finalized(&over);
  if (over) return refuse(why, "MPI has been finalised"), 0;
  return 1;
}

static int may_call(void *unused, char *why) {
  int level = MPI_THREAD_SINGLE, main_thread = 1;
  (void)unused;
  if (!is_running(why)) return 1;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&main_thread);
  if (level < MPI_THREAD_SERIALIZED && !main_thread)
    return refuse(why,
                  "this thread may not call MPI: the solver must be called by the thread that has initialised MPI, or "
                  "MPI with MPI_THREAD_SERIALIZED");
  return 0;
}

/* Errors of this communicator come back as codes; those about handles that are none belong to others, which are asked for the time of
 * `open` to return them as well. */
struct handlers {
  MPI_Errhandler world, self;
};
static void catch_errors(struct handlers *h) {
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &h->world);
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &h->self);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}
static void let_errors_go(struct handlers *h) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, h->world);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, h->self);
  MPI_Errhandler_free(&h->world);
  MPI_Errhandler_free(&h->self);
}

/* In Open MPI a handle is an address, and that of a communicator which has been freed must not be looked at: is it one of those that its
 * table for Fortran has? There are not more than 65536. */
static int is_known(MPI_Comm comm) {
#if defined(OPEN_MPI)
  const MPI_Fint end = 1 << 17;
  MPI_Fint i = 0;
  while (comm && i < end && MPI_Comm_f2c(i) != comm) ++i;
  return comm && i < end;
#else
  (void)comm;
  return 1;
#endif
}

static int is_usable(MPI_Comm comm, char *why) {
  int inter = 0;
  if (comm == MPI_COMM_NULL) return refuse(why, "the communicator is MPI_COMM_NULL, or has been freed"), 0;
  if (!is_known(comm) || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
    return refuse(why, "the communicator is none of this MPI's, or has been freed"), 0;
  if (inter) return refuse(why, "the communicator is an inter-communicator: its ranks are in two groups"), 0;
  return 1;
}

static int duplicate(struct state *s, MPI_Comm comm, struct tessera_comm_ranks *ranks, char *why) {
  MPI_Comm here = MPI_COMM_NULL;
  int code = MPI_Comm_dup(comm, &s->comm);
  if (code != MPI_SUCCESS) {
    s->comm = MPI_COMM_NULL;
    return explain(code, "MPI_Comm_dup", why);
  }
  MPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(s->comm, &s->rank);
  MPI_Comm_size(s->comm, &s->size);
  ranks->rank = s->rank;
  ranks->size = s->size;
  code = MPI_Comm_split_type(s->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  if (code != MPI_SUCCESS) return explain(code, "MPI_Comm_split_type", why);
  MPI_Comm_size(here, &ranks->here);
  MPI_Comm_free(&here);
  return 0;
}

static void mpi_close(void *of) {
  struct state *s = of;
  int over = 0;
  if (!s) return;
  MPI_Finalized(&over);
  if (!over) {
    if (s->window != MPI_WIN_NULL) {
      MPI_Win_unlock_all(s->window);
      MPI_Win_free(&s->window);
    }
    if (s->comm != MPI_COMM_NULL) MPI_Comm_free(&s->comm);
  }
  free(s->counts);
  free(s->starts);
  free(s);
}

static int mpi_open(int kind, const void *handle, size_t bytes, void **state, struct tessera_comm_ranks *ranks,
                    char *why) {
  MPI_Comm comm = MPI_COMM_WORLD;
  struct handlers handlers;
  int level = MPI_THREAD_SINGLE, usable;
  *state = NULL;
  if (is_other_mpi(why) || may_call(NULL, why)) return 1;
  if (kind == TESSERA_COMM_HANDLE_C && bytes != sizeof comm) {
    snprintf(why, TESSERA_COMM_WHY, "bytes = %zu: an MPI_Comm of " BUILT_FOR " has %zu", bytes, sizeof comm);
    return 1;
  }
  MPI_Query_thread(&level);
  ranks->threads = level >= MPI_THREAD_FUNNELED;
  catch_errors(&handlers);
  if (kind == TESSERA_COMM_HANDLE_C) memcpy(&comm, handle, sizeof comm);
  if (kind == TESSERA_COMM_HANDLE_FORTRAN) comm = MPI_Comm_f2c((MPI_Fint) * (const int *)handle);
  usable = is_usable(comm, why);
  let_errors_go(&handlers);
  if (!usable) return 1;
  struct state *s = calloc(1, sizeof *s);
  if (!s) return refuse(why, "no memory left");
  s->comm = MPI_COMM_NULL;
  s->window = MPI_WIN_NULL;
  int failed = duplicate(s, comm, ranks, why);
  if (!failed) {
    s->counts = calloc((size_t)s->size, sizeof *s->counts);
    s->starts = calloc((size_t)s->size, sizeof *s->starts);
    if (!s->counts || !s->starts) failed = refuse(why, "no memory left");
  }
  if (failed)
    mpi_close(s);
  else
    *state = s;
  return failed;
}

/* MPI counts by int. */
#define MOST_AT_ONCE ((size_t)1 << 30)

static int mpi_gather_each(void *of, const void *mine, const size_t *bytes, void *all, char *why) {
  struct state *s = of;
  size_t sum = 0;
  for (int r = 0; r < s->size; ++r) sum += bytes[r];
  if (sum <= MOST_AT_ONCE) {
    int start = 0;
    for (int r = 0; r < s->size; ++r) {
      s->counts[r] = (int)bytes[r];
      s->starts[r] = start;
      start += s->counts[r];
    }
    const void *const own = mine == (char *)all + s->starts[s->rank] ? MPI_IN_PLACE : mine;
    const int code = MPI_Allgatherv(own, s->counts[s->rank], MPI_BYTE, all, s->counts, s->starts, MPI_BYTE, s->comm);
    return code == MPI_SUCCESS ? 0 : explain(code, "MPI_Allgatherv", why);
  }
  char *to = all;
  for (int r = 0; r < s->size; to += bytes[r], ++r) {
    if (r == s->rank && to != mine) memcpy(to, mine, bytes[r]);
    for (size_t at = 0; at < bytes[r]; at += MOST_AT_ONCE) {
      const size_t left = bytes[r] - at;
      const int code = MPI_Bcast(to + at, (int)(left < MOST_AT_ONCE ? left : MOST_AT_ONCE), MPI_BYTE, r, s->comm);
      if (code != MPI_SUCCESS) return explain(code, "MPI_Bcast", why);
    }
  }
  return 0;
}

static int mpi_gather(void *of, const void *mine, size_t bytes, void *all, char *why) {
  struct state *s = of;
  if (bytes > MOST_AT_ONCE) return refuse(why, "too much is gathered at once");
  const int code = MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, s->comm);
  return code == MPI_SUCCESS ? 0 : explain(code, "MPI_Allgather", why);
}

/* The counter lies on rank 0. */
static int make_window(struct state *s, char *why) {
  const MPI_Aint bytes = s->rank == 0 ? (MPI_Aint)sizeof *s->counter : 0;
  int code = MPI_Win_allocate(bytes, (int)sizeof *s->counter, MPI_INFO_NULL, s->comm, &s->counter, &s->window);
  if (code != MPI_SUCCESS) {
    s->window = MPI_WIN_NULL;
    return explain(code, "MPI_Win_allocate", why);
  }
  MPI_Win_set_errhandler(s->window, MPI_ERRORS_RETURN);
  code = MPI_Win_lock_all(0, s->window);
  return code == MPI_SUCCESS ? 0 : explain(code, "MPI_Win_lock_all", why);
}

static int change_counter(struct state *s, MPI_Op how, int64_t by, int64_t *before, char *why) {
  int code = MPI_Fetch_and_op(&by, before, MPI_INT64_T, 0, 0, how, s->window);
  if (code == MPI_SUCCESS) code = MPI_Win_flush(0, s->window);
  return code == MPI_SUCCESS ? 0 : explain(code, "MPI_Fetch_and_op", why);
}

static int mpi_reset_counter(void *of, char *why) {
  struct state *s = of;
  int64_t before = 0;
  if (s->window == MPI_WIN_NULL && make_window(s, why)) return 1;
  int code = MPI_Barrier(s->comm); /* whoever still takes from it has done so */
  if (code == MPI_SUCCESS && s->rank == 0 && change_counter(s, MPI_REPLACE, 0, &before, why)) return 1;
  if (code == MPI_SUCCESS) code = MPI_Barrier(s->comm);
  return code == MPI_SUCCESS ? 0 : explain(code, "MPI_Barrier", why);
}

static int mpi_fetch_and_add(void *of, int64_t by, int64_t *before, char *why) {
  return change_counter(of, MPI_SUM, by, before, why);
}

static void mpi_progress(void *of) {
  int there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ((struct state *)of)->comm, &there, MPI_STATUS_IGNORE);
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct tessera_comm_plugin *
tessera_comm_plugin(void);

const struct tessera_comm_plugin *tessera_comm_plugin(void) {
  static const struct tessera_comm_plugin table = {
      TESSERA_COMM_ABI,  "MPI",        mpi_open, mpi_close, mpi_gather, mpi_gather_each, mpi_reset_counter,
      mpi_fetch_and_add, mpi_progress, may_call};
  return &table;
}
