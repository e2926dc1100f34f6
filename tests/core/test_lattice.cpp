// Lattice rules from the inside: arithmetic, phases, random bits, changes of variables, Student's t, and the fast construction
// against a direct one.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

extern "C" {
#include "close.h"
}
#include "core/lattice.hpp"
#include "core/periodize.hpp"
#include "core/student.hpp"
#include "core/sum.hpp"
#include "engine/construct/cbc_steps.hpp"
#include "host/construct.hpp"
#include "host/fftw.hpp"

using namespace tessera;

namespace {

using real = long double;

// ---- Arithmetic -------------------------------------------------------------------------------------------------------
void number_theory(void **) {
  std::vector<bool> composite(20000);
  for (uint64 p = 2; p < composite.size(); ++p) {
    assert_int_equal(is_prime(p), !composite[p]);
    for (uint64 q = p * p; !composite[p] && q < composite.size(); q += p) composite[q] = true;
  }
  assert_false(is_prime(0));
  assert_false(is_prime(1));
  assert_true(is_prime(4294967291u));           // the largest below 2^32
  assert_false(is_prime(65521ull * 65519ull));  // two large factors
  assert_int_equal(largest_factor(2 * 2 * 3 * 49 * 11), 11);
  assert_int_equal(largest_factor(1), 1);
  assert_int_equal(largest_factor(4294967291u), 4294967291u);
  for (const uint64 n : {3u, 5u, 7u, 1009u, 4001u}) {
    const uint64 g = primitive_root(n);
    std::vector<bool> seen(n);
    uint64 power = 1;
    for (uint64 i = 0; i + 1 < n; ++i, power = power * g % n) seen[power] = true;
    for (uint64 k = 1; k < n; ++k) assert_true(seen[k]);
  }
  assert_int_equal(power_mod(4294967290u, 3, 4294967291u), 4294967290u);  // (-1)^3
}

void phases_are_the_fractions(void **) {
  for (const uint64 n : {uint64{1}, uint64{2}, uint64{1009}, uint64{1} << 20, uint64{4294967291}, uint64{1} << 31})
    for (int trial = 0; trial < 2000; ++trial) {
      const uint64 i = random_bits(1, n, static_cast<uint64>(trial), 0) % n,
                   z = random_bits(1, n, static_cast<uint64>(trial), 1) % n;
      uint64 product = 0, exact = 0;  // i z mod n by doubling, and its binary digits over n one by one
      for (int bit = 31; bit >= 0; --bit) product = (2 * product + (i >> bit & 1u) * z) % n;
      for (int bit = 0; bit < 64; ++bit) {
        product *= 2;
        exact = 2 * exact + (product >= n ? 1 : 0);
        if (product >= n) product -= n;
      }
      assert_true(lattice_phase(i, z, n) == exact);
      assert_true(lattice_phase(i, z, modulus_of(n)) == exact);
    }
}

void unit_numbers(void **) {
  assert_same_bits(unit_of(0), 0x1p-53);
  assert_same_bits(unit_of(~uint64{0}), 1.0 - 0x1p-53);
  assert_same_bits(unit_of(uint64{1} << 63), 0.5 + 0x1p-53);
  for (int i = 0; i < 10000; ++i) {
    const uint64 bits = random_bits(3, 1, static_cast<uint64>(i), 4);
    const double t = unit_of(bits);
    assert_same_bits(t, std::ldexp(static_cast<double>(bits >> 12), -52) + 0x1p-53);
    assert_same_bits(1.0 - (1.0 - t), t);
  }
}

// Bits are balanced, and indices that differ little give unrelated numbers.
void random_numbers(void **) {
  constexpr int n = 20000;
  int ones[64] = {}, agreements = 0;
  for (int i = 0; i < n; ++i) {
    const uint64 a = random_bits(1, 0, static_cast<uint64>(i), 0);
    for (int b = 0; b < 64; ++b) ones[b] += static_cast<int>(a >> b & 1u);
    for (const uint64 other :
         {random_bits(1, 0, static_cast<uint64>(i), 1), random_bits(2, 0, static_cast<uint64>(i), 0),
          random_bits(1, 1, static_cast<uint64>(i), 0), random_bits(1, 0, static_cast<uint64>(i) + 1, 0)})
      agreements += static_cast<int>(a >> 63 == other >> 63);
  }
  for (const int count : ones) assert_true(std::abs(count - n / 2) < 5 * std::sqrt(n / 4.0));
  assert_true(std::abs(agreements - 2 * n) < 5 * std::sqrt(4 * n / 4.0));
}

// ---- Changes of variables ----------------------------------------------------------------------------------------------
template <class Body>
void with_transform(int t, Body body) {
  switch (t) {
    case 1:
      return body([](double v) { return periodize<1>(v); });
    case 2:
      return body([](double v) { return periodize<2>(v); });
    case 3:
      return body([](double v) { return periodize<3>(v); });
    case 11:
      return body([](double v) { return periodize<11>(v); });
    case 12:
      return body([](double v) { return periodize<12>(v); });
    case 13:
      return body([](double v) { return periodize<13>(v); });
    case 14:
      return body([](double v) { return periodize<14>(v); });
    case 15:
      return body([](double v) { return periodize<15>(v); });
    case 16:
      return body([](double v) { return periodize<16>(v); });
    case 21:
      return body([](double v) { return periodize<21>(v); });
    case 22:
      return body([](double v) { return periodize<22>(v); });
    case 23:
      return body([](double v) { return periodize<23>(v); });
    case 24:
      return body([](double v) { return periodize<24>(v); });
    case 25:
      return body([](double v) { return periodize<25>(v); });
    default:
      return body([](double v) { return periodize<26>(v); });
  }
}

// Values with 60 digits by mpmath 1.3: regularised incomplete beta functions I_t(m+1, m+1), for the sines
// I_{sin^2(pi t/2)}((m+1)/2, (m+1)/2), and the logistic function; t = k/2^53.
struct golden {
  int transform;
  int64 k;
  double x, y, weight;
};
const golden values[] = {
    {3, 422212465065985, 2.4066257506182704e-18, 1.0, 2.1958625666938882e-15},
    {3, 1688849860263937, 0.00027317405099427848, 0.99972682594900572, 0.016363701099860389},
    {3, 3752999689475413, 0.2023891372761674, 0.7976108627238326, 2.8084479410396701},
    {3, 6755399441055745, 0.9951952471128405, 0.0048047528871594978, 0.17001483508810076},
    {11, 8388609, 2.6020858327351193e-18, 1.0, 5.5879361086225142e-9},
    {11, 422212465065985, 0.0063858032226562798, 0.99361419677734372, 0.2680664062500006},
    {11, 1688849860263937, 0.092285156250000101, 0.9077148437499999, 0.91406250000000042},
    {11, 3752999689475413, 0.37615740740740735, 0.62384259259259265, 1.4583333333333333},
    {11, 6755399441055745, 0.84375000000000012, 0.15624999999999988, 1.1249999999999997},
    {12, 8388609, 8.0779385470736707e-27, 1.0, 2.6020858295039439e-17},
    {12, 422212465065985, 0.00095890648663044641, 0.99904109351336955, 0.059882998466491969},
    {12, 1688849860263937, 0.04876899719238289, 0.95123100280761711, 0.69625854492187563},
    {12, 3752999689475413, 0.34661940586419747, 0.65338059413580253, 1.7722800925925925},
    {12, 6755399441055745, 0.89648437500000012, 0.10351562499999988, 1.0546874999999994},
    {13, 8388609, 2.6331085955201155e-35, 1.0, 1.1309113950104487e-25},
    {13, 422212465065985, 0.00015070165045472233, 0.99984929834954528, 0.012485371262300844},
    {13, 1688849860263937, 0.026670947670936639, 0.97332905232906336, 0.49499630928039618},
    {13, 3752999689475413, 0.32268815461391168, 0.67731184538608832, 2.0102251050240053},
    {13, 6755399441055745, 0.9294433593750001, 0.070556640624999898, 0.92285156249999918},
    {14, 8388609, 8.8281855598468268e-44, 1.0, 4.7395954648736595e-34},
    {14, 422212465065985, 2.4320986985349181e-5, 0.99997567901301465, 0.0025101814537365157},
    {14, 1688849860263937, 0.014888198609696739, 0.98511180139030326, 0.33934317296370926},
    {14, 3752999689475413, 0.30232997212668939, 0.69767002787331061, 2.1986837086200058},
    {14, 6755399441055745, 0.95107269287109384, 0.048927307128906164, 0.77865600585937408},
    {15, 8388609, 3.0146928084579613e-52, 1.0, 1.9422008201516091e-42},
    {15, 422212465065985, 3.9939408199138246e-6, 0.99999600605918009, 0.00049345656898160326},
    {15, 1688849860263937, 0.0084260971714229779, 0.99157390282857702, 0.22746597062723647},
    {15, 3752999689475413, 0.28451656245036989, 0.71548343754963011, 2.3513700772741728},
    {15, 6755399441055745, 0.9656724929809571, 0.034327507019042897, 0.64239120483398342},
    {16, 8388609, 1.042842097226254e-60, 1.0, 7.8382012894765941e-51},
    {16, 422212465065985, 6.639974661523121e-7, 0.99999933600253385, 9.5534926563088932e-5},
    {16, 1688849860263937, 0.0048164076961372426, 0.99518359230386276, 0.15016308217188664},
    {16, 3752999689475413, 0.26864118577124256, 0.73135881422875744, 2.4765587619438625},
    {16, 6755399441055745, 0.9757098555564881, 0.024290144443511905, 0.52194285392761138},
    {21, 8388609, 2.1401298168933345e-18, 1.0, 4.5958932385025022e-9},
    {21, 422212465065985, 0.0054117450176095389, 0.99458825498239046, 0.23048369030335519},
    {21, 1688849860263937, 0.084265193848727478, 0.91573480615127252, 0.87268768130377642},
    {21, 3752999689475413, 0.37059047744873956, 0.62940952255126044, 1.5172727398911938},
    {21, 6755399441055745, 0.85355339059327389, 0.14644660940672611, 1.1107207345395912},
    {22, 8388609, 5.3150705298202473e-27, 1.0, 1.7121038535146676e-17},
    {22, 422212465065985, 0.00067475871111684228, 0.99932524128888316, 0.043059664267791338},
    {22, 1688849860263937, 0.040460005579399358, 0.95953999442060064, 0.61731656763491087},
    {22, 3752999689475413, 0.33708919512071893, 0.66291080487928107, 1.8660254037844385},
    {22, 6755399441055745, 0.90915494309189545, 0.090845056908104553, 0.9999999999999993},
    {23, 8388609, 1.3740466899467692e-35, 1.0, 5.9014848929866044e-26},
    {23, 422212465065985, 8.7543965025911484e-5, 0.99991245603497409, 0.0074434127427480512},
    {23, 1688849860263937, 0.020105197953810332, 0.97989480204618967, 0.40404342302978718},
    {23, 3752999689475413, 0.31022011330567277, 0.68977988669432723, 2.1234521078299397},
    {23, 6755399441055745, 0.9419417382415923, 0.058058261758407705, 0.8330405509046928},
    {24, 8388609, 3.6399810943229965e-44, 1.0, 1.9541997368131829e-34},
    {24, 422212465065985, 1.1636418120087313e-5, 0.99998836358187991, 0.0012360897912366041},
    {24, 1688849860263937, 0.010203264025805457, 0.98979673597419454, 0.25405316311769833},
    {24, 3752999689475413, 0.28759133396282835, 0.71240866603717165, 2.3213672050459179},
    {24, 6755399441055745, 0.96220659078919386, 0.037793409210806145, 0.66666666666666574},
    {25, 8388609, 9.8021276365289052e-53, 1.0, 6.3149718917131007e-43},
    {25, 422212465065985, 1.5720988439843909e-6, 0.99999842790115602, 0.00020031928356833186},
    {25, 1688849860263937, 0.0052525622868152481, 0.99474743771318475, 0.15588918692513033},
    {25, 3752999689475413, 0.26797537588316785, 0.73202462411683215, 2.4765097355814252},
    {25, 6755399441055745, 0.97508736860971168, 0.024912631390288324, 0.52065034431543264},
    {26, 8388609, 2.6708681392761167e-61, 1.0, 2.0074757399611198e-51},
    {26, 422212465065985, 2.1488879811602198e-7, 0.99999978511120188, 3.1935366849295473e-5},
    {26, 1688849860263937, 0.0027320688883329905, 0.99726793111166701, 0.094098735991565798},
    {26, 3752999689475413, 0.25064562742138082, 0.74935437257861918, 2.5990381056766575},
    {26, 6755399441055745, 0.9834272498681132, 0.016572750131886796, 0.39999999999999916},
};

// Of two equal weights, by their roots.
double product_of_weights(int transform, double roots) {
  switch (transform) {
    case 3:
      return weight_of<3, 2>(roots);
    case 11:
      return weight_of<11, 2>(roots);
    case 12:
      return weight_of<12, 2>(roots);
    case 13:
      return weight_of<13, 2>(roots);
    case 14:
      return weight_of<14, 2>(roots);
    case 15:
      return weight_of<15, 2>(roots);
    case 16:
      return weight_of<16, 2>(roots);
    case 21:
      return weight_of<21, 2>(roots);
    case 22:
      return weight_of<22, 2>(roots);
    case 23:
      return weight_of<23, 2>(roots);
    case 24:
      return weight_of<24, 2>(roots);
    case 25:
      return weight_of<25, 2>(roots);
    default:
      return weight_of<26, 2>(roots);
  }
}

void values_of_transforms(void **) {
  for (const golden &g : values)
    with_transform(g.transform, [&](auto f) {
      const double t = static_cast<double>(g.k) * 0x1p-53;
      const unit_point p = f(t), q = f(1.0 - t);
      const double few = g.transform == 3 ? 2e-13 : 1e-14;  // tanh: the exponent is large
      assert_close(p.x, g.x, few, 0);
      assert_close(p.y, g.y, few, 0);
      assert_close(p.weight, g.weight, few, 0);
      assert_close(product_of_weights(g.transform, p.root * p.root), g.weight * g.weight, 2 * few, 0);
      assert_close(q.x, g.y, few, 0);
      assert_close(q.y, g.x, few, 0);
    });
}

// The weights integrate to 1, x times the weight to 1/2; x and y lie in (0, 1) at both ends.
void transforms_integrate_to_one(void **) {
  for (const int t : {1, 2, 3, 11, 12, 13, 14, 15, 16, 21, 22, 23, 24, 25, 26})
    with_transform(t, [&](auto f) {
      constexpr int n = 100000;  // midpoint rule: of order 2 and more
      compensated_sum one, half, square;
      for (int i = 0; i < n; ++i) {
        const unit_point p = f((i + 0.5) / n);
        one.add(p.weight / n);
        half.add(p.weight * p.x / n);
        square.add(p.weight * p.weight / n);
      }
      assert_close(one.value(), 1.0, 1e-10, 0);
      assert_close(half.value(), 0.5, 1e-10, 0);
      assert_close(square.value(), weight_mean_square(t), 1e-10, 0);
      for (const double at : {unit_of(0), unit_of(~uint64{0}), unit_of(uint64{1} << 63)}) {
        const unit_point p = f(at);
        assert_true(p.x > 0.0 && p.y > 0.0 && p.x <= 1.0 && p.y <= 1.0 && p.weight >= 0.0 && std::isfinite(p.weight));
      }
    });
}

void axes(void **) {
  double jacobian = 1.0;
  const unit_axis up = {axis_up, 0, 1, 2.1, 1e9, 2.0}, both = {axis_both, 0, 1, -1e9, 1e9, 0.0},
                  box = {axis_finite, 1, 2, 1.1, 2.9, 0};
  const unit_point p = {0.75, 0.25, 1.0};
  assert_close(axis_value(up, p, jacobian), 5.0, 1e-15, 0);
  assert_close(jacobian, 16.0, 1e-15, 0);
  jacobian = 1.0;
  assert_close(axis_value(both, p, jacobian), 0.5 / 0.75, 1e-15, 0);  // t/(1-t^2) at t = 1/2, with dt = 2 dx
  assert_close(jacobian, 2.0 * 1.25 / (0.75 * 0.75), 1e-15, 0);
  jacobian = 1.0;
  assert_close(axis_value(box, p, jacobian), 2.5, 1e-15, 0);
  assert_close(axis_complement(box, p), 0.5, 1e-15, 0);
  assert_same_bits(axis_value(box, {1e-30, 1.0, 1.0}, jacobian), 1.1);
  assert_same_bits(axis_value(box, {1.0, 1e-30, 1.0}, jacobian), 2.9);
  assert_same_bits(jacobian, 1.0);
  assert_same_bits(axis_value(up, {1e-30, 1.0, 1.0}, jacobian), 2.1);
}

// Quantiles by mpmath 1.3 with 30 digits.
void student(void **) {
  assert_close(student_factor(0.95, 1), 12.7062047361747046, 1e-12, 0);
  assert_close(student_factor(0.99, 2), 9.92484320091829311, 1e-12, 0);
  assert_close(student_factor(0.975, 10), 2.63376691571159841, 1e-12, 0);
  assert_close(student_factor(0.99, 31), 2.74404191929426932, 1e-12, 0);
  assert_close(student_factor(0.95, 100000), 1.95998770753460964, 1e-11, 0);
}

// ---- Construction against its definition --------------------------------------------------------------------------------
long double kernel_of(const cbc_settings &s, uint64 k, uint64 n) {
  k %= n;
  if (!s.table.empty()) return s.table[static_cast<std::size_t>(std::min(k, n - k) * (s.points / n))];
  const long double x = static_cast<long double>(k) / static_cast<long double>(n), pi = std::acos(-1.0L), p2 = pi * pi;
  if (s.alpha == 1) return 2 * p2 * (x * x - x + 1 / 6.0L);
  if (s.alpha == 2) return -2 * p2 * p2 / 3 * (((x - 2) * x + 1) * x * x - 1 / 30.0L);
  return 4 * p2 * p2 * p2 / 45 * ((((x - 3) * x + 2.5L) * x * x - 0.5L) * x * x + 1 / 42.0L);
}

// e^2 of the first `count` components: sums over all sets by their elementary symmetric functions, in long double.
double direct_merit(const cbc_settings &s, const std::vector<uint64> &z, std::size_t count, uint64 n) {
  long double total = 0;
  for (uint64 k = 0; k < n; ++k) {
    std::vector<long double> e(count + 1);
    e[0] = 1;
    for (std::size_t j = 0; j < count; ++j) {
      const long double f = s.product[j] * kernel_of(s, k * (z[j] % n), n);
      for (std::size_t l = j + 1; l > 0; --l) e[l] += f * e[l - 1];
    }
    for (std::size_t l = 1; l <= count; ++l)
      total += (s.order.empty() ? 1.0L : l <= s.order.size() ? s.order[l - 1] : 0.0L) * e[l];
  }
  return static_cast<double>(total / n);
}

// Component by component in the plainest way; candidates that agree to 1e-17 of the sum's terms are equal, and the smallest
// wins.
std::vector<uint64> direct_construction(const cbc_settings &s) {
  const uint64 n = s.points;
  const std::size_t size = static_cast<std::size_t>(n);
  std::vector<real> omega(size);
  for (uint64 k = 0; k < n; ++k) omega[static_cast<std::size_t>(k)] = kernel_of(s, k, n);
  const std::size_t orders = s.order.size();
  std::vector<std::vector<real>> q(orders + 1, std::vector<real>(size));
  std::vector<real> product(size, 1.0), weights(size);
  std::fill(q[0].begin(), q[0].end(), 1.0);
  std::vector<uint64> z;
  for (int d = 0; d < s.ndim; ++d) {
    real scale = 0;
    for (std::size_t k = 0; k < size; ++k) {
      weights[k] = product[k];
      if (orders > 0) {
        weights[k] = 0;
        for (std::size_t l = 0; l < orders; ++l) weights[k] += s.order[l] * q[l][k];
      }
      scale += std::fabs(weights[k]);
    }
    std::vector<real> sums;
    std::vector<uint64> candidates;
    for (uint64 c = 1; c <= n / 2; ++c) {
      if (common_divisor(c, n) != 1) continue;
      real sum = 0;
      uint64 at = 0;
      for (std::size_t k = 0; k < size; ++k) {
        sum += weights[k] * omega[static_cast<std::size_t>(at)];
        at += c;
        if (at >= n) at -= n;
      }
      sums.push_back(sum);
      candidates.push_back(c);
    }
    const real least = *std::min_element(sums.begin(), sums.end());
    std::size_t chosen = 0;
    while (sums[chosen] > least + 1e-17L * scale) ++chosen;
    const uint64 c = candidates[chosen];
    z.push_back(c);
    for (uint64 k = 0; k < n; ++k) {
      const std::size_t i = static_cast<std::size_t>(k);
      const real f = s.product[static_cast<std::size_t>(d)] * omega[static_cast<std::size_t>(k * c % n)];
      product[i] *= 1 + f;
      for (std::size_t l = orders; l > 0; --l) q[l][i] += f * q[l - 1][i];
    }
  }
  return z;
}

struct never_stops : cbc_hooks {
  bool component_done(int64 done, int64 all) override { return last = done, total = all, true; }
  int64 last = 0, total = 0;
};

cbc_settings settings_of(uint64 n, int ndim, int alpha, double weight, std::vector<double> order = {}) {
  cbc_settings s;
  s.ndim = ndim;
  s.points = n;
  s.alpha = alpha;
  s.order = std::move(order);
  for (int j = 0; j < ndim; ++j) s.product.push_back(weight / ((j + 1.0) * (j + 1.0)));
  while ((uint64{1} << s.least_level) < n) ++s.least_level;
  return s;
}

void compare(const cbc_settings &s) {
  never_stops hooks;
  cbc_result r;
  assert_true(host_construct(s, false, hooks, r));
  const std::vector<uint64> direct = direct_construction(s);
  assert_int_equal(r.z.size(), direct.size());
  for (std::size_t j = 0; j < direct.size(); ++j) assert_int_equal(r.z[j], direct[j]);
  assert_close(r.merit, direct_merit(s, r.z, r.z.size(), s.points), 1e-9, 1e-14);
  assert_int_equal(hooks.last, s.ndim);
  assert_int_equal(hooks.total, s.ndim);
}

bool no_fftw() {
  try {
    require_fftw<double>();
    require_fftw<float>();
    return false;
  } catch (const fft_missing &) {
    return true;
  }
}

// The steps between transforms of pairs, which a device takes where the host has transforms of reals.
void packed_correlation(void **) {
  using pair = spectrum_pair<double>;
  const auto transform = [](const std::vector<pair> &v, double sign) {
    const std::size_t n = v.size();
    std::vector<pair> to(n + 1);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) {
        const double angle =
            sign * 2.0 * 3.14159265358979323846 * static_cast<double>(j * k % n) / static_cast<double>(n);
        to[k].re += v[j].re * std::cos(angle) - v[j].im * std::sin(angle);
        to[k].im += v[j].re * std::sin(angle) + v[j].im * std::cos(angle);
      }
    return to;
  };
  const auto pairs_of = [](const std::vector<double> &v) {
    std::vector<pair> p;
    for (std::size_t i = 0; i < v.size(); i += 2) p.push_back({v[i], v[i + 1]});
    return p;
  };
  for (const std::size_t half : {1u, 2u, 3u, 8u, 15u}) {
    const std::size_t n = 2 * half;
    const double step = 2.0 / static_cast<double>(n);
    std::vector<double> w, psi;
    for (std::size_t i = 0; i < n; ++i) {
      w.push_back(std::sin(3.0 * static_cast<double>(i) + 0.3));
      psi.push_back(std::cos(7.0 * static_cast<double>(i * i)) + 0.2);
    }
    std::vector<pair> spectrum = transform(pairs_of(psi), -1.0), work = transform(pairs_of(w), -1.0);
    const auto to = static_cast<int64>(half);
    for (int64 k = 0; k <= to / 2; ++k)
      unpack_spectrum<double>{spectrum.data(), to, step, 1.0 / static_cast<double>(n)}(k);
    for (int64 k = 0; k <= to / 2; ++k) correlate_packed<double>{work.data(), spectrum.data(), to, step}(k);
    work.pop_back();
    const std::vector<pair> back = transform(work, 1.0);
    for (std::size_t a = 0; a < n; ++a) {
      double direct = 0;
      for (std::size_t i = 0; i < n; ++i) direct += w[i] * psi[(i + a) % n];
      assert_close(a % 2 == 0 ? back[a / 2].re : back[a / 2].im, direct, 0, 1e-13 * static_cast<double>(n));
    }
  }
}

