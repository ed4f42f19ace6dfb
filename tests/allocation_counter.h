// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

// Linking allocation_counter.cpp replaces operator new, so what counts is a program of its own.

/// Calls of operator new so far, by any thread.
long allocations();
/// What operator new has handed out and operator delete not taken back [byte].
std::size_t allocated_bytes();
/// The most that this ever was.
std::size_t most_allocated_bytes();
/// The n-th call of operator new from now on by this thread, counted from 1, fails; 0: none. Returns how many
/// calls were left to the one that was to fail so far; 0 when it has failed.
long fail_allocation(long n);
/// Calls of operator new for so many bytes or more fail, in any thread; 0: none.
void fail_allocations_from(std::size_t size);
