#include "app/application.h"
#include "app/painter.h"
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
  services.integrator_colour = [](std::size_t row) {
    const ImU32 colour = integrator_colour(row);
    const auto part = [&](int shift) { return static_cast<std::uint8_t>(colour >> shift & 0xFF); };
    return std::array{part(IM_COL32_R_SHIFT), part(IM_COL32_G_SHIFT), part(IM_COL32_B_SHIFT)};
  };
  services.font_file = find_font_file();
  return run_cli(argc, argv, services);
}