void fast_is_direct_for_primes(void **) {
  if (no_fftw()) skip();
  for (const int alpha : {1, 2}) {
    compare(settings_of(1009, 10, alpha, 1.0));
    compare(settings_of(4001, 8, alpha, 0.3));
    compare(settings_of(1009, 8, alpha, 1.0, {1.0, 0.5, 0.25}));  // POD, sets of three at most
    compare(settings_of(4001, 5, alpha, 0.7, {1.0, 2.0, 6.0, 24.0, 120.0}));
  }
  compare(settings_of(1009, 5, 3, 1.0));
  // Smoothness 3: figures at their round-off. The vector may be another one, but no worse beyond that.
  const cbc_settings smooth = settings_of(4001, 3, 3, 1.0);
  never_stops hooks;
  cbc_result r;
  assert_true(host_construct(smooth, false, hooks, r));
  const std::vector<uint64> direct = direct_construction(smooth);
  for (std::size_t d = 1; d <= 3; ++d)
    assert_close(direct_merit(smooth, r.z, d, 4001), direct_merit(smooth, direct, d, 4001), 0, 1e-15);
  for (const uint64 n : {3u, 5u, 7u, 11u}) compare(settings_of(n, 4, 1, 1.0));
  cbc_settings order = settings_of(1009, 8, 1, 1.0, {1.0, 0.3, 0.1, 0.03});  // order-dependent
  std::fill(order.product.begin(), order.product.end(), 1.0);
  compare(order);
}

