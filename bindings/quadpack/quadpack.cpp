// The routines of QUADPACK in double and single precision: their arguments, and how the work arrays are divided.
// docs/quadpack.md has the table of departures. SPDX-License-Identifier: BSD-3-Clause
#include "smooth.hpp"
#include "weighted.hpp"

namespace quadpack {

using int_in = const integer *;
using int_out = integer *;

// The arrays of routines that have all their intervals in iwork[limit] and work[lenw].
static bool no_room_for(integer limit, integer lenw, integer least) {
  return limit < least || int64{lenw} < 4 * int64{limit};
}
static constexpr char no_room[] = "LIMIT, LENIW, LENW or MAXP1 is too small";

namespace in_double {
using real = double;
using real_in = const real *;
using real_out = real *;
using user_function = tessera_quadpack_function;
}  // namespace in_double
namespace in_single {
using real = float;
using real_in = const real *;
using real_out = real *;
using user_function = tessera_quadpack_function_single;
}  // namespace in_single

}  // namespace quadpack

// One routine, in both precisions.
#define ROUTINE(name, parameters, ...)                                       \
  namespace quadpack {                                                       \
  namespace in_double {                                                      \
  extern "C" TESSERA_QUADPACK_API void d##name##_ parameters { __VA_ARGS__ } \
  }                                                                          \
  namespace in_single {                                                      \
  extern "C" TESSERA_QUADPACK_API void name##_ parameters { __VA_ARGS__ }    \
  }                                                                          \
  }

// clang-format off
ROUTINE(qag, (user_function f, real_in a, real_in b, real_in epsabs, real_in epsrel, int_in key, real_out result,
              real_out abserr, int_out neval, int_out ier, int_in limit, int_in lenw, int_out last, int_out iwork,
              real_out work),
  call<real> to("DQAG", result, abserr, neval, ier);
  *last = 0;
  if (no_room_for(*limit, *lenw, 1)) return to.refuse(no_room);
  qage<real>(std::move(to), f, *a, *b, {*epsabs, *epsrel}, *key, *limit, lists<real>::in(work, *limit, iwork), last);)

ROUTINE(qage, (user_function f, real_in a, real_in b, real_in epsabs, real_in epsrel, int_in key, int_in limit,
               real_out result, real_out abserr, int_out neval, int_out ier, real_out alist, real_out blist,
               real_out rlist, real_out elist, int_out iord, int_out last),
  call<real> to("DQAGE", result, abserr, neval, ier);
  qage<real>(std::move(to), f, *a, *b, {*epsabs, *epsrel}, *key, *limit, {alist, blist, rlist, elist, iord}, last);)

ROUTINE(qags, (user_function f, real_in a, real_in b, real_in epsabs, real_in epsrel, real_out result,
               real_out abserr, int_out neval, int_out ier, int_in limit, int_in lenw, int_out last, int_out iwork,
               real_out work),
  call<real> to("DQAGS", result, abserr, neval, ier);
  *last = 0;
  if (no_room_for(*limit, *lenw, 1)) return to.refuse(no_room);
  qagse<real>(std::move(to), f, *a, *b, {*epsabs, *epsrel}, *limit, lists<real>::in(work, *limit, iwork), last);)

ROUTINE(qagse, (user_function f, real_in a, real_in b, real_in epsabs, real_in epsrel, int_in limit, real_out result,
                real_out abserr, int_out neval, int_out ier, real_out alist, real_out blist, real_out rlist,
                real_out elist, int_out iord, int_out last),
  call<real> to("DQAGSE", result, abserr, neval, ier);
  qagse<real>(std::move(to), f, *a, *b, {*epsabs, *epsrel}, *limit, {alist, blist, rlist, elist, iord}, last);)

ROUTINE(qagi, (user_function f, real_in bound, int_in inf, real_in epsabs, real_in epsrel, real_out result,
               real_out abserr, int_out neval, int_out ier, int_in limit, int_in lenw, int_out last, int_out iwork,
               real_out work),
  call<real> to("DQAGI", result, abserr, neval, ier);
  *last = 0;
  if (no_room_for(*limit, *lenw, 1)) return to.refuse(no_room);
  qagie<real>(std::move(to), f, *bound, *inf, {*epsabs, *epsrel}, *limit, lists<real>::in(work, *limit, iwork), last);)

