"""The program tessera (docs/program.md), which a wheel has beside its library.

SPDX-License-Identifier: BSD-3-Clause"""
import os
import pathlib
import sys

from ._device import find_toolkit


def main():
    """What `pip install` makes a command of."""
    program = pathlib.Path(__file__).parent / "lib" / "tessera" / "tessera"
    find_toolkit()  # it finds in LD_LIBRARY_PATH what NVIDIA's wheels have
    os.execv(program, ["tessera", *sys.argv[1:]])
