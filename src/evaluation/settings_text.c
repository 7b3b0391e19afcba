/* The settings of a run as JSON lines, and the digest of its data. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/settings_text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/store.h"
#include "congru/version.h"

enum { PASSED = 1 << 20 }; /* bytes between two words to the store */

/* A mixing of 64-bit words that tells files apart; no protection against forgery is meant. */
static uint64_t mix(uint64_t digest, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, byte + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        digest ^= digest >> 29;
        if (i % PASSED == PASSED - sizeof word)
            congru_store_pass(PASSED);
    }
    return digest;
}

static uint64_t digest_set(const congru_set *set)
{
    uint64_t digest = mix(0, &set->count, sizeof set->count);
    digest = mix(digest, set->covariance, set->count * set->dimension * set->dimension * sizeof(double));
    if (set->signals != NULL)
        digest = mix(digest, set->signals, set->count * set->dimension * set->samples * sizeof(double));
    digest = mix(digest, set->label, set->count * sizeof *set->label);
    digest = mix(digest, set->subject, set->count * sizeof *set->subject);
    digest = mix(digest, set->session, set->count * sizeof *set->session);
    for (size_t i = 0; i < set->subjects; i++)
        digest = mix(digest, set->subject_name[i], strlen(set->subject_name[i]) + 1);
    for (size_t i = 0; i < set->classes; i++)
        digest = mix(digest, set->class_name[i], strlen(set->class_name[i]) + 1);
    return digest;
}

typedef enum setting_kind { SETTING_INTEGER, SETTING_NUMBER, SETTING_SWITCH } setting_kind;

/* Options of the methods by name; enumerations are integers. */
static const struct {
    const char *name;
    setting_kind kind;
    size_t offset;
} settings[] = {
#define METHOD(member, kind) \
    { \
#member, kind, offsetof(congru_method_options, member) \
    }
#define NETWORK(member, kind) \
    { \
        "network_" #member, kind, offsetof(congru_method_options, network.member) \
    }
    METHOD(alignment_mean, SETTING_INTEGER),
    METHOD(mdm_mean, SETTING_INTEGER),
    METHOD(mdm_metric, SETTING_INTEGER),
    METHOD(tangent_mean, SETTING_INTEGER),
    METHOD(c, SETTING_NUMBER),
    METHOD(csp_filters, SETTING_INTEGER),
    METHOD(rpa_labels, SETTING_INTEGER),
    NETWORK(steps, SETTING_INTEGER),
    NETWORK(dct_steps, SETTING_INTEGER),
    NETWORK(batch, SETTING_INTEGER),
    NETWORK(rate, SETTING_NUMBER),
    NETWORK(decay, SETTING_NUMBER),
    NETWORK(clip, SETTING_NUMBER),
    NETWORK(action, SETTING_NUMBER),
    NETWORK(subject, SETTING_NUMBER),
    NETWORK(within, SETTING_NUMBER),
    NETWORK(between, SETTING_NUMBER),
    NETWORK(reconstruction, SETTING_NUMBER),
    NETWORK(cross_entropy, SETTING_NUMBER),
    NETWORK(ratio, SETTING_NUMBER),
    NETWORK(subject_ratio, SETTING_NUMBER),
    NETWORK(ratio_floor, SETTING_NUMBER),
    NETWORK(log_ratio, SETTING_SWITCH),
    NETWORK(gamma_penalty, SETTING_NUMBER),
    NETWORK(rotation_penalty, SETTING_NUMBER),
    NETWORK(centre_penalty, SETTING_NUMBER),
    NETWORK(unconstrained, SETTING_SWITCH),
    NETWORK(fisher, SETTING_INTEGER),
    NETWORK(dispersion, SETTING_INTEGER),
    NETWORK(initial, SETTING_INTEGER),
    NETWORK(recipe, SETTING_INTEGER),
    NETWORK(trace, SETTING_SWITCH),
    NETWORK(affine_reconstruction, SETTING_SWITCH),
    NETWORK(merges, SETTING_INTEGER),
    NETWORK(merge_mean, SETTING_INTEGER),
    NETWORK(square_bottleneck, SETTING_SWITCH),
    NETWORK(head_reference, SETTING_INTEGER),
    NETWORK(layer_jitter, SETTING_NUMBER),
    NETWORK(head_jitter, SETTING_NUMBER),
    NETWORK(floor, SETTING_NUMBER),
    NETWORK(label_smoothing, SETTING_NUMBER),
    NETWORK(balanced_batches, SETTING_SWITCH),
    NETWORK(subject_dropout, SETTING_NUMBER),
    NETWORK(average, SETTING_NUMBER),
    NETWORK(validation_subjects, SETTING_INTEGER),
    NETWORK(ensemble, SETTING_INTEGER),
#undef METHOD
#undef NETWORK
};

static void add_setting(congru_text *text, size_t index, const congru_method_options *method)
{
    const char *at = (const char *)method + settings[index].offset;
    congru_text_add(text, ",\n  \"%s\": ", settings[index].name);
    if (settings[index].kind == SETTING_NUMBER) {
        double number;
        memcpy(&number, at, sizeof number);
        congru_text_add_number(text, number);
    } else if (settings[index].kind == SETTING_INTEGER) {
        int number;
        memcpy(&number, at, sizeof number);
        congru_text_add(text, "%d", number);
    } else {
        bool state;
        memcpy(&state, at, sizeof state);
        congru_text_add(text, state ? "true" : "false");
    }
}

/* What the trials went through, in words. */
static void add_preparation(congru_text *text, const congru_set *set)
{
    congru_preprocessing p;
    char line[CONGRU_PREPROCESSING_LINE_SIZE] = "not described";
    if (congru_set_preprocessing(NULL, set, &p) == CONGRU_OK) {
        if (p.known)
            congru_preprocessing_print(&p, line);
        congru_preprocessing_clear(&p);
    }
    congru_text_add(text, ",\n  \"prepared\": ");
    congru_text_add_json(text, line);
}

void congru_settings_text(const congru_set *set, const congru_evaluation_options *options, congru_text *text)
{
    static const char *const protocols[] = {"loso", "folds", "sessions"};
    congru_text_add(text, "  \"dataset\": ");
    congru_text_add_json(text, options->dataset != NULL ? options->dataset : "");
    congru_text_add(text, ",\n  \"data\": \"%016llx\",\n  \"version\": ", (unsigned long long)digest_set(set));
    congru_text_add_json(text, congru_version());
    add_preparation(text, set);
    congru_text_add(text, ",\n  \"trials\": %zu,\n  \"subjects\": %zu,\n  \"protocol\": \"%s\"", set->count,
                    set->subjects, protocols[options->protocol]);
    congru_text_add(text, ",\n  \"target\": \"%s\",\n  \"align_by_session\": %s,\n  \"folds\": %d",
                    congru_target_name(options->target), options->align_by_session ? "true" : "false",
                    options->folds);
    congru_text_add(text, ",\n  \"seed\": %llu", (unsigned long long)options->method.seed);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        add_setting(text, i, &options->method);
    congru_text_add(text, ",\n  \"network_widths\": [");
    for (size_t i = 0; i < options->method.network.width_count; i++)
        congru_text_add(text, "%s%zu", i > 0 ? ", " : "", options->method.network.widths[i]);
    congru_text_add(text, "]");
}

void congru_settings_fingerprint(const congru_text *text, char fingerprint[CONGRU_FINGERPRINT_SIZE])
{
    uint64_t digest = mix(text->size, text->data, text->size);
    snprintf(fingerprint, CONGRU_FINGERPRINT_SIZE, "%016llx", (unsigned long long)digest);
}
