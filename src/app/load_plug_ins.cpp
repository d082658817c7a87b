#include "app/load_plug_ins.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>

#include "trainyard/app/plug_in.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/hardware/program_file.hpp"

namespace trainyard::app {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_library(const std::string& file, const std::string& what) {
  throw UsageError(fmt::format("--load {}: {}", printable(file), what));
}

/// A function of the library; null where it has none of this name.
template <typename Function>
Function* function_of(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

std::string why_not_loaded() {
  const char* const reason = dlerror();  // NOLINT(concurrency-mt-unsafe): no other thread is there
  return reason == nullptr ? "cannot be loaded" : printable(reason);
}

}  // namespace

Loads taken_from(int argc, char** argv) {
  constexpr std::string_view flag = "--load", flag_and_value = "--load=";
  Loads loads;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == flag) {
      loads.files.emplace_back(i + 1 < argc ? argv[++i] : "");
    } else if (word.starts_with(flag_and_value)) {
      loads.files.emplace_back(word.substr(flag_and_value.size()));
    } else {
      loads.words.push_back(argv[i]);
      continue;
    }
    if (loads.files.back().empty()) {
      throw UsageError("--load: expected a FILE behind it, as in --load ./libmine.so");
    }
  }
  loads.words.push_back(nullptr);
  return loads;
}

void load_plug_in(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) refuse_library(file, "no such file");
  const fs::path path = fs::absolute(file);  // else the system looks among its own libraries
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse_library(file, why_not_loaded());
  auto* const layout_of = function_of<void(PlugInLayout*)>(library, "trainyard_plug_in_layout");
  auto* const add = function_of<void()>(library, "trainyard_plug_in");
  if (layout_of == nullptr || add == nullptr) {
    refuse_library(file, "is no plug-in: it lacks TRAINYARD_PLUG_IN (trainyard/app/plug_in.hpp)");
  }
  PlugInLayout layout{};
  layout_of(&layout);
  if (layout != plug_in_layout) {
    refuse_library(
        file, "was compiled with other headers than this program's; it has to be compiled anew");
  }
  note_loaded_code(path);
  add();
}

}  // namespace trainyard::app
