/* congru synth: sets whose subjects differ in known ways. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "congru/congru.h"
#include "session.h"
#include "terminal.h"

enum { EDF_SAMPLES = 750, SAMPLES_MAX = 1000000, SUBJECTS_MAX = 10000, TRIALS_MAX = 100000 };

static const option options[] = {
    {"output", 'o', "SET.npz", "Where the set goes; it appears only when it is complete."},
    {"stage", '\0', "NAME", "One of the stages above; needed."},
    {"seed", '\0', "N", "Which set of its kind: 0 or more. Default: 50."},
    {"subjects", '\0', "N", "How many subjects. Default: 9."},
    {"trials", '\0', "N", "How many trials of each class and subject. Default: 40."},
    {"channels", '\0', "N", "How many channels, 4 to 512. Default: 20."},
    {"signals", '\0', "T",
     "Store signals of T samples beside the covariances, of which they are the sample "
     "covariances. Default: none; 750 with --edf or --slow."},
    {"rate", '\0', "HZ", "The sampling rate of the signals. Default: 250."},
    {"edf", '\0', "DIR",
     "Write the signals as DIR/S01.edf, ... for 'congru import', with annotations c1 to c4 half a "
     "second before each trial's signal, or half a second into it with --slow."},
    {"threads", '\0', "N",
     "How many threads to use; the result is the same with any number. Default: 0, one for "
     "each processor."},
    {"separation", '\0', "X",
     "Length of a class's log-variances mu, from the centre of the tetrahedron. Default: 1."},
    {"background", '\0', "X",
     "Log-variances of the other directions are between -X and X, the same for everyone. Default: 0.5."},
    {"shift-noise", '\0', "X", "Standard deviation of noise on mu in stage shift. Default: 0.05."},
    {"noise", '\0', "X", "The same from stage dispersion on. Default: 0.6."},
    {"warp", '\0', "X", "Size of the subjects' warps G. Default: 2."},
    {"alpha", '\0', "X", "Exponent of G, but for stage fusion. Default: 0.5."},
    {"dispersion", '\0', "X", "Standard deviation of the logarithms of dispersions d. Default: 0.5."},
    {"rotation", '\0', "X", "Standard deviation of the angles of rotations R, in radians. Default: 0.5."},
    {"gamma1", '\0', "X", "Weight of S L + L S. Default: 0.2."},
    {"gamma2", '\0', "X", "Weight of L L. Default: 0.05."},
    {"delta", '\0', "X", "Weight of the square of L1 + L2. Default: 0.05."},
    {"rho", '\0', "X", "Exponent of G in stage fusion. Default: 0.5."},
    {"jitter", '\0', "X", "Added to the diagonal of every matrix. Default: 1e-5."},
    {"slow", '\0', "X",
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
    const char *text = options_value(parsed, "stage");
    if (text == NULL)
        return terminal_fail(EXIT_USAGE, "synth: --stage NAME is missing (see 'congru help synth')");
    for (size_t i = 0; i < CONGRU_SYNTH_STAGES; i++)
        if (strcmp(stage_name(i, NULL), text) == 0) {
            made->stage = (congru_synth_stage)i;
            return EXIT_DONE;
        }
    return terminal_fail_unknown("synth: unknown stage", text, stage_name, NULL, "see 'congru help synth'");
}

static int parse_constants(const arguments *parsed, congru_synth_options *made)
{
    const struct {
        const char *name;
        double *constant, least;
    } constants[] = {
        {"separation", &made->separation, 0},
        {"background", &made->background, 0},
        {"shift-noise", &made->shift_noise, 0},
        {"noise", &made->noise, 0},
        {"warp", &made->warp, 0},
        {"alpha", &made->alpha, 0},
        {"dispersion", &made->dispersion, 0},
        {"rotation", &made->rotation, 0},
        {"gamma1", &made->gamma1, -100},
        {"gamma2", &made->gamma2, -100},
        {"delta", &made->delta, -100},
        {"rho", &made->rho, 0},
        {"jitter", &made->jitter, 0},
        {"slow", &made->slow, 0},
    };
    int code = EXIT_DONE;
    for (size_t i = 0; i < sizeof constants / sizeof constants[0] && code == EXIT_DONE; i++)
        code = options_number(parsed, constants[i].name, *constants[i].constant, constants[i].least, 100,
                              constants[i].constant);
    return code;
}

static int parse_counts(const arguments *parsed, congru_synth_options *made, int *threads)
{
    int seed, subjects, trials, channels, samples;
    int usual = options_given(parsed, "edf") || made->slow > 0.0 ? EDF_SAMPLES : 0;
    int code = options_integer(parsed, "seed", (int)made->seed, 0, INT32_MAX, &seed);
    if (code == EXIT_DONE)
        code = options_integer(parsed, "subjects", (int)made->subjects, 1, SUBJECTS_MAX, &subjects);
    if (code == EXIT_DONE)
        code = options_integer(parsed, "trials", (int)made->trials, 1, TRIALS_MAX, &trials);
    if (code == EXIT_DONE)
        code = options_integer(parsed, "channels", (int)made->channels, CONGRU_SYNTH_SOURCES + 1,
                               CONGRU_DIMENSION_MAX, &channels);
    if (code == EXIT_DONE)
        code = options_integer(parsed, "signals", usual, 2, SAMPLES_MAX, &samples);
    if (code == EXIT_DONE)
        code = options_number(parsed, "rate", made->rate, 1e-3, 1e6, &made->rate);
    if (code == EXIT_DONE)
        code = options_integer(parsed, "threads", 0, 0, CONGRU_THREADS_MAX, threads);
    if (code != EXIT_DONE)
        return code;
    made->seed = (uint64_t)seed;
    made->subjects = (size_t)subjects;
    made->trials = (size_t)trials;
    made->channels = (size_t)channels;
    made->samples = (size_t)samples;
    return EXIT_DONE;
}

static int deliver(congru_context *context, const arguments *parsed, const congru_synth_options *made,
                   const congru_set *set)
{
    const char *output = options_value(parsed, "output"), *folder = options_value(parsed, "edf");
    int code = EXIT_DONE;
    session_hold_interrupts(folder);
    if (code == EXIT_DONE && folder != NULL && congru_synth_write_edf(context, set, folder) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    session_release_interrupts();
    session_hold_interrupts(output);
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
    if (code == EXIT_DONE && !options_given(parsed, "output") && !options_given(parsed, "edf"))
        code = terminal_fail(EXIT_USAGE,
                             "synth: --output SET.npz or --edf DIR is missing (see 'congru help synth')");
    if (code == EXIT_DONE)
        code = parse_constants(parsed, &made);
    if (code == EXIT_DONE)
        code = parse_counts(parsed, &made, &threads);
    if (code == EXIT_DONE && options_given(parsed, "edf") && made.rate != floor(made.rate))
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
    .definitions = &(const definition_list){"Stages", describe_stage},
    .options = {OPTION_ROWS(options)},
    .examples = examples,
    .run = run,
};
