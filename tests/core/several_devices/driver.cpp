// Stands in for libcuda.so.1: several devices, whose kernels of lattice rules and Monte Carlo are run by the host on one integrand, that of
// tests/parity/device_runs.h. Kernels run when they are launched. What belongs to another device than the current one, or to none, is refused.
//   FAKE_CUDA_NDIM, FAKE_CUDA_NCOMP     what the kernels are compiled for, which cannot be read from them
//   FAKE_CUDA_BROKEN_DEVICE             on which every launch fails
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <cuda.h>

#include "cuda/lattice/lattice_problem.hpp"
#include "cuda/montecarlo/montecarlo_problem.hpp"
#include "engine/lattice/lattice_points.hpp"
#include "engine/montecarlo/grid_steps.hpp"
#include "engine/montecarlo/sample_points.hpp"

namespace {

using namespace tessera;

constexpr int devices = 4, multiprocessors = 2, blocks_of_multiprocessor = 2;

int number_in(const char *name, int otherwise) {
  const char *const text = std::getenv(name);
  return text && *text ? std::atoi(text) : otherwise;
}
int ndim() { return number_in("FAKE_CUDA_NDIM", 1); }
int ncomp() { return number_in("FAKE_CUDA_NCOMP", 1); }

struct function_of {
  std::string name;
  int device;
};
struct library {
  std::map<std::string, std::vector<unsigned char>> globals;
  std::map<std::pair<std::string, int>, function_of> functions;
  std::map<std::string, function_of> kernels;
};

std::mutex guard;
std::map<std::uintptr_t, std::pair<std::size_t, int>> blocks;  // of device memory: bytes and device
thread_local std::vector<int> current;                         // devices

CUcontext context_of(int device) { return reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(device + 1)); }
int device_of(CUcontext context) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1; }
int now() { return current.empty() ? -1 : current.back(); }
bool is_here(CUstream stream) {
  return now() >= 0 && reinterpret_cast<std::uintptr_t>(stream) == 100u + static_cast<unsigned>(now());
}
// Whose memory it is; -1: the host's.
int owner(CUdeviceptr p) {
  const std::lock_guard<std::mutex> lock(guard);
  auto b = blocks.upper_bound(static_cast<std::uintptr_t>(p));
  if (b == blocks.begin()) return -1;
  --b;
  return p < b->first + b->second.first ? b->second.second : -1;
}
bool is_here(const void *p) {
  const int whose = owner(reinterpret_cast<CUdeviceptr>(p));
  return whose < 0 || whose == now();
}

// ---- The integrand ---------------------------------------------------------------------------------------------------------
void values_at(const double *x, int64 ldx, double *f) {
  double s = 0.0;
  for (int j = 0; j < ndim(); ++j) s += std::fabs(x[j * ldx] - 0.3 - 0.01 * j);
  for (int k = 0; k < ncomp(); ++k) f[k] = std::exp(-0.4 * (k + 1) * s);
}

// ---- Lattice rules -----------------------------------------------------------------------------------------------------------
void lattice(const lattice_arguments &a, int64 many) {
  const int nd = ndim(), nc = ncomp();
  lattice_pass pass = a.pass;
  if (nd <= lattice_near_dim) pass.z = reinterpret_cast<const uint64 *>(&a + 1);
  const std::vector<unit_axis> axes(static_cast<std::size_t>(nd), {axis_finite, 0.0, 1.0, 0.0, 1.0, 0.0});
  for (int64 b = 0; b < many; ++b) {
    const int64 run = a.first_run + b, shift = run / a.runs_per_shift,
                begin = (run - shift * a.runs_per_shift) * a.units_per_run,
                lowest = a.first_unit - shift * a.units_per_shift, highest = a.end_unit - shift * a.units_per_shift;
    const int64 from = std::max(begin, lowest), to = std::min({begin + a.units_per_run, a.units_per_shift, highest});
    std::vector<compensated_sum> sums(static_cast<std::size_t>(nc));
    const int64 first = std::min(pass.count, from * unit_points(a.lanes)),
                n = std::min(pass.count, to * unit_points(a.lanes)) - first;
    std::vector<double> x(static_cast<std::size_t>(nd * n)), jacobian(static_cast<std::size_t>(n), 1.0),
        f(static_cast<std::size_t>(nc));
    fill_points(pass, axes.data(), nd, false, pass.first_shift + shift, first, n, {x.data(), n, jacobian.data()});
    for (int64 i = 0; i < n; ++i) {
      values_at(&x[static_cast<std::size_t>(i)], n, f.data());
      for (int k = 0; k < nc; ++k)
        sums[static_cast<std::size_t>(k)].add(f[static_cast<std::size_t>(k)] * jacobian[static_cast<std::size_t>(i)]);
    }
    std::copy(sums.begin(), sums.end(), a.partial + b * nc);
  }
}

