#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is too long for every change: random input for some minutes, with fixed seeds, and large meshes.
#
#   scripts/long.sh [MINUTES]
#
# For so many minutes each (3 by default):
#   readers   libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer on the readers of OBJ, CSV, scene, journal and bundle files
#             (tests/fuzz); needs clang. Its corpus stays in build/fuzz/corpus, what breaks them in build/fuzz.
#   window    a monkey at the real window under a virtual display, also in scenes with bodies; the journals that it saves
#             are replayed (tests/window/monkey.py): the program as it is shipped, with AddressSanitizer and
#             UndefinedBehaviorSanitizer, and with ThreadSanitizer
# Then, for some minutes more:
#   sessions  50 windows are killed at random moments, and each session is restored (tests/window/kills.py); steps per
#             second with and without their files (tests/session/session_journal_test.cpp)
#   contact   conservative detection of collisions against exact arithmetic (tests/collide/free_share_test.cpp)
#   meshes    two seconds of every mesh, the largest ones too (tests/sim/mesh_suite_test.cpp)
#   contact   five seconds of scenes and garments by impulses and by a barrier, in which exact arithmetic finds no intersection
#             (tests/sim/contact_scenes_test.cpp), the momentum that every method makes where sheets collide, and
#             strips within 3 % of the length at which they slide (tests/sim/coulomb_test.cpp)
#   fabric    sheets of 16 x 16 to 128 x 128 particles that hang and drape (tests/sim/fabric_test.cpp)
#   warnings  the share of failures that warnings foretell, and of false alarms, on 100 random scenes
#             (tests/sim/forecast_scenes_test.cpp)
#   walk      a figure walks in a dress for 30 frames, by all contact models (scripts/dress_and_walk.py)
#   grab      random pulls at several meshes with all methods that have a limit, from 0.7 to 0.98 of it
#             (tests/session/mouse_grab_test.cpp); what fails is named
#   commands  random sequences of commands, to the window and to the simulation, with and without memory
#             (tests/session/command_sequence_test.cpp)
#   golden    the golden runs without optimisation, and on an emulated AArch64 (tests/golden)
#   asan      all tests but those labelled slow, and all cases of the window, with AddressSanitizer and
#             UndefinedBehaviorSanitizer; the hosted check leaves out long ones (tests/CMakeLists.txt)
#   package   the Debian package, installed in a bare Debian 12, started and removed (scripts/package.sh); needs root
#   blender   point caches, OBJ and PLY in Blender (scripts/check_blender_files.py)
#   python    the examples in examples/python; their figures lie in build/check/figures
#   choose    the answers of `clothlab choose` cost at most the median of three picks by rule of thumb, in ten scenes
#             (scripts/compare_picks.py; docs/analysis.md)
#   tidy      clang-tidy over src/ (scripts/check_tidy.sh)
# Ends with 1 when one of them has broken something.
set -euo pipefail

case ${1-} in -h | --help)
  sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
  ;;
esac
minutes=${1:-3}
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for clang in clang++ clang++-{19,18,17,16,15,14}; do
  command -v "$clang" > /dev/null && break
done
cmake -S . -B build/fuzz -G Ninja --log-level=NOTICE -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER="$clang" \
  -DCMAKE_C_COMPILER="${clang/++/}" -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DCLOTHLAB_TESTS=ON \
  -DCLOTHLAB_SANITIZE=fuzzer-no-link,address,undefined
