// Peers in one variable: block-cutting adaptive quadrature and its relatives (K. Kern and G. Alaghband, Parallel processing of irregular workloads on
// the GPGPU: adaptive quadrature), written after their description, beside Tessera. Trapezoid against Simpson; their distance is the error, and its
// tolerance is that part of the whole's which the length is.
//   CAQ          halves, depth first, until each interval meets its tolerance; one thread of the host
//   SCAQ         from one side, with the length that was found for the neighbour, doubled after a success; one thread of the host
//   PSCAQ        the same on each thread of the device; they share the range out in equal parts
//   BCAQ         a region of the current length is cut into 2048 * 256 intervals at once; the length is doubled after a success, halved after a
//                failure; one thread of the host
//   PBCAQ        the same with a thread of the device for each interval
//   PBCAQr, s, g doubled when a coin says so; when the errors fell over the region; by ln(tolerance / error)
// Their tolerance is `tolerance` times the exact value, which is a help: Tessera is given `tolerance` alone.
// CSV on standard output. Usage: bench_block_cutting [DEVICE [SECONDS]]; without a device the host's methods alone; none takes longer than so
// many seconds (1).
// SPDX-License-Identifier: BSD-3-Clause
#include <tessera.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

// The integrands, once for the compiler and once as text.
#define INTEGRANDS(F)                                  \
  F(1, exp(2 * x) * sin(3 * x))                        \
  F(2, pow(x, -x))                                     \
  F(3, 4 * x * cos(2 * x) - (x - 2) * (x - 2))         \
  F(4, exp(4 * x) * sqrt(1 + exp(4 * x)) - 1)          \
  F(5, exp(-3 * x) * cos(15.70796326794896619231 * x)) \
  F(6, sin(31.41592653589793238463 * x) / (3.14159265358979323846 * x))

constexpr int integrands = 6;
template <int number>
__host__ __device__ double f(double x);
#define DEFINE(number, expression)                        \
  template <>                                             \
  __host__ __device__ inline double f<number>(double x) { \
    return expression;                                    \
  }
INTEGRANDS(DEFINE)
#define TEXT(number, expression)                                                                            \
  "extern \"C\" __device__ void f(const double *p, double *v, const void *) { const double x = p[0]; v[0] " \
  "= " #expression "; }",
const char *const texts[] = {INTEGRANDS(TEXT)};
#define POINT(number, expression) \
  [](int, const double *x, int, double *v, void *) -> int { return v[0] = f<number>(x[0]), 0; },
const tessera_integrand1 points[] = {INTEGRANDS(POINT)};

constexpr double ranges[integrands][4] = {{0, 5, 6, 7},    {0, 1000, 2000, 3000}, {0, 30, 50, 70},
                                          {0, 5, 6, 6.75}, {0, 10, 20, 30},       {1e-6, 10, 15, 20}};

double antiderivative(int number, double x) {
  const double p = 15.70796326794896619231;
  switch (number) {
    case 1:
      return exp(2 * x) * (2 * sin(3 * x) - 3 * cos(3 * x)) / 13;
    case 3:
      return 2 * x * sin(2 * x) + cos(2 * x) - (x - 2) * (x - 2) * (x - 2) / 3;
    case 4:
      return pow(1 + exp(4 * x), 1.5) / 6 - x;
    default:
      return exp(-3 * x) * (p * sin(p * x) - 3 * cos(p * x)) / (9 + p * p);
  }
}
double exact(int number, double lower, double upper) {
  if (number == 2) return 1.995455957500138000418725;  // from 0 to infinity
  if (number == 6)                                     // (Si(10 pi b) - Si(10 pi 1e-6)) / pi
    return upper == 10 ? 0.4989768086930460508103 : upper == 15 ? 0.4993145315256013049900 : 0.4994833966482064169421;
  return antiderivative(number, upper) - antiderivative(number, lower);
}

using clock_type = std::chrono::steady_clock;
double since(clock_type::time_point t) { return std::chrono::duration<double>(clock_type::now() - t).count(); }
double most_seconds = 1.0;

struct result {
  double value = 0.0;
  int64_t evaluations = 0;
  bool is_whole = true;  // it came to the end in time
};

