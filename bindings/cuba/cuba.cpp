// The symbols of libcuba 4.2. Each routine has four: Cuhre and Cuhre_ with C's argument passing, cuhre and cuhre_ with Fortran's,
// where everything is a reference and the length of the file name comes last.
// SPDX-License-Identifier: BSD-3-Clause
#include "cuba.h"

#include <cstdint>
#include <string>

#include "../common/settings.hpp"
#include "cuhre.hpp"
#include "divonne.hpp"
#include "hooks.hpp"
#include "state_file.hpp"
#include "vegas.hpp"

namespace {

// A Fortran file name without its trailing blanks; empty for %VAL(0).
std::string file_name(const char *name, int length) {
  if (!name) return {};
  std::string s(name, name + (length > 0 ? length : 0));
  s = s.substr(0, s.find('\0'));
  return s.substr(0, s.find_last_not_of(' ') + 1);
}

// In version 4.1 this argument was a number, not a reference; no address is as small as a level.
int level_of(const int *level) {
  const auto address = reinterpret_cast<std::uintptr_t>(level);
  constexpr std::uintptr_t first_page = 4096;
  return address < first_page ? static_cast<int>(address) : *level;
}
// The same for numbers of workers and of points, which may look like an address of a program that is always loaded at the same place.
// Then nobody knows, and nothing is touched.
int number_of(const int *argument, int otherwise) {
  const auto address = reinterpret_cast<std::uintptr_t>(argument);
  constexpr std::uintptr_t lowest_place = 0x400000, first_negative = 0x80000000,
                           behind = first_negative + first_negative;
  if (address < lowest_place || (address >= first_negative && address < behind)) return static_cast<int>(address);
  return address >= behind ? *argument : otherwise;
}

}  // namespace

#define TESSERA_CUHRE_C(name, count)                                                                                  \
  void name(int ndim, int ncomp, integrand_t f, void *userdata, count nvec, double epsrel, double epsabs, int flags,  \
            count mineval, count maxeval, int key, const char *statefile, void *, int *nregions, count *neval,        \
            int *fail, double integral[], double error[], double prob[]) {                                            \
    cuba::cuhre<count>({{"Cuhre", ndim, ncomp, f, userdata, nvec, epsrel, epsabs, flags, mineval, maxeval, statefile, \
                         nregions, neval, fail, integral, error, prob},                                               \
                        key});                                                                                        \
  }
#define TESSERA_CUHRE_FORTRAN(name, count)                                                                         \
  TESSERA_CUBA_API void name(const int *ndim, const int *ncomp, integrand_t f, void *userdata, const count *nvec,  \
                             const double *epsrel, const double *epsabs, const int *flags, const count *mineval,   \
                             const count *maxeval, const int *key, const char *statefile, void *, int *nregions,   \
                             count *neval, int *fail, double *integral, double *error, double *prob, int length) { \
    const std::string file = file_name(statefile, length);                                                         \
    cuba::cuhre<count>({{"Cuhre", *ndim, *ncomp, f, userdata, *nvec, *epsrel, *epsabs, *flags, *mineval, *maxeval, \
                         file.c_str(), nregions, neval, fail, integral, error, prob},                              \
                        *key});                                                                                    \
  }

#define TESSERA_VEGAS_C(name, count)                                                                                  \
  void name(int ndim, int ncomp, integrand_t f, void *userdata, count nvec, double epsrel, double epsabs, int flags,  \
            int seed, count mineval, count maxeval, count nstart, count nincrease, count nbatch, int gridno,          \
            const char *statefile, void *, count *neval, int *fail, double integral[], double error[],                \
            double prob[]) {                                                                                          \
    cuba::vegas<count>({{"Vegas", ndim, ncomp, f, userdata, nvec, epsrel, epsabs, flags, mineval, maxeval, statefile, \
                         nullptr, neval, fail, integral, error, prob},                                                \
                        seed,                                                                                         \
                        nstart,                                                                                       \
                        nincrease,                                                                                    \
                        nbatch,                                                                                       \
                        gridno});                                                                                     \
  }
