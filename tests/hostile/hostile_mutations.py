# Changes bytes, text, tables and JSON, at random but repeatably. SPDX-License-Identifier: Apache-2.0
import json
import re
import struct

INTEGERS = [0, 1, -1, 2, 3, 7, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 10 ** 6, 10 ** 8, 2 ** 31 - 1, -2 ** 31,
            2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 2 ** 62, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1, 10 ** 20]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, float('nan'), float('inf'), float('-inf'), 1e308, -1e308, 1e155, 1e-308, 5e-324, 1e100,
          3.5e38, 1e-12, 1e15]
NUMBER_TEXTS = ['', '0', '-0', '-1', '1e308', '1e999', '-1e999', '1e-400', 'nan', 'inf', '-inf', '0x10', '1,5', '1.5.2', '+1',
                '00', '1e', '.', '1 2', '1d5', '99999999999999999999', '9' * 400, '4294967296', '2147483648', '1.0', '0.5',
                '1e5', '-5', 'True', 'null', '١']
TEXTS = ['', ' ', 'a' * 300, 'b' * 70000, '=1+1', '@SUM(A1)', '"', "'", '","', 'a,b', 'a\nb', 'a\rb', 'a\tb', '\x00', '\x1b[31m',
         '\x9b31m', '\x7f', '../../x', '/etc/passwd', '%s%n%d', '<script>', '</script>', '&amp;', '\u202e', '\ufeff', 'é',
         '\U0001f9e0', '\ud7ff', '-o', '--', '{}', '[]', '\\', '\\u0000', '#', ';', 'S01', 'class0', '|', '$', '`id`', '\n']
MOST = 8 << 20  # bytes: this process stays small, for the peak of a command counts from what started it
BROKEN_UTF8 = [b'\xff', b'\xc0\x80', b'\xed\xa0\x80', b'\xf4\x90\x80\x80', b'\xe2\x82', b'\x9b']


def text_bytes(r):
    """An odd text as bytes, now and then not UTF-8."""
    return r.choice(BROKEN_UTF8) if r.random() < 0.1 else r.choice(TEXTS).encode('utf-8', 'surrogatepass')


def number_bytes(r):
    return r.choice(NUMBER_TEXTS).encode()


def packed_integer(r, size, big=False):
    return (r.choice(INTEGERS) % (1 << (8 * size))).to_bytes(size, 'big' if big else 'little')


def mutate_bytes(r, data):
    """One change that knows nothing of the format."""
    if not data:
        return bytes(r.randrange(256) for _ in range(r.randrange(40)))
    at = r.randrange(len(data))
    if r.random() < 0.5:
        at = min(at, r.randrange(min(len(data), 600)))  # headers are in front
    size = min(r.choice([1, 1, 2, 4, 8, 16, 100, 1000]), len(data) - at)
    how = r.randrange(9)
    if how == 0:
        return data[:at] + bytes([data[at] ^ 1 << r.randrange(8)]) + data[at + 1:]
    if how == 1:
        return data[:at]
    if how == 2:
        return data[:at] + data[at + size:]
    if how == 3:
        return data[:at] + bytes(r.randrange(256) for _ in range(min(size, 100))) + data[at + size:]
    if how == 4:
        return data[:at] + data[at:at + size] * r.choice([2, 3, 50]) + data[at + size:]
    if how == 5:
        width = r.choice([1, 2, 4, 8])
        at -= at % width
        return data[:at] + packed_integer(r, width, r.random() < 0.2) + data[at + width:]
    if how == 6:
        return data[:at] + struct.pack('<d', r.choice(FLOATS)) + data[at + 8:]
    if how == 7:
        return data[:at] + r.choice([b'\x00', b'\xff', b' ', b'\x80']) * size + data[at + size:]
    other = r.randrange(len(data))
    return data[:at] + data[other:other + size] + data[at:]


