/* What a decoder has learned of its subject, as a file. SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "decoder/live.h"

enum { STATE_FORMAT = 1 };

void congru_state_digest(const congru_tensors *tensors, const congru_texts *texts,
                         char text[CONGRU_STATE_DIGEST_SIZE])
{
    uint64_t digest = STATE_FORMAT;
    for (size_t i = 0; i < tensors->count; i++) {
        const congru_tensor *t = &tensors->tensor[i];
        size_t count = 1;
        for (size_t k = 0; k < t->dims; k++)
            count *= t->shape[k];
        digest = congru_digest(digest, t->name, strlen(t->name));
        digest = congru_digest(digest, t->data, count * sizeof *t->data);
    }
    for (size_t i = 0; texts != NULL && i < texts->count; i++) {
        digest = congru_digest(digest, texts->entry[i].name, strlen(texts->entry[i].name));
        digest = congru_digest(digest, texts->entry[i].text, strlen(texts->entry[i].text));
    }
    snprintf(text, CONGRU_STATE_DIGEST_SIZE, "%016" PRIx64, digest);
}

static bool recentres(const congru_live_view *view)
{
    return view->branch->aligner->recentring != NULL;
}

static void name_tensor(char name[CONGRU_TENSOR_NAME_SIZE], size_t view, const char *what)
{
    snprintf(name, CONGRU_TENSOR_NAME_SIZE, "view.%zu.%s", view, what);
}

/* ---- Out ----------------------------------------------------------------------------------------------- */

static congru_status add_view(congru_context *context, const congru_decoder *d, size_t index,
                              congru_tensors *to)
{
    const congru_live_view *view = &d->view[index];
    const size_t cube[3] = {view->blocks, d->d, d->d}, numbers[1] = {view->following.room};
    char name[CONGRU_TENSOR_NAME_SIZE];
    name_tensor(name, index, "reference");
    if (recentres(view))
        CONGRU_TRY(congru_tensors_add_copy(context, to, name, 3, cube, view->reference));
    name_tensor(name, index, "windows");
    CONGRU_TRY(congru_tensors_add_number(context, to, name, (double)view->moves));
    name_tensor(name, index, "following");
    if (numbers[0] > 0)
        CONGRU_TRY(congru_tensors_add_copy(context, to, name, 1, numbers, view->following.number));
    return CONGRU_OK;
}

typedef struct state_file {
    congru_tensors tensors;
    congru_texts texts;
} state_file;

static void clear(state_file *file)
{
    congru_tensors_clear(&file->tensors);
    congru_texts_clear(&file->texts);
}