#define TESSERA_VEGAS_FORTRAN(name, count)                                                                            \
  TESSERA_CUBA_API void name(const int *ndim, const int *ncomp, integrand_t f, void *userdata, const count *nvec,     \
                             const double *epsrel, const double *epsabs, const int *flags, const int *seed,           \
                             const count *mineval, const count *maxeval, const count *nstart, const count *nincrease, \
                             const count *nbatch, const int *gridno, const char *statefile, void *, count *neval,     \
                             int *fail, double *integral, double *error, double *prob, int length) {                  \
    const std::string file = file_name(statefile, length);                                                            \
    cuba::vegas<count>({{"Vegas", *ndim, *ncomp, f, userdata, *nvec, *epsrel, *epsabs, *flags, *mineval, *maxeval,    \
                         file.c_str(), nullptr, neval, fail, integral, error, prob},                                  \
                        *seed,                                                                                        \
                        *nstart,                                                                                      \
                        *nincrease,                                                                                   \
                        *nbatch,                                                                                      \
                        *gridno});                                                                                    \
  }

#define TESSERA_SUAVE_C(name, count)                                                                                  \
  void name(int ndim, int ncomp, integrand_t f, void *userdata, count nvec, double epsrel, double epsabs, int flags,  \
            int seed, count mineval, count maxeval, count nnew, count nmin, double flatness, const char *statefile,   \
            void *, int *nregions, count *neval, int *fail, double integral[], double error[], double prob[]) {       \
    cuba::suave<count>({{"Suave", ndim, ncomp, f, userdata, nvec, epsrel, epsabs, flags, mineval, maxeval, statefile, \
                         nregions, neval, fail, integral, error, prob},                                               \
                        seed,                                                                                         \
                        nnew,                                                                                         \
                        nmin,                                                                                         \
                        flatness});                                                                                   \
  }
#define TESSERA_SUAVE_FORTRAN(name, count)                                                                         \
  TESSERA_CUBA_API void name(const int *ndim, const int *ncomp, integrand_t f, void *userdata, const count *nvec,  \
                             const double *epsrel, const double *epsabs, const int *flags, const int *seed,        \
                             const count *mineval, const count *maxeval, const count *nnew, const count *nmin,     \
                             const double *flatness, const char *statefile, void *, int *nregions, count *neval,   \
                             int *fail, double *integral, double *error, double *prob, int length) {               \
    const std::string file = file_name(statefile, length);                                                         \
    cuba::suave<count>({{"Suave", *ndim, *ncomp, f, userdata, *nvec, *epsrel, *epsabs, *flags, *mineval, *maxeval, \
                         file.c_str(), nregions, neval, fail, integral, error, prob},                              \
                        *seed,                                                                                     \
                        *nnew,                                                                                     \
                        *nmin,                                                                                     \
                        *flatness});                                                                               \
  }

#define TESSERA_DIVONNE_C(name, count)                                                                               \
  void name(int ndim, int ncomp, integrand_t f, void *userdata, count nvec, double epsrel, double epsabs, int flags, \
            int seed, count mineval, count maxeval, int key1, int key2, int key3, int maxpass, double border,        \
            double maxchisq, double mindeviation, count ngiven, int ldxgiven, double xgiven[], count nextra,         \
            peakfinder_t peakfinder, const char *statefile, void *, int *nregions, count *neval, int *fail,          \
            double integral[], double error[], double prob[]) {                                                      \
    cuba::divonne<count>({{"Divonne", ndim, ncomp, f, userdata, nvec, epsrel, epsabs, flags, mineval, maxeval,       \
                           statefile, nregions, neval, fail, integral, error, prob},                                 \
                          seed,                                                                                      \
                          key1,                                                                                      \
                          key2,                                                                                      \
                          key3,                                                                                      \
                          maxpass,                                                                                   \
                          border,                                                                                    \
                          maxchisq,                                                                                  \
                          mindeviation,                                                                              \
                          ngiven,                                                                                    \
                          ldxgiven,                                                                                  \
                          xgiven,                                                                                    \
                          nextra,                                                                                    \
                          peakfinder});                                                                              \
  }
