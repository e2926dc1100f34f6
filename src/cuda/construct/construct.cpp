// SPDX-License-Identifier: BSD-3-Clause
#include "construct.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../engine/construct/cbc.hpp"
#include "construct_problem.hpp"
#include "../device/driver.hpp"
#include "../../jit/toolkit.hpp"

namespace tessera {

extern const char *const construct_text;  // the steps and kernels in one text; made by the build

namespace {

constexpr int64 blocks_of_multiprocessor = 2048 / construct_block;  // at most

template <class Body>
struct name_of;
#define TESSERA_NAME(body)                                 \
  template <class Real>                                    \
  struct name_of<body<Real>> {                             \
    static constexpr const char *value = "tessera_" #body; \
  };
TESSERA_EACH_BODIES(TESSERA_NAME)
TESSERA_FOLD_BODIES(TESSERA_NAME)
TESSERA_NAME(fill_kernel)
#undef TESSERA_NAME
#define TESSERA_NAME(body, type)                                     \
  template <>                                                        \
  struct name_of<body<type>> {                                       \
    static constexpr const char *value = "tessera_" #body "_" #type; \
  };
TESSERA_LEAST_BODIES(TESSERA_NAME)
TESSERA_LIST_BODIES(TESSERA_NAME)
#undef TESSERA_NAME

void check_fft(int result, const char *what) {
  constexpr int alloc_failed = 2;  // CUFFT_ALLOC_FAILED
  if (result == 0) return;
  if (result == alloc_failed) throw std::bad_alloc();
  throw device_error(std::string("cuFFT: ") + what + " failed with status " + std::to_string(result));
}

template <class Real>
struct fft_calls;
template <>
struct fft_calls<double> {
  static constexpr fft_kind pairs = fft_kind::z2z, forward = fft_kind::d2z, backward = fft_kind::z2d;
  static int run_pairs(int plan, void *in, void *out, fft_direction d) { return cufft().z2z(plan, in, out, d); }
  static int run_forward(int plan, double *in, void *out) { return cufft().d2z(plan, in, out); }
  static int run_backward(int plan, void *in, double *out) { return cufft().z2d(plan, in, out); }
};
template <>
struct fft_calls<float> {
  static constexpr fft_kind pairs = fft_kind::c2c, forward = fft_kind::r2c, backward = fft_kind::c2r;
  static int run_pairs(int plan, void *in, void *out, fft_direction d) { return cufft().c2c(plan, in, out, d); }
  static int run_forward(int plan, float *in, void *out) { return cufft().r2c(plan, in, out); }
  static int run_backward(int plan, void *in, float *out) { return cufft().c2r(plan, in, out); }
};

class own_stream {
 public:
  own_stream() { check(cuda().stream_create(&stream_, CU_STREAM_NON_BLOCKING), "making a stream"); }
  ~own_stream() { cuda().stream_destroy(stream_); }
  own_stream(const own_stream &) = delete;
  own_stream &operator=(const own_stream &) = delete;
  CUstream get() const { return stream_; }

 private:
  CUstream stream_ = nullptr;
};

// See engine/cbc.hpp. Everything stays on the device; what comes back are sums and least values.
class construct_executor {
 public:
  construct_executor(const compiled_module &kernels, int multiprocessors) : multiprocessors_(multiprocessors) {
    library_.load(kernels.image->data(), "loading the compiled kernels");
    const auto blocks = static_cast<std::size_t>(blocks_of_multiprocessor * multiprocessors);
    partial_.require(blocks * std::max(3 * sizeof(compensated_sum), sizeof(least_value)));
    arrived_.require(sizeof(unsigned));
    found_.require(sizeof(unsigned long long));
    check(cuda().set_bytes(arrived_.address(), 0, sizeof(unsigned), stream_.get()), "starting the construction");
    result_.require(sizeof(results));
  }

  template <class T>
  class buffer {
   public:
    explicit buffer(construct_executor &e) : stream_(e.stream_.get()) {}
    T *data() { return reinterpret_cast<T *>(memory_.address()); }
    void resize(int64 n) { allocate(memory_, static_cast<std::size_t>(n) * sizeof(T)); }
    void assign(const T *from, int64 n) {
      resize(n);
      upload(memory_.address(), from, static_cast<std::size_t>(n) * sizeof(T), stream_, "uploading a table");
      check(cuda().stream_synchronize(stream_), "uploading a table");
    }