static congru_status describe(congru_context *context, congru_decoder *d, state_file *file)
{
    char number[16], own[CONGRU_STATE_DIGEST_SIZE], model[CONGRU_STATE_DIGEST_SIZE];
    congru_live_settle(d);
    for (size_t v = 0; v < d->views; v++)
        CONGRU_TRY(add_view(context, d, v, &file->tensors));
    snprintf(number, sizeof number, "%d", (int)STATE_FORMAT);
    congru_state_digest(&file->tensors, NULL, own);
    congru_state_digest(&d->model->tensors, &d->model->texts, model);
    const char *const texts[][2] = {{"format", "congru state"},
                                    {"format_version", number},
                                    {"pipeline", d->model->name},
                                    {"model", model},
                                    {"digest", own}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        CONGRU_TRY(congru_texts_add(context, &file->texts, texts[i][0], texts[i][1]));
    return CONGRU_OK;
}

congru_status congru_decoder_state_save(congru_context *context, congru_decoder *decoder, const char *path)
{
    state_file file = {0};
    congru_status status;
    if (context == NULL || decoder == NULL || path == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no decoder or path given");
    CONGRU_TRY_TO(done, describe(context, decoder, &file));
    status = congru_safetensors_write(context, path, &file.tensors, &file.texts);
done:
    clear(&file);
    return status;
}

congru_status congru_decoder_state_pack(congru_context *context, congru_decoder *decoder, void *bytes,
                                        size_t room, size_t *size)
{
    state_file file = {0};
    congru_status status;
    if (context == NULL || decoder == NULL || size == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no decoder or place for its size given");
    CONGRU_TRY_TO(done, describe(context, decoder, &file));
    status = congru_safetensors_pack(context, &file.tensors, &file.texts, bytes, room, size);
done:
    clear(&file);
    return status;
}

/* ---- In ------------------------------------------------------------------------------------------------ */

static bool says(const state_file *file, const char *name, const char *text)
{
    const char *own = congru_texts_find(&file->texts, name);
    return own != NULL && strcmp(own, text) == 0;
}

static congru_status check_texts(congru_context *context, const congru_decoder *d, const char *name,
                                 const state_file *file)
{
    char own[CONGRU_STATE_DIGEST_SIZE], model[CONGRU_STATE_DIGEST_SIZE], number[16];
    snprintf(number, sizeof number, "%d", (int)STATE_FORMAT);
    congru_state_digest(&file->tensors, NULL, own);
    congru_state_digest(&d->model->tensors, &d->model->texts, model);
    if (!says(file, "format", "congru state"))
        return congru_fail(context, CONGRU_ERROR_FORMAT, "%s: not the state of a decoder", name);
    if (!says(file, "format_version", number))
        return congru_fail(context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: a state of another version than %s (begin anew: remove it)", name, number);
    if (!says(file, "digest", own))
        return congru_fail(context, CONGRU_ERROR_FORMAT,
                           "%s: damaged: its numbers are not those it was saved with", name);
    if (!says(file, "model", model))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "%s: of another model than this one (begin anew: remove it, or name another file)",
                           name);
    return CONGRU_OK;
}

/* The numbers of a view, checked; `aligned` and `moved` become its reference and root. */
static congru_status check_view(congru_context *context, const congru_decoder *d, const state_file *file,
                                size_t index, double *windows, const double **following)
{
    const congru_live_view *view = &d->view[index];
    const congru_tensors *tensors = &file->tensors;
    size_t numbers[1] = {0}, cube[3] = {view->blocks, d->d, d->d};
    char name[CONGRU_TENSOR_NAME_SIZE];
    const double *reference;
    congru_status status = CONGRU_OK;
    name_tensor(name, index, "windows");
    CONGRU_TRY(congru_tensors_expect_number(context, tensors, name, 0, 1e15, windows));
    name_tensor(name, index, "following");
    *following = NULL;
    if (congru_tensors_find(tensors, name) != NULL)
        CONGRU_TRY(congru_tensors_expect(context, tensors, name, 1, numbers, following));
    *following = numbers[0] == view->following.room ? *following : NULL;
    name_tensor(name, index, "reference");
    if (recentres(view)) {
        CONGRU_TRY(congru_tensors_expect(context, tensors, name, 3, cube, &reference));
        memcpy(view->aligned, reference, view->blocks * d->d * d->d * sizeof *reference);
        status = congru_spd_invsqrt(context, view->blocks, d->d, view->aligned, view->moved);
    }
    if (*windows == floor(*windows) && (status == CONGRU_OK || status == CONGRU_ERROR_MEMORY))
        return status;
    return congru_fail(context, CONGRU_ERROR_FORMAT, "its view %zu is not possible", index);
}

static void take_view(const congru_decoder *d, congru_live_view *view, double windows, const double *following)
{
    const size_t size = view->blocks * d->d * d->d;
    view->moves = (size_t)windows;
    if (recentres(view)) {
        memcpy(view->reference, view->aligned, size * sizeof *view->reference);
        memcpy(view->root, view->moved, size * sizeof *view->root);
    }
    congru_following_forget(&view->following);
    if (following != NULL)
        memcpy(view->following.number, following, view->following.room * sizeof *following);
    congru_following_begin(&view->following);
}

/* All of it is checked before any is taken. */
static congru_status take(congru_context *context, congru_decoder *d, const char *name, const state_file *file)
{
    const double *following[CONGRU_BRANCHES_MAX];
    double windows[CONGRU_BRANCHES_MAX];
    congru_status status = CONGRU_OK;
    CONGRU_TRY(check_texts(context, d, name, file));
    congru_live_settle(d);
    for (size_t v = 0; status == CONGRU_OK && v < d->views; v++)
        status = check_view(context, d, file, v, &windows[v], &following[v]);
    if (status != CONGRU_OK) {
        char text[CONGRU_ERROR_TEXT_SIZE];
        snprintf(text, sizeof text, "%s", context->error);
        return congru_fail(context, status, "%s: %s", name, text);
    }
    for (size_t v = 0; v < d->views; v++)
        take_view(d, &d->view[v], windows[v], following[v]);
    congru_decoder_rewind(d);
    return CONGRU_OK;
}

/* What was read is taken, and freed. */
static congru_status finish(congru_context *context, congru_decoder *d, const char *name, congru_status status,
                            state_file *file)
{
    if (status == CONGRU_OK)
        status = take(context, d, name, file);
    clear(file);
    return status;
}

congru_status congru_decoder_state_parse(congru_context *context, congru_decoder *decoder, const char *name,
                                         const void *bytes, size_t size)
{
    state_file file = {0};
    if (context == NULL || decoder == NULL || name == NULL || bytes == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no decoder, name or bytes given");
    return finish(context, decoder, name,
                  congru_safetensors_parse(context, name, bytes, size, &file.tensors, &file.texts), &file);
}

congru_status congru_decoder_state_load(congru_context *context, congru_decoder *decoder, const char *path)
{
    state_file file = {0};
    if (context == NULL || decoder == NULL || path == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "no decoder or path given");
    return finish(context, decoder, path, congru_safetensors_read(context, path, &file.tensors, &file.texts),
                  &file);
}
