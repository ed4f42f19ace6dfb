#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds ClothLab and runs its tests, those of the window under a virtual display.
#
#   scripts/test.sh [--yes] [--all | --stage release|asan|tsan]
#
#   --yes     install missing packages without asking
#   --all     run all stages, as the hosted check does, instead of the first one, and in the first one also the
#             tests labelled slow (orders, momentum, contact, scenes, the lecture), the tests of bench/, a study by
#             Snakemake (682 MB) and a parse by clang++
#             release   the tests, the format and the layer check; warnings are errors
#             asan      the suite under AddressSanitizer and UndefinedBehaviorSanitizer, but for tests labelled slow
#             tsan      the tests labelled threads under ThreadSanitizer
#   --stage   run that stage
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/packages.sh"
cd "$root" || exit 1

assume_yes=no
stages=(release)
thorough=OFF
usage() { sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }
while (($#)); do
  case $1 in
    --yes) assume_yes=yes ;;
    --all)
      stages=(release asan tsan)
      thorough=ON
      test_packages+=("${study_packages[@]}")
      ;;
    --stage)
      case ${2-} in
        release | asan | tsan) stages=("$2") ;;
        *)
          say_error "--stage is one of release, asan, tsan."
          exit 2
          ;;
      esac
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      say_error "Unknown argument $1; --help lists them."
      exit 2
      ;;
  esac
  shift
done

ensure_packages "$assume_yes" "${build_packages[@]}" "${test_packages[@]}" || exit 1

# ThreadSanitizer of GCC 12 refuses to start under a kernel that randomises addresses with many bits.
fixed_addresses=()
if setarch "$(uname -m)" -R true 2> /dev/null; then
  fixed_addresses=(setarch "$(uname -m)" -R)
fi

jobs=$(nproc)
log=$(mktemp)
failures=$(mktemp)
trap 'rm -f "$log" "$failures"' EXIT
total=0
failed=0
summary=()
only_alone=()
for stage in "${stages[@]}"; do
  preset=$stage
  options=(-DCLOTHLAB_THOROUGH=OFF) # scripts/long.sh may have left it on
  if [[ $stage == release ]]; then
    preset=check
    options=("-DCLOTHLAB_SLOW_TESTS=$thorough" "-DCLOTHLAB_THOROUGH=$thorough" "-DCLOTHLAB_BENCH=$thorough")
  fi
  echo "=== $stage"
  started=$SECONDS
  : > "$log"
  if ! cmake --preset "$preset" "${options[@]}" --log-level=NOTICE || ! cmake --build --preset "$preset" --parallel "$jobs"; then
    summary+=("$(printf '  %-8s the build failed' "$stage")")
    ((total += 1, failed += 1))
    continue
  fi
  built=$SECONDS
  # The tests of the window wait more than they compute, so one test more than there are cores runs at a time.
  at_once=$((jobs + 1))
  [[ $stage == tsan ]] && at_once=$jobs # no window, and tests that measure time
  "${fixed_addresses[@]}" ctest --preset "$preset" --parallel "$at_once" < /dev/null 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  # ctest's own line: 98% tests passed, 2 tests failed out of 100
  read -r stage_failed stage_total < <(
    sed -nE 's/.*tests passed, ([0-9]+) tests failed out of ([0-9]+).*/\1 \2/p' "$log" | tail -n 1
  )
  if ((status != 0 && ${stage_failed:-0} == 0)); then # ctest itself failed
    stage_failed=1
    stage_total=$((${stage_total:-0} + 1))
  fi
  ((total += stage_total, failed += stage_failed))
  # Again at the end, as a log of some ten thousand lines is easily cut.
  awk '/ Testing: / { name = $0; count = 0 } { said[count++] = $0 }
       /^Test Failed\./ { print name; for (i = count > 30 ? count - 30 : 1; i < count; ++i) print "  " substr(said[i], 1, 400) }' \
    "build/$preset/Testing/Temporary/LastTest.log" >> "$failures"
  # How long a case of the window waits depends on the machine: one that waited in vain runs again, alone, and is named.
  mapfile -t again < <(awk '/ Testing: / { name = $NF; late = 0 } /waited in vain/ { late = 1 }
                            /^Test Failed\./ && late && name ~ /^window\./ { print name }' \
    "build/$preset/Testing/Temporary/LastTest.log")
  for name in "${again[@]}"; do
    if "${fixed_addresses[@]}" ctest --preset "$preset" --tests-regex "^${name//./\\.}\$" < /dev/null; then
      ((--failed, --stage_failed))
      only_alone+=("$name of $stage")
    fi
  done
  skipped=$(grep -c '\*\*\*Skipped' "$log")
  summary+=("$(printf '  %-8s %d of %d tests failed, %d skipped; build %d s, tests %d s' \
    "$stage" "$stage_failed" "$stage_total" "$skipped" $((built - started)) $((SECONDS - built)))")
done

if ((failed)) && [[ -s $failures ]]; then
  echo
  echo "What the failed tests said last:"
  cat "$failures"
fi
echo
echo "Stages:"
printf '%s\n' "${summary[@]}"
if ((${#only_alone[@]})); then
  printf '  passed only when run again, alone: %s\n' "${only_alone[@]}"
fi
echo
passed_percent=$((total > 0 ? (total - failed) * 100 / total : 0))
echo "$passed_percent% tests passed, $failed tests failed out of $total"
echo
echo "Total Test time (real) = $SECONDS sec"
((failed == 0 && total > 0))
