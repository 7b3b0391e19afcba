/* UTF-8: characters from bytes, and back. SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

static bool is_surrogate(uint32_t code)
{
    return code >= 0xd800 && code < 0xe000;
}

size_t congru_utf8_decode(const char *bytes, size_t size, uint32_t *code)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)bytes;
    if (bytes == NULL || code == NULL || size == 0)
        return 0;
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    size_t length = s[0] < 0xc2 || s[0] > 0xf4 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > size)
        return 0;
    *code = s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    return *code >= least[length] && *code <= 0x10ffff && !is_surrogate(*code) ? length : 0;
}

size_t congru_utf8_encode(uint32_t code, char bytes[4])
{
    static const uint32_t lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (code > 0x10ffff || is_surrogate(code))
        return 0;
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(lead[size] | code);
    return size;
}

bool congru_utf8_valid(const void *bytes, size_t size)
{
    uint32_t code;
    const char *s = bytes;
    for (size_t i = 0, length; i < size; i += length)
        if ((length = congru_utf8_decode(s + i, size - i, &code)) == 0)
            return false;
    return true;
}

bool congru_utf8_is_control(uint32_t code)
{
    return code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}