void fast_is_direct_for_powers_of_two(void **) {
  if (no_fftw()) skip();
  for (const uint64 n : {4u, 8u, 16u, 1024u, 4096u}) compare(settings_of(n, 8, 1, 1.0));
  compare(settings_of(1024, 8, 2, 1.0));
  compare(settings_of(1024, 6, 1, 1.0, {1.0, 0.5, 0.25}));
}

void tabulated_kernel(void **) {
  if (no_fftw()) skip();
  for (const uint64 n : {uint64{1009}, uint64{1024}}) {
    cbc_settings s = settings_of(n, 6, 1, 1.0);
    for (uint64 k = 0; k <= n / 2; ++k) {  // the star discrepancy's kernel in mean square, and no polynomial
      const double x = static_cast<double>(k) / static_cast<double>(n);
      s.table.push_back(std::exp(-3 * x) + std::exp(-3 * (1 - x)) - 0.63);
    }
    compare(s);
  }
}

// The vector for a range: its ratio is what the definition says, and no other last component has a smaller one.
void range_of_powers(void **) {
  if (no_fftw()) skip();
  cbc_settings s = settings_of(512, 4, 1, 1.0);
  s.least_level = 4;
  never_stops hooks;
  cbc_result r;
  assert_true(host_construct(s, false, hooks, r));
  assert_int_equal(hooks.last, hooks.total);
  std::vector<double> reference;
  for (uint64 n = 16; n <= 512; n *= 2) {
    cbc_settings alone = s;
    alone.points = n;
    alone.least_level = 0;
    while ((uint64{1} << alone.least_level) < n) ++alone.least_level;
    const std::vector<uint64> z = direct_construction(alone);
    reference.push_back(direct_merit(alone, z, z.size(), n));
  }
  const auto ratio_of = [&](const std::vector<uint64> &z) {
    double worst = 0;
    for (uint64 n = 16, i = 0; n <= 512; n *= 2, ++i)
      worst = std::max(worst, direct_merit(s, z, z.size(), n) / reference[static_cast<std::size_t>(i)]);
    return worst;
  };
  assert_close(r.ratio, ratio_of(r.z), 1e-9, 0);
  assert_true(r.ratio >= 1.0 - 1e-9 && r.ratio < 1.5);
  std::vector<uint64> other = r.z;
  for (uint64 c = 1; c < 512; c += 2) {
    other.back() = c;
    const double ratio = ratio_of(other);
    assert_true(ratio >= r.ratio * (1 - 1e-9));
    if (ratio <= r.ratio * (1 + 1e-11)) assert_true(std::min(c, 512 - c) >= r.z.back());
  }
}

