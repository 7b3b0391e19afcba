/* Describes models. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "info_lines.h"
#include "info_print.h"
#include "table_show.h"
#include "terminal.h"

static const char *text_of(const congru_model *model, const char *wanted)
{
    const char *name, *text;
    for (size_t i = 0; congru_model_text(model, i, &name, &text); i++)
        if (strcmp(name, wanted) == 0)
            return text;
    return "unknown";
}

static void print_signals(const congru_preprocessing *p)
{
    char line[CONGRU_PREPROCESSING_LINE_SIZE];
    congru_preprocessing_print(p, line);
    if (p->rate > 0)
        info_line("rate", "%g Hz", p->rate);
    if (p->samples > 0)
        info_line("trials", "of %s", congru_count(p->samples, "sample").text);
    info_line("prepared", "%s", p->known ? line : "not described");
}

static int print_tensors(const congru_model *model)
{
    congru_table table = {0};
    congru_model_tensor tensor;
    congru_table_headings(&table, 2, (const char *const[]){"tensor", "shape, or value"});
    for (size_t i = 0; congru_model_tensor_at(model, i, &tensor); i++) {
        char shape[128] = "";
        size_t used = 0;
        for (size_t k = 0; k < tensor.dims; k++)
            used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%zu", k > 0 ? ", " : "",
                                     tensor.shape[k]);
        congru_table_text(&table, tensor.name);
        if (tensor.dims == 0)
            congru_table_format_text(&table, "%.6g", tensor.data[0]);
        else
            congru_table_format_text(&table, "(%s)", shape);
    }
    int code = table_show(&table, 2);
    congru_table_clear(&table);
    return code;
}

int info_print_model(const char *path, const congru_model *model)
{
    const congru_preprocessing *p = congru_model_preprocessing(model);
    char classes[1024] = "";
    size_t used = 0;
    info_title(path, "model");
    info_line("pipeline", "%s", congru_model_pipeline(model));
    for (size_t k = 0; k < congru_model_classes(model) && used < sizeof classes; k++)
        used += (size_t)snprintf(classes + used, sizeof classes - used, " %s", congru_model_class(model, k));
    info_line("classes", "%zu:%s", congru_model_classes(model), classes);
    info_line("subjects", "%s", text_of(model, "subjects"));
    int code = info_channels((const char(*)[CONGRU_LABEL_SIZE])p->channel_name, p->channels);
    if (code != EXIT_DONE)
        return code;
    print_signals(p);
    info_line("recipe", "%s", text_of(model, "recipe"));
    info_line("seed", "%s", text_of(model, "seed"));
    info_line("made by", "congru %s (%s)", text_of(model, "version"), text_of(model, "commit"));
    return print_tensors(model);
}
