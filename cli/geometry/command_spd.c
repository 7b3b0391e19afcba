/* congru spd: functions, distances, means and geodesics on .npy files. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "congru/congru.h"
#include "session.h"
#include "spd_job.h"
#include "terminal.h"

static const option options[] = {
    {"output", 'o', "OUT.npy",
     "Where the result goes. It appears only when it is complete. Needed by all but 'distance'."},
    {"metric", '\0', "NAME",
     "For mean, distance, geodesic: 'riemann' (affine-invariant, the default), 'logeuclid' or 'euclid'."},
    {"t", '\0', "T", "For geodesic: 0 is the matrix of IN, 1 that of IN2; others extrapolate."},
    {"p", '\0', "P", "For power: the exponent."},
    {"base", '\0', "B.npy",
     "For log, exp, tangent, untangent: the base point, one matrix. Default: the identity."},
    {"pairwise", '\0', NULL, "For distance: every matrix against every other."},
    {"weights", '\0', "W.npy",
     "For mean: n numbers of 0 or more, which need not add up to 1. Default: all equal."},
    {"tolerance", '\0', "X",
     "For mean with --metric riemann: stop where the norm of the mean tangent vector is "
     "at most X. Default: 1e-10."},
    {"threads", '\0', "N",
     "How many threads to use; the result is the same with any number. Default: 0, one for "
     "each processor."},
};

static const char *const metric_names[] = {
    [CONGRU_METRIC_RIEMANN] = "riemann",
    [CONGRU_METRIC_LOGEUCLID] = "logeuclid",
    [CONGRU_METRIC_EUCLID] = "euclid",
    NULL,
};

static const char *operation_name(size_t index, const void *user)
{
    (void)user;
    return spd_operations[index].name;
}

static const spd_operation *find_operation(const arguments *parsed)
{
    if (parsed->operand_count == 0) {
        terminal_fail(EXIT_USAGE, "spd: an operation is missing (see 'congru help spd')");
        return NULL;
    }
    const char *name = parsed->operands[0];
    for (const spd_operation *operation = spd_operations; operation->name != NULL; operation++)
        if (strcmp(operation->name, name) == 0)
            return operation;
    terminal_fail_unknown("spd: unknown operation", name, operation_name, NULL, "see 'congru help spd'");
    return NULL;
}

/* Whether a name is among others with blanks between. */
static bool listed(const char *names, const char *name)
{
    const size_t size = strlen(name);
    for (; *names != '\0'; names += strcspn(names, " "), names += strspn(names, " "))
        if (strcspn(names, " ") == size && strncmp(names, name, size) == 0)
            return true;
    return false;
}

static int check_options(const spd_operation *operation, const arguments *parsed)
{
    const option *about;
    for (size_t i = 0; (about = options_at(parsed->table, i)) != NULL; i++) {
        const bool given = options_given(parsed, about->name);
        if (given && !listed("output threads", about->name) && !listed(operation->accepts, about->name))
            return terminal_fail(EXIT_USAGE, "spd %s: --%s does not apply (see 'congru help spd')",
                                 operation->name, about->name);
        if (!given && listed(operation->needs, about->name))
            return terminal_fail(EXIT_USAGE, "spd %s: --%s %s is missing (see 'congru help spd')",
                                 operation->name, about->name, about->argument);
    }
    return EXIT_DONE;
}

static int check_files(const spd_operation *operation, const arguments *parsed)
{
    size_t files = parsed->operand_count - 1;
    bool self = options_given(parsed, "pairwise"); /* a set can be measured against itself */
    if (files < (self ? 1 : operation->inputs_least))
        return terminal_fail(EXIT_USAGE, "spd %s: %s is missing%s", operation->name,
                             files == 0 ? "the input file" : "the second input file",
                             files == 1 && listed(operation->accepts, "pairwise") ? " (or --pairwise)" : "");
    if (files > operation->inputs_most)
        return terminal_fail(EXIT_USAGE, "spd %s: unexpected '%s' after %s", operation->name,
                             parsed->operands[1 + operation->inputs_most],
                             congru_count(operation->inputs_most, "input file").text);
    return EXIT_DONE;
}

static int parse_metric(const arguments *parsed, congru_metric *metric)
{
    size_t choice = CONGRU_METRIC_RIEMANN;
    int code = options_choice(parsed, "metric", metric_names, &choice);
    *metric = (congru_metric)choice;
    return code;
}

