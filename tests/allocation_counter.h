#pragma once

/// Calls of operator new so far, by any thread. Linking allocation_counter.cpp replaces operator new, so what
/// counts is a program of its own.
long allocations();
