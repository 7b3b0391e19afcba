/* What a file holds, told from its bytes. SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "array/npz.h"
#include "import/import_internal.h"

enum { FIRST_BYTES = 16 };

static congru_status first_bytes(congru_context *context, const char *path, unsigned char bytes[FIRST_BYTES],
                                 uint64_t *size)
{
    congru_source source;
    memset(bytes, 0, FIRST_BYTES);
    CONGRU_TRY(congru_source_open(context, path, &source));
    *size = source.size < FIRST_BYTES ? source.size : FIRST_BYTES;
    congru_status status = congru_source_read(context, &source, 0, (size_t)*size, bytes);
    congru_source_close(&source);
    return status;
}

/* A .safetensors file begins with the size of its header, a JSON object. */
static bool is_model(const unsigned char *bytes, uint64_t size)
{
    return size >= 9 && bytes[7] == 0 && bytes[6] == 0 && bytes[8] == '{';
}

/* Only a set tells its subjects apart, or holds covariances. */
static congru_status kind_of_zip(congru_context *context, const char *path, congru_file_kind *kind)
{
    congru_npz *npz = NULL;
    CONGRU_TRY(congru_npz_open(context, path, &npz));
    *kind = congru_npz_has(npz, "subject") ? CONGRU_FILE_SET : CONGRU_FILE_TRIALS;
    congru_npz_close(&npz);
    return CONGRU_OK;
}

congru_status congru_file_kind_of(congru_context *context, const char *path, congru_file_kind *kind)
{
    unsigned char bytes[FIRST_BYTES];
    uint64_t size;
    if (path == NULL || kind == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "congru_file_kind_of: path and kind must not be NULL");
    *kind = CONGRU_FILE_UNKNOWN;
    CONGRU_TRY(first_bytes(context, path, bytes, &size));
    if (size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        *kind = CONGRU_FILE_ARRAY;
    else if (size >= 2 && memcmp(bytes, "PK", 2) == 0)
        return kind_of_zip(context, path, kind);
    else if (is_model(bytes, size))
        *kind = CONGRU_FILE_MODEL;
    else if (congru_recording_recognises(path)) /* some of these kinds can hold trials instead */
        *kind = CONGRU_FILE_RECORDING;
    else if (congru_epochs_recognises(path))
        *kind = CONGRU_FILE_TRIALS;
    return CONGRU_OK;
}
