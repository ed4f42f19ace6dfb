#include "cli/interrupt.h"

#include <csignal>

namespace clothlab {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_signal(int signal_number) {
  interrupted = 1;
  std::signal(signal_number, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  interrupted = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interrupt::requested() { return interrupted != 0; }

StopProbe Interrupt::probe() {
  return [] { return requested(); };
}

}  // namespace clothlab
