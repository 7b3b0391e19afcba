# Takes files of each format apart, changes a part, and puts them together again. SPDX-License-Identifier: Apache-2.0
import io
import re
import struct
import zipfile
import zlib

from hostile_mutations import (INTEGERS, MOST, TEXTS, mutate_bytes, mutate_floats, mutate_json, mutate_keys, mutate_lines,
                               mutate_numbers, number_bytes, packed_integer, scale_floats, several, text_bytes)

DTYPES = ['<f8', '>f8', '<f4', '<f2', '<i8', '<i4', '<i2', '|i1', '|u1', '<u2', '<u4', '<u8', '|b1', '|S1',
          '|S7', '|S0', '<U1', '<U8', '<U0', '<U100000', '|O', '<c16', '<M8[s]', '|V8', '<f16', '=f8', 'f8',
          '', '<f', "<f8', 'x': '", '|S99999999999']


# ---- .npy -----------------------------------------------------------------------------------------------------


def split_npy(data):
    """(version, header, values)"""
    wide = data[6] > 1
    start = 12 if wide else 10
    size = struct.unpack('<I' if wide else '<H', data[8:start])[0]
    return data[6], data[start:start + size], data[start + size:]


def join_npy(version, header, values, size=None):
    header = header.rstrip() + b'\n'
    form = '<H' if version == 1 else '<I'
    room = len(header) if size is None else size
    return b'\x93NUMPY' + bytes([version, 0]) + struct.pack(form, room % (1 << (16 if version == 1 else 32))) + header + values


def odd_shape(r, header):
    found = re.search(rb"'shape': \(([^)]*)\)", header)
    if not found:
        return header
    sizes = [size.strip() for size in found.group(1).split(b',') if size.strip()]
    how = r.randrange(6)
    at = r.randrange(len(sizes)) if sizes else 0
    if how == 0 or not sizes:
        sizes.insert(at, str(r.choice([0, 1, 2, 1000])).encode())
    elif how == 1:
        del sizes[at]
    elif how == 2:
        sizes[at] = number_bytes(r)
    elif how == 3:
        r.shuffle(sizes)
    elif how == 4 and sizes[at].isdigit():
        sizes[at] = str(max(0, int(sizes[at]) + r.choice([-1, 1, 2, 1000]))).encode()
    else:
        sizes[at] = str(r.choice(INTEGERS)).encode()
    text = b''.join(size + b', ' for size in sizes)
    return header[:found.start(1)] + text + header[found.end(1):]


def mutate_npy(r, data):
    if len(data) < 12 or data[:6] != b'\x93NUMPY':
        return mutate_bytes(r, data)
    version, header, values = split_npy(data)
    how = r.randrange(10)
    if how == 0:
        header = re.sub(rb"'descr': '[^']*'", lambda _: b"'descr': '" + r.choice(DTYPES).encode() + b"'", header)
    elif how in (1, 2):
        header = odd_shape(r, header)
    elif how == 3:
        header = re.sub(rb'False|True', r.choice([b'True', b'False', b'1', b'', b"'no'"]), header)
    elif how == 4:
        header = several(r, header, [mutate_bytes, mutate_numbers])
    elif how == 5:
        size = r.choice([None, 0, 5, len(header) + 8, 65535, 2 ** 32 - 1])
        return join_npy(r.choice([0, 1, 2, 3, 4, 255]), header, values, size)
    elif how == 6:
        values = values[:r.randrange(len(values) + 1)] if r.random() < 0.5 else values * r.choice([2, 3, 10])
    elif how == 7:  # other values and a shape that is right for them
        values, header = values[:8] * 600, re.sub(rb"'shape': \([^)]*\)", b"'shape': (600, 1, 1)", header)
    elif b'f4' in header or b'f8' in header:
        values = mutate_floats(r, values, 4 if b'f4' in header else 8)
    else:
        values = several(r, values, [mutate_bytes])
    return join_npy(version, header, values)


# ---- .npz -----------------------------------------------------------------------------------------------------