#define TESSERA_DIVONNE_FORTRAN(name, count)                                                                           \
  TESSERA_CUBA_API void name(                                                                                          \
      const int *ndim, const int *ncomp, integrand_t f, void *userdata, const count *nvec, const double *epsrel,       \
      const double *epsabs, const int *flags, const int *seed, const count *mineval, const count *maxeval,             \
      const int *key1, const int *key2, const int *key3, const int *maxpass, const double *border,                     \
      const double *maxchisq, const double *mindeviation, const count *ngiven, const int *ldxgiven,                    \
      const double *xgiven, const count *nextra, peakfinder_t peakfinder, const char *statefile, void *,               \
      int *nregions, count *neval, int *fail, double *integral, double *error, double *prob, int length) {             \
    const std::string file = file_name(statefile, length);                                                             \
    cuba::divonne<count>({{"Divonne", *ndim, *ncomp, f, userdata, *nvec, *epsrel, *epsabs, *flags, *mineval, *maxeval, \
                           file.c_str(), nregions, neval, fail, integral, error, prob},                                \
                          *seed,                                                                                       \
                          *key1,                                                                                       \
                          *key2,                                                                                       \
                          *key3,                                                                                       \
                          *maxpass,                                                                                    \
                          *border,                                                                                     \
                          *maxchisq,                                                                                   \
                          *mindeviation,                                                                               \
                          *ngiven,                                                                                     \
                          *ldxgiven,                                                                                   \
                          xgiven,                                                                                      \
                          *nextra,                                                                                     \
                          peakfinder});                                                                                \
  }

#define TESSERA_FOUR(KIND, Name, name, count)                                                 \
  KIND##_C(Name, count) TESSERA_CUBA_API KIND##_C(Name##_, count) KIND##_FORTRAN(name, count) \
      KIND##_FORTRAN(name##_, count)

// With and without underscore.
#define TESSERA_TWO(name, parameters, body) void name parameters body TESSERA_CUBA_API void name##_ parameters body

extern "C" {

TESSERA_FOUR(TESSERA_CUHRE, Cuhre, cuhre, int)
TESSERA_FOUR(TESSERA_CUHRE, llCuhre, llcuhre, long long)
TESSERA_FOUR(TESSERA_VEGAS, Vegas, vegas, int)
TESSERA_FOUR(TESSERA_VEGAS, llVegas, llvegas, long long)
TESSERA_FOUR(TESSERA_SUAVE, Suave, suave, int)
TESSERA_FOUR(TESSERA_SUAVE, llSuave, llsuave, long long)
TESSERA_FOUR(TESSERA_DIVONNE, Divonne, divonne, int)
TESSERA_FOUR(TESSERA_DIVONNE, llDivonne, lldivonne, long long)

TESSERA_TWO(cubafork, (void *), {})
TESSERA_TWO(cubawait, (void *), {})
TESSERA_TWO(cubacores, (const int *n, const int *p),
            { cuba::set_cores(number_of(n, cubaworkers_.cores), number_of(p, cubaworkers_.points_of_cores)); })
TESSERA_TWO(cubaaccel, (const int *n, const int *p), {
  cuba::set_accelerators(number_of(n, cubaworkers_.accelerators), number_of(p, cubaworkers_.points_of_accelerators));
})
TESSERA_TWO(cubainit, (tessera_cuba_hook f, void *arg), { cuba::set_init(f, arg); })
TESSERA_TWO(cubaexit, (tessera_cuba_hook f, void *arg), { cuba::set_exit(f, arg); })
TESSERA_TWO(cubaverbose, (const int *level), { cuba::set_verbose(level_of(level)); })

void tessera_cuba_threads(int n) { dropin::set_threads(n); }
void tessera_cuba_threads_(const int *n) { dropin::set_threads(*n); }
void tessera_cuba_cancel(void) { dropin::cancel(); }
void tessera_cuba_cancel_(void) { dropin::cancel(); }
void tessera_cuba_state_seconds(double seconds) { cuba::set_state_seconds(seconds); }
void tessera_cuba_state_seconds_(const double *seconds) { cuba::set_state_seconds(*seconds); }

}  // extern "C"