ROUTINE(qagie, (user_function f, real_in bound, int_in inf, real_in epsabs, real_in epsrel, int_in limit,
                real_out result, real_out abserr, int_out neval, int_out ier, real_out alist, real_out blist,
                real_out rlist, real_out elist, int_out iord, int_out last),
  call<real> to("DQAGIE", result, abserr, neval, ier);
  qagie<real>(std::move(to), f, *bound, *inf, {*epsabs, *epsrel}, *limit, {alist, blist, rlist, elist, iord}, last);)

ROUTINE(qagp, (user_function f, real_in a, real_in b, int_in npts2, real_in points, real_in epsabs, real_in epsrel,
               real_out result, real_out abserr, int_out neval, int_out ier, int_in leniw, int_in lenw, int_out last,
               int_out iwork, real_out work),
  call<real> to("DQAGP", result, abserr, neval, ier);
  *last = 0;
  if (*npts2 < 2 || *leniw < 3 * int64{*npts2} - 2 || *lenw < 2 * int64{*leniw} - *npts2) return to.refuse(no_room);
  const integer limit = (*leniw - *npts2) / 2;
  qagpe<real>(std::move(to), f, *a, *b, *npts2, points, {*epsabs, *epsrel}, limit, lists<real>::in(work, limit, iwork),
              work + 4 * int64{limit}, {iwork + limit, iwork + 2 * int64{limit}}, last);)

ROUTINE(qagpe, (user_function f, real_in a, real_in b, int_in npts2, real_in points, real_in epsabs, real_in epsrel,
                int_in limit, real_out result, real_out abserr, int_out neval, int_out ier, real_out alist,
                real_out blist, real_out rlist, real_out elist, real_out pts, int_out iord, int_out level,
                int_out ndin, int_out last),
  call<real> to("DQAGPE", result, abserr, neval, ier);
  qagpe<real>(std::move(to), f, *a, *b, *npts2, points, {*epsabs, *epsrel}, *limit, {alist, blist, rlist, elist, iord},
              pts, {level, ndin}, last);)

ROUTINE(qng, (user_function f, real_in a, real_in b, real_in epsabs, real_in epsrel, real_out result, real_out abserr,
              int_out neval, int_out ier),
  call<real> to("DQNG", result, abserr, neval, ier);
  qng<real>(std::move(to), f, *a, *b, {*epsabs, *epsrel});)

ROUTINE(qawo, (user_function f, real_in a, real_in b, real_in omega, int_in integr, real_in epsabs, real_in epsrel,
               real_out result, real_out abserr, int_out neval, int_out ier, int_in leniw, int_in maxp1, int_in lenw,
               int_out last, int_out iwork, real_out work),
  call<real> to("DQAWO", result, abserr, neval, ier);
  *last = 0;
  if (*leniw < 2 || *maxp1 < 1 || *lenw < 2 * int64{*leniw} + 25 * int64{*maxp1}) return to.refuse(no_room);
  const integer limit = *leniw / 2;
  integer momcom = 0;
  qawoe<real>(std::move(to), f, *a, *b, *omega, *integr, {*epsabs, *epsrel}, limit, last,
              lists<real>::in(work, limit, iwork), iwork + limit, {1, *maxp1, &momcom, work + 4 * int64{limit}});)

ROUTINE(qawoe, (user_function f, real_in a, real_in b, real_in omega, int_in integr, real_in epsabs, real_in epsrel,
                int_in limit, int_in icall, int_in maxp1, real_out result, real_out abserr, int_out neval,
                int_out ier, int_out last, real_out alist, real_out blist, real_out rlist, real_out elist,
                int_out iord, int_out nnlog, int_out momcom, real_out chebmo),
  call<real> to("DQAWOE", result, abserr, neval, ier);
  qawoe<real>(std::move(to), f, *a, *b, *omega, *integr, {*epsabs, *epsrel}, *limit, last,
              {alist, blist, rlist, elist, iord}, nnlog, {*icall, *maxp1, momcom, chebmo});)

