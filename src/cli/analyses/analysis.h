// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cli/cli.h"

namespace CLI {
class App;
}

namespace clothlab {

/// One kind of `clothlab analyze`.
class Analysis {
 public:
  virtual ~Analysis() = default;
  /// Adds its options; the object must outlive the app.
  virtual void add_to(CLI::App& app) = 0;
  /// The exit status. Throws InputError, SystemError, and Cancelled on Ctrl-C.
  virtual int run() = 0;
};

// The kinds, each in its analyze_<kind>.cpp; analyze.cpp lists them with what their help says.
std::unique_ptr<Analysis> make_damping_analysis(const Services& services);
std::unique_ptr<Analysis> make_convergence_analysis(const Services& services);
std::unique_ptr<Analysis> make_stability_analysis(const Services& services);
std::unique_ptr<Analysis> make_energy_analysis(const Services& services);
std::unique_ptr<Analysis> make_drift_analysis(const Services& services);
std::unique_ptr<Analysis> make_friction_analysis(const Services& services);
std::unique_ptr<Analysis> make_drape_analysis(const Services& services);
std::unique_ptr<Analysis> make_work_analysis(const Services& services);
std::unique_ptr<Analysis> make_intersections_analysis(const Services& services);

}  // namespace clothlab
