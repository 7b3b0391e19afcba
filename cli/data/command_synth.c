/* congru synth: sets whose subjects differ in known ways. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "congru/congru.h"
#include "session.h"
#include "terminal.h"

enum { EDF_SAMPLES = 750, SAMPLES_MAX = 1000000, SUBJECTS_MAX = 10000, TRIALS_MAX = 100000, CONSTANTS = 14 };

typedef enum synth_option {
    SYNTH_OUTPUT,
    SYNTH_STAGE,
    SYNTH_SEED,
    SYNTH_SUBJECTS,
    SYNTH_TRIALS,
    SYNTH_CHANNELS,
    SYNTH_SIGNALS,
    SYNTH_RATE,
    SYNTH_EDF,
    SYNTH_THREADS,
    SYNTH_SEPARATION,
    SYNTH_BACKGROUND,
    SYNTH_SHIFT_NOISE,
    SYNTH_NOISE,
    SYNTH_WARP,
    SYNTH_ALPHA,
    SYNTH_DISPERSION,
    SYNTH_ROTATION,
    SYNTH_GAMMA1,
    SYNTH_GAMMA2,
    SYNTH_DELTA,
    SYNTH_RHO,
    SYNTH_JITTER,
    SYNTH_SLOW,
    SYNTH_OPTIONS
} synth_option;

static const option options[SYNTH_OPTIONS] = {
    [SYNTH_OUTPUT] = {"output", 'o', "SET.npz", "Where the set goes; it appears only when it is complete."},
    [SYNTH_STAGE] = {"stage", '\0', "NAME", "One of the stages above; needed."},
    [SYNTH_SEED] = {"seed", '\0', "N", "Which set of its kind: 0 or more. Default: 50."},
    [SYNTH_SUBJECTS] = {"subjects", '\0', "N", "How many subjects. Default: 9."},
    [SYNTH_TRIALS] = {"trials", '\0', "N", "How many trials of each class and subject. Default: 40."},
    [SYNTH_CHANNELS] = {"channels", '\0', "N", "How many channels, 4 to 512. Default: 20."},
    [SYNTH_SIGNALS] = {"signals", '\0', "T",
                       "Store signals of T samples beside the covariances, of which they are the sample "
                       "covariances. Default: none; 750 with --edf or --slow."},
    [SYNTH_RATE] = {"rate", '\0', "HZ", "The sampling rate of the signals. Default: 250."},
    [SYNTH_EDF] =
        {"edf", '\0', "DIR",
         "Write the signals as DIR/S01.edf, ... for 'congru import', with annotations c1 to c4 half a "
         "second before each trial's signal, or half a second into it with --slow."},
    [SYNTH_THREADS] = {"threads", '\0', "N",
                       "How many threads to use; the result is the same with any number. Default: 0, one for "
                       "each processor."},
    [SYNTH_SEPARATION] =
        {"separation", '\0', "X",
         "Length of a class's log-variances mu, from the centre of the tetrahedron. Default: 1."},
    [SYNTH_BACKGROUND] =
        {"background", '\0', "X",
         "Log-variances of the other directions are between -X and X, the same for everyone. Default: 0.5."},
    [SYNTH_SHIFT_NOISE] = {"shift-noise", '\0', "X",
                           "Standard deviation of noise on mu in stage shift. Default: 0.05."},
    [SYNTH_NOISE] = {"noise", '\0', "X", "The same from stage dispersion on. Default: 0.6."},
    [SYNTH_WARP] = {"warp", '\0', "X", "Size of the subjects' warps G. Default: 2."},
    [SYNTH_ALPHA] = {"alpha", '\0', "X", "Exponent of G, but for stage fusion. Default: 0.5."},
    [SYNTH_DISPERSION] = {"dispersion", '\0', "X",
                          "Standard deviation of the logarithms of dispersions d. Default: 0.5."},
    [SYNTH_ROTATION] = {"rotation", '\0', "X",
                        "Standard deviation of the angles of rotations R, in radians. Default: 0.5."},
    [SYNTH_GAMMA1] = {"gamma1", '\0', "X", "Weight of S L + L S. Default: 0.2."},
    [SYNTH_GAMMA2] = {"gamma2", '\0', "X", "Weight of L L. Default: 0.05."},
    [SYNTH_DELTA] = {"delta", '\0', "X", "Weight of the square of L1 + L2. Default: 0.05."},
    [SYNTH_RHO] = {"rho", '\0', "X", "Exponent of G in stage fusion. Default: 0.5."},
    [SYNTH_JITTER] = {"jitter", '\0', "X", "Added to the diagonal of every matrix. Default: 1e-5."},
    [SYNTH_SLOW] = {"slow", '\0', "X",
                    "Above 0: classes differ in slow potentials at Fz, C3 and C4 after a cue, of X deviations "
                    "of the noise at their peak, and not in covariances, whatever the separation. Default: 0."},
};

static definition describe_stage(size_t index)
{
    static const char *const texts[] = {
        ("Subjects differ by a warp, C = G exp(L) G with L = U diag(mu) U' + V diag(b) V'; recentring undoes "
         "it."),
        "And by the size of their effects: mu becomes d mu + noise.",
        "And by where the effects are: U becomes U R.",
        "And by a bent chart: exp(L + gamma1 (S L + L S) + gamma2 L L), with L the logarithm of the above.",
        "Two such branches in one: G exp(L1 + L2 + delta (L1 + L2)(L1 + L2)) G.",
    };
    const char *name = congru_synth_stage_name((congru_synth_stage)index);
    return (definition){.term = name, .text = name != NULL ? texts[index] : NULL};
}

static const char *stage_name(size_t index, const void *user)
{
    (void)user;
    return congru_synth_stage_name((congru_synth_stage)index);
}

static int parse_stage(const arguments *parsed, congru_synth_options *made)
{
    const char *text = parsed->values[SYNTH_STAGE];
    if (text == NULL)
        return terminal_fail(EXIT_USAGE, "synth: --stage NAME is missing (see 'congru help synth')");
    for (size_t i = 0; i < CONGRU_SYNTH_STAGES; i++)
        if (strcmp(stage_name(i, NULL), text) == 0) {
            made->stage = (congru_synth_stage)i;
            return EXIT_DONE;
        }
    const char *meant = terminal_nearest(text, stage_name, NULL);
    if (meant != NULL)
        return terminal_fail(EXIT_USAGE, "synth: unknown stage '%s' (did you mean '%s'?)", text, meant);
    return terminal_fail(EXIT_USAGE, "synth: unknown stage '%s' (see 'congru help synth')", text);
}

static int parse_constants(const arguments *parsed, congru_synth_options *made)
{
    double *const constant[CONSTANTS] = {
        &made->separation, &made->background, &made->shift_noise, &made->noise,  &made->warp,
        &made->alpha,      &made->dispersion, &made->rotation,    &made->gamma1, &made->gamma2,
        &made->delta,      &made->rho,        &made->jitter,      &made->slow};
    int code = EXIT_DONE;
    for (size_t i = 0; i < CONSTANTS && code == EXIT_DONE; i++) {
        size_t place = SYNTH_SEPARATION + i;
        bool any_sign = place == SYNTH_GAMMA1 || place == SYNTH_GAMMA2 || place == SYNTH_DELTA;
        code = options_number(parsed, place, *constant[i], any_sign ? -100 : 0, 100, constant[i]);
    }
    return code;
}

static int parse_counts(const arguments *parsed, congru_synth_options *made, int *threads)
{
    int seed, subjects, trials, channels, samples;
    int usual = parsed->values[SYNTH_EDF] != NULL || made->slow > 0.0 ? EDF_SAMPLES : 0;
    int code = options_integer(parsed, SYNTH_SEED, (int)made->seed, 0, INT32_MAX, &seed);
    if (code == EXIT_DONE)
        code = options_integer(parsed, SYNTH_SUBJECTS, (int)made->subjects, 1, SUBJECTS_MAX, &subjects);
    if (code == EXIT_DONE)
        code = options_integer(parsed, SYNTH_TRIALS, (int)made->trials, 1, TRIALS_MAX, &trials);
    if (code == EXIT_DONE)
        code = options_integer(parsed, SYNTH_CHANNELS, (int)made->channels, CONGRU_SYNTH_SOURCES + 1,
                               CONGRU_DIMENSION_MAX, &channels);
    if (code == EXIT_DONE)
        code = options_integer(parsed, SYNTH_SIGNALS, usual, 2, SAMPLES_MAX, &samples);
    if (code == EXIT_DONE)
        code = options_number(parsed, SYNTH_RATE, made->rate, 1e-3, 1e6, &made->rate);
    if (code == EXIT_DONE)
        code = options_integer(parsed, SYNTH_THREADS, 0, 0, CONGRU_THREADS_MAX, threads);
    if (code != EXIT_DONE)
        return code;
    made->seed = (uint64_t)seed;
    made->subjects = (size_t)subjects;
    made->trials = (size_t)trials;
    made->channels = (size_t)channels;
    made->samples = (size_t)samples;
    return EXIT_DONE;
}

static int make_folder(const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return terminal_fail(EXIT_FAILED, "%s: cannot make the folder: %s", folder, strerror(errno));
    return EXIT_DONE;
}

static int deliver(congru_context *context, const arguments *parsed, const congru_synth_options *made,
                   const congru_set *set)
{
    const char *output = parsed->values[SYNTH_OUTPUT], *folder = parsed->values[SYNTH_EDF];
    int code = folder != NULL ? make_folder(folder) : EXIT_DONE;
    session_hold_interrupts();
    if (code == EXIT_DONE && folder != NULL && congru_synth_write_edf(context, set, folder) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    if (code == EXIT_DONE && output != NULL && congru_set_write(context, output, set) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    session_release_interrupts();
    if (code != EXIT_DONE)
        return code;
    printf("%s: stage %s, %s, %s, %s, %zu x %zu\n", output != NULL ? output : folder,
           congru_synth_stage_name(made->stage), congru_count(set->count, "trial").text,
           congru_count(set->subjects, "subject").text, congru_count(set->classes, "class").text,
           set->dimension, set->dimension);
    return EXIT_DONE;
}

static int run(const arguments *parsed)
{
    congru_synth_options made;
    congru_synth_options_init(&made);
    int threads = 0;
    if (parsed->operand_count > 0)
        return terminal_fail(EXIT_USAGE, "synth: unexpected '%s'", parsed->operands[0]);
    int code = parse_stage(parsed, &made);
    if (code == EXIT_DONE && parsed->values[SYNTH_OUTPUT] == NULL && parsed->values[SYNTH_EDF] == NULL)
        code = terminal_fail(EXIT_USAGE,
                             "synth: --output SET.npz or --edf DIR is missing (see 'congru help synth')");
    if (code == EXIT_DONE)
        code = parse_constants(parsed, &made);
    if (code == EXIT_DONE)
        code = parse_counts(parsed, &made, &threads);
    if (code == EXIT_DONE && parsed->values[SYNTH_EDF] != NULL && made.rate != floor(made.rate))
        code =
            terminal_fail(EXIT_USAGE, "synth: --rate is %g; with --edf it must be a whole number", made.rate);
    congru_context *context = NULL;
    congru_set *set = NULL;
    if (code == EXIT_DONE)
        code = session_open(threads, &context);
    if (code == EXIT_DONE && congru_synth(context, &made, &set) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    if (code == EXIT_DONE)
        code = deliver(context, parsed, &made, set);
    congru_set_destroy(&set);
    congru_context_destroy(&context);
    return code;
}

static const char *const examples[] = {
    "congru synth --stage dispersion -o dispersion.npz",
    "congru synth --stage fusion --seed 54 --delta 0.2 -o fusion.npz",
    "congru synth --stage shift --slow 0.1 -o slow.npz",
    "congru synth --stage shift --edf recordings",
    "congru import recordings/S*.edf --events c1=c1,c2=c2,c3=c3,c4=c4 --band off --notch off -o set.npz",
    NULL,
};

const command command_synth = {
    .name = "synth",
    .summary = "Make a covariance set whose subjects differ in known ways",
    .usage = "--stage NAME -o SET.npz [OPTION...]",
    .description =
        "Draws trials of four classes, the corners of a tetrahedron in the log-variances of three "
        "directions U, for subjects that differ as the stage says. Each stage adds to the one before "
        "it; the draws are the same. The set holds the covariances, each divided by its trace, and how "
        "they were made; with --slow, signals from half a second before a cue, too.",
    .definitions = describe_stage,
    .definitions_title = "Stages",
    .options = {.options = options, .count = SYNTH_OPTIONS},
    .examples = examples,
    .run = run,
};