ROUTINE(qawf, (user_function f, real_in a, real_in omega, int_in integr, real_in epsabs, real_out result,
               real_out abserr, int_out neval, int_out ier, int_in limlst, int_out lst, int_in leniw, int_in maxp1,
               int_in lenw, int_out iwork, real_out work),
  call<real> to("DQAWF", result, abserr, neval, ier);
  *lst = 0;
  if (*limlst < 3 || *leniw < int64{*limlst} + 2 || *maxp1 < 1 || *lenw < 2 * int64{*leniw} + 25 * int64{*maxp1})
    return to.refuse(no_room);
  const integer cycles = *limlst, limit = (*leniw - cycles) / 2;
  real *const of_intervals = work + 2 * int64{cycles};
  qawfe<real>(std::move(to), f, *a, *omega, *integr, *epsabs, cycles, limit, {work, work + cycles, iwork, lst},
              lists<real>::in(of_intervals, limit, iwork + cycles), iwork + cycles + limit, *maxp1,
              of_intervals + 4 * int64{limit});)

ROUTINE(qawfe, (user_function f, real_in a, real_in omega, int_in integr, real_in epsabs, int_in limlst, int_in limit,
                int_in maxp1, real_out result, real_out abserr, int_out neval, int_out ier, real_out rslst,
                real_out erlst, int_out ierlst, int_out lst, real_out alist, real_out blist, real_out rlist,
                real_out elist, int_out iord, int_out nnlog, real_out chebmo),
  call<real> to("DQAWFE", result, abserr, neval, ier);
  qawfe<real>(std::move(to), f, *a, *omega, *integr, *epsabs, *limlst, *limit, {rslst, erlst, ierlst, lst},
              {alist, blist, rlist, elist, iord}, nnlog, *maxp1, chebmo);)

ROUTINE(qaws, (user_function f, real_in a, real_in b, real_in alfa, real_in beta, int_in integr, real_in epsabs,
               real_in epsrel, real_out result, real_out abserr, int_out neval, int_out ier, int_in limit,
               int_in lenw, int_out last, int_out iwork, real_out work),
  call<real> to("DQAWS", result, abserr, neval, ier);
  *last = 0;
  if (no_room_for(*limit, *lenw, 2)) return to.refuse(no_room);
  qawse<real>(std::move(to), f, *a, *b, *alfa, *beta, *integr, {*epsabs, *epsrel}, *limit,
              lists<real>::in(work, *limit, iwork), last);)

ROUTINE(qawse, (user_function f, real_in a, real_in b, real_in alfa, real_in beta, int_in integr, real_in epsabs,
                real_in epsrel, int_in limit, real_out result, real_out abserr, int_out neval, int_out ier,
                real_out alist, real_out blist, real_out rlist, real_out elist, int_out iord, int_out last),
  call<real> to("DQAWSE", result, abserr, neval, ier);
  qawse<real>(std::move(to), f, *a, *b, *alfa, *beta, *integr, {*epsabs, *epsrel}, *limit,
              {alist, blist, rlist, elist, iord}, last);)

ROUTINE(qawc, (user_function f, real_in a, real_in b, real_in c, real_in epsabs, real_in epsrel, real_out result,
               real_out abserr, int_out neval, int_out ier, int_in limit, int_in lenw, int_out last, int_out iwork,
               real_out work),
  call<real> to("DQAWC", result, abserr, neval, ier);
  *last = 0;
  if (no_room_for(*limit, *lenw, 1)) return to.refuse(no_room);
  qawce<real>(std::move(to), f, *a, *b, *c, {*epsabs, *epsrel}, *limit, lists<real>::in(work, *limit, iwork), last);)

ROUTINE(qawce, (user_function f, real_in a, real_in b, real_in c, real_in epsabs, real_in epsrel, int_in limit,
                real_out result, real_out abserr, int_out neval, int_out ier, real_out alist, real_out blist,
                real_out rlist, real_out elist, int_out iord, int_out last),
  call<real> to("DQAWCE", result, abserr, neval, ier);
  qawce<real>(std::move(to), f, *a, *b, *c, {*epsabs, *epsrel}, *limit, {alist, blist, rlist, elist, iord}, last);)

// clang-format on

extern "C" {

void tessera_quadpack_cancel(void) { dropin::cancel(); }
void tessera_quadpack_cancel_(void) { dropin::cancel(); }

}  // extern "C"
