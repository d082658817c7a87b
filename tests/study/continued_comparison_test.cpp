// A comparison that goes on where another one was interrupted ends as one that was not.
#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "trainyard/report/summary_format.hpp"
#include "trainyard/study/comparison.hpp"

#include "data/files.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// What runs have left, by their folders, and which were made.
struct Kept {
  TemporaryFolder folder{};
  std::map<std::string, std::string> files{};
  std::set<std::string> made{};
  std::mutex mutex{};
};

class Keeping final : public CaseListener {
 public:
  Keeping(const Case& one, Kept& all) : name_(folder_of(one).string()), all_(all) {}
  RunHooks hooks() override { return {}; }
  void keeps(Archive&& kept) override {
    const std::lock_guard lock(all_.mutex);
    std::string file = name_;
    std::ranges::replace(file, '/', '_');
    kept.write(all_.folder.path() / file);
    all_.files[name_] = file;
    all_.made.insert(name_);
  }
  void ended(const RunResult& /*result*/) override {}
  void failed(std::exception_ptr error) override { std::rethrow_exception(error); }

 private:
  const std::string name_;
  Kept& all_;
};

std::string compared_json(const ComparisonRequest& request, const LoadedData& data, Kept& kept,
                          const std::function<bool(const std::string&)>& had_ended,
                          int* searches = nullptr) {
  ComparisonHooks hooks;
  hooks.begins = [&](const Case& one) { return std::make_unique<Keeping>(one, kept); };
  hooks.remark = [&](const std::string& text) {
    if (searches != nullptr && text.find(": step size") != std::string::npos) ++*searches;
  };
  if (had_ended) {
    hooks.ended_before = [&](const Case& one) -> std::optional<Archive> {
      const std::string name = folder_of(one).string();
      if (!had_ended(name)) return std::nullopt;
      return Archive::read(kept.folder.path() / kept.files.at(name));
    };
  }
  const Compared compared = run_comparison(request, data, hooks);
  return comparison_json(compared.runs, request.options, compared.notes, compared.lacking);
}

ComparisonRequest request_of(const std::string& schemes) {
  ComparisonRequest request{.configuration = small_configuration(""),
                            .contestants = parse_contestants(schemes)};
  request.configuration.epochs = 0.4;
  request.configuration.network.latency = std::chrono::microseconds(100);
  request.options = {.seeds = 2, .jobs = 2};
  return request;
}

/// Goes on where only some had ended, chosen in several ways.
void check_continues(const ComparisonRequest& request, std::size_t all, int* searches = nullptr) {
  const LoadedData data = small_data();
  Kept kept;
  const std::string whole = compared_json(request, data, kept, {});
  REQUIRE(kept.made.size() == all);
  std::set<std::string> ended;
  for (const auto& [name, file] : kept.files) {
    INFO(ended.size() << " had ended");
    kept.made.clear();
    const auto had_ended = [&](const std::string& one) { return ended.contains(one); };
    CHECK(compared_json(request, data, kept, had_ended, searches) == whole);
    CHECK(kept.made.size() == all - ended.size());
    for (const std::string& made : kept.made) CHECK(!ended.contains(made));
    ended.insert(name);
  }
  kept.made.clear();
  CHECK(compared_json(request, data, kept, [](const auto&) { return true; }) == whole);
  CHECK(kept.made.empty());
}

}  // namespace

TEST_CASE("a continued comparison makes the runs that lack, and tells the same", "[study]") {
  check_continues(request_of("sequential,ring,gossip{topology=torus}"), 6);
}

TEST_CASE("runs that stand for others are continued with them", "[study]") {
  // The ring takes no topology: at the second point it is the run of the first.
  ComparisonRequest request = request_of("ring,gossip");
  request.options.seeds = 1;
  request.variations = {parse_variation("topology=ring,full")};
  check_continues(request, 4);
}

TEST_CASE("step sizes that an interrupted comparison had found are those of the rest", "[study]") {
  ComparisonRequest request = request_of("ring,ps-async");
  request.options.step_sizes = StepSizes::tuned;
  int searches = 0;
  check_continues(request, 4, &searches);
  // By name the four runs are seed 1's and then seed 2's: with none ended both search, with one of
  // them the other does, and then nobody.
  CHECK(searches == 3);
}

}  // namespace trainyard
