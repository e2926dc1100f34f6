/* A suite of integrals with known values by every method and by TESSERA_AUTO: one row of CSV a run. The suite is a JSON file whose list
 * "integrals" has objects with "id", "dim", "lower", "upper" (lists of texts such as "0", "-inf", "2*pi"), "c_setup" and "c_body" (C that
 * sets f from x) and "value". The texts are compiled by the system's compiler.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tessera.h>

static const char usage[] =
    "Usage: tessera_choose SUITE.json [options]\n"
    "  --tol LIST      relative tolerances (1e-3,1e-5)\n"
    "  --methods LIST  of quadrature, cubature, lattice, montecarlo, vegas, sobol, auto (all)\n"
    "  --only TEXT     integrals whose name contains it\n"
    "  --maxeval N     most evaluations of a run (2e7)\n"
    "  --seconds S     most seconds of a run (20)\n";

enum { most_dimensions = 512, most_tolerances = 8 };

static const struct way {
  const char *name;
  int method, sampling, generator;
} ways[] = {
    {"quadrature", TESSERA_QUADRATURE, 0, TESSERA_GENERATOR_AUTO},
    {"cubature", TESSERA_CUBATURE, 0, TESSERA_GENERATOR_AUTO},
    {"lattice", TESSERA_LATTICE, 0, TESSERA_GENERATOR_AUTO},
    {"montecarlo", TESSERA_MONTECARLO, 0, TESSERA_GENERATOR_AUTO},
    {"vegas", TESSERA_MONTECARLO, TESSERA_SAMPLING_VEGAS, TESSERA_GENERATOR_AUTO},
    {"sobol", TESSERA_MONTECARLO, TESSERA_SAMPLING_PLAIN, TESSERA_GENERATOR_SOBOL},
    {"auto", TESSERA_AUTO, 0, TESSERA_GENERATOR_AUTO},
};
enum { way_count = sizeof ways / sizeof ways[0] };

struct integral {
  char name[64];
  int ndim;
  double lower[most_dimensions], upper[most_dimensions], exact;
  char *text;
};

struct plan {
  double tolerances[most_tolerances];
  int tolerance_count;
  int64_t maxeval;
  double seconds;
  const char *methods, *only;
};

static void fail(const char *what, const char *name) {
  fprintf(stderr, "%s: %s\n", name, what);
  exit(1);
}

static char *read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  char *all = NULL;
  size_t n = 0;
  if (!f) fail("cannot be read", path);
  for (;;) {
    all = realloc(all, n + 65537);
    if (!all) fail("no memory", path);
    const size_t more = fread(all + n, 1, 65536, f);
    n += more;
    if (more == 0) break;
  }
  fclose(f);
  all[n] = 0;
  return all;
}

/* What stands behind "key": between begin and end, or NULL. */
static const char *find(const char *begin, const char *end, const char *key) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *at = strstr(begin, quoted);
  if (!at || at >= end) return NULL;
  at += strlen(quoted);
  while (*at == ' ' || *at == '\n') ++at;
  return at;
}

/* The text at `at`, a quotation mark; returns what follows it. */
static const char *take_text(const char *at, char *to, size_t room) {
  size_t n = 0;
  for (++at; *at && *at != '"'; ++at) {
    char c = *at;
    if (c == '\\') c = *++at == 'n' ? '\n' : *at;
    if (n + 1 < room) to[n++] = c;
  }
  to[n] = 0;
  return *at ? at + 1 : at;
}

/* A list of limits. */
static void take_limits(const char *at, int ndim, double *limits) {
  const double pi = 3.14159265358979323846;
  for (int j = 0; j < ndim; ++j) {
    char text[64];
    at = take_text(strchr(at, '"'), text, sizeof text);
    char *rest;
    double v = strcmp(text, "pi") == 0 ? pi : strtod(text, &rest);
    if (strstr(text, "*pi")) v *= pi;
    limits[j] = v;
  }
}

/* The next integral; NULL behind the last one. */
static const char *take_integral(const char *at, struct integral *to) {
  const char *id = find(at, at + strlen(at), "id");
  if (!id) return NULL;
  const char *end = find(id, id + strlen(id), "id");
  if (!end) end = id + strlen(id);
  char number[80];
  take_text(id, to->name, sizeof to->name);
  const char *dim = find(id, end, "dim"), *lower = find(id, end, "lower"), *upper = find(id, end, "upper"),
             *body = find(id, end, "c_body"), *setup = find(id, end, "c_setup"), *value = find(id, end, "value");
  if (!dim || !lower || !upper || !body || !value) fail("is not understood", to->name);
  to->ndim = atoi(dim);
  if (to->ndim < 1 || to->ndim > most_dimensions) fail("too many variables", to->name);
  take_limits(lower, to->ndim, to->lower);
  take_limits(upper, to->ndim, to->upper);
  take_text(value, number, sizeof number);
  to->exact = strtod(number, NULL);
  enum { room = 1 << 16 };
  static char body_text[room], setup_text[room];
  take_text(body, body_text, room);
  setup_text[0] = 0;
  if (setup && *setup == '"') take_text(setup, setup_text, room);
  to->text = realloc(to->text, 3 * room);
  snprintf(
      to->text, 3 * room,
      "#include <math.h>\n%s\nint integrand(int ndim, const double *x, int ncomp, double *fval, void *userdata) {\n"
      "  double f = 0; (void)ndim; (void)ncomp; (void)userdata;\n  {%s}\n  fval[0] = f;\n  return 0;\n}\n",
      setup_text, body_text);
  return *end ? end - 8 : end;
}

