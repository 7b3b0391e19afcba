/* The main of test programs whose tests share a context. SPDX-License-Identifier: Apache-2.0 */
#include "context_main.h"

#include "harness.h"
#include "scratch.h"

int context_main(congru_context **context, const congru_context_options *options)
{
    if (congru_context_create(context, options) != CONGRU_OK)
        return 1;
    harness_run_all();
    congru_context_destroy(context);
    return harness_end();
}

int scratch_main(congru_context **context, const congru_context_options *options)
{
    if (!scratch_open())
        return 1;
    int code = context_main(context, options);
    scratch_close();
    return code;
}