cmake --build build/fuzz --target fuzz_readers
corpus=build/fuzz/corpus
mkdir -p "$corpus"
seed() { # READER FILE...: the first byte of an input chooses the reader
  local reader=$1 file
  shift
  for file; do { printf '%b' "$reader" && cat "$file"; } > "$corpus/$(basename "$file")"; done
}
seed '\0' assets/*.obj
seed '\2' assets/scenes/*.json
seed '\3' tests/documents/journals/*.journal
seed '\4' tests/documents/old_files/*.clothlab
printf '\5{"clothlab-bundle":1,"files":{"scene.json":{"bytes":2,"hash":"bf50f6727c020210"}}}' > "$corpus/manifest.json"
printf 'POINTCACHE2\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\200\077\1\0\0\0\0\0\200\077\0\0\0\0\0\0\0\100' > build/fuzz/one.pc2
seed '\6' build/fuzz/one.pc2
printf '\7a fabric of numbers' > "$corpus/fabric"
printf '\1\1x,y,z,vx,vy,vz\n1,2,3,4,5,6\n' > "$corpus/state.csv"
build/fuzz/tests/fuzz/fuzz_readers -seed=1 -max_len=8192 -timeout=10 -max_total_time=$((minutes * 60)) \
  -artifact_prefix=build/fuzz/ -print_final_stats=1 -verbosity=0 "$corpus"

export ASAN_OPTIONS=intercept_tls_get_addr=0
export TSAN_OPTIONS="halt_on_error=1 ignore_noninstrumented_modules=1 suppressions=$PWD/scripts/tsan_window.supp"
for build in release asan tsan; do
  cmake --preset "$build" --log-level=NOTICE
  cmake --build --preset "$build" --target clothlab
  # The python that has the packages; a sanitizer is slow and wants its addresses.
  CLOTHLAB_TEST_PATIENCE=$([[ $build == release ]] && echo 1 || echo 8) PATH=/usr/bin:$PATH \
    setarch "$(uname -m)" -R python3 tests/window/monkey.py "build/$build/clothlab" "$minutes" 1
done

cmake --preset check --log-level=NOTICE
cmake --build --preset check --target clothlab collide_test sim_test sim_contact_test sim_forecast_test sim_mesh_suite_test sim_scene_cards_test session_test session_mouse_grab_test session_command_sequence_test
CLOTHLAB_LONG_TESTS=1 build/check/tests/collide/collide_test --gtest_filter='FreeShare*' --gtest_brief=1
CLOTHLAB_LONG_TESTS=1 build/check/tests/sim/sim_mesh_suite_test --gtest_brief=1
CLOTHLAB_LONG_TESTS=1 build/check/tests/sim/sim_scene_cards_test --gtest_filter='*ContactScene*:*GarmentOnBody*' --gtest_brief=1
scripts/dress_and_walk.py build/check/clothlab || [[ $? == 77 ]]
CLOTHLAB_LONG_TESTS=1 build/check/tests/sim/sim_test --gtest_filter='*Momentum*:FabricRun.*' --gtest_brief=1
CLOTHLAB_LONG_TESTS=1 build/check/tests/sim/sim_contact_test --gtest_filter='LongStrips*' --gtest_brief=1
CLOTHLAB_LONG_TESTS=1 build/check/tests/sim/sim_forecast_test --gtest_filter='ForecastScenes*' --gtest_brief=1
CLOTHLAB_LONG_TESTS=1 build/check/tests/session/session_test --gtest_filter='SessionFile.Long*' --gtest_brief=1
CLOTHLAB_LONG_TESTS=1 build/check/tests/session/session_mouse_grab_test --gtest_filter='*LongGrab*' --gtest_brief=1
CLOTHLAB_LONG_TESTS=1 build/check/tests/session/session_command_sequence_test --gtest_brief=1

PATH=/usr/bin:$PATH python3 tests/window/kills.py build/check/clothlab || (($? == 77))

scripts/package.sh
scripts/check_blender_files.py build/release/clothlab || (($? == 77))
cmake --build --preset check --target clothlab
PATH=/usr/bin:$PATH python3 scripts/compare_picks.py build/check/clothlab

# The module is there where pybind11 is installed (docs/python.md).
if grep -q CLOTHLAB_PYTHON:BOOL=ON build/check/CMakeCache.txt; then
  cmake --build --preset check --target clothlab_python
  for example in examples/python/*.py; do
    [[ $example == */figure.py ]] && continue
    PYTHONPATH=build/check/python PATH=/usr/bin:$PATH python3 "$example" --out build/check/figures
  done
fi

# The hosted check compares the golden runs at -O2, and at -O1 with sanitizers.
cmake -S . -B build/unoptimised -G Ninja --log-level=NOTICE -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
  -DCMAKE_UNITY_BUILD=ON -DCLOTHLAB_TESTS=ON
cmake --build build/unoptimised --target golden_test
build/unoptimised/tests/golden/golden_test --gtest_brief=1
scripts/golden_aarch64.sh || (($? == 77))

cmake --preset asan --log-level=NOTICE -DCLOTHLAB_THOROUGH=ON
cmake --build --preset asan
PATH=/usr/bin:$PATH setarch "$(uname -m)" -R ctest --preset asan
scripts/check_tidy.sh
