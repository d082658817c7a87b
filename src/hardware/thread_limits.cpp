#include "trainyard/hardware/thread_limits.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include <fmt/format.h>
#include <sys/resource.h>

#include "hardware/control_groups.hpp"
#include "hardware/numbers_in_files.hpp"

namespace trainyard {

std::string thread_limits_text(const std::filesystem::path& root) {
  std::optional<std::size_t> least;
  for (const ControlGroup& group : control_groups("pids", root)) {
    const auto most = number_in(group.folder / "pids.max");
    if (most) least = std::min(*most, least.value_or(*most));
  }
  std::string text = least ? fmt::format("pids.max of the control group {}", *least) : "";
  rlimit of_user{};
  if (getrlimit(RLIMIT_NPROC, &of_user) == 0 && of_user.rlim_cur != RLIM_INFINITY) {
    text += fmt::format("{}ulimit -u {}", text.empty() ? "" : ", ", of_user.rlim_cur);
  }
  return text.empty() ? "" : "; limits: " + text;
}

}  // namespace trainyard
