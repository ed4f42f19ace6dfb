# SPDX-License-Identifier: MIT
# Run by clothlab_about(): writes HEADER with the commit of SOURCE if it has changed. The commit is empty without Git, and where
# SOURCE is a folder of another repository.
set(commit "")
set(root "")
if(GIT)
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" rev-parse --show-toplevel
                  OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(root)
  file(REAL_PATH "${root}" root)
  file(REAL_PATH "${SOURCE}" source)
endif()
if(root AND root STREQUAL source)
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" --no-optional-locks describe --always --dirty --abbrev=10 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#define CLOTHLAB_COMMIT \"${commit}\"\n")