def mutate_floats(r, data, width=8):
    """Some of the numbers of an array become odd ones."""
    out = bytearray(data)
    count = len(out) // width
    code = {8: '<d', 4: '<f'}[width]
    odd = r.choice(FLOATS)
    if width == 4 and abs(odd) > 3e38:
        odd = float('inf')
    how = r.randrange(4)
    if how == 3 and count > 0:
        return scale_floats(r, data, width)
    for _ in range(min(count, [1, 3, count][how % 3])):
        struct.pack_into(code, out, width * r.randrange(count), odd)
    return bytes(out)


def scale_floats(r, data, width=8):
    """All of the numbers of an array times something that leaves them what they were, but for their size or sign."""
    out = bytearray(data)
    code = {8: '<d', 4: '<f'}[width]
    factor = r.choice([1e155, 1e-155, 1e300, 1e-300, -1.0, 0.0, 1e20, 1e100, 1e-100])
    for i in range(len(out) // width):
        value = struct.unpack_from(code, out, i * width)[0] * factor
        if width == 4 and not abs(value) < 3e38:
            value = float('inf')
        struct.pack_into(code, out, i * width, value)
    return bytes(out)


# ---- Text -----------------------------------------------------------------------------------------------------


def mutate_numbers(r, data):
    """A number in a text becomes another."""
    found = list(re.finditer(rb'[-+]?\d+(\.\d+)?(e[-+]?\d+)?', data))
    if not found:
        return mutate_bytes(r, data)
    one = r.choice(found)
    new = number_bytes(r) if r.random() < 0.6 else str(r.choice(INTEGERS)).encode()
    return data[:one.start()] + new + data[one.end():]


def mutate_lines(r, data):
    """Lines leave, come twice, change places, grow, or lose their ends."""
    lines = data.split(b'\n')
    at = r.randrange(len(lines))
    how = r.randrange(9)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines[at:at + 1] = [lines[at]] * r.choice([2, 3, 300])
    elif how == 2:
        other = r.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif how == 3:
        lines[at] = lines[at] * r.choice([2, 20, 2000])
    elif how == 4:
        return r.choice([b'\r\n', b'\r', b'', b'\x00', b'\n\n']).join(lines)
    elif how == 5:
        lines.insert(at, text_bytes(r))
    elif how == 6:
        lines[at] = b' ' + lines[at]
    elif how == 7:
        return b'\n'.join(lines[:at])
    else:
        cut = r.randrange(len(lines[at]) + 1)
        lines[at] = lines[at][:cut] + text_bytes(r) + lines[at][cut:]
    return b'\n'.join(lines)


def mutate_keys(r, data):
    """A value, or the key, of a line 'key = value' becomes an odd one."""
    lines = data.split(b'\n')
    keyed = [i for i, line in enumerate(lines) if b'=' in line]
    if not keyed:
        return mutate_lines(r, data)
    at = r.choice(keyed)
    key, value = lines[at].split(b'=', 1)
    how = r.randrange(6)
    if how == 0:
        value = number_bytes(r)
    elif how == 1:
        value = text_bytes(r)
    elif how == 2:
        key = r.choice([text_bytes(r), lines[r.choice(keyed)].split(b'=', 1)[0]])
    elif how == 3:
        value = lines[r.choice(keyed)].split(b'=', 1)[1]
    elif how == 4:
        value = mutate_numbers(r, value)
    else:
        value = b','.join([value] * r.choice([2, 100, 3000]))
    lines[at] = key + b'=' + value
    return b'\n'.join(lines)


def set_numbers(r, rows, column):
    """The numbers of a column, or of all columns that hold fractions, go to the end of their range: all of them, or half."""
    new = r.choice([b'1e308', b'1e308', b'-1e308', b'1e155', b'1e-320', b'9007199254740993', b'-5', b'2'])
    share = r.choice([1, 1, 0.5])
    width = max(map(len, rows))
    fractions = [at for at in range(width)
                 if any(at < len(row) and re.fullmatch(rb'-?\d+\.\d+.*', row[at]) for row in rows[1:])]
    columns = [column] if column is not None else fractions
    for row in rows[1:]:
        for at in columns:
            if at < len(row) and re.fullmatch(rb'[-+]?\d+(\.\d+)?(e[-+]?\d+)?', row[at]) and r.random() < share:
                row[at] = new


def mutate_ranges(r, data):
    """Every row is as it should be, but for numbers that are too large to be added up."""
    rows = [line.split(b',') for line in data.split(b'\n')]
    set_numbers(r, rows, None)
    return b'\n'.join(b','.join(row) for row in rows)


def mutate_csv(r, data):
    """Cells, columns and rows of a table change."""
    how = r.randrange(10)
    rows = [line.split(b',') for line in data.split(b'\n')]
    at = r.randrange(len(rows))
    column = r.randrange(len(rows[at]))
    if how == 0:
        rows[at][column] = number_bytes(r)
    elif how == 1:
        rows[at][column] = text_bytes(r)
    elif how == 2:
        rows[at] = rows[at][:column]
    elif how == 3:
        rows[at].insert(column, r.choice([b'', number_bytes(r), text_bytes(r)]))
    elif how == 4:  # a whole column
        new = r.choice([number_bytes(r), text_bytes(r)])
        for row in rows[1:]:
            if column < len(row):
                row[column] = new
    elif how == 5:
        for row in rows:
            del row[column:column + 1]
    elif how in (6, 8):
        set_numbers(r, rows, column if how == 6 else None)
    elif how == 7:
        return mutate_lines(r, data)
    else:
        return mutate_bytes(r, data)
    return b'\n'.join(b','.join(row) for row in rows)


# ---- JSON -----------------------------------------------------------------------------------------------------

JSON_WORDS = [b'NaN', b'Infinity', b'-Infinity', b'1e999', b'-1', b'0', b'1e308', b'null', b'true', b'[]', b'{}', b'""',
              b'99999999999999999999', b'18446744073709551615', b'9007199254740993', b'1.5', b'[[]]', b'{"":0}', b'"\\u0000"',
              b'"\\ud800"', b'01', b'.5', b'1.', b'+1', b'"', b'{', b']', b',', b'nul', b'1e-400', b'"\\x"']


def places_of(value):
    """Every (parent, key) of a parsed document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in list(items):
        yield value, key
        yield from places_of(child)


def mutate_json(r, data):
    """A value of the document becomes another, of another type, deep, long, missing; or its text is broken."""
    try:
        document = json.loads(data)
    except ValueError:
        return mutate_bytes(r, data)
    places = list(places_of(document))
    if not places or r.random() < 0.15:
        return mutate_bytes(r, data)
    parent, key = r.choice(places)
    how = r.randrange(8)
    if how == 0:
        del parent[key]
    elif how == 1:
        parent[key] = r.choice(INTEGERS)
    elif how == 2:
        parent[key] = r.choice(TEXTS)
    elif how == 3:
        other, other_key = r.choice(places)
        parent[key] = json.loads(json.dumps(other[other_key]))
    elif how == 4 and isinstance(parent[key], list):
        parent[key] = parent[key] * r.choice([0, 2, 50]) if len(parent[key]) < 100 else parent[key][:r.randrange(5)]
    elif how == 5:
        deep = r.choice([5, 60, 500])
        return json.dumps(document).encode().replace(b': ', b': ' + b'[' * deep + b']' * deep + b', "x": ', 1)
    elif how == 6 and isinstance(parent, dict):
        parent[r.choice(TEXTS)] = parent.pop(key)
    else:
        parent[key] = 'HOSTILE'
        return json.dumps(document).encode().replace(b'"HOSTILE"', r.choice(JSON_WORDS))
    return json.dumps(document).encode()


def several(r, data, mutators):
    """One to three of the changes."""
    for _ in range(r.choice([1, 1, 1, 2, 3])):
        data = r.choice(mutators)(r, data)[:MOST]
    return data
