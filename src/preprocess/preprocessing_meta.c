/* Reads and writes descriptions of preprocessing as meta data. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json_scan.h"
#include "preprocess/preprocessing.h"

enum { WORD_SIZE = 256, KEY_SIZE = 64, ORDER_MAX = 32 };
static const double hertz_max = 1e7;

/* ---- Reading ------------------------------------------------------------------------------------------- */

static bool read_pair(congru_scan *json, double pair[2])
{
    size_t count = 0;
    bool first = congru_scan_array(json);
    for (double number; congru_scan_element(json, &first); count++) {
        if (count == 2 || !congru_scan_number(json, &number))
            return false;
        pair[count] = number;
    }
    return !json->failed && count == 2;
}

static bool read_hertz(congru_scan *json, double *hertz)
{
    return congru_scan_number(json, hertz) && *hertz >= 0 && *hertz <= hertz_max;
}

static bool read_band(congru_scan *json, double band[2])
{
    return read_pair(json, band) && band[0] >= 0 && band[1] <= hertz_max && (band[1] == 0 || band[0] < band[1]);
}

/* Two numbers, or "all". */
static bool read_seconds(congru_scan *json, double seconds[2], bool *whole)
{
    char word[WORD_SIZE];
    *whole = congru_scan_peek(json) == '"';
    return *whole ? congru_scan_string(json, word, sizeof word) : read_pair(json, seconds);
}

static bool read_order(congru_scan *json, int *order)
{
    double number;
    if (!congru_scan_number(json, &number) || number < 1 || number > ORDER_MAX || number != floor(number))
        return false;
    *order = (int)number;
    return true;
}

/* Which of two words it is. */
static bool read_either(congru_scan *json, const char *no, const char *yes, bool *state)
{
    char word[WORD_SIZE];
    if (!congru_scan_string(json, word, sizeof word))
        return false;
    *state = strcmp(word, yes) == 0;
    return *state || strcmp(word, no) == 0;
}

static bool read_estimator(congru_scan *json, congru_estimator *estimator)
{
    char word[WORD_SIZE];
    if (!congru_scan_string(json, word, sizeof word))
        return false;
    for (int i = CONGRU_ESTIMATOR_SCM; i <= CONGRU_ESTIMATOR_CSP; i++) {
        *estimator = (congru_estimator)i;
        if (strcmp(word, congru_estimator_name(*estimator)) == 0)
            return true;
    }
    return false;
}

/* One member; true too for keys that are of no concern. */
static bool read_member(congru_scan *json, const char *key, congru_preprocessing *p)
{
    if (strcmp(key, "band") == 0)
        return read_band(json, p->band);
    if (strcmp(key, "filtered") == 0)
        return read_band(json, p->filtered);
    if (strcmp(key, "scale") == 0)
        return congru_scan_number(json, &p->scale) && isfinite(p->scale) && p->scale != 0;
    if (strcmp(key, "order") == 0)
        return read_order(json, &p->order);
    if (strcmp(key, "filter") == 0)
        return read_either(json, "iir", "fir", &p->fir);
    if (strcmp(key, "phase") == 0)
        return read_either(json, "zero", "causal", &p->causal);
    if (strcmp(key, "notch") == 0)
        return read_hertz(json, &p->notch);
    if (strcmp(key, "harmonics") == 0)
        return congru_scan_boolean(json, &p->harmonics);
    if (strcmp(key, "resample") == 0)
        return read_hertz(json, &p->resample);
    if (strcmp(key, "reference") == 0)
        return read_either(json, "none", "average", &p->average_reference);
    if (strcmp(key, "window") == 0)
        return read_seconds(json, p->window, &p->whole);
    if (strcmp(key, "rest") == 0)
        return congru_scan_boolean(json, &p->rest);
    if (strcmp(key, "rest_rule") == 0)
        return read_either(json, "any", "inside", &p->rest_inside);
    if (strcmp(key, "rejected") == 0)
        return read_either(json, "keep", "drop", &p->drop_rejected);
    if (strcmp(key, "reject") == 0)
        return congru_scan_number(json, &p->reject) && p->reject >= 0 && isfinite(p->reject);
    if (strcmp(key, "estimator") == 0) {
        p->known = true;
        return read_estimator(json, &p->estimator);
    }
    if (strcmp(key, "trace_normalise") == 0)
        return congru_scan_boolean(json, &p->trace_normalise);
    if (strcmp(key, "shrinkage") == 0)
        return congru_scan_number(json, &p->shrinkage) && p->shrinkage >= 0 && p->shrinkage <= 1;
    if (strcmp(key, "regress") == 0)
        return congru_scan_string(json, p->regress, sizeof p->regress);
    if (strcmp(key, "baseline") == 0)
        return read_seconds(json, p->baseline, &p->baseline_whole);
    return congru_scan_skip(json);
}