def read_members(data):
    """[(name, bytes)] of a good archive, which is no bomb."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(info.file_size for info in archive.infolist()) > MOST:
            raise ValueError('a bomb')
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def zeros_deflated(megabytes):
    """So many megabytes of zeros as a deflate stream, made without compressing them all."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + again * (megabytes - 1) + packer.flush(zlib.Z_FINISH)


class Member:
    """A member with every field of its headers in reach."""

    def __init__(self, name, data, deflated=False):
        self.name, self.size, self.crc = name.encode('utf-8', 'replace'), len(data), zlib.crc32(data)
        self.method, self.flags, self.offset = (8 if deflated else 0), 0, None
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        self.packed = packer.compress(data) + packer.flush() if deflated else data
        self.packed_size = len(self.packed)


def bomb(name, header, megabytes):
    """A member whose array inflates to so many megabytes of zeros."""
    head = join_npy(1, header, b'')
    member = Member(name, b'')
    packer = zlib.compressobj(0, zlib.DEFLATED, -15)
    member.packed = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH) + zeros_deflated(megabytes)
    member.crc = zlib.crc32(head)
    for _ in range(megabytes):
        member.crc = zlib.crc32(bytes(1 << 20), member.crc)
    member.method, member.size, member.packed_size = 8, len(head) + (megabytes << 20), len(member.packed)
    return member


def join_zip(members, comment=b'', count=None):
    out, directory = b'', b''
    for m in members:
        fields = struct.pack('<HHHHHIIIHH', 20, m.flags, m.method, 0, 33, m.crc, m.packed_size % 2 ** 32, m.size % 2 ** 32,
                             len(m.name) % 65536, 0)
        directory += b'PK\x01\x02' + b'\x14\x00' + fields + struct.pack('<HHHII', 0, 0, 0, 0, (
            len(out) if m.offset is None else m.offset) % 2 ** 32) + m.name
        out += b'PK\x03\x04' + fields + m.name + m.packed
    count = len(members) if count is None else count
    return out + directory + b'PK\x05\x06' + struct.pack('<HHHHIIH', 0, 0, count, count, len(directory), len(out),
                                                         len(comment)) + comment


def odd_field(r, m):
    how = r.randrange(8)
    number = r.choice(INTEGERS)
    if how == 0:
        m.crc ^= 1
    elif how == 1:
        m.size = number
    elif how == 2:
        m.packed_size = number
    elif how == 3:
        m.method = r.choice([0, 8, 9, 12, 14, 99])
    elif how == 4:
        m.flags = r.choice([1, 8, 0x800, 0xffff])
    elif how == 5:
        m.offset = number
    elif how == 6:
        m.name = r.choice([m.name * 30, b'X.npy', b'y.npy', text_bytes(r), b'../X.npy', b'X', m.name + b'\x00'])[:60000]
    else:
        m.packed = mutate_bytes(r, m.packed)


