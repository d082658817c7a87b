#include "runtime/virtual/mailbox.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("messages are taken oldest first, of all or of one sender", "[runtime]") {
  constexpr int senders = 90;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, Purpose::scheme);
    std::vector<std::unique_ptr<Envelope>> envelopes;
    Mailbox mailbox;
    std::deque<Envelope*> waiting;
    std::size_t most = 0;
    for (int action = 0; action < 6000; ++action) {
      // In turn more come than are taken, and more are taken than come: so it is looked through as
      // a list, and by sender, and as a list again.
      const bool fills = action / 1000 % 2 == 0;
      if (random.below(10) < (fills ? 6U : 3U)) {
        auto& envelope = envelopes.emplace_back(std::make_unique<Envelope>());
        envelope->from = static_cast<int>(random.below(senders));
        mailbox.add(envelope.get(), senders);
        waiting.push_back(envelope.get());
        most = std::max(most, waiting.size());
      } else if (random.below(3) == 0) {
        Envelope* const oldest = waiting.empty() ? nullptr : waiting.front();
        CHECK(mailbox.oldest() == oldest);
        CHECK(mailbox.take_oldest() == oldest);
        if (oldest != nullptr) waiting.pop_front();
      } else {
        const int sender = static_cast<int>(random.below(senders));
        const auto found = std::ranges::find(waiting, sender, &Envelope::from);
        CHECK(mailbox.take_oldest_from(sender) == (found == waiting.end() ? nullptr : *found));
        if (found != waiting.end()) waiting.erase(found);
      }
    }
    CHECK(most > 100);
    for (Envelope* each : waiting) CHECK(mailbox.take_oldest() == each);
    CHECK(mailbox.oldest() == nullptr);
    CHECK(mailbox.take_oldest() == nullptr);
  }
}
