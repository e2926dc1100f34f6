#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes quadpack.csv: random calls of QUADPACK and what the original says of them.

The original is the Fortran in SciPy 1.10.1 (the last one that has it), whose routines with E at the end are called by their
addresses; DQAG and DQNG, which SciPy does not have, are those of the GNU Scientific Library, which are the same algorithms.
Usage, x86-64 Linux, with scipy==1.10.1 in a virtual environment:
    python make_quadpack.py LIBGSL > quadpack.csv
"""
import ctypes
import glob
import os
import random
import subprocess
import sys
import tempfile

import scipy.integrate

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = 'routine integrand p q r a b x y z epsabs epsrel limit result abserr neval ier last'.split()
REPEATS = {'ag': 380, 'ags': 380, 'agi': 300, 'agp': 220, 'ng': 120, 'awo': 260, 'awf': 160, 'aws': 240, 'awc': 240}

random.seed(19830000)
d, i = ctypes.c_double, ctypes.c_int


def original():
    """Addresses of the Fortran routines by name."""
    path = glob.glob(os.path.join(os.path.dirname(scipy.integrate.__file__), '_quadpack*.so'))[0]
    symbols = {}
    for line in subprocess.check_output(['nm', path], text=True).splitlines():
        fields = line.split()
        if len(fields) == 3:
            symbols[fields[2]] = int(fields[0], 16)
    base = ctypes.cast(ctypes.CDLL(path).PyInit__quadpack, ctypes.c_void_p).value - symbols['PyInit__quadpack']
    prototype = ctypes.CFUNCTYPE(None)
    return {name[:-1]: prototype(base + at) for name, at in symbols.items() if name.startswith('dqa') and name.endswith('_')}


def compiled_integrands():
    source = '#include "%s"\nint *number(void) { return &csv_integrand; }\ndouble *parameters(void) { return csv_p; }\n' \
             'int *calls(void) { return &csv_calls; }\nint *not_finite(void) { return &csv_not_finite; }\ndouble (*function(void))(const double *) { return csv_function; }\n' \
             'double gsl_form(double x, void *p) { (void)p; return csv_function(&x); }\n' \
             % os.path.join(HERE, '..', 'quadpack_integrands.h')
    directory = tempfile.mkdtemp()
    subprocess.run(['cc', '-O2', '-shared', '-fPIC', '-x', 'c', '-', '-o', directory + '/f.so', '-lm'], input=source, text=True,
                   check=True)
    library = ctypes.CDLL(directory + '/f.so')
    library.number.restype = library.calls.restype = library.not_finite.restype = ctypes.POINTER(i)
    library.parameters.restype = ctypes.POINTER(d)
    library.function.restype = ctypes.c_void_p
    return library


class gsl_function(ctypes.Structure):
    _fields_ = [('function', ctypes.c_void_p), ('params', ctypes.c_void_p)]


F = compiled_integrands()
Q = original()
G = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
G.gsl_set_error_handler_off()
G.gsl_integration_workspace_alloc.restype = ctypes.c_void_p


def run(row):
    """Adds the results to the row."""
    F.number()[0] = row['integrand']
    for k, name in enumerate('pqr'):
        F.parameters()[k] = row[name]
    F.calls()[0] = F.not_finite()[0] = 0
    f = ctypes.c_void_p(F.function())
    limit = row['limit']
    result, abserr, neval, ier, last, lst, momcom = d(), d(), i(), i(), i(), i(), i()
    room = max(limit, 1) + 8
    al, bl, rl, el, pts, rs, er = ((d * room)() for _ in range(7))
    iord, level, ndin, ierlst = ((i * room)() for _ in range(4))
    moments = (d * (25 * 40))()

    def give(*arguments):
        return [a if isinstance(a, (ctypes.Array, ctypes.c_void_p)) else ctypes.byref(a) for a in arguments]

    a, b, x, y, z = (d(row[n]) for n in 'abxyz')
    tolerance = d(row['epsabs']), d(row['epsrel'])
    out = result, abserr, neval, ier
    lists = al, bl, rl, el, iord
    routine = row['routine']
    if routine in ('ag', 'ng'):
        function = gsl_function(ctypes.cast(F.gsl_form, ctypes.c_void_p).value, None)
        if routine == 'ag':
            work = ctypes.c_void_p(G.gsl_integration_workspace_alloc(ctypes.c_size_t(limit)))
            status = G.gsl_integration_qag(ctypes.byref(function), a, b, *tolerance, ctypes.c_size_t(limit), i(int(row['x'])), work,
                                           ctypes.byref(result), ctypes.byref(abserr))
            last.value = ctypes.c_size_t.from_address(work.value + ctypes.sizeof(ctypes.c_size_t)).value
            G.gsl_integration_workspace_free(work)
        else:
            count = ctypes.c_size_t()
            status = G.gsl_integration_qng(ctypes.byref(function), a, b, *tolerance, ctypes.byref(result), ctypes.byref(abserr),
                                           ctypes.byref(count))
        neval.value = F.calls()[0]
        ier.value = {0: 0, 5: -1, 11: 1, 14: 1, 18: 2, 21: 3, 13: 6}[status]
        # Where that library has changed the algorithm: calls before the tolerance is looked at, the order of the last two reasons, and < for
        # <= in the end.
        if ier.value == 6:
            neval.value = 0
        if ier.value == 2 and last.value == limit:
            ier.value = 1
        if routine == 'ng' and ier.value == 1 and abserr.value == 0:
            ier.value = -1
    elif routine == 'ags':
        Q['dqagse'](f, *give(a, b, *tolerance, i(limit), *out, *lists, last))
    elif routine == 'agi':
        Q['dqagie'](f, *give(a, i(int(row['x'])), *tolerance, i(limit), *out, *lists, last))
    elif routine == 'agp':
        points = [row[n] for n in 'xyz' if row[n] == row[n]]
        Q['dqagpe'](f, *give(a, b, i(len(points) + 2), (d * 3)(*points), *tolerance, i(limit), *out, al, bl, rl, el, pts, iord,
                             level, ndin, last))
    elif routine == 'awo':
        Q['dqawoe'](f, *give(a, b, x, i(int(row['y'])), *tolerance, i(limit), i(1), i(40), *out, last, *lists, level, momcom,
                             moments))
    elif routine == 'awf':
        Q['dqawfe'](f, *give(a, x, i(int(row['y'])), tolerance[0], i(50), i(limit), i(40), *out, (d * 50)(), (d * 50)(), (i * 50)(),
                             last, *lists, level, moments))
    elif routine == 'aws':
        Q['dqawse'](f, *give(a, b, x, y, i(int(row['z'])), *tolerance, i(limit), *out, *lists, last))
    else:
        Q['dqawce'](f, *give(a, b, x, *tolerance, i(limit), *out, *lists, last))
    assert neval.value == F.calls()[0] or ier.value == 6, (row, neval.value, F.calls()[0])
    if F.not_finite()[0]:
        ier.value = -1
    row.update(result=result.value, abserr=abserr.value, neval=neval.value, ier=ier.value, last=last.value)


def number(low, high):
    return float('%.4g' % random.uniform(low, high))


def power(low, high):
    return float('%.3g' % 10 ** random.uniform(low, high))


def sign():
    return random.choice((-1, 1))


def integrand(kind):
    """Number, parameters and a range for a kind of routine."""
    choice = {'finite': (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19),
              'infinite': (0, 2, 3, 4, 9, 9, 10, 10, 11, 11, 12, 14, 18, 18, 19),
              'decaying': (18, 18, 9, 10, 11, 0, 2),
              'tame': (0, 2, 3, 6, 7, 9, 10, 12, 13, 15, 16, 19)}[kind]
    n = random.choice(choice)
    p, q, r = {0: lambda: (number(0, 3), number(0, 60), 0),
               1: lambda: (number(-1, 2), number(-0.95, 1.5), 0),
               2: lambda: (number(-1, 2), power(-5, 0.5), 0),
               3: lambda: (number(-1, 2), number(-2, 1), number(-2, 2)),
               4: lambda: (number(-1, 2), number(0, 20), 0),
               5: lambda: (number(-0.98, 2), 0, 0),
               6: lambda: (number(0, 80), number(-1, 1), 0),
               7: lambda: (number(-2, 2), number(-2, 2), number(-1, 1)),
               8: lambda: (number(-1, 2), 0, 0),
               9: lambda: (power(-2, 3), number(-2, 2), 0),
               10: lambda: (power(-2, 3), number(0.4, 4), 0),
               11: lambda: (number(-0.9, 3), power(-1, 1.5), 0),
               12: lambda: (number(0, 30), power(-3, 0), 0),
               13: lambda: (number(-1, 3), 0, 0),
               14: lambda: (number(-3, 3), 0, 0),
               15: lambda: (power(-200, 200), number(-2, 2), random.choice((0, power(-200, 200)))),
               16: lambda: (number(0, 30), 0, 0),
               17: lambda: (number(0, 9), 0, 0),
               18: lambda: (number(0.3, 3), random.choice((0, 1, number(0, 2))), 0),
               19: lambda: (number(0.5, 4), 0, 0)}[n]()
    return n, p, q, r


def draw(routine):
    kind = {'agi': 'infinite', 'awf': 'decaying', 'aws': 'tame', 'awc': 'tame'}.get(routine, 'finite')
    n, p, q, r = integrand(kind)
    a, b = random.choice(((0, 1), (0, 1), (-1, 1), (0, 5), (number(-2, 1), number(-1, 3)), (0, power(-3, 2)), (1, 0)))
    if n in (5, 19) and routine != 'agi':
        a, b = 0, random.choice((1, 2, number(0.5, 5)))
    epsabs, epsrel = random.choice(((0, power(-13.9, -2)), (0, power(-13.9, -2)), (power(-14, -2), 0),
                                    (power(-14, -2), power(-13.9, -2)), (1.49e-8, 1.49e-8), (0, 1e-8)))
    limit = random.choice((2, 3, 4, 5, 7, 10, 20, 50, 50, 50, 100, 100, 200, 500))
    x = y = z = float('nan')
    if routine == 'ag':
        x = random.choice((0, 1, 2, 3, 4, 5, 6, 7))
    elif routine == 'ng':
        limit = 0
    elif routine == 'ags':
        limit = random.choice((1, limit, limit, limit, limit))
    elif routine == 'agi':
        x = random.choice((-1, 1, 2))
        a = random.choice((0, 0, number(-3, 3)))
        b = 0
    elif routine == 'agp':
        points = sorted((number(min(a, b), max(a, b)) for _ in range(random.randint(1, 3))), key=lambda _: random.random())
        if random.random() < 0.5 and min(a, b) <= p <= max(a, b):
            points[0] = p
        if random.random() < 0.05:
            points[-1] = max(a, b) + 1
        x, y, z = (points + [float('nan')] * 3)[:3]
        limit = max(limit, random.choice((1, 2, 5, 10)))
        points = [v for v in points if v == v]
    elif routine == 'awo':
        x = random.choice((number(-10, 10), number(0, 100), power(0, 3), 0))
        y = random.choice((1, 2))
        if random.random() < 0.01:
            y = 3
        limit = random.choice((1, limit, limit, limit, limit))
    elif routine == 'awf':
        x, y = sign() * power(-1, 1.5), random.choice((1, 2))
        a, b = random.choice((0, 0, 1, number(-1, 3))), 0
        if n == 18:
            a = abs(a)
        epsabs, epsrel = power(-11, -2), 0
        limit = random.choice((50, 100, 100))
    elif routine == 'aws':
        a, b = min(a, b), max(a, b)
        if random.random() < 0.02:
            b = a
        x, y = (random.choice((0, number(-0.95, 1), number(-0.95, 3))) for _ in range(2))
        z = random.choice((1, 2, 3, 4))
    elif routine == 'awc':
        x = random.choice((number(min(a, b), max(a, b)), number(-3, 6), 0))
        limit = random.choice((1, limit, limit, limit, limit))
    if random.random() < 0.01:
        epsabs, epsrel = 0, 1e-15
    return dict(routine=routine, integrand=n, p=p, q=q, r=r, a=a, b=b, x=x, y=y, z=z, epsabs=epsabs, epsrel=epsrel, limit=limit)


def main():
    print('# The original QUADPACK on random integrals: make_quadpack.py. NaN: not used. SPDX-License-Identifier: BSD-3-Clause')
    print(','.join(COLUMNS))
    for routine, repeats in REPEATS.items():
        for _ in range(repeats):
            # A value that is not finite ends the run in Tessera.
            row = {'ier': -1}
            while row['ier'] < 0 or not abs(row['result']) + abs(row['abserr']) < 1e300:
                row = draw(routine)
                run(row)
            print(','.join(row[c] if c == 'routine' else '%.17g' % row[c] if c == 'result' else '%.6g' % row[c] if c == 'abserr'
                           else '%.6g' % row[c] for c in COLUMNS))


main()
