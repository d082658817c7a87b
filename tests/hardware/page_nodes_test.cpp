#include "trainyard/hardware/page_nodes.hpp"

#include <cstdint>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace trainyard {

namespace {

const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

/// Memory of whole pages, none of them written.
class Pages {
 public:
  explicit Pages(std::size_t count)
      : bytes_(count * page),
        data_(static_cast<std::byte*>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    madvise(data_, bytes_, MADV_NOHUGEPAGE);
  }
  ~Pages() { munmap(data_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::span<std::byte> bytes() { return {data_, bytes_}; }
  std::size_t number_of(const void* place) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(place) - data_) / page;
  }

 private:
  std::size_t bytes_;
  std::byte* data_;
};

}  // namespace

TEST_CASE("pages are counted by the node that they are on", "[hardware]") {
  Pages pages(10);
  // Two nodes in turn, and a page that nobody has written.
  const AskNodes ask = [&](std::span<void* const> asked, std::span<int> nodes) {
    for (std::size_t i = 0; i < asked.size(); ++i) {
      CHECK(reinterpret_cast<std::uintptr_t>(asked[i]) % page == 0);
      const std::size_t number = pages.number_of(asked[i]);
      nodes[i] = number == 4 ? -2 : static_cast<int>(number % 2);
    }
    return true;
  };
  const PageCount even = count_pages(pages.bytes(), 0, ask);
  CHECK(even.at_home == 4);
  CHECK(even.elsewhere == 5);
  const PageCount odd = count_pages(pages.bytes(), 1, ask);
  CHECK(odd.at_home == 5);
  CHECK(odd.elsewhere == 4);
  // A part of two pages is of both.
  CHECK(count_pages(pages.bytes().subspan(page - 1, 2), 0, ask).at_home == 1);
  CHECK(count_pages(pages.bytes().subspan(page - 1, 2), 0, ask).elsewhere == 1);
  CHECK(count_pages(pages.bytes().first(0), 0, ask).at_home == 0);
  PageCount both = even;
  both += odd;
  CHECK(both.at_home + both.elsewhere == 18);
}

TEST_CASE("of much memory some pages are asked for, from its beginning to its end", "[hardware]") {
  Pages pages(10'000);
  std::vector<std::size_t> numbers;
  const PageCount count =
      count_pages(pages.bytes(), 3, [&](std::span<void* const> asked, std::span<int> nodes) {
        for (std::size_t i = 0; i < asked.size(); ++i) {
          numbers.push_back(pages.number_of(asked[i]));
          nodes[i] = 3;
        }
        return true;
      });
  CHECK(count.at_home == 1024);
  REQUIRE(numbers.size() == 1024);
  CHECK(numbers.front() == 0);
  CHECK(numbers.back() > 9'900);
  CHECK(numbers[512] == 5'000);
}

TEST_CASE("where the system does not say no page is counted", "[hardware]") {
  Pages pages(3);
  const PageCount count =
      count_pages(pages.bytes(), 0, [](std::span<void* const>, std::span<int>) { return false; });
  CHECK(count.at_home + count.elsewhere == 0);
}

TEST_CASE("the system says of pages whether they are there", "[hardware]") {
  Pages pages(8);
  void* const one[] = {pages.bytes().data()};
  int node = 0;
  if (!ask_nodes(one, {&node, 1})) {
    WARN("skipped: move_pages(2) is refused here");
    return;
  }
  CHECK(node < 0);  // nobody has written it
  for (const std::size_t number : {1, 2, 5}) pages.bytes()[number * page] = std::byte{1};
  const PageCount count = count_pages(pages.bytes(), 0);
  CHECK(count.at_home + count.elsewhere == 3);
}

}  // namespace trainyard