// ---- Monte Carlo -------------------------------------------------------------------------------------------------------------
// Weighted values v[k * count + i] of the samples of a piece; train(points' bins, squares, boost) for each point.
template <class Train>
std::vector<double> values_of(const sampling_arguments &a, const sample_pass &pass, const sample_piece &piece,
                              const Train &train) {
  const int nd = ndim(), nc = ncomp();
  const int64 n = piece.count, points = n * points_of_sample(pass);
  const auto many = static_cast<std::size_t>(points);
  std::vector<double> x(many * static_cast<std::size_t>(nd)), jacobian(many), grid(many), boost(many),
      f(static_cast<std::size_t>(nc)), v(static_cast<std::size_t>(n * nc), 0.0);
  std::vector<unsigned char> bins(many * static_cast<std::size_t>(nd));
  const sample_arrays to = {x.data(), points, jacobian.data(), grid.data(), boost.data(), bins.data()};
  fill_uniform(pass, nd, piece.first, n, to);
  complete_samples(pass, nd, n, n, to);
  sample_axis axis = {};
  axis.map.kind = axis_finite;
  axis.length = 1.0;
  axis.map.last = 1.0;
  const std::vector<sample_axis> axes(static_cast<std::size_t>(nd), axis);
  std::vector<sample_cells> one(static_cast<std::size_t>(nd), cells_of(1));
  sample_pass cut = pass;
  if (pass.edges && !pass.cells) cut.cells = one.data();
  points_of_cube all = {piece.cube, 0, points, 0};
  map_samples(cut, axes.data(), nd, &all, 1, to);
  for (int64 i = 0; i < points; ++i) {
    values_at(&x[static_cast<std::size_t>(i)], points, f.data());
    double squares = 0.0;
    for (int k = 0; k < nc; ++k) {
      const double w = pass.unit * f[static_cast<std::size_t>(k)] * jacobian[static_cast<std::size_t>(i)];
      v[static_cast<std::size_t>(k * n + i % n)] += pass.antithetic ? 0.5 * w : w;
      if (pass.scale) squares += w * w * a.pass.scale[k];
    }
    train(&bins[static_cast<std::size_t>(i)], points, squares, boost[static_cast<std::size_t>(i)]);
  }
  return v;
}
void no_training(const unsigned char *, int64, double, double) {}

stratum_estimate estimate_of(const double *v, int64 n) {
  sample_moments m;
  for (int64 i = 0; i < n; ++i) m.add(v[i]);
  return estimate_stratum(m);
}

void sample_sums_of(const sampling_arguments &a, int64 many) {
  for (int64 b = 0; b < many; ++b) {
    const int64 block = a.first_block + b, shift = block / a.shift_blocks,
                begin = (block - shift * a.shift_blocks) * a.block_pieces;
    sample_pass pass = a.pass;
    if (pass.sobol.axes) pass.sobol.axes += shift * sobol_words(ndim(), pass.sobol.columns);
    std::vector<sample_sums> sums(static_cast<std::size_t>(ncomp()));
    for (int64 p = begin; p < std::min(begin + a.block_pieces, a.end_piece); ++p) {
      const sample_piece piece = plain_piece(a.cut, a.pass.cube, a.first, a.samples, p);
      const std::vector<double> v = values_of(a, pass, piece, no_training);
      for (int k = 0; k < ncomp(); ++k)
        sums[static_cast<std::size_t>(k)].add(estimate_of(&v[static_cast<std::size_t>(k * piece.count)], piece.count),
                                              piece.weight);
    }
    std::copy(sums.begin(), sums.end(), a.partial + b * ncomp());
    a.failed[b] = -1;
  }
}

void values_of_chunk(const sampling_arguments &a) {
  for (int64 p = a.first_piece; p < a.end_piece; ++p) {
    const sample_piece piece = plain_piece(a.cut, a.pass.cube, a.first, a.samples, p);
    const std::vector<double> v = values_of(a, a.pass, piece, no_training);
    for (int k = 0; k < ncomp(); ++k)
      std::copy_n(&v[static_cast<std::size_t>(k * piece.count)], piece.count,
                  a.f + k * a.stride + piece.first - a.first_sample);
  }
}
void sums_of_chunk(const sampling_arguments &a, int64 many) {
  for (int64 b = 0; b < many; ++b) {
    std::vector<sample_sums> sums(static_cast<std::size_t>(ncomp()));
    const int64 begin = a.first_piece + b * a.block_pieces;
    for (int64 p = begin; p < std::min(begin + a.block_pieces, a.end_piece); ++p) {
      const sample_piece piece = plain_piece(a.cut, a.pass.cube, a.first, a.samples, p);
      for (int k = 0; k < ncomp(); ++k)
        sums[static_cast<std::size_t>(k)].add(
            estimate_of(a.f + k * a.stride + piece.first - a.first_sample, piece.count), piece.weight);
    }
    std::copy(sums.begin(), sums.end(), a.partial + b * ncomp());
    a.failed[b] = -1;
  }
}

