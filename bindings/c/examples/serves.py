"""serves.py LIBRARY CARD FILE...: whether each file serves the card, and what is in it."""

import ctypes
import sys

ANSWERS = ("not known", "yes", "no")


def library(path):
    """The functions of amdgpu_object.h that are used here."""
    own = ctypes.CDLL(path)
    own.amdgpu_read.argtypes = (ctypes.c_char_p, ctypes.c_size_t)
    own.amdgpu_read.restype = ctypes.c_void_p
    own.amdgpu_file_serves.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t)
    own.amdgpu_file_json.argtypes = (ctypes.c_void_p,)
    own.amdgpu_file_json.restype = ctypes.c_char_p
    own.amdgpu_free.argtypes = (ctypes.c_void_p,)
    own.amdgpu_free.restype = None
    return own


def main(path, card, *files):
    amdgpu = library(path)
    for name in files:
        with open(name, "rb") as file:
            data = file.read()
        read = amdgpu.amdgpu_read(data, len(data))
        reason = ctypes.create_string_buffer(512)
        answer = amdgpu.amdgpu_file_serves(read, card.encode(), reason, len(reason))
        print(f"{name}: {ANSWERS[answer]}: {reason.value.decode()}")
        print(amdgpu.amdgpu_file_json(read).decode())
        amdgpu.amdgpu_free(read)


if __name__ == "__main__":
    main(*sys.argv[1:])