def odd_labels(r):
    """Labels of another type or count than the trials."""
    count = r.choice([0, 1, 5, 24, 35, 36, 37, 300])
    kind, values = r.choice([('<f8', struct.pack('<%dd' % count, *[float(i % 2) for i in range(count)])),
                             ('<f4', struct.pack('<%df' % count, *[float(i % 3) for i in range(count)])),
                             ('|S3', b''.join(b'c%02d' % (i % 9) for i in range(count))),
                             ('<U2', b''.join(('c%d' % (i % 4)).encode('utf-32-le') for i in range(count))),
                             ('<i8', struct.pack('<%dq' % count, *[r.choice([0, 1, -1, 2 ** 62, 7]) for _ in range(count)])),
                             ('|b1', bytes(i % 2 for i in range(count))),
                             ('<i4', struct.pack('<%di' % count, *range(count)))])
    return join_npy(1, b"{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (kind.encode(), count), values)


def mutate_npz(r, data):
    try:
        files = read_members(data)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, zlib.error, RuntimeError):
        return mutate_bytes(r, data)
    if not files or r.random() < 0.1:
        return mutate_bytes(r, data)
    how = r.randrange(10)
    at = r.randrange(len(files)) if how < 9 else 0  # X.npy comes first
    name, member = files[at]
    if how <= 2:
        files[at] = name, mutate_npy(r, member)
    elif how == 3:
        files[at] = name, odd_labels(r)
    elif how == 4:
        del files[at]
    elif how == 5:
        files.insert(r.randrange(len(files)), (r.choice([name, 'z.npy', 'signals.npy', 'W.npy', 'fs.npy', 'classes.npy']),
                                               mutate_npy(r, r.choice(files)[1])))
    elif how == 9 and member[:6] == b'\x93NUMPY' and b'f8' in member[:60]:
        version, header, values = split_npy(member)
        files[at] = name, join_npy(version, header, scale_floats(r, values))
    elif how == 6 and name in ('meta.npy', 'classes.npy', 'channels.npy', 'subject.npy'):
        version, header, values = split_npy(member)
        files[at] = name, join_npy(version, header, mutate_lines(r, values)[:len(values)].ljust(len(values), b'\x00'))
    members = [Member(name, body, r.random() < 0.4) for name, body in files]
    if how == 7:
        odd_field(r, r.choice(members))
    if how == 8 and r.random() < 0.3:
        name, shape = r.choice([('subject.npy', (b'|S1', 1)), ('X.npy', (b'|i1', 1)), ('y.npy', (b'<i8', 8)),
                                ('meta.npy', (b'|S1', 1)), ('classes.npy', (b'|S1', 1))])
        megabytes = r.choice([100, 400])
        header = b"{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (shape[0], (megabytes << 20) // shape[1])
        if name == 'X.npy':
            header = header.replace(b'%d,' % (megabytes << 20), b'%d, 4, %d' % (megabytes, 1 << 18))
        members = [m for m in members if m.name != name.encode()] + [bomb(name, header, megabytes)]
    return join_zip(members, b'x' * r.choice([0, 0, 0, 100]), r.choice([None, None, None, 0, 65535]) if how == 7 else None)


# ---- .mat -----------------------------------------------------------------------------------------------------


def mat_element(kind, data):
    return struct.pack('<II', kind, len(data)) + data + bytes(-len(data) % 8)


def mat_array(name, shape, values, kind=6, stored=9):
    """An array of doubles, or of another class and type."""
    inner = mat_element(6, struct.pack('<II', kind, 0)) + mat_element(5, struct.pack('<%di' % len(shape), *shape)) + \
        mat_element(1, name) + mat_element(stored, values)
    return mat_element(14, inner)


def join_mat(variables, compressed=False):
    out = b'MATLAB 5.0 MAT-file'.ljust(116) + bytes(8) + struct.pack('<HH', 0x0100, 0x4d49)
    for variable in variables:
        if compressed:
            packed = zlib.compress(variable)
            variable = struct.pack('<II', 15, len(packed)) + packed
        out += variable
    return out


def split_mat(data):
    """The variables, inflated."""
    at, variables = 128, []
    while at + 8 <= len(data):
        kind, size = struct.unpack_from('<II', data, at)
        body = data[at + 8:at + 8 + size]
        if kind == 15:
            try:
                variables.append(zlib.decompressobj().decompress(body, MOST))
            except zlib.error:
                pass
        elif kind == 14:
            variables.append(data[at:at + 8 + size])
        at += 8 + size
    return variables


def mutate_mat(r, data):
    variables = split_mat(data)
    if not variables or r.random() < 0.2:
        return mutate_bytes(r, data)
    at = r.randrange(len(variables))
    variable = variables[at]
    how = r.randrange(7)
    if how <= 2:  # a word near the front: tags, flags, dimensions
        place = 4 * r.randrange(min(len(variable), 160) // 4)
        variables[at] = variable[:place] + packed_integer(r, 4) + variable[place + 4:]
    elif how == 3:
        variables[at] = several(r, variable, [mutate_bytes])
    elif how == 4:
        del variables[at]
    elif how == 5:
        variables.insert(at, variables[r.randrange(len(variables))])
    elif r.random() < 0.25:  # a bomb
        megabytes = r.choice([100, 300])
        inner = mat_element(6, struct.pack('<II', 9, 0)) + mat_element(5, struct.pack('<3i', 1 << 10, 1 << 10, megabytes)) + \
            mat_element(1, b'data') + struct.pack('<II', 2, megabytes << 20)
        head = struct.pack('<II', 14, len(inner) + (megabytes << 20)) + inner
        packer = zlib.compressobj(0, zlib.DEFLATED, -15)
        packed = b'\x78\x01' + packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH) + zeros_deflated(megabytes) + bytes(4)
        return join_mat(variables[:at]) + struct.pack('<II', 15, len(packed)) + packed
    else:
        variables[at] = variable[:-8 * r.randrange(1, 20)]
    return join_mat(variables, r.random() < 0.5)