// ---- VEGAS -------------------------------------------------------------------------------------------------------------------
void wishes(const course_arguments &c) {
  c.totals->wish = 0.0;
  for (int64 h = 0; h < c.shared.cubes; ++h)
    c.totals->wish += c.wishes[h] = c.known ? wish_of_cube(c.shared, c.spread[h]) : 1.0;
  c.totals->failed = ~uint64{0};
}
void whole(const course_arguments &c) {
  c.totals->left = c.shared.samples;
  for (int64 h = 0; h < c.shared.cubes; ++h)
    c.totals->left -= c.counts[h] = whole_samples(c.shared, c.totals->wish, c.wishes[h]);
}
void all_samples(const course_arguments &c) {
  const left_samples left = share_left(c.shared, c.totals->left);
  c.totals->pieces = 0;
  for (int64 h = 0; h < c.shared.cubes; ++h) {
    c.counts[h] = samples_of_cube(left, h, c.counts[h]);
    c.totals->pieces += pieces_of(cut_into_pieces(c.counts[h]));
  }
}
void list_pieces(const sampling_arguments &a) {
  const course_arguments &c = a.course;
  std::vector<sample_piece> pieces;
  int64 first = 0;
  for (int64 h = 0; h < c.shared.cubes; first += c.counts[h++]) {
    c.cube_piece[h] = static_cast<int64>(pieces.size());
    add_pieces(pieces, h, first, c.counts[h], weight_of_cube(c.shared.cubes), static_cast<double>(c.counts[h]));
  }
  if (c.uniform > 0) add_pieces(pieces, scouts, first, c.uniform, 1.0, static_cast<double>(c.uniform));
  c.part_piece[0] = c.part_sample[0] = 0;
  int part = 1;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const sample_piece &q = pieces[p];
    c.list[p] = {q.first, static_cast<int>(q.cube), static_cast<int>(q.count), q.weight, training_share(a.pass, q)};
    const int64 end = q.first + q.count;
    for (; part <= c.parts && (end >> c.log_part >= part || p + 1 == pieces.size()); ++part) {
      c.part_piece[part] = static_cast<int64>(p) + 1;
      c.part_sample[part] = end;
    }
  }
}
void values_of_parts(const sampling_arguments &a) {
  const course_arguments &c = a.course;
  sample_pass pass = a.pass;
  pass.edges = c.edges;
  for (int64 p = c.part_piece[c.part]; p < c.part_piece[c.part_end]; ++p) {
    const listed_piece listed = c.list[p];
    const auto train = [&](const unsigned char *bins, int64 apart, double squares, double boost) {
      const uint64 quantum = training_quantum(pass, squares * boost, listed.share);
      for (int j = 0; j < ndim(); ++j) a.training[j * grid_bins + bins[j * apart]] += quantum;
      const auto square = static_cast<unsigned __int128>(quantum) * quantum;
      const uint64 low = static_cast<uint64>(square);
      c.totals->squares[0] += low;
      c.totals->squares[1] += static_cast<uint64>(square >> 64) + (c.totals->squares[0] < low ? 1 : 0);
    };
    const std::vector<double> v = values_of(a, pass, listed.piece(), train);
    for (int k = 0; k < ncomp(); ++k)
      std::copy_n(&v[static_cast<std::size_t>(k * listed.count)], listed.count,
                  a.f + k * a.stride + listed.first - c.part_sample[c.part]);
  }
}
void sums_of_parts(const sampling_arguments &a) {
  const course_arguments &c = a.course;
  for (int part = c.part; part < c.part_end; ++part)
    for (int k = 0; k < ncomp(); ++k) {
      sample_sums sums;
      for (int64 p = c.part_piece[part]; p < c.part_piece[part + 1]; ++p) {
        const listed_piece piece = c.list[p];
        const stratum_estimate e = estimate_of(a.f + k * a.stride + piece.first - c.part_sample[c.part], piece.count);
        sums.add(e, piece.weight);
        a.spread[p] = (k == 0 ? 0.0 : a.spread[p]) + e.spread * a.pass.scale[k];
      }
      a.part_sums[static_cast<int64>(part) * ncomp() + k] = sums;
    }
  a.result->failed = -1;
}
void learn(const sampling_arguments &a) {
  const course_arguments &c = a.course;
  const double squares = c.believe_all ? 0.0
                                       : static_cast<double>(c.totals->squares[1]) * 18446744073709551616.0 +
                                             static_cast<double>(c.totals->squares[0]);
  axis_refinement work;
  for (int j = 0; j < ndim(); ++j)
    refine_axis(one_lane(), work, a.training + j * grid_bins, squares, c.damping, c.edges + j * grid_edges);
  std::fill_n(a.training, ndim() * grid_bins, uint64{0});
  for (int64 h = 0; h < c.shared.cubes; ++h) {
    const int64 end = h + 1 < c.shared.cubes ? c.cube_piece[h + 1] : c.totals->pieces;
    double shown = 0.0;
    for (int64 p = c.cube_piece[h]; p < end; ++p)
      shown += a.spread[p] * (static_cast<double>(c.list[p].count) / static_cast<double>(c.counts[h]));
    c.spread[h] = learnt_spread(c.known, c.known ? c.spread[h] : 0.0, shown);
  }
}

