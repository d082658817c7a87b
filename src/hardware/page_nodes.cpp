#include "trainyard/hardware/page_nodes.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

namespace trainyard {

bool ask_nodes(std::span<void* const> pages, std::span<int> nodes) {
  constexpr int this_process = 0, flags = 0;
  return syscall(SYS_move_pages, this_process, pages.size(), pages.data(), nullptr, nodes.data(),
                 flags) == 0;
}

PageCount count_pages(std::span<const std::byte> memory, int home, const AskNodes& ask) {
  constexpr std::size_t most_asked = 1024;
  if (memory.empty()) return {};
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t first = begin / page, last = (begin + memory.size() - 1) / page;
  const std::size_t all = last - first + 1, asked = std::min(all, most_asked);
  std::vector<void*> pages;
  for (std::size_t i = 0; i < asked; ++i) {
    pages.push_back(std::bit_cast<void*>((first + all * i / asked) * page));
  }
  std::vector<int> nodes(asked, -1);
  PageCount count;
  if (!ask(pages, nodes)) return count;
  for (const int node : nodes) {
    if (node == home) ++count.at_home;
    if (node >= 0 && node != home) ++count.elsewhere;
  }
  return count;
}

}  // namespace trainyard
