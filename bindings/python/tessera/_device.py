"""Integrands on CUDA devices: functions of CuPy and torch on arrays in the device's memory, device functions of numba.

SPDX-License-Identifier: BSD-3-Clause"""


def recognise(f, domain, args, shape, dtype, device):
    return None


def on_host(f):
    return f


def find_toolkit():
    pass
