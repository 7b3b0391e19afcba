# Writes .npz and MATLAB files of every kind, aligned or not, and bombs, without NumPy. SPDX-License-Identifier: Apache-2.0
import struct
import zlib

WIDTH = {'f8': 8, 'f4': 4, 'i2': 2, 'i1': 1, 'i8': 8}
LETTER = {'f8': 'd', 'f4': 'f', 'i2': 'h', 'i1': 'b', 'i8': 'q'}


class Zeros:
    """Values that are all zero, of which there may be very many."""

    def __init__(self, kind, shape):
        self.kind, self.shape = kind, shape


class Array:
    def __init__(self, kind, shape, values, fortran=False):
        self.kind, self.shape, self.values, self.fortran = kind, shape, values, fortran


def texts(words):
    """An array of texts as NumPy has them."""
    width = max(len(word) for word in words)
    data = b''.join(word.ljust(width, '\0').encode('utf-32-le') for word in words)
    return Array(f'U{width}', (len(words),), data)


def number_of(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def head(descr, shape, fortran=False):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (descr, fortran, ''.join(f'{n}, ' for n in shape))
    text += ' ' * (63 - (10 + len(text)) % 64) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(text)) + text.encode()


def array_bytes(array):
    descr = {'i1': '|i1'}.get(array.kind, array.kind if array.kind[0] == '|' else '<' + array.kind)
    start = head(descr, array.shape, getattr(array, 'fortran', False))
    if isinstance(array.values, bytes):
        return start + array.values
    values = array.values if array.kind[0] == 'f' else [int(value) for value in array.values]
    return start + struct.pack('<%d%s' % (len(values), LETTER[array.kind]), *values)


def zeros_deflated(start, count):
    """`start` and then `count` zeros as raw deflate, their crc32 and adler32: one block again and again, for speed."""
    piece = 1 << 20
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(start + bytes(count % piece)) + packer.flush(zlib.Z_FULL_FLUSH)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(piece)) + packer.flush(zlib.Z_FULL_FLUSH)
    crc, adler = zlib.crc32(start + bytes(count % piece)), zlib.adler32(start + bytes(count % piece))
    for _ in range(count // piece):
        crc, adler = zlib.crc32(bytes(piece), crc), zlib.adler32(bytes(piece), adler)
    return data + block * (count // piece) + b'\x03\x00', crc, adler


def write_npz(path, arrays, deflate=False, place=None):
    """`place`: data of stored members begin at so many bytes after a multiple of 64; None: wherever they fall."""
    body, directory = b'', b''
    for name, array in arrays.items():
        member = (name + '.npy').encode()
        if isinstance(array, Zeros):
            width = WIDTH[array.kind] if array.kind in WIDTH else int(array.kind[1:])
            start = head('|' + array.kind if array.kind[0] == 'S' or width == 1 else '<' + array.kind, array.shape)
            size = len(start) + width * number_of(array.shape)
            packed, crc, _ = zeros_deflated(start, size - len(start))
            method = 8
        else:
            plain = array_bytes(array)
            size, crc, method = len(plain), zlib.crc32(plain), 8 if deflate else 0
            packer = zlib.compressobj(6, zlib.DEFLATED, -15)
            packed = packer.compress(plain) + packer.flush() if deflate else plain
        at, extra = len(body), b''
        if place is not None and method == 0:
            pad = (place - (at + 30 + len(member) + 4)) % 64
            extra = struct.pack('<HH', 0xd935, pad) + bytes(pad)
        common = struct.pack('<HHHHHIII', 20, 0, method, 0, 33, crc, len(packed), size)
        body += b'PK\x03\x04' + common + struct.pack('<HH', len(member), len(extra)) + member + extra + packed
        directory += b'PK\x01\x02\x14\x00' + common + struct.pack('<HHHHHII', len(member), 0, 0, 0, 0, 0, at) + member
    count = len(arrays)
    end = b'PK\x05\x06' + struct.pack('<HHHHIIH', 0, 0, count, count, len(directory), len(body), 0)
    with open(path, 'wb') as file:
        file.write(body + directory + end)


# ---- MATLAB -----------------------------------------------------------------------------------------------

MX = {'f8': 6, 'f4': 7, 'i1': 8, 'i2': 10}
MI = {'f8': 9, 'f4': 7, 'i1': 1, 'i2': 3}


def element(kind, data):
    return struct.pack('<II', kind, len(data)) + data + bytes(-len(data) % 8)


def mat_head(class_number, shape, name):
    return (element(6, struct.pack('<II', class_number, 0)) + element(5, struct.pack('<%di' % len(shape), *shape)) +
            element(1, name.encode()))


def mat_array(value, name=''):
    """The bytes of an array of numbers, of a struct (a dict) or of a cell (a list), and how many zeros follow."""
    if isinstance(value, dict):
        inside = mat_head(2, (1, 1), name) + element(5, struct.pack('<i', 32))
        inside += element(1, b''.join(key.encode().ljust(32, b'\0') for key in value))
        parts = [mat_array(part) for part in value.values()]
    elif isinstance(value, list):
        inside, parts = mat_head(1, (1, len(value)), name), [mat_array(part) for part in value]
    elif isinstance(value, Zeros):
        size = WIDTH[value.kind] * number_of(value.shape)
        inside = mat_head(MX[value.kind], value.shape, name) + struct.pack('<II', MI[value.kind], size)
        size += -size % 8
        return struct.pack('<II', 14, len(inside) + size) + inside, size
    else:
        values = value.values if value.kind[0] == 'f' else [int(number) for number in value.values]
        data = struct.pack('<%d%s' % (len(values), LETTER[value.kind]), *values)
        inside, parts = mat_head(MX[value.kind], value.shape, name) + element(MI[value.kind], data), []
    zeros = 0
    for part, more in parts:  # zeros are the last of a variable
        inside, zeros = inside + part, more
    return struct.pack('<II', 14, len(inside) + zeros) + inside, zeros


def write_mat(path, variables, deflate=False):
    body = b'MATLAB 5.0 MAT-file'.ljust(124) + b'\x00\x01IM'
    for name, value in variables.items():
        data, zeros = mat_array(value, name)
        if deflate or zeros > 0:
            packed, _, adler = zeros_deflated(data, zeros)
            data = b'\x78\x9c' + packed + struct.pack('>I', adler)
            data = struct.pack('<II', 15, len(data)) + data
        body += data
    with open(path, 'wb') as file:
        file.write(body)
