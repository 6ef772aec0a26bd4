/* The main program of a Python, for a binary that has all of Python but that.
 *
 * free_threaded.py makes this a library that the binary loads first. There is no Py_RunMain in the
 * binary, so the command line is read as Python reads it, and free_threaded_main.py runs what it
 * asks for.
 */
#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>

#ifndef LOADER
#error "LOADER: the path of free_threaded_main.py"
#endif

static PyObject* text_or_none(const wchar_t* text) {
    if (text == NULL) return Py_NewRef(Py_None);
    return PyUnicode_FromWideChar(text, -1);
}

static int python_main(int argc, char** argv, char** environment) {
    (void)environment;
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    PyStatus status = PyConfig_SetBytesArgv(&config, argc, argv);
    if (!PyStatus_Exception(status)) status = PyConfig_Read(&config);
    if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
    if (PyStatus_IsExit(status)) return status.exitcode;
    if (PyStatus_Exception(status)) Py_ExitStatusException(status);
    PyObject* asked =
        Py_BuildValue("(NNNi)", text_or_none(config.run_command), text_or_none(config.run_module),
                      text_or_none(config.run_filename), config.safe_path);
    PyConfig_Clear(&config);
    if (asked == NULL || PySys_SetObject("_asked", asked) < 0) {
        PyErr_Print();
        return 1;
    }
    Py_DECREF(asked);
    FILE* loader = fopen(LOADER, "r");
    if (loader == NULL) {
        perror(LOADER);
        return 1;
    }
    int code = PyRun_SimpleFileExFlags(loader, LOADER, 1, NULL) ? 1 : 0;
    if (Py_FinalizeEx() < 0) code = 120;
    return code;
}

typedef int (*Main)(int, char**, char**);
typedef void (*Hook)(void);
typedef int (*Start)(Main, int, char**, Main, Hook, Hook, void*);

/* Called by every program as it starts; here with another main. */
int __libc_start_main(Main their_main, int argc, char** argv, Main init, Hook fini, Hook at_exit,
                      void* stack_end) {
    (void)their_main;
    Start start;
    *(void**)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    return start(python_main, argc, argv, init, fini, at_exit, stack_end);
}
