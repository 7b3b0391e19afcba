/* Prints the names of the options of methods as the library has them, one to a line. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "congru/method.h"

int main(void)
{
    const congru_method_option *row;
    for (size_t i = 0; (row = congru_method_option_at(i)) != NULL; i++)
        printf("%s\n", row->option.name);
    return 0;
}
