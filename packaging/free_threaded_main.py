"""Run what the command line asks for, in __main__, as Py_RunMain does (free_threaded.c)."""


def _run() -> None:
    import io
    import os
    import runpy
    import sys

    main = sys.modules["__main__"].__dict__
    for name in ("_run", "__file__", "__cached__"):
        main.pop(name, None)
    main["__doc__"] = None
    command, module, filename, is_safe = sys._asked  # type: ignore[attr-defined]
    del sys._asked  # type: ignore[attr-defined]
    if filename is not None and (os.path.isdir(filename) or filename.endswith((".zip", ".pyz"))):
        sys.path.insert(0, filename)
        runpy._run_module_as_main("__main__", False)
        return
    if not is_safe:
        if filename is not None:
            sys.path.insert(0, os.path.dirname(os.path.realpath(filename)))
        else:
            sys.path.insert(0, os.getcwd() if module is not None else "")
    if module is not None:
        runpy._run_module_as_main(module)
    elif command is not None:
        exec(compile(command, "<string>", "exec"), main)
    elif filename is not None:
        main["__file__"] = filename
        with io.open_code(filename) as file:
            exec(compile(file.read(), filename, "exec"), main)
    else:
        exec(compile(sys.stdin.read(), "<stdin>", "exec"), main)


_run()
