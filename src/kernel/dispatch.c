/* Which instruction sets there are, and the best one here. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "congru/context.h"
#include "kernel/kernel.h"

extern const congru_kernel congru_lanes_table_base;
#if defined(__x86_64__)
extern const congru_kernel congru_lanes_table_avx2;
extern const congru_kernel congru_lanes_table_avx512;
#elif defined(__aarch64__)
extern const congru_kernel congru_lanes_table_neon;
#endif

static bool always(void)
{
    return true;
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    __builtin_cpu_init();
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
#endif

/* Slowest first. */
static const struct {
    const congru_kernel *kernel;
    bool (*available)(void);
} registry[] = {
    {&congru_lanes_table_base, always},
#if defined(__x86_64__)
    {&congru_lanes_table_avx2, has_avx2},
    {&congru_lanes_table_avx512, has_avx512},
#elif defined(__aarch64__)
    {&congru_lanes_table_neon, always},
#endif
};

enum { REGISTRY_COUNT = sizeof registry / sizeof registry[0] };

const congru_kernel *congru_kernel_find(const char *name)
{
    for (size_t i = REGISTRY_COUNT; i-- > 0;) {
        bool wanted = name == NULL || strcmp(registry[i].kernel->name, name) == 0;
        if (wanted && registry[i].available())
            return registry[i].kernel;
    }
    return NULL;
}

const char *congru_cpu_name(size_t index)
{
    return index < REGISTRY_COUNT ? registry[index].kernel->name : NULL;
}

bool congru_cpu_available(const char *name)
{
    return name != NULL && congru_kernel_find(name) != NULL;
}
