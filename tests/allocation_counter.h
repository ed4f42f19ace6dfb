#pragma once

#include <cstddef>

// Linking allocation_counter.cpp replaces operator new, so what counts is a program of its own.

/// Calls of operator new so far, by any thread.
long allocations();
/// What operator new has handed out and operator delete not taken back [byte].
std::size_t allocated_bytes();
/// The most that this ever was.
std::size_t most_allocated_bytes();
