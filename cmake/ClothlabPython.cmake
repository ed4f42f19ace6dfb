# SPDX-License-Identifier: MIT
# CLOTHLAB_PYTHON: whether the module `clothlab` for Python is built (docs/python.md). SYSTEM_PYTHON runs the scripts.

# The system's Python comes first: it is the one that sees the distribution's packages.
find_program(SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(SYSTEM_PYTHON NAMES python3 python)

set(can_build_module OFF)
if(SYSTEM_PYTHON AND NOT CLOTHLAB_SANITIZE) # a sanitizer would have to be in the interpreter too
  if(NOT Python_EXECUTABLE)
    set(Python_EXECUTABLE "${SYSTEM_PYTHON}")
  endif()
  set(PYBIND11_FINDPYTHON ON)
  find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
  if(Python_Development.Module_FOUND) # or pybind11 fails
    find_package(pybind11 2.10 QUIET CONFIG)
  endif()
  if(Python_Development.Module_FOUND AND pybind11_FOUND)
    set(can_build_module ON)
  endif()
endif()
option(CLOTHLAB_PYTHON "Build the Python module; on by itself where pybind11 and Python's headers are installed"
       ${can_build_module})
if(CLOTHLAB_PYTHON AND NOT can_build_module)
  message(FATAL_ERROR "The Python module needs Python 3.9 and pybind11 2.10 or newer, and no sanitizer: Debian "
                      "python3-dev and pybind11-dev, Homebrew pybind11, vcpkg pybind11. Configure with "
                      "-DCLOTHLAB_PYTHON=OFF to build without it.")
elseif(NOT CLOTHLAB_PYTHON AND NOT CLOTHLAB_SANITIZE)
  message(STATUS "The Python module is left out: it needs Python's headers and pybind11 (docs/python.md)")
endif()
