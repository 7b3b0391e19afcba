/* Which pipelines a figure or table is about. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/error.h"
#include "report/report_internal.h"

static congru_status find(congru_context *context, const report_run *run, const char *name, size_t *pipeline)
{
    congru_text all = {0};
    for (size_t p = 0; p < run->results->pipelines; p++) {
        if (strcmp(run->results->pipeline[p], name) == 0) {
            *pipeline = p;
            congru_text_clear(&all);
            return CONGRU_OK;
        }
        congru_text_add(&all, "%s%s", p > 0 ? ", " : "", run->results->pipeline[p]);
    }
    congru_status status = congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s: has no pipeline '%s', but %s",
                                       run->folder, name, all.data != NULL ? all.data : "none");
    congru_text_clear(&all);
    return status;
}

congru_status congru_report_choose(congru_context *context, const report_run *run,
                                   const congru_report_choice *choice, size_t *pipeline, size_t *other)
{
    congru_status status = CONGRU_OK;
    *pipeline = run->order[0];
    if (choice != NULL && choice->pipeline != NULL)
        status = find(context, run, choice->pipeline, pipeline);
    bool has_second = run->results->pipelines > 1;
    *other = *pipeline != run->order[0] || !has_second ? run->order[0] : run->order[1];
    if (status == CONGRU_OK && choice != NULL && choice->other != NULL)
        status = find(context, run, choice->other, other);
    return status;
}
