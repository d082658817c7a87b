// What a step of a compressed scheme takes, in simulated time, against the closed form of its row:
// exactly without coding time, and with it.
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr std::size_t length = 840;  // divisible by 1 to 8

struct Found {
  std::optional<Duration> closed_form;
  double seconds = 0.0;
};

Found first_step(const Scheme& scheme, Configuration c) {
  static const LoadedData data = test::dense_problem(60, length);
  c.scheme = scheme.name;
  c.hyperparameters = with_fallbacks(scheme, c.hyperparameters, c.workers);
  const Ingredients ingredients = make_ingredients(scheme, c);
  return {scheme.cost.time({.workers = c.workers,
                            .servers = std::max(1, cast_of(scheme, c).servers),
                            .parameters = length,
                            .compute = *c.compute_time,
                            .message = FloatMessages{c.network},
                            .message_of_bytes = ByteMessages{c.network},
                            .coding = {*c.encode_time, *c.decode_time},
                            .ingredients = ingredients,
                            .hyperparameters = c.hyperparameters}),
          test::train(c, data).summary.seconds};
}

}  // namespace

TEST_CASE("the first step of a compressed scheme takes what its closed form says", "[scheme]") {
  struct Coding {
    int encode_ns, decode_ns;
  };
  for (const Scheme& scheme : schemes()) {
    if (!takes(scheme, "codec")) continue;
    REQUIRE(scheme.cost.time != nullptr);
    int known = 0;
    for (const Coding coding : {Coding{0, 0}, Coding{30, 10}, Coding{200, 900}}) {
      for (const int n : {1, 2, 3, 5, 8}) {
        for (const char* codec : {"identity", "qsgd:127", "sign", "top-k:1%"}) {
          for (const char* topology : {"ring", "full"}) {
            CAPTURE(scheme.name, coding.encode_ns, coding.decode_ns, n, codec, topology);
            Configuration c = test::quick(scheme.name, n, 1);
            c.ingredients = {{"codec", codec}, {"topology", topology}};
            c.hyperparameters["period"] = 1;
            c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = 3e7};
            c.encode_time = std::chrono::nanoseconds(coding.encode_ns);
            c.decode_time = std::chrono::nanoseconds(coding.decode_ns);
            const Found found = first_step(scheme, c);
            if (!found.closed_form) continue;
            ++known;
            const bool free = coding.encode_ns == 0;
            CHECK(found.seconds ==
                  Approx(to_seconds(*found.closed_form)).epsilon(free ? 1e-9 : 1e-6));
          }
        }
      }
    }
    CAPTURE(scheme.name);
    CHECK(known >= 40);
  }
}