// What a kernel reads and writes is the current device's or the host's.
bool is_all_here(const sampling_arguments &a) {
  for (const void *p : {static_cast<const void *>(a.pass.scale), static_cast<const void *>(a.pass.edges),
                        static_cast<const void *>(a.pass.sobol.axes), static_cast<const void *>(a.f),
                        static_cast<const void *>(a.spread), static_cast<const void *>(a.training),
                        static_cast<const void *>(a.course.list), static_cast<const void *>(a.course.counts),
                        static_cast<const void *>(a.course.edges), static_cast<const void *>(a.course.spread),
                        static_cast<const void *>(a.course.before), static_cast<const void *>(a.partial)})
    if (!is_here(p)) return false;
  return true;
}

CUresult run(const std::string &name, int64 many, void *arguments) {
  if (name == "tessera_lattice") {
    const auto &a = *static_cast<const lattice_arguments *>(arguments);
    if (!is_here(a.partial) || !is_here(a.answer)) return CUDA_ERROR_ILLEGAL_ADDRESS;
    lattice(a, many);
    return CUDA_SUCCESS;
  }
  const auto &a = *static_cast<const sampling_arguments *>(arguments);
  const course_arguments &c = a.course;
  const bool listed = c.list != nullptr;
  if (!is_all_here(a)) return CUDA_ERROR_ILLEGAL_ADDRESS;
  if (name == "tessera_sample_sums")
    sample_sums_of(a, many);
  else if (name == "tessera_sample_values")
    listed ? values_of_parts(a) : values_of_chunk(a);
  else if (name == "tessera_sample_pieces")
    listed ? sums_of_parts(a) : sums_of_chunk(a, many);
  else if (name == "tessera_cut_again")
    for (int64 h = 0; h < c.shared.cubes; ++h)
      c.spread[h] = c.before[cube_at_centre(h, ndim(), c.cells, c.cells + ndim())];
  else if (name == "tessera_wishes")
    wishes(c);
  else if (name == "tessera_whole_samples")
    whole(c);
  else if (name == "tessera_all_samples")
    all_samples(c);
  else if (name == "tessera_list_pieces")
    list_pieces(a);
  else if (name == "tessera_learn")
    learn(a);
  else if (name != "tessera_mark_pieces")
    return CUDA_ERROR_NOT_SUPPORTED;
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
// NVRTC asks for a table of functions, whose first word is its size.
CUresult cuGetExportTable(const void **table, const CUuuid *) {
  static const std::size_t none[8] = {sizeof(std::size_t)};
  return *table = none, CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *v) { return *v = CUDA_VERSION, CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult error, const char **text) {
  static const std::string texts[] = {"stand-in: not supported", "stand-in: memory of another device",
                                      "stand-in: another device is current", "stand-in: broken"};
  *text = texts[error == CUDA_ERROR_ILLEGAL_ADDRESS   ? 1
                : error == CUDA_ERROR_INVALID_CONTEXT ? 2
                : error == CUDA_ERROR_LAUNCH_FAILED   ? 3
                                                      : 0]
              .c_str();
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *n) { return *n = devices, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *d, int ordinal) { return *d = ordinal, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char *name, int length, CUdevice d) {
  return std::snprintf(name, static_cast<std::size_t>(length), "stand-in %d", d), CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t *bytes, CUdevice) { return *bytes = std::size_t{1} << 34, CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute which, CUdevice) {
  *v = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
       : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                               : multiprocessors;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) { return *c = context_of(d), CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent(CUcontext c) { return current.push_back(device_of(c)), CUDA_SUCCESS; }
CUresult cuCtxPopCurrent(CUcontext *c) {
  if (current.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *c = context_of(current.back());
  current.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *s, unsigned) {
  if (now() < 0) return CUDA_ERROR_INVALID_CONTEXT;
  *s = reinterpret_cast<CUstream>(static_cast<std::uintptr_t>(100 + now()));
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream s) { return is_here(s) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
CUresult cuMemAlloc(CUdeviceptr *p, std::size_t n) {
  if (now() < 0) return CUDA_ERROR_INVALID_CONTEXT;
  void *const memory = std::malloc(n + 1);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(memory, 0xcc, n + 1);  // nothing that was never written passes for a number that was
  const std::lock_guard<std::mutex> lock(guard);
  *p = reinterpret_cast<CUdeviceptr>(memory);
  blocks[static_cast<std::uintptr_t>(*p)] = {n, now()};
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr p) {
  if (owner(p) != now()) return CUDA_ERROR_INVALID_CONTEXT;
  const std::lock_guard<std::mutex> lock(guard);
  blocks.erase(static_cast<std::uintptr_t>(p));
  std::free(reinterpret_cast<void *>(p));
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void **p, std::size_t n, unsigned flags) {
  if (now() < 0 || !(flags & CU_MEMHOSTALLOC_PORTABLE)) return CUDA_ERROR_INVALID_CONTEXT;
  *p = std::malloc(n + 1);
  if (*p) std::memset(*p, 0xcc, n + 1);
  return *p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFreeHost(void *p) { return std::free(p), CUDA_SUCCESS; }
CUresult cuMemGetInfo(std::size_t *free, std::size_t *total) {
  *free = *total = std::size_t{1} << 33;
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char v, std::size_t n, CUstream s) {
  if (!is_here(s) || owner(p) >= 0 && owner(p) != now()) return CUDA_ERROR_INVALID_CONTEXT;
  std::memset(reinterpret_cast<void *>(p), v, n);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, std::size_t n, CUstream s) {
  if (!is_here(s) || (owner(to) >= 0 && owner(to) != now())) return CUDA_ERROR_INVALID_CONTEXT;
  std::memcpy(reinterpret_cast<void *>(to), from, n);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, std::size_t n) {
  if (owner(from) >= 0 && owner(from) != now()) return CUDA_ERROR_INVALID_CONTEXT;
  std::memcpy(to, reinterpret_cast<const void *>(from), n);
  return CUDA_SUCCESS;
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuLibraryLoadData(CUlibrary *l, const void *, CUjit_option *, void **, unsigned, CUlibraryOption *, void **,
                           unsigned) {
  *l = reinterpret_cast<CUlibrary>(new library);
  return CUDA_SUCCESS;
}
CUresult cuLibraryUnload(CUlibrary l) { return delete reinterpret_cast<library *>(l), CUDA_SUCCESS; }
CUresult cuLibraryGetKernel(CUkernel *k, CUlibrary l, const char *name) {
  function_of &f = reinterpret_cast<library *>(l)->kernels[name];
  f = {name, now()};
  *k = reinterpret_cast<CUkernel>(&f);
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetGlobal(CUdeviceptr *p, std::size_t *n, CUlibrary l, const char *name) {
  std::vector<unsigned char> &bytes = reinterpret_cast<library *>(l)->globals[name];
  bytes.resize(65536);
  *p = reinterpret_cast<CUdeviceptr>(bytes.data());
  *n = bytes.size();
  return CUDA_SUCCESS;
}
CUresult cuKernelGetFunction(CUfunction *f, CUkernel k) {
  if (now() < 0) return CUDA_ERROR_INVALID_CONTEXT;
  *f = reinterpret_cast<CUfunction>(k);
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction, int, std::size_t) {
  return *n = blocks_of_multiprocessor, CUDA_SUCCESS;
}
CUresult cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                   CUstream, void **) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuLaunchKernel(CUfunction f, unsigned many, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        CUstream s, void **arguments, void **) {
  const auto &of = *reinterpret_cast<const function_of *>(f);
  if (!is_here(s) || of.device != now()) return CUDA_ERROR_INVALID_CONTEXT;
  if (now() == number_in("FAKE_CUDA_BROKEN_DEVICE", -1)) return CUDA_ERROR_LAUNCH_FAILED;
  return run(of.name, many, arguments[0]);
}

#pragma GCC visibility pop
}
