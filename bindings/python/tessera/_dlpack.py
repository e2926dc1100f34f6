"""Memory of the library's as an array of another package, without a copy: DLPack, from ctypes.

SPDX-License-Identifier: BSD-3-Clause"""
import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p

CPU, CUDA = 1, 2
_NAME = b"dltensor"
_FLOAT = 2


class _Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8),
                ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class _Managed(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, c_void_p)
_Managed._fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", _DELETER)]

_alive = {}  # address of a managed tensor: what it consists of


@_DELETER
def _delete(address):
    _alive.pop(address, None)


_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _api))


@ctypes.PYFUNCTYPE(None, c_void_p)
def _end_of_capsule(capsule):
    if _is_valid(capsule, _NAME):  # nobody took it, who would have renamed it
        _delete(_pointer(capsule, _NAME))


class Array:
    """Doubles at an address: for from_dlpack of NumPy, CuPy, torch and others. shape and strides are in elements."""

    def __init__(self, address, shape, strides, device=(CPU, 0)):
        self.address, self.shape, self.strides, self.device = address, shape, strides, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        n = len(self.shape)
        shape, strides = (c_int64 * n)(*self.shape), (c_int64 * n)(*self.strides)
        tensor = _Tensor(self.address, *self.device, n, _FLOAT, 64, 1, shape, strides, 0)
        managed = _Managed(tensor, None, _delete)
        address = ctypes.addressof(managed)
        _alive[address] = (managed, shape, strides)
        return _api.PyCapsule_New(address, _NAME, ctypes.cast(_end_of_capsule, c_void_p))