// The two rules on an interval: three evaluations.
struct step {
  double simpson, error;
};
template <int number>
__host__ __device__ step both_rules(double a, double h) {
  const double low = f<number>(a), middle = f<number>(a + 0.5 * h), high = f<number>(a + h);
  const double simpson = h / 6 * (low + 4 * middle + high);
  return {simpson, fabs(simpson - 0.5 * h * (low + high))};
}
constexpr int of_step = 3;

// 0 has no pow(x, -x); where an integrand is not finite its methods would not end.
template <int number>
result cut_each(double lower, double upper, double tolerance) {
  const auto begin = clock_type::now();
  result r;
  struct interval {
    double a, h;
  };
  std::vector<interval> queue = {{lower, upper - lower}};
  while (!queue.empty()) {
    const interval i = queue.back();
    queue.pop_back();
    const step s = both_rules<number>(i.a, i.h);
    r.evaluations += of_step;
    if (s.error <= tolerance * (i.h / (upper - lower)) || i.a + 0.5 * i.h == i.a) {
      r.value += s.simpson;
    } else {
      queue.push_back({i.a + 0.5 * i.h, 0.5 * i.h});
      queue.push_back({i.a, 0.5 * i.h});
    }
    if ((r.evaluations & 0xffff) < of_step && since(begin) > most_seconds) return r.is_whole = false, r;
  }
  return r;
}

// Length by length from `at` to `end`.
template <int number>
__host__ __device__ step cut_from_a_side(double at, double end, double density, int64_t most, int64_t &n) {
  step sum = {0.0, 0.0};
  double h = end - at;
  while (at < end && n < most) {
    h = fmin(h, end - at);
    const step s = both_rules<number>(at, h);
    ++n;
    if (s.error <= density * h || at + 0.5 * h == at) {
      sum.simpson += s.simpson;
      at += h;
      h *= 2;
    } else {
      h *= 0.5;
    }
  }
  return sum;
}
template <int number>
result cut_side(double lower, double upper, double tolerance) {
  result r;
  int64_t n = 0;
  const int64_t most = static_cast<int64_t>(most_seconds * 1e8);
  r.value = cut_from_a_side<number>(lower, upper, tolerance / (upper - lower), most, n).simpson;
  r.evaluations = of_step * n;
  r.is_whole = n < most;
  return r;
}

constexpr int alpha = 2048, beta = 256, pieces = alpha * beta;

// Of a region: the sums over all its intervals, and the errors of its half that comes first.
struct region_sums {
  double simpson, error, first_errors;
  unsigned long long evaluations;
};

template <int number>
region_sums sum_on_host(double high, double length) {
  region_sums sums = {0.0, 0.0, 0.0, static_cast<unsigned long long>(of_step) * pieces};
  const double h = length / pieces;
  for (int i = 0; i < pieces; ++i) {
    const step s = both_rules<number>(high - (i + 1) * h, h);
    sums.simpson += s.simpson;
    sums.error += s.error;
    if (i < pieces / 2) sums.first_errors += s.error;
  }
  return sums;
}