# ---- EDF, BDF, GDF ----------------------------------------------------------------------------------------------

EDF_FIELDS = [8, 80, 80, 8, 8, 8, 44, 8, 8, 4]
EDF_SIGNAL_FIELDS = [16, 80, 8, 8, 8, 8, 8, 80, 8, 32]


def edf_places(data):
    """(offset, width) of every text in the header."""
    places, at = [], 0
    for width in EDF_FIELDS:
        places.append((at, width))
        at += width
    try:
        signals = min(int(data[252:256]), 64)
    except ValueError:
        signals = 1
    for width in EDF_SIGNAL_FIELDS:
        for _ in range(signals):
            places.append((at, width))
            at += width
    return [place for place in places if place[0] + place[1] <= len(data)], at


def mutate_edf(r, data):
    places, end = edf_places(data)
    how = r.randrange(8)
    if how <= 3 and places:
        at, width = r.choice(places if r.random() < 0.5 else [p for p in places if p[1] <= 8] or places)
        field = data[at:at + width]
        new = r.choice([number_bytes(r), text_bytes(r), str(r.choice(INTEGERS)).encode(), mutate_numbers(r, field),
                        data[(other := r.choice(places))[0]:sum(other)]])
        return data[:at] + new[:width].ljust(width) + data[at + width:]
    if how == 4:  # annotations
        found = list(re.finditer(rb'[+-]\d+[^\x00]*\x14', data[end:]))
        if found:
            one = r.choice(found)
            new = r.choice([mutate_numbers(r, one.group()), mutate_bytes(r, one.group()), b'\x14' * len(one.group()),
                            b'+1e9\x15-5\x14T1\x14', b'+5\x14' + b'T1\x14' * 20])
            new = new[:len(one.group())].ljust(len(one.group()), b'\x00')
            return data[:end + one.start()] + new + data[end + one.end():]
    if how == 5:
        return data[:r.choice([end, end + 1, end - 1, 256, 255, len(data) - 1, r.randrange(len(data) + 1)])]
    return mutate_bytes(r, data)


GDF_FIELDS = [(0, 8), (8, 66), (168, 8), (184, 2), (186, 6), (236, 8), (244, 4), (248, 4), (252, 2), (192, 8), (240, 4)]


def mutate_gdf(r, data):
    how = r.randrange(6)
    signals = struct.unpack_from('<H', data, 252)[0] if len(data) > 256 else 0
    if how <= 1 and len(data) > 256:
        at, width = r.choice(GDF_FIELDS)
        new = packed_integer(r, min(width, 8)) if r.random() < 0.7 else number_bytes(r)
        return data[:at] + new[:width].ljust(width, b'\x00') + data[at + width:]
    if how == 2 and signals:
        at = 256 + r.randrange(256 * min(signals, 64))
        at -= at % 4
        new = packed_integer(r, 8) if r.random() < 0.5 else struct.pack('<d', r.choice([0, -1, 1e308]))
        return data[:at] + new + data[at + 8:]
    if how == 3:  # the events are at the end
        at = max(0, len(data) - r.randrange(1, 200))
        return data[:at] + packed_integer(r, 4) + data[at + 4:]
    if how == 4:
        return data[:-r.randrange(1, 400)]
    return mutate_bytes(r, data)