   private:
    CUstream stream_;
    device_memory memory_;
  };

  // A correlation by transforms of pairs of neighbours, with one kernel between them, where n is even; the transforms of reals
  // would move everything through memory four times more.
  template <class Real>
  class fft {
    using calls = fft_calls<Real>;

   public:
    fft(construct_executor &e, int64 n) : executor_(e), n_(n) {
      if (n == 1) return;
      if (is_packed()) {
        forward_ = e.make_plan(n / 2, calls::pairs);
        return;
      }
      forward_ = e.make_plan(n, calls::forward);
      try {
        backward_ = e.make_plan(n, calls::backward);
      } catch (...) {
        e.destroy_plan(forward_);
        throw;
      }
    }
    ~fft() {
      for (const int plan : {forward_, backward_})
        if (plan >= 0) executor_.destroy_plan(plan);
    }
    fft(const fft &) = delete;
    fft &operator=(const fft &) = delete;

    void spectrum(const Real *in, Real *out, Real factor) {
      forward(in, out);
      if (is_packed())
        executor_.each(n_ / 4 + 1, unpack_spectrum<Real>{spectrum_pairs(out), n_ / 2, step(), factor});
      else
        executor_.each(n_ / 2 + 1, scale_spectrum<Real>{spectrum_pairs(out), factor});
    }
    void correlate(const Real *in, const Real *psi, Real *out) {
      forward(in, out);
      if (is_packed()) {
        executor_.each(n_ / 4 + 1, correlate_packed<Real>{spectrum_pairs(out), spectrum_pairs(psi), n_ / 2, step()});
        check_fft(calls::run_pairs(forward_, out, out, fft_direction::backward), "a transform");
        return;
      }
      executor_.each(n_ / 2 + 1, tessera::correlate<Real>{spectrum_pairs(out), spectrum_pairs(psi)});
      if (n_ > 1) check_fft(calls::run_backward(backward_, out, out), "a transform");
    }

   private:
    bool is_packed() const { return n_ % 2 == 0; }
    double step() const { return 2.0 / static_cast<double>(n_); }
    void forward(const Real *in, Real *out) {
      if (n_ == 1)
        executor_.each(1, single_point<Real>{in, out});
      else if (is_packed())
        check_fft(calls::run_pairs(forward_, const_cast<Real *>(in), out, fft_direction::forward), "a transform");
      else
        check_fft(calls::run_forward(forward_, const_cast<Real *>(in), out), "a transform");
    }

    construct_executor &executor_;
    const int64 n_;
    int forward_ = -1, backward_ = -1;
  };

  template <class Body>
  void each(int64 n, const Body &body) {
    run(body, n, n);
  }
  template <class Body>
  void ranges(int64 n, const Body &body) {
    run(body, n, (n + construct_range - 1) / construct_range);
  }
  template <class Body>
  void fold(int64 n, const Body &body) {
    CUdeviceptr partial = partial_.address(), arrived = arrived_.address();
    double *out = shared().sums;
    run(body, n, n, partial, arrived, out);
  }
  void folded(double *s) {
    synchronize();
    std::copy_n(shared().sums, 3, s);
  }
  template <class Body>
  least_value minimum(int64 n, const Body &body) {
    CUdeviceptr partial = partial_.address(), arrived = arrived_.address();
    least_value *out = &shared().least;
    run(body, n, n, partial, arrived, out);
    synchronize();
    return *out;
  }
  template <class Body>
  int64 collect(int64 n, const Body &body, int64 *list, int64 most) {
    allocate(list_, static_cast<std::size_t>(most) * sizeof(int64));
    check(cuda().set_bytes(found_.address(), 0, sizeof(unsigned long long), stream_.get()), "preparing a list");
    CUdeviceptr to = list_.address(), count = found_.address();
    run(body, n, n, to, most, count);
    synchronize();
    unsigned long long found = 0;
    check(cuda().download(&found, found_.address(), sizeof found), "downloading a list");
    const int64 there = std::min(most, static_cast<int64>(found));
    check(cuda().download(list, list_.address(), static_cast<std::size_t>(there) * sizeof(int64)),
          "downloading a list");
    std::sort(list, list + there);
    return static_cast<int64>(found);
  }
  void synchronize() { check(cuda().stream_synchronize(stream_.get()), "the construction"); }

