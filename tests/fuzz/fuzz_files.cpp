// Files that were damaged: generating vectors, grids, states of Cuba's routines; and the numbers of regions and states. What is loaded all the
// same must be what the setters take, and a run with it ends. SPDX-License-Identifier: BSD-3-Clause
// Usage: fuzz_files TRIALS [SEED [1 [FIRST]]]
#include <cstring>
#include <functional>

#include "cuba.h"
#include "integrand.hpp"
#include "mutation.hpp"
#include "report.hpp"
#include "tessera.h"

extern "C" {
#include "files.h"
}

namespace {

using fuzz::dice;
using fuzz::fail;

constexpr int ndim = 3, ncomp = 2;
fuzz::counts all;
std::string path;

void require(bool good, const char *what) {
  if (!good) fail(0, "%s", what);
}

// Counts as good what was taken.
int load(const char *name, const std::function<int()> &body) { return fuzz::counted(all, 0, name, body); }

struct solver {
  tessera_solver *s = nullptr;
  fuzz::integrand f;
  solver() {
    require(tessera_create(&s, ndim, ncomp) == TESSERA_OK, "a solver");
    tessera_set_integrand1(s, fuzz::at_point, &f);
    tessera_set_int(s, TESSERA_MAXEVAL, 2000);
    tessera_set_int(s, TESSERA_KEEP_REGIONS, 1);
    tessera_set_int(s, TESSERA_KEEP_STATE, 1);
    tessera_set_int(s, TESSERA_SAMPLING, TESSERA_SAMPLING_VEGAS);
    tessera_set_int(s, TESSERA_POINTS, 200);
    tessera_set_int(s, TESSERA_SHIFTS, 4);
    f.lower.assign(ndim, 0.0);
    f.upper.assign(ndim, 1.0);
  }
  ~solver() { tessera_destroy(s); }
  solver(const solver &) = delete;
  solver &operator=(const solver &) = delete;
  int run(int method) {
    double value[ncomp], error[ncomp];
    const int status = tessera_integrate(s, method, value, error);
    require(status >= 0 || *tessera_last_error(s), "a message");
    require(status != TESSERA_ERR_INTERNAL, "an internal error");
    require(f.outside == 0, "points lie inside the limits");
    if (status == TESSERA_OK)
      for (int k = 0; k < ncomp; ++k)
        require(std::isfinite(value[k]) && std::isfinite(error[k]), "0 comes with numbers");
    return status;
  }
};

struct vector {
  tessera_lattice *l = nullptr;
  explicit vector(int n) { require(tessera_lattice_create(&l, n) == TESSERA_OK, "a lattice"); }
  ~vector() { tessera_lattice_destroy(l); }
  vector(const vector &) = delete;
  vector &operator=(const vector &) = delete;
};

// ---- Valid files, made once -----------------------------------------------------------------------------------------------------

std::string vector_file(int which) {
  vector v(ndim + 1);
  const double order[] = {1, 0.5};
  if (which == 1) tessera_lattice_set_weights(v.l, nullptr, 2, order);
  if (which == 2) tessera_lattice_set_int(v.l, TESSERA_LATTICE_LEAST, 64);
  const int status =
      which == 0 ? tessera_lattice_korobov(v.l, 1009, 76) : tessera_lattice_construct(v.l, which == 1 ? 101 : 1024);
  if (status == TESSERA_ERR_NOT_BUILT) tessera_lattice_korobov(v.l, 128, 3);  // no FFTW
  require(tessera_lattice_save(v.l, path.c_str()) == TESSERA_OK, "a vector's file");
  return fuzz::read_bytes(path);
}

std::string grid_file() {
  solver one;
  one.run(TESSERA_MONTECARLO);
  require(tessera_save_grid(one.s, path.c_str()) == TESSERA_OK, "a grid's file");
  return fuzz::read_bytes(path);
}

std::string run_file() {
  solver one;
  one.run(TESSERA_CUBATURE);
  require(tessera_save_state(one.s, path.c_str()) == TESSERA_OK, "the file of a run");
  return fuzz::read_bytes(path);
}

std::int64_t evaluations, most_evaluations;  // of a run of Cuba's routines

int exponentials(const int *n, const double x[], const int *m, double f[], void *) {
  require(++evaluations <= most_evaluations, "a state file makes no run longer than a fresh one");
  double s = 0;
  for (int j = 0; j < *n; ++j) s += x[j];
  for (int k = 0; k < *m; ++k) f[k] = std::exp(-(k + 1) * std::fabs(s - 0.5));
  return 0;
}

enum routine { cuhre, vegas, suave, divonne, routines };
const char *const routine_names[] = {"Cuhre", "Vegas", "Suave", "Divonne"};

int call(int which, int maxeval, const char *statefile) {
  double value[ncomp], error[ncomp], prob[ncomp];
  int nregions, neval, end = -7777;
  const int flags = 16;
  evaluations = 0;
  most_evaluations = 2 * maxeval;  // some go a little beyond it
  if (which == cuhre)
    Cuhre(ndim, ncomp, exponentials, nullptr, 1, 1e-9, 0, flags, 0, maxeval, 0, statefile, nullptr, &nregions, &neval,
          &end, value, error, prob);
  if (which == vegas)
    Vegas(ndim, ncomp, exponentials, nullptr, 1, 1e-9, 0, flags, 1, 0, maxeval, 300, 100, 100, 0, statefile, nullptr,
          &neval, &end, value, error, prob);
  if (which == suave)
    Suave(ndim, ncomp, exponentials, nullptr, 1, 1e-9, 0, flags, 1, 0, maxeval, 300, 2, 1, statefile, nullptr,
          &nregions, &neval, &end, value, error, prob);
  if (which == divonne)
    Divonne(ndim, ncomp, exponentials, nullptr, 1, 1e-9, 0, flags, 1, 0, maxeval, 7, 1, 1, 5, 0, 10, 0.25, 0, ndim,
            nullptr, 0, nullptr, statefile, nullptr, &nregions, &neval, &end, value, error, prob);
  if (end == 0)
    for (int k = 0; k < ncomp; ++k)
      require(std::isfinite(value[k]) && std::isfinite(error[k]), "success comes with numbers");
  require(end >= 0, "a state file is no reason to fail");
  return end;
}

std::string state_file(int which) {
  std::remove(path.c_str());
  call(which, 3000, path.c_str());
  return fuzz::read_bytes(path);
}

// The checksum at the end of a state file, so that what is changed before it is believed.
std::string sealed(std::string bytes) {
  std::uint64_t sum = 0xcbf29ce484222325ull, word;
  const std::size_t words = bytes.size() / 8;
  if (words < 2 || bytes.size() % 8 != 0) return bytes;
  for (std::size_t i = 0; i + 1 < words; ++i) {
    std::memcpy(&word, &bytes[8 * i], 8);
    sum = (sum ^ word) * 0x100000001b3ull;
    sum ^= sum >> 29;
  }
  std::memcpy(&bytes[8 * (words - 1)], &sum, 8);
  return bytes;
}

struct samples {
  std::string vectors[3], grid, run, states[routines];
  std::vector<double> regions, sampling;
  samples() : grid(grid_file()), run(run_file()) {
    for (int i = 0; i < 3; ++i) vectors[i] = vector_file(i);
    for (int i = 0; i < routines; ++i) states[i] = state_file(i);
    solver one;
    std::int64_t n = 0;
    one.run(TESSERA_CUBATURE);
    require(tessera_get_regions(one.s, 0, 0, nullptr, &n) == TESSERA_OK, "regions");
    regions.resize(static_cast<std::size_t>(n) * TESSERA_REGION_LENGTH(ndim, ncomp));
    tessera_get_regions(one.s, 0, n, regions.data(), nullptr);
    one.run(TESSERA_MONTECARLO);
    require(tessera_get_state(one.s, 0, nullptr, &n) == TESSERA_OK, "a state");
    sampling.resize(static_cast<std::size_t>(n));
    tessera_get_state(one.s, n, sampling.data(), nullptr);
  }
};

// ---- What is made of them ----------------------------------------------------------------------------------------------------------

void damaged_vector(dice &r, const samples &good) {
  fuzz::write_bytes(path, fuzz::damaged(r.of(good.vectors), r));
  vector v(2);
  const int status = load("tessera_lattice_load", [&] { return tessera_lattice_load(v.l, path.c_str()); });
  std::int64_t n = 0, size = 0;
  tessera_lattice_get_int(v.l, TESSERA_LATTICE_NDIM, &n);
  tessera_lattice_get_int(v.l, TESSERA_LATTICE_SIZE, &size);
  if (status != TESSERA_OK) {
    require(status == TESSERA_ERR_FILE && *tessera_lattice_last_error(v.l) && n == 2 && size == 0,
            "a file that is refused leaves the vector as it was");
    return;
  }
  std::vector<std::int64_t> z(static_cast<std::size_t>(n));
  require(tessera_lattice_get_vector(v.l, z.data()) == TESSERA_OK, "a vector that was loaded is there");
  vector same(static_cast<int>(n));
  require(tessera_lattice_vector(same.l, size, z.data()) == TESSERA_OK, "what is loaded is what the setter takes");
  require(
      tessera_lattice_save(v.l, path.c_str()) == TESSERA_OK && tessera_lattice_load(same.l, path.c_str()) == TESSERA_OK,
      "it is saved and loaded again");
  if (size > 4096) return;  // two shifts are always made
  solver one;
  if (tessera_set_lattice(one.s, v.l) == TESSERA_OK) one.run(TESSERA_LATTICE);
  if (size <= 1024) tessera_lattice_construct(same.l, size);  // with the weights of the file
}

void damaged_grid(dice &r, const samples &good) {
  fuzz::write_bytes(path, fuzz::damaged(good.grid, r));
  solver one, other;
  std::vector<double> edges(ndim * TESSERA_GRID_EDGES, -1.0);
  const int status = load("tessera_load_grid", [&] { return tessera_load_grid(one.s, path.c_str()); });
  if (status != TESSERA_OK) {
    require((status == TESSERA_ERR_FILE || status == TESSERA_ERR_ARGUMENT) && *tessera_last_error(one.s) &&
                tessera_get_grid(one.s, edges.data()) < 0,
            "a file that is refused leaves no grid");
    return;
  }
  require(tessera_get_grid(one.s, edges.data()) == TESSERA_OK && tessera_set_grid(other.s, edges.data()) == TESSERA_OK,
          "what is loaded is what the setter takes");
  one.run(TESSERA_MONTECARLO);
}

void damaged_run(dice &r, const samples &good) {
  const std::string bytes = r.one_in(9) ? good.run : fuzz::damaged(good.run, r);
  fuzz::write_bytes(path, bytes);
  solver one;
  const int status = load("tessera_load_state", [&] { return tessera_load_state(one.s, path.c_str()); });
  require((status == TESSERA_OK) == (bytes == good.run), "a state is loaded as it was saved, or not at all");
  if (status != TESSERA_OK) require(status == TESSERA_ERR_FILE && *tessera_last_error(one.s), "a file that is refused");
  one.run(TESSERA_CUBATURE);
}

void damaged_state(dice &r, const samples &good) {
  const int which = static_cast<int>(r.between(0, routines - 1));
  std::string bytes = good.states[which];
  if (r.one_in(2)) {
    bytes = sealed(fuzz::damaged(bytes, r));
  } else {  // numbers alone, which are believed
    for (std::int64_t n = r.between(1, 3); n > 0 && bytes.size() >= 80; --n) {
      const double v = r.odd_real();
      const std::int64_t i = r.odd_int();
      const std::size_t at =
          8 *
          static_cast<std::size_t>(r.between(3, r.one_in(2) ? 30 : static_cast<std::int64_t>(bytes.size() / 8) - 2)) %
          (bytes.size() - 8) / 8 * 8;
      std::memcpy(&bytes[at], r.one_in(2) ? static_cast<const void *>(&v) : static_cast<const void *>(&i), 8);
    }
    bytes = sealed(bytes);
  }
  fuzz::write_bytes(path, bytes);
  load(routine_names[which], [&] { return call(which, 6000, path.c_str()); });
}

void damaged_numbers(dice &r, const samples &good) {
  solver one;
  const bool cubature = r.one_in(2);
  std::vector<double> numbers = cubature ? good.regions : good.sampling;
  const std::size_t unit = cubature ? TESSERA_REGION_LENGTH(ndim, ncomp) : 1;
  for (std::int64_t n = r.between(1, 3); n > 0; --n)
    numbers[r.bits() % (r.one_in(2) ? std::min<std::size_t>(numbers.size(), 40) : numbers.size())] = r.odd_real();
  if (r.one_in(4)) numbers.resize((r.bits() % (numbers.size() / unit + 1)) * unit);
  if (cubature && r.one_in(4))
    numbers.insert(numbers.end(), good.regions.begin(), good.regions.begin() + static_cast<std::ptrdiff_t>(unit));
  const auto n = static_cast<std::int64_t>(numbers.size() / unit);
  const int status =
      cubature ? load("tessera_set_regions",
                      [&] { return tessera_set_regions(one.s, n, numbers.data(), r.one_in(2) ? 100 : r.odd_int()); })
               : load("tessera_set_state", [&] { return tessera_set_state(one.s, n, numbers.data()); });
  if (status < 0) require(*tessera_last_error(one.s), "a message");
  one.f.lower.clear();  // (regions are checked by the run)
  one.run(cubature ? TESSERA_CUBATURE : TESSERA_MONTECARLO);
}

}  // namespace

int main(int argc, char **argv) {
  const fuzz::arguments a(argc, argv, 1500);
  open_test_directory();
  path = test_path("file");
  fuzz::start_watchdog(1, a.seed);
  const samples good;
  for (std::uint64_t i = 0; i < a.trials; ++i) {
    dice r(a.seed, a.first + i);
    fuzz::calls_in_progress()[0].trial = a.first + i;
    switch (r.between(0, 3)) {
      case 0:
        damaged_vector(r, good);
        break;
      case 1:
        if (r.one_in(3))
          damaged_run(r, good);
        else
          damaged_grid(r, good);
        break;
      case 2:
        damaged_state(r, good);
        break;
      default:
        damaged_numbers(r, good);
    }
  }
  fuzz::stop_watchdog();
  all.print();
  std::printf("seed %llu, %llu damaged files\n", static_cast<unsigned long long>(a.seed),
              static_cast<unsigned long long>(a.trials));
  close_test_directory();
  return a.trials >= 1500 && all.missing(
                                 "tessera_lattice_load,tessera_load_grid,tessera_load_state,Cuhre,Vegas,Suave,Divonne,"
                                 "tessera_set_regions,tessera_set_state") > 0;
}
