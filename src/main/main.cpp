// SPDX-License-Identifier: MIT
#include "app/application.h"
#include "cli/cli.h"
#include "io/asset_path.h"
#include "ui/theme.h"

int main(int argc, char** argv) {
  using namespace clothlab;
  Services services;
  services.open_window = [&](const WindowRequest& request) {
    return open_window(request, executable_path(argc > 0 ? argv[0] : ""));
  };
  services.make_painter = make_painter;
  services.integrator_colour = [](std::size_t row) { return rgb_of(integrator_colour(row)); };
  return run_cli(argc, argv, services);
}