// Adds what the threads of all blocks have; the last block to come writes the sums.
__device__ unsigned blocks_done;
__device__ void sum_of_grid(region_sums own, region_sums *partial, region_sums *to) {
  __shared__ region_sums of_warps[beta / 32];
  __shared__ bool is_last;
  const auto over_block = [&](region_sums v) {
    for (int d = 16; d > 0; d >>= 1) {
      v.simpson += __shfl_down_sync(~0u, v.simpson, d);
      v.error += __shfl_down_sync(~0u, v.error, d);
      v.first_errors += __shfl_down_sync(~0u, v.first_errors, d);
      v.evaluations += __shfl_down_sync(~0u, v.evaluations, d);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
    __syncthreads();
    for (int w = 1; w < beta / 32 && threadIdx.x == 0; ++w) {
      v.simpson += of_warps[w].simpson;
      v.error += of_warps[w].error;
      v.first_errors += of_warps[w].first_errors;
      v.evaluations += of_warps[w].evaluations;
    }
    return v;
  };
  own = over_block(own);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = own;
    __threadfence();
    is_last = atomicAdd(&blocks_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  region_sums all = {0.0, 0.0, 0.0, 0};
  for (unsigned b = threadIdx.x; b < gridDim.x; b += beta) {
    all.simpson += partial[b].simpson;
    all.error += partial[b].error;
    all.first_errors += partial[b].first_errors;
    all.evaluations += partial[b].evaluations;
  }
  all = over_block(all);
  if (threadIdx.x == 0) {
    *to = all;
    blocks_done = 0;
  }
}

template <int number>
__global__ void __launch_bounds__(beta) sum_region(double high, double h, region_sums *partial, region_sums *to) {
  const int i = static_cast<int>(blockIdx.x * beta + threadIdx.x);
  const step s = both_rules<number>(high - (i + 1) * h, h);
  sum_of_grid({s.simpson, s.error, i < pieces / 2 ? s.error : 0.0, of_step}, partial, to);
}
template <int number>
__global__ void __launch_bounds__(beta)
    sum_parts(double lower, double upper, double density, int64_t most, region_sums *partial, region_sums *to) {
  const int i = static_cast<int>(blockIdx.x * beta + threadIdx.x);
  const double part = (upper - lower) / pieces;
  int64_t n = 0;
  const step s =
      cut_from_a_side<number>(lower + i * part, i + 1 < pieces ? lower + (i + 1) * part : upper, density, most, n);
  sum_of_grid({s.simpson, 0.0, n >= most ? 1.0 : 0.0, static_cast<unsigned long long>(of_step) * n}, partial, to);
}

region_sums *partial_sums = nullptr, *of_device = nullptr;  // the latter where both can read it
bool open_device(int device) {
  return cudaSetDevice(device) == cudaSuccess &&
         cudaMalloc(&partial_sums, alpha * sizeof(region_sums)) == cudaSuccess &&
         cudaHostAlloc(&of_device, sizeof(region_sums), cudaHostAllocMapped) == cudaSuccess;
}

enum growth { doubled, by_coin, by_slope, by_gain };

// From the upper end to the lower one, region by region. sum(high, length): region_sums.
template <class Sum>
result cut_blocks(double lower, double upper, double tolerance, growth how, Sum sum) {
  const auto begin = clock_type::now();
  const double density = tolerance / (upper - lower);
  uint32_t coin = 12345;
  result r;
  double high = upper, length = upper - lower;
  while (high > lower) {
    length = std::min(length, high - lower);
    const region_sums s = sum(high, length);
    r.evaluations += static_cast<int64_t>(s.evaluations);
    if (s.error <= density * length || high - length / pieces == high) {
      r.value += s.simpson;
      const double low = high - length;
      high = length == high - lower ? lower : low;
      coin = coin * 1664525u + 1013904223u;
      const double gain = s.error > 0.0 ? std::log(density * length / s.error) : 2.0;
      switch (how) {
        case doubled:
          length *= 2;
          break;
        case by_coin:
          length *= (coin >> 31) != 0 ? 2 : 1;
          break;
        case by_slope:
          length *= s.error - s.first_errors < s.first_errors ? 2 : 1;
          break;
        case by_gain:
          length *= std::max(1.0, gain);
      }
    } else {
      length *= 0.5;
    }
    if (since(begin) > most_seconds) return r.is_whole = high <= lower, r;
  }
  return r;
}

template <int number>
result cut_blocks_on_device(double lower, double upper, double tolerance, growth how) {
  return cut_blocks(lower, upper, tolerance, how, [](double high, double length) {
    sum_region<number><<<alpha, beta>>>(high, length / pieces, partial_sums, of_device);
    if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
    return *of_device;
  });
}
template <int number>
result cut_parts_on_device(double lower, double upper, double tolerance) {
  sum_parts<number><<<alpha, beta>>>(lower, upper, tolerance / (upper - lower), 10000000, partial_sums, of_device);
  if (cudaDeviceSynchronize() != cudaSuccess) std::exit(1);
  result r;
  r.value = of_device->simpson;
  r.evaluations = static_cast<int64_t>(of_device->evaluations);
  r.is_whole = of_device->first_errors == 0.0;
  return r;
}

void print(const char *method, int number, double upper, double tolerance, bool converged, double seconds, int64_t n,
           double value, double right) {
  const double error = std::fabs(value / right - 1);
  std::printf("%s,%d,%g,%g,%d,%s,%.4f,%lld,%.3e\n", method, number, upper, tolerance, converged,
              converged && !(error <= tolerance) ? "false" : "", 1e3 * seconds, static_cast<long long>(n), error);
}

// The median of three runs, after one for warming up.
template <class Run>
void measure(const char *method, int number, double upper, double tolerance, double right, Run run) {
  result r = run();
  double seconds[3] = {1e30, 1e30, 1e30};
  const auto all = clock_type::now();
  for (double &s : seconds) {
    const auto begin = clock_type::now();
    r = run();
    s = since(begin);
    if (since(all) > most_seconds) break;
  }
  std::sort(seconds, seconds + 3);
  print(method, number, upper, tolerance, r.is_whole, seconds[1] < 1e30 ? seconds[1] : seconds[0], r.evaluations,
        r.value, right);
}

void run_tessera(const char *name, int method, int number, int device, double lower, double upper, double tolerance,
                 double right) {
  tessera_solver *s = nullptr;
  double value = 0.0, error = 0.0, seconds[7];
  int64_t n = 0;
  if (tessera_create(&s, 1, 1) < 0) std::exit(1);
  tessera_set_domain(s, &lower, &upper);
  tessera_set_integrand1(s, points[number - 1], nullptr);
  if (device >= 0) {
    tessera_set_integrand1(s, nullptr, nullptr);
    tessera_set_integrand_source(s, TESSERA_LANGUAGE_CUDA, texts[number - 1], "f");
  }
  tessera_set_int(s, TESSERA_DEVICE, device);
  tessera_set_real(s, TESSERA_RELTOL, tolerance);
  tessera_set_int(s, TESSERA_MAXEVAL, 1000000000);
  int status = tessera_integrate(s, method, &value, &error);
  for (double &time : seconds) {
    status = tessera_integrate(s, method, &value, &error);
    tessera_get_real(s, TESSERA_SECONDS, &time);
  }
  if (status < 0) std::fprintf(stderr, "%s: %s\n", name, tessera_last_error(s));
  tessera_get_int(s, TESSERA_EVALUATIONS, &n);
  tessera_destroy(s);
  std::sort(seconds, seconds + 7);
  print(name, number, upper, tolerance, status == TESSERA_OK, seconds[3], n, value, right);
}

template <int number>
void compare(int device) {
  for (int i = 1; i < 4; ++i)
    for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
      // A range that begins at 0 does so for Tessera; the others' rules have a point there, at which pow(x, -x) is 1.
      const double lower = ranges[number - 1][0], upper = ranges[number - 1][i], right = exact(number, lower, upper),
                   tau = tolerance * std::fabs(right);
      const auto peer = [&](const char *name, auto run) { measure(name, number, upper, tolerance, right, run); };
      if (device < 0) {
        peer("CAQ", [&] { return cut_each<number>(lower, upper, tau); });
        peer("SCAQ", [&] { return cut_side<number>(lower, upper, tau); });
        peer("BCAQ", [&] { return cut_blocks(lower, upper, tau, doubled, sum_on_host<number>); });
        run_tessera("Tessera quadrature", TESSERA_QUADRATURE, number, -1, lower, upper, tolerance, right);
        run_tessera("Tessera cubature", TESSERA_CUBATURE, number, -1, lower, upper, tolerance, right);
      } else {
        peer("PSCAQ", [&] { return cut_parts_on_device<number>(lower, upper, tau); });
        peer("PBCAQ", [&] { return cut_blocks_on_device<number>(lower, upper, tau, doubled); });
        peer("PBCAQr", [&] { return cut_blocks_on_device<number>(lower, upper, tau, by_coin); });
        peer("PBCAQs", [&] { return cut_blocks_on_device<number>(lower, upper, tau, by_slope); });
        peer("PBCAQg", [&] { return cut_blocks_on_device<number>(lower, upper, tau, by_gain); });
        run_tessera("Tessera cubature on the device", TESSERA_CUBATURE, number, device, lower, upper, tolerance, right);
      }
    }
}

}  // namespace

int main(int argc, char **argv) {
  const int device = argc > 1 ? std::atoi(argv[1]) : -1;
  if (argc > 2) most_seconds = std::atof(argv[2]);
  if (device >= 0 && !open_device(device)) return 77;
  std::printf("method,integrand,upper,tolerance,converged,false,ms,evaluations,relative_error\n");
  compare<1>(device);
  compare<2>(device);
  compare<3>(device);
  compare<4>(device);
  compare<5>(device);
  compare<6>(device);
}