 private:
  struct results {  // written by kernels, read here
    double sums[3];
    least_value least;
  };
  results &shared() { return *static_cast<results *>(result_.address()); }

  struct kernel {
    CUfunction function = nullptr;
    int64 most_blocks = 0;  // that run at the same time
  };
  const kernel &find(const char *name) {
    kernel &k = functions_[name];
    if (k.function) return k;
    const CUfunction f = library_.function(name);
    int blocks = 0;
    check(cuda().occupancy(&blocks, f, construct_block, 0), "asking for the occupancy");
    k.most_blocks = std::max<int64>(1, std::min<int64>(blocks, blocks_of_multiprocessor)) * multiprocessors_;
    k.function = f;
    return k;
  }

  template <class Body, class... More>
  void run(const Body &body, int64 n, int64 threads, More... more) {
    Body copy = body;
    void *arguments[] = {&copy, &n, &more...};
    const kernel &k = find(name_of<Body>::value);
    const int64 blocks = std::max<int64>(1, std::min(k.most_blocks, (threads + construct_block - 1) / construct_block));
    check(cuda().launch(k.function, static_cast<unsigned>(blocks), 1, 1, construct_block, 1, 1, 0, stream_.get(),
                        arguments, nullptr),
          "starting the kernel");
  }

  // All plans share one work area: they run one after the other.
  int make_plan(int64 n, fft_kind kind) {
    const cufft_library &f = cufft();
    int plan = 0;
    check_fft(f.create(&plan), "making a plan");
    try {
      long long length = n;
      std::size_t bytes = 0;
      check_fft(f.set_auto_allocation(plan, 0), "making a plan");
      check_fft(f.make_plan(plan, 1, &length, nullptr, 1, 0, nullptr, 1, 0, kind, 1, &bytes), "making a plan");
      check_fft(f.set_stream(plan, stream_.get()), "making a plan");
      if (bytes > work_.bytes()) {
        allocate(work_, bytes);
        for (const int other : plans_)
          check_fft(f.set_work_area(other, reinterpret_cast<void *>(work_.address())), "making a plan");
      }
      check_fft(f.set_work_area(plan, reinterpret_cast<void *>(work_.address())), "making a plan");
      plans_.push_back(plan);
    } catch (...) {
      f.destroy(plan);
      throw;
    }
    return plan;
  }
  void destroy_plan(int plan) {
    plans_.erase(std::remove(plans_.begin(), plans_.end(), plan), plans_.end());
    cufft().destroy(plan);
  }

  loaded_library library_;
  const own_stream stream_;
  const int64 multiprocessors_;
  std::unordered_map<std::string, kernel> functions_;
  std::vector<int> plans_;
  device_memory work_, partial_, arrived_, list_, found_;
  mapped_memory result_;
};

template <class Real>
bool construct(const cbc_settings &settings, cbc_hooks &hooks, cbc_result &result, int arch, int multiprocessors,
               code_cache *cache) {
  cufft();
  target where;
  where.arch = arch;
  where.library_version = std::to_string(backend_abi);
  const compiled_module kernels = compile_kernels(construct_kernel_text(sizeof(Real) == sizeof(float)), where, cache);
  construct_executor exec(kernels, multiprocessors);
  cbc<Real, construct_executor> construction(exec, settings, hooks);
  exec.synchronize();
  return construction.run(result);
}

}  // namespace

kernel_text construct_kernel_text(bool single_precision) {
  kernel_text text;
  text.text = construct_text;
  text.options = {std::string("-DTESSERA_REAL=") + (single_precision ? "float" : "double")};
  return text;
}

bool cuda_construct(const cbc_settings &settings, bool single_precision, cbc_hooks &hooks, cbc_result &result, int arch,
                    int multiprocessors, code_cache *cache) {
  return single_precision ? construct<float>(settings, hooks, result, arch, multiprocessors, cache)
                          : construct<double>(settings, hooks, result, arch, multiprocessors, cache);
}

}  // namespace tessera
