/* Opens sets, makes folders and calls evaluations for experiments. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "paper/paper_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/folder.h"
#include "base/error.h"
#include "base/process_group.h"
#include "evaluation/fold_file.h"

congru_status congru_paper_no_memory(const congru_paper_job *job)
{
    return congru_fail_memory(job->context, "an experiment");
}

bool congru_paper_leads(const congru_paper_job *job)
{
    return congru_process_group_rank(job->request->run.processes) == 0;
}

void congru_names_split(congru_names *names, const char *list)
{
    snprintf(names->text, sizeof names->text, "%s", list);
    names->count = 0;
    for (char *at = names->text; at != NULL && names->count < CONGRU_NAMES_MAX;) {
        names->item[names->count++] = at;
        at = strchr(at, ',');
        if (at != NULL)
            *at++ = '\0';
    }
}

/* ---- Folders ---- */

congru_status congru_paper_folder(const congru_paper_job *job, const char *name, const char *suffix,
                                  char path[CONGRU_PAPER_PATH_SIZE])
{
    const char *folder = job->request->folder;
    int used = snprintf(path, CONGRU_PAPER_PATH_SIZE, "%s/%s%s", folder, name, suffix);
    if (used < 0 || used >= CONGRU_PAPER_PATH_SIZE)
        return congru_fail(job->context, CONGRU_ERROR_ARGUMENT, "%s: too long a name", folder);
    return congru_folder_make(job->context, path, "");
}

/* ---- Sets ---- */

const char *congru_paper_where(const congru_paper_open *open)
{
    return open->about->file != NULL ? open->about->file : open->dataset;
}

static congru_status find_subjects(congru_paper_open *open)
{
    const congru_paper_request *request = open->job->request;
    if (request->subjects == NULL)
        return CONGRU_OK;
    open->subject = calloc(request->subject_count + 1, sizeof *open->subject);
    if (open->subject == NULL)
        return congru_paper_no_memory(open->job);
    open->options.subjects = open->subject;
    open->options.subject_count = request->subject_count;
    return congru_set_find_subjects(open->job->context, open->set, congru_paper_where(open),
                                    request->subject_count, request->subjects, open->subject);
}

congru_status congru_paper_set_open(const congru_paper_job *job, size_t which,
                                    const congru_method_options *method, const char *pipelines,
                                    congru_paper_open *open)
{
    const congru_paper_request *request = job->request;
    const congru_paper_set *about = &request->sets[which];
    congru_status status = CONGRU_OK;
    *open = (congru_paper_open){.job = job, .about = about, .set = about->set, .options = request->run};
    open->dataset = about->dataset != NULL ? about->dataset : about->name;
    open->options.protocol = CONGRU_PROTOCOL_LOSO;
    open->options.dataset = open->dataset;
    open->options.file = congru_paper_where(open);
    open->options.subjects = NULL;
    open->options.subject_count = 0;
    if (method != NULL)
        open->options.method = *method;
    if (request->run.pipelines == NULL) {
        congru_names_split(&open->names, pipelines);
        open->options.pipelines = open->names.item;
        open->options.pipeline_count = open->names.count;
    }
    if (open->set == NULL) {
        status = request->load(request->user, job->context, about, &open->options.method, &open->loaded);
        open->set = open->loaded;
    }
    return status == CONGRU_OK ? find_subjects(open) : status;
}

void congru_paper_set_close(congru_paper_open *open)
{
    congru_set_destroy(&open->loaded);
    free(open->subject);
    open->subject = NULL;
    open->set = NULL;
}

congru_status congru_paper_evaluate(const congru_paper_job *job, const congru_set *set,
                                    const congru_evaluation_options *options, congru_results **results)
{
    const congru_paper_request *request = job->request;
    if (request->running != NULL)
        request->running(request->user, options->folder);
    congru_status status = congru_evaluate(job->context, set, options, results);
    if (request->running != NULL)
        request->running(request->user, NULL);
    return status;
}