def bdf_of_edf(data):
    """The same recording with samples of 24 bits."""
    _, end = edf_places(data)
    body = data[end:]
    signals = int(data[252:256])
    header = bytearray(data[:end])
    header[0:8] = b'\xffBIOSEMI'
    header[192:196] = b'24BI'
    if b'EDF+C' in data[:256]:
        header[192:197] = b'BDF+C'
    head = bytes(header).replace(b'EDF Annotations ', b'BDF Annotations ')
    counts = [int(head[256 + 216 * signals + 8 * i:][:8]) for i in range(signals)]
    noted = [head[256 + 16 * i:][:16] == b'BDF Annotations ' for i in range(signals)]
    out, at = [head], 0
    while at < len(body):
        for count, text in zip(counts, noted):
            piece = body[at:at + 2 * count]
            if text:
                out.append(piece.ljust(3 * count, b'\x00'))
            else:
                out.append(b''.join(piece[i:i + 2] + (b'\xff' if piece[i + 1:i + 2] >= b'\x80' else b'\x00')
                                    for i in range(0, len(piece), 2)))
            at += 2 * count
    return b''.join(out)


# ---- safetensors, BrainVision -----------------------------------------------------------------------------------


def mutate_model(r, data):
    size = struct.unpack_from('<Q', data)[0] if len(data) >= 8 else 0
    header, values = data[8:8 + size], data[8 + size:]
    how = r.randrange(8)
    if how <= 2:
        header = mutate_json(r, header)
    elif how == 3:
        header = mutate_numbers(r, header)
    elif how == 4:  # within the settings, which are JSON in a text
        found = list(re.finditer(rb'"(rate|samples|seed|pipeline|classes|channels)":"([^"]*)"', header))
        if found:
            one = r.choice(found)
            new = r.choice([number_bytes(r), str(r.choice(INTEGERS)).encode(), b'1e8', b'', b'ra+mdm', b'ddct-unet-e2e'])
            header = header[:one.start(2)] + new + header[one.end(2):]
    elif how == 5:
        values = mutate_floats(r, values)
    elif how == 6:
        return struct.pack('<Q', r.choice(INTEGERS) % 2 ** 64) + header + values
    else:
        return mutate_bytes(r, data)
    return struct.pack('<Q', len(header)) + header + values


VHDR = b'''Brain Vision Data Exchange Header File Version 1.0
[Common Infos]
Codepage=UTF-8
DataFile=b.eeg
MarkerFile=b.vmrk
DataFormat=BINARY
DataOrientation=MULTIPLEXED
NumberOfChannels=3
SamplingInterval=10000
[Binary Infos]
BinaryFormat=INT_16
[Channel Infos]
Ch1=C3,,0.1,uV
Ch2=Cz,,0.1,uV
Ch3=C4,,0.1,uV
'''
VMRK = b'''Brain Vision Data Exchange Marker File, Version 1.0
[Common Infos]
Codepage=UTF-8
DataFile=b.eeg
[Marker Infos]
Mk1=New Segment,,1,1,0,20260101000000000000
Mk2=Stimulus,S  1,500,1,0
Mk3=Stimulus,S  2,1200,1,0
Mk4=Stimulus,S  1,2000,1,0
Mk5=Stimulus,S  2,2800,1,0
'''
HEADER_WORDS = [b'INT_16', b'IEEE_FLOAT_32', b'UINT_16', b'INT_32', b'VECTORIZED', b'MULTIPLEXED', b'ASCII',
                b'b.vhdr', b'/dev/zero', b'../b.eeg', b'.', b'/', b'b.vmrk', b'nothing.eeg', b'$b.eeg', b'0',
                b'64', b'100000', b'-3', b'0.0001', b'1e-300']


def mutate_header(r, data):
    """A value of a BrainVision header becomes one that means something elsewhere."""
    lines = data.split(b'\n')
    at = r.choice([i for i, line in enumerate(lines) if b'=' in line] or [0])
    lines[at] = lines[at].split(b'=')[0] + b'=' + r.choice(HEADER_WORDS)
    return b'\n'.join(lines)


def mutate_ini(r, data):
    return several(r, data, [mutate_keys, mutate_keys, mutate_numbers, mutate_lines, mutate_header, mutate_bytes])


def odd_text(r):
    return r.choice(TEXTS).replace('\x00', '')
