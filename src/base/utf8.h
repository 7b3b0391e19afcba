/* Characters as bytes: see congru/text.h for the way back. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_BASE_UTF8_H
#define CONGRU_BASE_UTF8_H

#include "congru/text.h"

enum { CONGRU_UTF8_REPLACEMENT = 0xfffd };

/* The bytes of a code point; how many. 0 for a surrogate and for what is past the last. */
size_t congru_utf8_encode(uint32_t code, char bytes[4]);

/* Whether all of it is well-formed. */
bool congru_utf8_valid(const void *bytes, size_t size);

#endif
