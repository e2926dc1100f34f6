// SPDX-License-Identifier: BSD-3-Clause
#include "sparse.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "../../plugin.hpp"
#include "../../shown_point.hpp"
#include "../cubature/steps_kernel.hpp"

namespace tessera {

extern const char *const sparse_text;  // the kernels in one text; made by the build

namespace {

constexpr unsigned block = 128, wide_block = 512;
constexpr unsigned most_looking = 512;  // blocks
constexpr unsigned most_testing = 256;  // each of which has first to make the logarithms of all panels
constexpr int64 many_points = 512;      // of an index, for which a block is wide

constexpr int bytes_of_logs(int panels, int ndim) {
  return panels * static_cast<int>(sizeof(log_panel)) + ndim * log_starts * static_cast<int>(sizeof(panel_number));
}

template <class Arguments>
void launch(CUfunction f, unsigned x, unsigned y, CUstream stream, Arguments &a, unsigned threads = block,
            std::size_t shared_bytes = 0) {
  void *arguments[] = {&a};
  check(cuda().launch(f, x, y, 1, threads, 1, 1, static_cast<unsigned>(shared_bytes), stream, arguments, nullptr),
        "starting the kernel");
}

}  // namespace

kernel_text sparse_kernel_text() {
  kernel_text text;
  text.text = sparse_text;
  return text;
}

sparse_kernels::sparse_kernels(int ndim, int ncomp, int arch, code_cache *cache) {
  target where;
  where.arch = arch;
  where.ndim = ndim;
  where.ncomp = ncomp;
  where.library_version = std::to_string(backend_abi);
  module_ = compile_kernels(sparse_kernel_text(), where, cache);
  library_.load(module_.image->data(), "loading the compiled kernels");
  points_ = library_.function("tessera_sparse_points");
  values_ = library_.function("tessera_sparse_values");
  sums_ = library_.function("tessera_sparse_sums");
  tested_points_ = library_.function("tessera_tested_points");
  tested_values_ = library_.function("tessera_tested_values");
  check(cuda().function_set(tested_points_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                            bytes_of_logs(most_log_panels, ndim)),
        "asking for shared memory");
  largest_ = library_.function("tessera_largest_errors");
  largest_of_few_ = library_.function("tessera_largest_of_few");
  records_ = library_.function("tessera_region_records");
  const sparse_tables tables = make_sparse_tables();
  tables_.require(sizeof tables);
  upload(tables_.address(), &tables, sizeof tables, nullptr, "uploading the rules");
  check(cuda().stream_synchronize(nullptr), "uploading the rules");
}

std::vector<double> sparse_kernels::largest_errors(const region_view &regions, int64 n, int wanted,
                                                   const double *weight, mapped_memory &memory, CUstream stream) const {
  const bool are_few = n <= few_regions;
  const auto blocks = are_few ? 1u : static_cast<unsigned>(std::min<int64>(most_looking, (n + block - 1) / block));
  const auto ncomp = static_cast<std::size_t>(regions.ncomp()), count = static_cast<std::size_t>(wanted),
             length = static_cast<std::size_t>(numbers_of_record(regions));
  memory.require(blocks * count * sizeof(ranked_region) + (1 + ncomp + count * length) * sizeof(double));
  auto *const best = static_cast<ranked_region *>(memory.address());
  auto *const weights = reinterpret_cast<double *>(best + blocks * count);
  std::copy_n(weight, ncomp, weights);
  auto *const said = reinterpret_cast<int *>(weights + ncomp);
  *said = 0;
  largest_arguments a = {regions, n, weights, wanted, best, weights + ncomp + 1, said};
  launch(are_few ? largest_of_few_ : largest_, blocks, 1, stream, a, are_few ? wide_block : block);
  if (are_few) {
    wait_for_word(said, stream);
  } else {
    check(cuda().stream_synchronize(stream), "the kernel");
    std::partial_sort(best, best + count, best + blocks * count, ranks_before);
  }
  int found = 0;
  while (found < wanted && best[found].region >= 0) ++found;
  if (found == 0) return {};
  if (!are_few) {
    launch(records_, static_cast<unsigned>(found), 1, stream, a);
    check(cuda().stream_synchronize(stream), "the kernel");
  }
  return {a.records, a.records + static_cast<std::size_t>(found) * length};
}

// Coordinates are mapped on the host, and the kernels of grids are not asked.
void cuda_sparse::begin_sampling(const sparse_domain &domain) {
  axes_.clear();
  if (domain.axes) axes_.assign(domain.axes, domain.axes + ndim_);
}

void cuda_sparse::begin(const sparse_domain &domain) {
  begin_sampling(domain);
  if (is_copying_) synchronize();
  stored_ = known_ = 0;
  domain_ = domain;
  const auto nd = static_cast<std::size_t>(ndim_);
  nodes_ = domain.map.nodes;
  panels_ = domain.map.nodes ? domain.map.first[ndim_] : 0;
  const std::size_t box = static_cast<std::size_t>(domain.boxes) * nd * sizeof(double);
  const auto each_part = [&](const auto &visit) {
    visit(domain_.centre, box);
    visit(domain_.half, box);
    visit(domain_.axes, nd * sizeof(axis_map));
    visit(domain_.map.nodes, nd * mapped_nodes * sizeof(mapped_node));
    visit(domain_.map.panels, static_cast<std::size_t>(panels_) * sizeof(density_panel));
    visit(domain_.map.first, (nd + 1) * sizeof(int));
    visit(domain_.map.parts, nd * (map_shares + 1) * sizeof(double));
  };
  const auto room = [](std::size_t bytes) { return (bytes + 7) / 8 * 8; };
  std::size_t all = 0;
  each_part([&](const auto *part, std::size_t bytes) { all += part ? room(bytes) : 0; });
  require_or_bad_alloc(memory_.domain, all);
  memory_.staged.require(all);
  auto *to = static_cast<unsigned char *>(memory_.staged.address());
  CUdeviceptr at = memory_.domain.address();
  each_part([&](auto *&part, std::size_t bytes) {
    if (!part) return;
    std::memcpy(to, part, bytes);
    part = reinterpret_cast<std::remove_reference_t<decltype(part)>>(at);
    to += room(bytes);
    at += room(bytes);
  });
  is_copying_ = true;
  upload(memory_.domain.address(), memory_.staged.address(), all, stream_, "uploading the domain");
}

cuda_sparse::~cuda_sparse() {
  if (is_copying_) cuda().stream_synchronize(stream_);
}

void cuda_sparse::synchronize() {
  check(cuda().stream_synchronize(stream_), "the kernel");
  is_copying_ = false;
}

void cuda_sparse::renew_map() {
  const auto to = reinterpret_cast<CUdeviceptr>(domain_.map.nodes);
  upload(to, nodes_, static_cast<std::size_t>(ndim_) * mapped_nodes * sizeof(mapped_node), stream_,
         "uploading the domain");
  check(cuda().stream_synchronize(stream_), "uploading the domain");
}

// For so many numbers in the store, with what there is.
void cuda_sparse::make_room(int64 numbers) {
  const std::size_t bytes = static_cast<std::size_t>(numbers) * sizeof(double);
  device_memory &store = memory_.store;
  if (bytes > store.bytes()) {
    constexpr std::size_t least = std::size_t{1} << 24;
    device_memory larger_block;
    require_or_bad_alloc(larger_block, std::max({least, bytes, 2 * store.bytes()}));
    if (stored_ > 0) {
      CUDA_MEMCPY2D copy = {};
      copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.srcDevice = store.address();
      copy.dstDevice = larger_block.address();
      copy.srcPitch = copy.dstPitch = copy.WidthInBytes = static_cast<std::size_t>(stored_) * sizeof(double);
      copy.Height = 1;
      check(cuda().copy_2d(&copy), "moving a sparse grid to more memory");
      check(cuda().stream_synchronize(nullptr), "moving a sparse grid to more memory");
    }
    store = static_cast<device_memory &&>(larger_block);
  }
}

// Those that are not on the device yet. An earlier step's that has been known before may be among them.
void cuda_sparse::upload_indices(const sparse_step &step) {
  const auto all = static_cast<std::size_t>(step.end), nd = static_cast<std::size_t>(ndim_);
  if (all * sizeof(sparse_index) > memory_.indices.bytes() || all * nd * sizeof(axis_link) > memory_.links.bytes()) {
    const std::size_t room = std::max<std::size_t>(2 * all, 4096);
    require_or_bad_alloc(memory_.indices, room * sizeof(sparse_index));
    require_or_bad_alloc(memory_.links, room * nd * sizeof(axis_link));
    known_ = 0;
  }
  const auto known = static_cast<std::size_t>(known_);
  upload(memory_.indices.address() + known * sizeof(sparse_index), step.all.indices + known,
         (all - known) * sizeof(sparse_index), stream_, "uploading a sparse grid");
  upload(memory_.links.address() + known * nd * sizeof(axis_link), step.all.links + known * nd,
         (all - known) * nd * sizeof(axis_link), stream_, "uploading a sparse grid");
  known_ = step.end;
}

void cuda_sparse::read_store(int64 first, int64 end, double *numbers) const {
  const CUdeviceptr from = memory_.store.address() + static_cast<std::size_t>(first) * sizeof(double);
  check(cuda().download(numbers, from, static_cast<std::size_t>(end - first) * sizeof(double)),
        "reading a sparse grid");
}

void cuda_sparse::write_store(int64 first, int64 end, const double *numbers) {
  make_room(end);
  const CUdeviceptr to = memory_.store.address() + static_cast<std::size_t>(first) * sizeof(double);
  upload(to, numbers, static_cast<std::size_t>(end - first) * sizeof(double), stream_, "uploading a sparse grid");
  check(cuda().stream_synchronize(stream_), "uploading a sparse grid");
  stored_ = end;
}

outcome cuda_sparse::evaluate(const sparse_step &step, double *differences) {
  make_room(step.store);
  upload_indices(step);
  const int64 n = step.count(), points = step.points * domain_.boxes, comps = int64{domain_.boxes} * ncomp_,
              numbers = ndim_ + 1 + ncomp_, most = std::min(points, points_of_call(numbers));
  require_or_bad_alloc(memory_.call, static_cast<std::size_t>(most * numbers) * sizeof(double));
  memory_.differences.require(static_cast<std::size_t>(n * comps) * sizeof(double));
  sparse_arguments a = {};
  a.tables = reinterpret_cast<const sparse_tables *>(kernels_.tables());
  a.domain = domain_;
  a.all.indices = reinterpret_cast<const sparse_index *>(memory_.indices.address());
  a.all.links = reinterpret_cast<const axis_link *>(memory_.links.address());
  a.before = step.before;
  a.count = n;
  a.points = step.points;
  a.store = reinterpret_cast<double *>(memory_.store.address());
  a.differences = static_cast<double *>(memory_.differences.address());
  awaited_values::clear(a.differences, static_cast<std::size_t>(n * comps));
  a.flags = reinterpret_cast<const int *>(flags_);
  a.answer = begin_answer();
  for (a.first = 0; a.first < points; a.first += a.n) {
    a.n = std::min(most, points - a.first);
    a.x = reinterpret_cast<double *>(memory_.call.address());
    a.f = a.x + a.n * ndim_;
    a.jacobian = a.f + a.n * ncomp_;
    const auto blocks = static_cast<unsigned>((a.n + block - 1) / block);
    launch(kernels_.points(), blocks, 1, stream_, a);
    message_ = call_(a.n, reinterpret_cast<CUdeviceptr>(a.x), reinterpret_cast<CUdeviceptr>(a.f), 0);
    if (!message_.empty()) return outcome::callback;
    launch(kernels_.values(), blocks, 1, stream_, a);
  }
  const unsigned threads = step.points / n >= many_points ? wide_block : block;
  const int stages = std::max(1, step.stages);
  for (int stage = 0; stage < stages; ++stage) {
    a.stage = stage;
    a.end_stage = step.stages > 0 ? stage + 1 : ndim_;
    launch(kernels_.sums(), static_cast<unsigned>(n), static_cast<unsigned>(comps), stream_, a, threads);
  }
  awaited_values::wait(a.differences, static_cast<std::size_t>(n * comps), stream_);
  const outcome o = read_answer();
  stored_ = step.store;
  if (o == outcome::running) std::copy_n(a.differences, n * comps, differences);
  return o;
}

// What kernels say of the integrand: its flags, and whether a value is not finite.
int *cuda_sparse::begin_answer() {
  memory_.answer.require(2 * sizeof(int) + static_cast<std::size_t>(ncomp_) * sizeof(double));
  int *const answer = static_cast<int *>(memory_.answer.address());
  answer[0] = answer[1] = 0;
  nonfinite_.clear();
  return answer;
}
// Behind what has been waited for.
outcome cuda_sparse::read_answer() {
  is_copying_ = false;
  const int *const answer = static_cast<const int *>(memory_.answer.address());
  flags_seen_ = (answer[0] & flags_that_end) != 0 ? answer[0] : 0;
  if (flags_seen_ != 0) return outcome::callback;
  return answer[1] != 0 ? outcome::nonfinite : outcome::running;
}

outcome cuda_sparse::sample(int64 n, const double *x, double *values) {
  const auto count = static_cast<std::size_t>(n), nd = static_cast<std::size_t>(ndim_),
             nc = static_cast<std::size_t>(ncomp_);
  nonfinite_.clear();
  std::vector<double> mapped, jacobian;
  if (!axes_.empty()) {
    mapped.assign(x, x + count * nd);
    jacobian.assign(count, 1.0);
    for (std::size_t j = 0; j < nd; ++j)
      for (std::size_t i = 0; i < count; ++i) mapped[j * count + i] = map_axis(axes_[j], x[j * count + i], jacobian[i]);
    x = mapped.data();
  }
  if (!point_memory::is_near(n, ndim_, ncomp_))
    require_or_bad_alloc(memory_.sampled.far, count * (nd + nc) * sizeof(double));
  const int *const said = memory_.sampled.begin();
  const auto call = [&](CUdeviceptr from, CUdeviceptr to) {
    message_ = call_(n, from, to, reinterpret_cast<CUdeviceptr>(said));
    return message_.empty();
  };
  const bool are_awaited = flags_ != 0;  // a callback may write values more than once
  if (!at_points(memory_.sampled, stream_, ndim_, ncomp_, n, x, values, are_awaited, call)) return outcome::callback;
  if (*said != 0) {
    int flags = 0;
    check(cuda().download(&flags, flags_, sizeof flags), "reading the integrand's flags");
    flags_seen_ = (flags & flags_that_end) != 0 ? flags : 0;
    if (flags_seen_ != 0) return outcome::callback;
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < nc; ++k)
    for (std::size_t i = 0; i < count; ++i) {
      double &v = values[k * count + i];
      if (!jacobian.empty()) v = weighted(v, jacobian[i]);
      sum += 0.0 * v;
    }
  if (sum == 0.0) return outcome::running;
  name_nonfinite(n, values);
  return outcome::nonfinite;
}

// The first of the points that have just been sampled where a value is not finite.
void cuda_sparse::name_nonfinite(int64 n, const double *values) {
  const int64 i = std::find_if_not(values, values + n * ncomp_, [](double v) { return std::isfinite(v); }) - values;
  const std::vector<double> at = point_of_user(memory_.sampled, ndim_, ndim_, ncomp_, n, i % n);
  nonfinite_ = nonfinite_message(static_cast<int>(i / n), values[i], at.data(), ndim_);
}

// As numbers behind others: origins, widths, terms, and which are whose.
void cuda_sparse::add_multiples(const polynomial_multiples &m, std::vector<double> &to) const {
  if (!m.first) return;
  const auto nd = static_cast<std::size_t>(ndim_), nc = static_cast<std::size_t>(ncomp_);
  const std::size_t terms = words_of_term * static_cast<std::size_t>(m.first[nc]), before = to.size();
  to.resize(before + 2 * nd + terms + (nc + 2) / 2);
  double *next = to.data() + before;
  next = std::copy_n(m.origin, nd, next);
  next = std::copy_n(m.over_width, nd, next);
  std::memcpy(next, m.terms, terms * sizeof(double));
  std::memcpy(next + terms, m.first, (nc + 1) * sizeof(int));
}
// The same where they are on the device.
polynomial_multiples cuda_sparse::multiples_at(const polynomial_multiples &m, CUdeviceptr address) const {
  if (!m.first) return m;
  const auto *const numbers = reinterpret_cast<const double *>(address);
  const double *const terms = numbers + 2 * ndim_, *const behind = terms + words_of_term * static_cast<std::size_t>(
                                                                                               m.first[ncomp_]);
  return {m.base, numbers, numbers + ndim_, reinterpret_cast<const int *>(behind),
          reinterpret_cast<const polynomial_term *>(terms)};
}

outcome cuda_sparse::find_unexplained(const tested_set &set, const double *means, double *sizes) {
  const auto nc = static_cast<std::size_t>(ncomp_);
  const int64 points = set.points(), numbers = ndim_ + 2 + ncomp_, most = std::min(points, points_of_call(numbers));
  require_or_bad_alloc(memory_.call, static_cast<std::size_t>(most * numbers) * sizeof(double));
  // Means and sizes, and behind them the multiples.
  std::vector<double> numbers_there(2 * nc, 0.0);
  std::copy_n(means, nc, numbers_there.begin());
  add_multiples(set.multiples, numbers_there);
  const std::size_t bytes = numbers_there.size() * sizeof(double);
  require_or_bad_alloc(memory_.tested, bytes);
  upload(memory_.tested.address(), numbers_there.data(), bytes, stream_, "uploading values");
  tested_arguments a = {};
  a.domain = domain_;
  a.panels = panels_;
  a.set = set;
  a.set.multiples = multiples_at(set.multiples, memory_.tested.address() + 2 * nc * sizeof(double));
  a.means = reinterpret_cast<const double *>(memory_.tested.address());
  a.sizes = reinterpret_cast<unsigned long long *>(memory_.tested.address() + nc * sizeof(double));
  a.flags = reinterpret_cast<const int *>(flags_);
  a.answer = begin_answer();
  for (a.first = 0; a.first < points; a.first += a.n) {
    a.n = std::min(most, points - a.first);
    a.x = reinterpret_cast<double *>(memory_.call.address());
    a.f = a.x + a.n * ndim_;
    a.jacobian = a.f + a.n * ncomp_;
    a.density = a.jacobian + a.n;
    const auto blocks = static_cast<unsigned>((a.n + block - 1) / block);
    launch(kernels_.tested_points(), std::min(most_testing, (blocks * block + wide_block - 1) / wide_block), 1, stream_,
           a, wide_block, panels_ <= most_log_panels ? bytes_of_logs(panels_, ndim_) : 0);
    message_ = call_(a.n, reinterpret_cast<CUdeviceptr>(a.x), reinterpret_cast<CUdeviceptr>(a.f), 0);
    if (!message_.empty()) return outcome::callback;
    launch(kernels_.tested_values(), blocks, 1, stream_, a);
  }
  auto *const found = reinterpret_cast<double *>(static_cast<int *>(memory_.answer.address()) + 2);
  awaited_values::clear(found, nc);
  check(cuda().download_in_order(found, memory_.tested.address() + nc * sizeof(double), nc * sizeof(double), stream_),
        "reading values");
  awaited_values::wait(found, nc, stream_);
  const outcome o = read_answer();
  std::copy_n(found, nc, sizes);
  return o;
}

}  // namespace tessera
