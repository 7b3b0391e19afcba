# Says which edge of a PNG of cairo's is not white. SPDX-License-Identifier: Apache-2.0
import struct
import sys
import zlib

data = open(sys.argv[1], 'rb').read()
width, height, depth, kind = struct.unpack('>IIBB', data[16:26])
at, packed = 8, b''
while at < len(data):
    size, name = struct.unpack('>I4s', data[at:at + 8])
    packed += data[at + 8:at + 8 + size] if name == b'IDAT' else b''
    at += size + 12
raw, step = zlib.decompress(packed), 3
stride = width * step
before = bytearray(stride)
rows = []
for y in range(height):
    filtered = raw[y * (stride + 1)]
    row = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
    for x in range(stride):
        left = row[x - step] if x >= step else 0
        up, corner = before[x], before[x - step] if x >= step else 0
        if filtered == 1:
            row[x] = (row[x] + left) & 255
        elif filtered == 2:
            row[x] = (row[x] + up) & 255
        elif filtered == 3:
            row[x] = (row[x] + (left + up) // 2) & 255
        elif filtered == 4:
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda c: abs(guess - c))
            row[x] = (row[x] + nearest) & 255
    rows.append(row)
    before = row
if (depth, kind) != (8, 2):
    print('not 8-bit RGB')
edges = {'top': rows[0], 'bottom': rows[-1], 'left': b''.join(bytes(r[:3]) for r in rows), 'right': b''.join(bytes(r[-3:]) for r in rows)}
for name, pixels in edges.items():
    if any(value != 255 for value in pixels):
        print(f'the {name} edge is not white')
