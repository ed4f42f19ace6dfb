// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace clothlab {

struct Scene;

/// Throws InputError if a file has the extension of a known format that is not in `extension`, such as ".csv"
/// or ".pc2 or .mdd".
void check_extension(const std::filesystem::path& file, std::string_view extension);

/// Calls write(). If the output cannot be written (disk full, folder removed), reports it on stderr and
/// returns false: the exit status is kExitFault then, and other outputs are still written.
bool try_write(const std::function<void()>& write);

/// The number in the name of a file of a sequence, with six digits or more: "000042".
std::string sequence_number(std::uint64_t number);

/// False if the folder does not exist yet. Throws InputError if it is not a folder or cannot be created.
bool has_folder(const std::filesystem::path& folder);
/// Creates the folder if it is missing. Throws SystemError.
void make_folder(const std::filesystem::path& folder);

/// The files of a command, outputs first, then inputs, checked before anything is written: each output can be
/// written, no two are the same file by any path or link, and none is an input. Paths that are written
/// directly (a pipe, /dev/null) may be repeated.
class OutputFiles {
 public:
  /// Adds an option whose text, the name of an output with this extension, goes to `target`. Both the target
  /// and this object must outlive the app.
  CLI::Option* add_option(CLI::App& app, const char* group, const char* name, const char* extension,
                          std::optional<std::string>& target, const char* type, const char* help);
  /// Adds the files that these options name; - becomes /dev/stdout. Throws InputError as add() does.
  void check();
  /// True if some of these options were given.
  bool any_named() const;
  /// Calls write(*output) if there is an output. A failure is reported as in try_write() and resets the
  /// output; lost() is true from then on.
  template <class Output, class Write>
  void attempt(std::optional<Output>& output, const Write& write) {
    if (!output || try_write([&] { write(*output); })) return;
    lost_ = true;
    output.reset();
  }
  bool lost() const { return lost_; }

  /// Throws InputError for a file that cannot be written, that is an output already, or that has the
  /// extension of another format than that of `extension`, such as ".csv".
  void add(const std::filesystem::path& file, std::string_view extension);
  /// The same of the files "<prefix>000000<suffix>" and so on, with six digits or more, in `folder`, which
  /// need not exist.
  void add_numbered(const std::filesystem::path& folder, std::string prefix, std::string suffix);
  /// Throws InputError if an output would replace this file, which the command reads.
  void spare(const std::filesystem::path& input) const;
  /// The same for all files that a scene names.
  void spare(const Scene& scene) const;

 private:
  struct Numbered {
    std::filesystem::path folder;
    std::string prefix, suffix;
    bool names(const std::string& name) const;
    bool replaces(const std::filesystem::path& file) const;
  };
  bool replaces(const std::filesystem::path& file) const;

  struct Named {
    std::optional<std::string>* target;
    std::string extension;
  };
  std::vector<Named> named_;
  bool lost_ = false;
  std::vector<std::filesystem::path> files_;  // links resolved
  std::vector<Numbered> numbered_;
};

}  // namespace clothlab
