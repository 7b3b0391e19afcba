/* Scalp maps of what the branches of a pipeline look at, over bands and time. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/figures.h"
#include "report/looks.h"

enum { HEAD = 26, STEP_X = 78, STEP_Y = 70, LEFT = 96, TOP = 74, BELOW = 46, TEXT = 11, LINE = 96 };

/* The channels of one class in one column whose places are known. */
static bool gather(const congru_patterns *patterns, const double *value, double largest, report_scalp *s)
{
    *s = (report_scalp){.place = calloc(3 * patterns->channels, sizeof *s->place), .largest = largest};
    if (s->place == NULL)
        return false;
    s->value = s->place + 2 * patterns->channels;
    for (size_t i = 0; i < patterns->channels; i++)
        if (isfinite(value[i]) && congru_report_electrode(patterns->channel_name[i], s->place + 2 * s->known))
            s->value[s->known++] = value[i];
    return true;
}

/* A sentence in lines of at most LINE characters, broken at blanks; how many there are. */
static size_t draw_sentence(canvas *on, double x, double y, const char *sentence)
{
    size_t lines = 0;
    while (*sentence != '\0') {
        size_t size = strlen(sentence);
        if (size > LINE)
            for (size = LINE; size > 1 && sentence[size] != ' ';)
                size--;
        congru_canvas_text(on, x, y + 14 * (double)lines++, TEXT, -1, CANVAS_INK, "%.*s", (int)size, sentence);
        sentence += size;
        sentence += strspn(sentence, " ");
    }
    return lines;
}

static double height_of(const congru_patterns *patterns)
{
    return TOP + (double)patterns->classes * STEP_Y + BELOW;
}

/* One branch from `top` on: its sentence, a row for each class, a column for each band or time. */
static size_t draw_branch(canvas *on, const congru_patterns *patterns, size_t index, const report_look *look,
                          bool page, double top)
{
    char sentence[CONGRU_SENTENCE_SIZE] = "";
    size_t known = 0;
    if (congru_pattern_sentence(NULL, patterns, index, sentence) != CONGRU_OK)
        on->failed = true;
    if (!page)
        draw_sentence(on, 10, top + 16, sentence);
    for (size_t c = 0; c < look->count; c++) {
        const double x = LEFT + ((double)c + 0.5) * STEP_X;
        congru_canvas_text(on, x, top + TOP - 16, 8, 0, CANVAS_SOFT, "%s", look->column[c].title);
        congru_canvas_text(on, x, top + TOP - 6, 8, 0, CANVAS_SOFT, "%.0f %%",
                           congru_plain_zero(100 * look->column[c].share, 0));
        for (size_t k = 0; k < patterns->classes; k++) {
            report_scalp s;
            if (!gather(patterns, look->column[c].value + k * patterns->channels, look->largest, &s)) {
                on->failed = true;
                return known;
            }
            known += s.known;
            congru_figure_head(on, &s, x, top + TOP + ((double)k + 0.5) * STEP_Y, HEAD);
            free(s.place);
        }
    }
    for (size_t k = 0; k < patterns->classes; k++)
        congru_canvas_text(on, LEFT - 8, top + TOP + ((double)k + 0.5) * STEP_Y + 3, 9, 1, CANVAS_INK, "%s",
                           patterns->class_name[k]);
    congru_figure_colours(on, LEFT + STEP_X, top + TOP + (double)patterns->classes * STEP_Y + 6, 1.5 * STEP_X,
                          look->largest);
    return known;
}

static bool has_patterns(const congru_patterns *patterns, const char *pipeline)
{
    for (size_t i = 0; patterns != NULL && i < patterns->count; i++)
        if (strcmp(patterns->pattern[i].pipeline, pipeline) == 0)
            return true;
    return false;
}

/* The pipeline chosen; where that is the best, which need not be linear, the best that has patterns. */
static const char *linear(const figure_input *in)
{
    const congru_results *results = in->run->results;
    const char *chosen = results->pipeline[in->pipeline];
    for (size_t i = 0; i < results->pipelines && in->pipeline == in->run->order[0]; i++)
        if (has_patterns(in->run->looks, results->pipeline[in->run->order[i]]))
            return results->pipeline[in->run->order[i]];
    return chosen;
}

canvas congru_figure_looks(const figure_input *in)
{
    const congru_patterns *patterns = in->run->looks;
    const char *pipeline = linear(in);
    size_t branches = 0, columns = 0, known = 0, at = 0;
    report_look look;
    for (size_t i = 0; patterns != NULL && i < patterns->count; i++) {
        if (strcmp(patterns->pattern[i].pipeline, pipeline) != 0)
            continue;
        branches++;
        if (!congru_report_look(patterns, i, &look))
            return (canvas){.failed = true};
        columns = look.count > columns ? look.count : columns;
        congru_report_look_clear(&look);
    }
    if (branches == 0)
        return (canvas){0};
    canvas on = congru_canvas_start(fmax(LEFT + (double)columns * STEP_X + 20, 600),
                                    (double)branches * height_of(patterns) + 10,
                                    "What %s looks at: scalp maps, seen from above, nose up", pipeline);
    for (size_t i = 0; i < patterns->count && !on.failed; i++) {
        if (strcmp(patterns->pattern[i].pipeline, pipeline) != 0)
            continue;
        if (congru_report_look(patterns, i, &look))
            known += draw_branch(&on, patterns, i, &look, in->page, (double)at++ * height_of(patterns));
        else
            on.failed = true;
        congru_report_look_clear(&look);
    }
    if (known == 0 && !on.failed) {
        congru_drawing_destroy(&on.drawing);
        return (canvas){0};
    }
    return on;
}
