/* What the texts of a header mean: labels, units, kinds of channel. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "base/utf8.h"
#include "recording/reader.h"

static bool is_blank(int c)
{
    return c == ' ' || c == '\t';
}

void congru_reader_copy_label(char *label, size_t label_size, const void *field, size_t field_size)
{
    const unsigned char *bytes = field;
    const unsigned char *end = field_size > 0 ? memchr(bytes, '\0', field_size) : NULL;
    size_t size = end != NULL ? (size_t)(end - bytes) : field_size;
    while (size > 0 && is_blank(bytes[0])) {
        bytes++;
        size--;
    }
    while (size > 0 && is_blank(bytes[size - 1]))
        size--;
    bool utf8 = congru_utf8_valid(bytes, size);
    size_t used = 0;
    uint32_t code;
    for (size_t i = 0; i < size;) {
        size_t length = utf8 ? congru_utf8_decode((const char *)bytes + i, size - i, &code) : 1;
        size_t needed = utf8 || bytes[i] < 0x80 ? length : 2;
        if (used + needed >= label_size)
            break;
        if (needed > length) {
            label[used] = (char)(0xc0 | bytes[i] >> 6);
            label[used + 1] = (char)(0x80 | (bytes[i] & 0x3f));
        } else {
            memcpy(label + used, bytes + i, length);
        }
        /* Tables and error texts have a label on one line, whatever a file says. */
        if (bytes[i] < ' ' || bytes[i] == 0x7f)
            label[used] = ' ';
        used += needed;
        i += length;
    }
    label[used] = '\0';
}

/* Lower case, no blanks, micro signs as 'u'; truncated where it is longer than any unit. */
static void plain_unit(char *plain, size_t size, const char *unit)
{
    size_t used = 0;
    while (*unit != '\0' && used + 1 < size) {
        if (is_blank(*unit)) {
            unit++;
        } else if (memcmp(unit, "\xc2\xb5", 2) == 0 || memcmp(unit, "\xce\xbc", 2) == 0) {
            plain[used++] = 'u';
            unit += 2;
        } else if (*unit == '\xb5') {
            plain[used++] = 'u';
            unit++;
        } else {
            plain[used++] = congru_small_letter(*unit++);
        }
    }
    plain[used] = '\0';
}

double congru_reader_microvolts(const char *unit)
{
    /* "MV" too is the millivolt: no electrode gives millions of volts. */
    static const struct {
        const char *unit;
        double microvolts;
    } voltages[] = {
        {"uv", 1},           {"microvolt", 1},   {"microvolts", 1},   {"uvolt", 1},   {"uvolts", 1},
        {"mv", 1e3},         {"millivolt", 1e3}, {"millivolts", 1e3}, {"nv", 1e-3},   {"nanovolt", 1e-3},
        {"nanovolts", 1e-3}, {"v", 1e6},         {"volt", 1e6},       {"volts", 1e6},
    };
    char plain[16];
    plain_unit(plain, sizeof plain, unit);
    for (size_t i = 0; i < sizeof voltages / sizeof voltages[0]; i++)
        if (strcmp(plain, voltages[i].unit) == 0)
            return voltages[i].microvolts;
    return 1;
}

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

congru_channel_type congru_reader_guess_type(const char *name)
{
    static const struct {
        const char *word; /* '^' first: only at the beginning of the name */
        congru_channel_type type;
    } words[] = {
        {"^eeg", CONGRU_CHANNEL_EEG},        {"eog", CONGRU_CHANNEL_EOG},
        {"^heo", CONGRU_CHANNEL_EOG},        {"^veo", CONGRU_CHANNEL_EOG},
        {"emg", CONGRU_CHANNEL_EMG},         {"ecg", CONGRU_CHANNEL_ECG},
        {"ekg", CONGRU_CHANNEL_ECG},         {"^status", CONGRU_CHANNEL_STIMULUS},
        {"^sti", CONGRU_CHANNEL_STIMULUS},   {"trigger", CONGRU_CHANNEL_STIMULUS},
        {"^trig", CONGRU_CHANNEL_STIMULUS},  {"^mark", CONGRU_CHANNEL_STIMULUS},
        {"^event", CONGRU_CHANNEL_STIMULUS}, {"^resp", CONGRU_CHANNEL_OTHER},
        {"^gsr", CONGRU_CHANNEL_OTHER},      {"^temp", CONGRU_CHANNEL_OTHER},
        {"^acc", CONGRU_CHANNEL_OTHER},      {"^gyro", CONGRU_CHANNEL_OTHER},
        {"^pleth", CONGRU_CHANNEL_OTHER},    {"spo2", CONGRU_CHANNEL_OTHER},
        {"^sao2", CONGRU_CHANNEL_OTHER},     {"photo", CONGRU_CHANNEL_OTHER},
        {"^counter", CONGRU_CHANNEL_OTHER},  {"^battery", CONGRU_CHANNEL_OTHER},
    };
    char plain[CONGRU_LABEL_SIZE];
    size_t used = 0;
    for (; name[used] != '\0' && used + 1 < sizeof plain; used++)
        plain[used] = congru_small_letter(name[used]);
    plain[used] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *word = words[i].word;
        if (word[0] == '^' ? begins(plain, word + 1) : strstr(plain, word) != NULL)
            return words[i].type;
    }
    return CONGRU_CHANNEL_EEG;
}

congru_channel_type congru_reader_type(const char *kind, const char *name)
{
    if (kind[0] == '\0')
        return congru_reader_guess_type(name);
    congru_channel_type type = congru_reader_guess_type(kind);
    bool eeg = strlen(kind) >= 3 && congru_same_letters(kind, "eeg", 3);
    return type == CONGRU_CHANNEL_EEG && !eeg ? CONGRU_CHANNEL_OTHER : type;
}

/* The electrode a name speaks of: "EEG" and what separates it left out, lower case, no blanks, no trailing
 * dots. */
static void plain_name(char plain[CONGRU_LABEL_SIZE], const char *name)
{
    while (is_blank(*name))
        name++;
    if (congru_small_letter(name[0]) == 'e' && congru_small_letter(name[1]) == 'e' &&
        congru_small_letter(name[2]) == 'g' &&
        (name[3] == ':' || name[3] == '-' || name[3] == '_' || is_blank(name[3]))) {
        const char *rest = name + 4;
        while (is_blank(*rest))
            rest++;
        if (*rest != '\0')
            name = rest;
    }
    size_t used = 0;
    for (; *name != '\0' && used + 1 < CONGRU_LABEL_SIZE; name++)
        if (!is_blank(*name))
            plain[used++] = congru_small_letter(*name);
    while (used > 0 && plain[used - 1] == '.')
        used--;
    plain[used] = '\0';
}

bool congru_channel_matches(const char *name, const char *wanted)
{
    char a[CONGRU_LABEL_SIZE], b[CONGRU_LABEL_SIZE];
    if (name == NULL || wanted == NULL)
        return false;
    plain_name(a, name);
    plain_name(b, wanted);
    return a[0] != '\0' && strcmp(a, b) == 0;
}