static void run(const struct integral *p, const struct way *w, double tolerance, const struct plan *plan) {
  tessera_solver *s;
  double value = NAN, error = INFINITY, seconds = 0;
  int64_t evaluations = 0, used = 0;
  if (tessera_create(&s, p->ndim, 1) != 0) fail("no solver", p->name);
  tessera_set_domain(s, p->lower, p->upper);
  tessera_set_integrand_source(s, TESSERA_LANGUAGE_C, p->text, "integrand");
  tessera_set_real(s, TESSERA_RELTOL, tolerance);
  tessera_set_int(s, TESSERA_MAXEVAL, plan->maxeval);
  tessera_set_int(s, TESSERA_SAMPLING, w->sampling);
  tessera_set_int(s, TESSERA_GENERATOR, w->generator);
  double *const x = malloc(sizeof(double) * (size_t)p->ndim), f[1];
  for (int j = 0; j < p->ndim; ++j) x[j] = isfinite(p->lower[j]) ? p->lower[j] + 0.3 : 0.3;
  tessera_evaluate(s, 1, x, f); /* compiles */
  free(x);
  tessera_set_real(s, TESSERA_MAX_SECONDS, plan->seconds);
  const clock_t begin = clock();
  const int status = tessera_integrate(s, w->method, &value, &error);
  seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  tessera_get_int(s, TESSERA_EVALUATIONS, &evaluations);
  tessera_get_int(s, TESSERA_METHOD_USED, &used);
  if (status < 0 && status != TESSERA_ERR_UNSUPPORTED)
    fprintf(stderr, "%s, %s: %s\n", p->name, w->name, tessera_last_error(s));
  const double off = fabs(value - p->exact), tolerated = tolerance * fabs(p->exact);
  printf("%s,%d,%g,%s,%d,%" PRId64 ",%.6g,%.4g,%.4g,%d,%d\n", p->name, p->ndim, tolerance, w->name, status, evaluations,
         seconds, error / fabs(value), off / fabs(p->exact), status == 0 && !(off <= tolerated), (int)used);
  fflush(stdout);
  tessera_destroy(s);
}

static int read_numbers(char *list, double *numbers, int most) {
  int n = 0;
  for (char *part = strtok(list, ","); part && n < most; part = strtok(NULL, ",")) numbers[n++] = strtod(part, NULL);
  return n;
}

int main(int argc, char **argv) {
  struct plan plan = {{1e-3, 1e-5}, 2, 20000000, 20.0, NULL, NULL};
  if (argc < 2) return fputs(usage, stderr), 2;
  for (int i = 2; i < argc; i += 2) {
    double number[1];
    char *const value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!value) return fputs(usage, stderr), 2;
    if (strcmp(argv[i], "--tol") == 0)
      plan.tolerance_count = read_numbers(value, plan.tolerances, most_tolerances);
    else if (strcmp(argv[i], "--methods") == 0)
      plan.methods = value;
    else if (strcmp(argv[i], "--only") == 0)
      plan.only = value;
    else if (strcmp(argv[i], "--maxeval") == 0 && read_numbers(value, number, 1) == 1)
      plan.maxeval = (int64_t)number[0];
    else if (strcmp(argv[i], "--seconds") == 0 && read_numbers(value, number, 1) == 1)
      plan.seconds = number[0];
    else
      return fputs(usage, stderr), 2;
  }
  char *const all = read_file(argv[1]);
  static struct integral p;
  puts("integral,ndim,tolerance,method,status,evaluations,seconds,rel_error_estimate,true_rel_error,false,used");
  for (const char *at = all; (at = take_integral(at, &p));) {
    if (plan.only && !strstr(p.name, plan.only)) continue;
    for (int w = 0; w < way_count; ++w) {
      if (plan.methods && !strstr(plan.methods, ways[w].name)) continue;
      if ((ways[w].method == TESSERA_QUADRATURE) != (p.ndim == 1) && ways[w].method != TESSERA_AUTO) {
        if (ways[w].method == TESSERA_QUADRATURE) continue;
      }
      for (int t = 0; t < plan.tolerance_count; ++t) run(&p, &ways[w], plan.tolerances[t], &plan);
    }
  }
  free(p.text);
  free(all);
  return 0;
}