congru_status congru_preprocessing_parse(congru_context *context, const char *text, congru_preprocessing *p)
{
    char key[KEY_SIZE];
    if (text == NULL)
        return CONGRU_OK;
    congru_scan json = congru_scan_start(text, strlen(text));
    for (bool first = congru_scan_object(&json); congru_scan_member(&json, &first, key, sizeof key);)
        if (!read_member(&json, key, p))
            return congru_fail(context, CONGRU_ERROR_FORMAT,
                               "the meta data has a value for '%s' that cannot be (import the set anew)", key);
    if (!congru_scan_end(&json))
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "the meta data is not a JSON object (import the set anew, or leave 'meta' out)");
    return CONGRU_OK;
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

static void write_pair(congru_text *text, const char *key, const double pair[2])
{
    congru_text_add(text, ", \"%s\": [", key);
    congru_text_add_number(text, pair[0], 17);
    congru_text_add(text, ", ");
    congru_text_add_number(text, pair[1], 17);
    congru_text_add(text, "]");
}

static void write_number(congru_text *text, const char *key, double number)
{
    congru_text_add(text, ", \"%s\": ", key);
    congru_text_add_number(text, number, 17);
}

static void write_word(congru_text *text, const char *key, const char *word)
{
    congru_text_add(text, ", \"%s\": \"%s\"", key, word);
}

static void write_boolean(congru_text *text, const char *key, bool state)
{
    congru_text_add(text, ", \"%s\": %s", key, state ? "true" : "false");
}

void congru_preprocessing_write(const congru_preprocessing *p, congru_text *text)
{
    write_number(text, "scale", p->scale);
    write_pair(text, "band", p->band);
    congru_text_add(text, ", \"order\": %d", p->order);
    write_word(text, "filter", p->fir ? "fir" : "iir");
    write_word(text, "phase", p->causal ? "causal" : "zero");
    write_number(text, "notch", p->notch);
    write_boolean(text, "harmonics", p->harmonics);
    write_pair(text, "filtered", p->filtered);
    write_number(text, "resample", p->resample);
    write_word(text, "reference", p->average_reference ? "average" : "none");
    if (p->window[1] > p->window[0])
        write_pair(text, "window", p->window);
    else
        write_word(text, "window", "all");
    write_boolean(text, "rest", p->rest);
    write_word(text, "rest_rule", p->rest_inside ? "inside" : "any");
    write_word(text, "rejected", p->drop_rejected ? "drop" : "keep");
    if (p->reject > 0)
        write_number(text, "reject", p->reject);
    write_word(text, "estimator", congru_estimator_name(p->estimator));
    write_boolean(text, "trace_normalise", p->trace_normalise);
    if (p->shrinkage > 0)
        write_number(text, "shrinkage", p->shrinkage);
    if (p->regress[0] != '\0') {
        congru_text_add(text, ", \"regress\": ");
        congru_text_add_json(text, p->regress);
    }
    if (p->baseline_whole)
        write_word(text, "baseline", "all");
    else if (p->baseline[1] > p->baseline[0])
        write_pair(text, "baseline", p->baseline);
}
