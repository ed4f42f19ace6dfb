# SPDX-License-Identifier: MIT
# Run by clothlab_about(): writes HEADER with the commit of SOURCE if it has changed.
set(commit "")
if(GIT)
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" --no-optional-locks describe --always --dirty --abbrev=10 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#define CLOTHLAB_COMMIT \"${commit}\"\n")
