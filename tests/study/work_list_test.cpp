#include "study/work_list.hpp"

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("one thread walks depth first, in the order in which work was added", "[study]") {
  WorkList list;
  std::string order;
  const auto leaf = [&](char name) { return [&order, name] { order += name; }; };
  list.add({[&] {
              order += 'a';
              list.add({leaf('b'), leaf('c')});
            },
            leaf('d'), leaf('e')});
  list.run(1);
  CHECK(order == "abcde");
}

TEST_CASE("all work is done once, whatever it adds, by any number of threads", "[study]") {
  for (const int threads : {1, 2, 3, 8}) {
    CAPTURE(threads);
    WorkList list;
    std::atomic<int> done{0};
    std::function<void(int)> branch = [&](int depth) {
      ++done;
      if (depth > 0)
        list.add({[&, depth] { branch(depth - 1); }, [&, depth] { branch(depth - 1); }});
    };
    list.add({[&] { branch(9); }});
    list.run(threads);
    CHECK(done == 1023);
  }
}

TEST_CASE("after an exception nothing else begins, and it is rethrown", "[study]") {
  for (const int threads : {1, 2, 4}) {
    CAPTURE(threads);
    WorkList list;
    std::atomic<bool> thrown{false};
    std::atomic<int> after{0};
    std::vector<WorkList::Work> pieces{[&] {
      thrown = true;
      throw std::runtime_error("the first");
    }};
    for (int i = 0; i < 100'000; ++i) {
      pieces.emplace_back([&] { after += thrown ? 1 : 0; });
    }
    list.add(std::move(pieces));
    CHECK_THROWS_WITH(list.run(threads), "the first");
    // Those that other threads do between the throw and its being noted.
    CHECK(after < 90'000);
  }
}

}  // namespace trainyard
