// SPDX-License-Identifier: MIT
#include "cli/interrupt.h"

#include <csignal>
#include <cstdio>

namespace clothlab {
namespace {

volatile std::sig_atomic_t received = 0;  // the signal's number

extern "C" void on_signal(int signal_number) {
  received = signal_number;
  std::signal(signal_number, SIG_DFL);
}

void listen(int signal_number) {
#ifdef _WIN32
  std::signal(signal_number, on_signal);
#else
  // Unlike std::signal, this ends blocking calls (a pipe without a reader) with the signal.
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(signal_number, &action, nullptr);
#endif
}

}  // namespace

Interrupt::Interrupt() {
  received = 0;
  listen(SIGINT);
  listen(SIGTERM);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interrupt::requested() { return received != 0; }

int Interrupt::exit_status() { return 128 + (requested() ? received : SIGINT); }

StopProbe Interrupt::probe() {
  return [] { return requested(); };
}

int status_at_end(bool lost, const char* done) {
  if (lost) return kExitFault;
  if (!Interrupt::requested()) return kExitDone;
  std::fprintf(stderr, "clothlab: interrupted; what was %s so far was written.\n", done);
  return Interrupt::exit_status();
}

}  // namespace clothlab