static int parse_settings(const arguments *parsed, spd_job *job, int *threads)
{
    int code = parse_metric(parsed, &job->metric);
    if (code == EXIT_DONE)
        code = options_number(parsed, "t", 0, -DBL_MAX, DBL_MAX, &job->t);
    if (code == EXIT_DONE)
        code = options_number(parsed, "p", 0, -DBL_MAX, DBL_MAX, &job->p);
    if (code == EXIT_DONE)
        code = options_number(parsed, "tolerance", 0, 1e-15, 1, &job->tolerance);
    if (code == EXIT_DONE)
        code = options_integer(parsed, "threads", 0, 0, CONGRU_THREADS_MAX, threads);
    if (code == EXIT_DONE && options_given(parsed, "tolerance") && job->metric != CONGRU_METRIC_RIEMANN)
        code = terminal_fail(EXIT_USAGE, "spd mean: --tolerance is for --metric riemann; the others need none");
    job->pairwise = options_given(parsed, "pairwise");
    return code;
}

static int read_inputs(const spd_operation *operation, const arguments *parsed, spd_job *job)
{
    int code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i + 1 < parsed->operand_count; i++)
        code = spd_set_read(job->context, parsed->operands[1 + i], operation->role, &job->inputs[i]);
    if (code == EXIT_DONE && options_given(parsed, "base"))
        code = spd_base_read(job, options_value(parsed, "base"));
    if (code == EXIT_DONE && options_given(parsed, "weights"))
        code = spd_weights_read(job, options_value(parsed, "weights"));
    return code;
}

/* 17 digits are what it takes to read the same double back. */
static void print_result(const spd_job *job)
{
    size_t rows = job->result_dims > 0 ? job->result_shape[0] : 1;
    size_t columns = job->result_dims > 1 ? job->result_shape[1] : 1;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            printf("%.17g%c", job->result[i * columns + j], j + 1 < columns ? ' ' : '\n');
}

static void print_mean(const spd_job *job)
{
    const matrix_set *set = &job->inputs[0];
    printf("mean of %s of %zu x %zu: ", congru_count(set->n, "matrix").text, set->d, set->d);
    if (job->metric == CONGRU_METRIC_RIEMANN)
        printf("%s, tangent norm %.2g\n", congru_count((size_t)job->mean.iterations, "iteration").text,
               job->mean.tangent_norm);
    else
        printf("in closed form\n");
}

static int deliver(const spd_operation *operation, const arguments *parsed, const spd_job *job)
{
    const char *path = options_value(parsed, "output");
    if (path == NULL) {
        print_result(job);
        return EXIT_DONE;
    }
    if (congru_npy_write(job->context, path, job->result_dims, job->result_shape, job->result) != CONGRU_OK)
        return terminal_fail(EXIT_FAILED, "%s", congru_context_error(job->context));
    /* A line of text behind an array would make the stream no .npy file. */
    if (strcmp(operation->name, "mean") == 0 && strcmp(path, "/dev/stdout") != 0)
        print_mean(job);
    return EXIT_DONE;
}

static int run(const arguments *parsed)
{
    const spd_operation *operation = find_operation(parsed);
    if (operation == NULL)
        return EXIT_USAGE;
    spd_job job = {0};
    int threads = 0;
    int code = check_files(operation, parsed);
    if (code == EXIT_DONE)
        code = check_options(operation, parsed);
    if (code == EXIT_DONE)
        code = parse_settings(parsed, &job, &threads);
    if (code == EXIT_DONE)
        code = session_open(threads, &job.context);
    if (code == EXIT_DONE)
        code = read_inputs(operation, parsed, &job);
    if (code == EXIT_DONE)
        code = operation->run(&job);
    if (code == EXIT_DONE)
        code = deliver(operation, parsed, &job);
    spd_job_clear(&job);
    congru_context_destroy(&job.context);
    return code;
}

static definition describe_operation(size_t index)
{
    return (definition){.term = spd_operations[index].name, .text = spd_operations[index].help};
}

static const char *const examples[] = {
    "congru spd mean covs.npy -o mean.npy",
    "congru spd tangent covs.npy --base mean.npy -o features.npy",
    "congru spd distance covs.npy mean.npy",
    "congru spd distance covs.npy --pairwise --metric logeuclid -o distances.npy",
    "congru spd geodesic a.npy b.npy --t 0.5 -o midpoints.npy",
    "congru spd power covs.npy --p=-0.5 -o whitening.npy",
    NULL,
};

const command command_spd = {
    .name = "spd",
    .summary = "Functions, distances, means and geodesics of SPD matrices",
    .usage = "OPERATION IN.npy [IN2.npy] [OPTION...] [-o OUT.npy]",
    .description =
        "Works on symmetric positive definite matrices in .npy files of float64 or float32: n "
        "matrices as (n, d, d), d at most 512, or one as (d, d), which gives one result without the leading n.",
    .definitions = &(const definition_list){"Operations", describe_operation},
    .options = {OPTION_ROWS(options)},
    .examples = examples,
    .run = run,
};
