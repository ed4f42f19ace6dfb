// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace clothlab {

/// Bad input from outside: a file, an option, a typed value. `what()` is one clear sentence that
/// states what is wrong, where (file and line, key or option) and what is allowed. The handler shows that
/// sentence and keeps the previous state; the command line exits with status 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A fault of the program or the system while it runs (disk full, no display). `what()` is one clear
/// sentence; the command line exits with status 1.
class SystemError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown when a StopProbe requests cancellation.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace clothlab
