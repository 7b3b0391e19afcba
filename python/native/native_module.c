/* The module congru._native: what the package's Python files call. SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "congru._native",
    .m_doc = "libcongru, as the package congru calls it: shapes and types are settled in Python.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__native(void);

PyMODINIT_FUNC PyInit__native(void)
{
    PyMethodDef *const parts[] = {geometry_methods,   set_methods,    method_methods, model_methods,
                                  evaluation_methods, report_methods, paper_methods,  decoder_methods,
                                  statistics_methods, call_methods};
    PyObject *made = PyModule_Create(&module);
    for (size_t i = 0; made != NULL && i < sizeof parts / sizeof parts[0]; i++)
        if (PyModule_AddFunctions(made, parts[i]) != 0)
            Py_CLEAR(made);
    if (made != NULL && (PyModule_AddStringConstant(made, "version", congru_version()) != 0 ||
                         PyModule_AddStringConstant(made, "curve_folder", CONGRU_CURVE_FOLDER) != 0 ||
                         PyModule_AddIntConstant(made, "dimension_max", CONGRU_DIMENSION_MAX) != 0 ||
                         PyModule_AddIntConstant(made, "label_size", CONGRU_LABEL_SIZE) != 0))
        Py_CLEAR(made);
    return made;
}
