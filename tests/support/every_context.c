/* The contexts whose bits must agree. SPDX-License-Identifier: Apache-2.0 */
#include "every_context.h"

#include "harness.h"

enum { THREADS_MOST = 3 };

congru_context *next_context(size_t *place, congru_context_options *how)
{
    congru_context *context = NULL;
    while (context == NULL && congru_cpu_name(*place / THREADS_MOST) != NULL) {
        *how = (congru_context_options){.threads = 1 + (int)(*place % THREADS_MOST),
                                        .cpu = congru_cpu_name(*place / THREADS_MOST)};
        if (congru_cpu_available(how->cpu))
            CHECK(congru_context_create(&context, how) == CONGRU_OK);
        ++*place;
    }
    return context;
}