// Single precision: nearly as good a vector, and its figure of merit to the digits that the precision allows.
void single_precision(void **) {
  if (no_fftw()) skip();
  for (const uint64 n : {uint64{4001}, uint64{65537}, uint64{65536}}) {
    const cbc_settings s = settings_of(n, 10, 1, 1.0);
    never_stops hooks;
    cbc_result wide, narrow;
    assert_true(host_construct(s, false, hooks, wide));
    assert_true(host_construct(s, true, hooks, narrow));
    assert_close(narrow.merit, direct_merit(s, narrow.z, narrow.z.size(), n), 1e-3, 1e-7);
    assert_true(direct_merit(s, narrow.z, narrow.z.size(), n) < 1.02 * wide.merit);
  }
}

void stops_when_asked(void **) {
  if (no_fftw()) skip();
  struct stops : cbc_hooks {
    bool component_done(int64 done, int64) override { return done < 3; }
  } hooks;
  cbc_result r;
  assert_false(host_construct(settings_of(1009, 10, 1, 1.0), false, hooks, r));
  assert_int_equal(r.z.size(), 3);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(number_theory),
      cmocka_unit_test(phases_are_the_fractions),
      cmocka_unit_test(unit_numbers),
      cmocka_unit_test(random_numbers),
      cmocka_unit_test(values_of_transforms),
      cmocka_unit_test(transforms_integrate_to_one),
      cmocka_unit_test(axes),
      cmocka_unit_test(student),
      cmocka_unit_test(packed_correlation),
      cmocka_unit_test(fast_is_direct_for_primes),
      cmocka_unit_test(fast_is_direct_for_powers_of_two),
      cmocka_unit_test(tabulated_kernel),
      cmocka_unit_test(range_of_powers),
      cmocka_unit_test(single_precision),
      cmocka_unit_test(stops_when_asked),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
