#include "study/cases.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/calibration.hpp"
#include "trainyard/run/one_machine.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/begun_comparison.hpp"
#include "trainyard/study/collated_notes.hpp"
#include "trainyard/study/tuning.hpp"

#include "study/left_out.hpp"
#include "study/liars.hpp"

namespace trainyard {

namespace {

/// The data sets of the request and of the grid, each loaded once.
class DataSets {
 public:
  DataSets(const Configuration& c, const LoadedData* data, const Remark& remark) : remark_(remark) {
    if (data == nullptr) return;
    // The caller's, who keeps it.
    loaded_.push_back({dataset_request(c), {std::shared_ptr<const LoadedData>(), data}});
  }
  std::shared_ptr<const LoadedData> of(const Configuration& c) {
    const DatasetRequest request = dataset_request(c);
    const auto there = std::ranges::find(loaded_, request, &Loaded::request);
    if (there != loaded_.end()) return there->data;
    loaded_.push_back({request, std::make_shared<const LoadedData>(load_dataset(request))});
    for (const std::string& text : loaded_.back().data->remarks) {
      if (remark_) remark_(text);
    }
    return loaded_.back().data;
  }

 private:
  struct Loaded {
    DatasetRequest request;
    std::shared_ptr<const LoadedData> data;
  };
  const Remark& remark_;
  std::vector<Loaded> loaded_;
};

/// A case and where it comes from, before it is resolved.
struct Asked {
  Case one;
  const Contestant* contestant;
};

class Cases {
 public:
  Cases(const ComparisonRequest& request, const LoadedData* data, const ComparisonHooks& hooks,
        std::vector<Note>& notes, std::vector<LeftOut>& left_out)
      : request_(request),
        data_(request.configuration, data, hooks.remark),
        remark_(hooks.remark),
        begun_(hooks.begun),
        notes_(notes),
        left_out_(left_out) {}

  std::vector<Case> all();

 private:
  std::vector<Asked> asked_of(int seed);
  bool can_run(Asked& asked);
  void choose_clock(std::vector<Asked>& all);
  std::optional<std::string> within_of(const Configuration& configuration) const;
  void put_apart_last(std::vector<Asked>& all) const;
  std::vector<std::string> given() const;
  void resolve_case(Asked& asked, bool aloud);
  std::vector<std::string> tuned_of(const Case& one, const Contestant& contestant) const;
  void use_measured_coding_time(Case& one, const std::string& key);
  void say_notes(const std::vector<Case>& cases);
  void say_what_is_idle(const std::vector<Case>& cases);
  void say(const std::string& text);
  void note_of_all(const Note& note);

  const ComparisonRequest& request_;
  DataSets data_;
  const Remark& remark_;
  const std::function<const BegunCase*(const Case&)>& begun_;
  std::vector<Note>& notes_;  // of all cases together
  std::vector<LeftOut>& left_out_;
  bool somebody_talks_ = false;
  bool somebody_lies_ = false;
  std::set<std::string> said_;
  std::map<std::string, Duration> compute_times_;   // that were measured
  std::map<std::string, CodingTime> coding_times_;  // as these
};

/// Once: most of what there is to say of one run holds for all.
void Cases::say(const std::string& text) {
  if (said_.insert(text).second && remark_) remark_(text);
}

/// Notes something of more than one case, or of one that will not be run.
void Cases::note_of_all(const Note& note) {
  if (!said_.contains(note.text)) notes_.push_back(note);
  say(note.about.empty() ? note.text : with_name(note.text, note.about));
}

std::filesystem::path folder_of(const ComparisonRequest& request, std::uint64_t seed,
                                const std::vector<OptionText>& point) {
  std::filesystem::path folder;
  if (request.options.seeds > 1) folder /= fmt::format("seed-{}", seed);
  std::string name;
  for (const auto& [option, text] : point) {
    name += fmt::format("{}{}-{}", name.empty() ? "" : "_", option, file_name_of(text));
  }
  return name.empty() ? folder : folder / name;
}

/// Runs of one contestant or point differ from the others', so an error says which it is of.
template <typename Action>
auto in_case(const Case& one, const Contestant& contestant, const Action& action) {
  try {
    return action();
  } catch (const UsageError& error) {
    if (one.varied.empty() && contestant.settings.empty()) throw;
    throw UsageError(fmt::format("{}: {}", name_of(one), error.what()));
  }
}

std::vector<Asked> Cases::asked_of(int seed) {
  std::vector<Asked> all;
  for (const std::vector<OptionText>& point : grid_of(request_.variations)) {
    for (const Contestant& contestant : request_.contestants) {
      Case one{.label = contestant.label,
               .settings = contestant.settings,
               .varied = point,
               .configuration = request_.configuration,
               .data = nullptr,
               .folder = {}};
      Configuration& c = one.configuration;
      apply(point, c);
      for (const OptionText& varied : point) c.given.push_back(varied.option);
      apply(contestant, c);
      c.seed += static_cast<std::uint64_t>(seed);
      c.given.clear();  // what has no effect is said of all together
      one.folder = folder_of(request_, c.seed, point);
      one.data = data_.of(c);
      const Remark keep = noting(one.notes);
      std::ranges::for_each(one.data->remarks, keep);
      all.push_back({std::move(one), &contestant});
    }
  }
  return all;
}

/// Whether the scheme can; throws where it was named.
bool Cases::can_run(Asked& asked) {
  Configuration c = asked.one.configuration;
  c.model = model_name(c, *asked.one.data);
  try {
    in_case(asked.one, *asked.contestant, [&] {
      (void)check_scheme(find_scheme(c.scheme), c,
                         make_model({c.model, c.l2, c.l1}, asked.one.data->train));
      if (somebody_lies_) check_spared(c);
    });
    return true;
  } catch (const UsageError& error) {
    if (asked.contestant->named) throw;
    const LeftOut left{name_of(asked.one), error.what()};
    if (std::ranges::find(left_out_, left) == left_out_.end()) left_out_.push_back(left);
    return false;
  }
}

/// Decides --time auto by the run with the most ranks.
void Cases::choose_clock(std::vector<Asked>& all) {
  int most = 0;
  for (const Asked& asked : all) {
    Configuration c = asked.one.configuration;
    const Scheme& scheme = find_scheme(c.scheme);
    c.hyperparameters = with_fallbacks(scheme, std::move(c.hyperparameters), c.workers);
    most = std::max(most, cast_of(scheme, c).ranks());
  }
  const auto simulated = [](const Asked& asked) {
    return asked.one.configuration.compute_time.has_value();
  };
  const bool given = std::ranges::any_of(all, simulated);
  const TimeMode chosen = given ? TimeMode::simulated : clock_for(most);
  bool automatic = false;
  for (Asked& asked : all) {
    TimeMode& time = asked.one.configuration.time;
    automatic = automatic || time == TimeMode::automatic;
    if (time == TimeMode::automatic) time = chosen;
  }
  if (!automatic) return;
  say(given ? set_compute_time_remark : clock_remark(chosen, most));
}

/// By whoever asked, for all contestants.
std::vector<std::string> Cases::given() const {
  std::vector<std::string> names = request_.configuration.given;
  for (const Variation& variation : request_.variations) names.push_back(variation.option);
  return names;
}

bool talks(const Configuration& c) {
  const Scheme& scheme = find_scheme(c.scheme);
  Configuration complete = c;
  complete.hyperparameters = with_fallbacks(scheme, c.hyperparameters, c.workers);
  const Cast cast = cast_of(scheme, complete);
  return cast.workers > 1 && cast.model != ModelHome::shared;
}

/// Also over the default network, that nobody asked for: the others' figures are made of it.
std::optional<std::string> Cases::within_of(const Configuration& c) const {
  return somebody_talks_ && !c.network.perfect() ? shared_within(c) : std::nullopt;
}

/// Puts runs that stand apart last at each point of the grid.
void Cases::put_apart_last(std::vector<Asked>& all) const {
  const auto is_contestant = [&](const Asked& asked) {
    return !within_of(asked.one.configuration);
  };
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find_if(begin, all.end(), [&](const Asked& asked) {
      return asked.one.varied != begin->one.varied;
    });
    std::stable_partition(begin, end, is_contestant);
    begin = end;
  }
}

void Cases::resolve_case(Asked& asked, bool aloud) {
  Configuration& c = asked.one.configuration;
  const std::vector<std::string> lacking = not_measured_yet(c);
  const BegunCase* const begun = begun_ ? begun_(asked.one) : nullptr;
  if (begun != nullptr) recall_measured(*begun, c);
  const std::size_t batch =
      c.global_batch ? *c.global_batch / static_cast<std::size_t>(c.workers) : c.batch;
  // The data by their place: two files may have one name.
  const std::string key = fmt::format("{}\n{}\n{}", fmt::ptr(asked.one.data.get()),
                                      model_name(c, *asked.one.data), batch);
  const bool measured = !c.compute_time && c.time != TimeMode::wall;
  const Scheme& scheme = find_scheme(c.scheme);
  const bool own_coding = !takes(scheme, "codec") || c.encode_time || c.decode_time;
  const std::string coding_key = key + "\n" + ingredient_name(scheme, c.ingredients, "codec");
  if (const auto known = compute_times_.find(key); measured && known != compute_times_.end()) {
    c.compute_time = known->second;
    use_measured_coding_time(asked.one, coding_key);
  }
  in_case(asked.one, *asked.contestant, [&] {
    c = resolve(c, {c.scheme}, *asked.one.data,
                noting(asked.one.notes, [&](const std::string& text) {
                  if (aloud && !is_note(text)) say(text);
                }));
  });
  c.given = given();
  std::ranges::set_difference(lacking, not_measured_yet(c), std::back_inserter(asked.one.measured));
  asked.one.within = within_of(c);
  if (asked.one.within) asked.one.notes.push_back({"", apart_note(*asked.one.within)});
  // What a measurement gave rise to was said then.
  if (begun != nullptr) asked.one.notes = begun->notes;
  if (measured && c.compute_time) compute_times_.try_emplace(key, *c.compute_time);
  if (measured && !own_coding && c.encode_time && c.decode_time) {
    coding_times_.try_emplace(coding_key, CodingTime{*c.encode_time, *c.decode_time});
  }
}

/// The step sizes that tuning finds.
std::vector<std::string> Cases::tuned_of(const Case& one, const Contestant& contestant) const {
  const StepSizes how = request_.options.step_sizes;
  if (how == StepSizes::as_given) return {};
  const auto is_said = [&](const std::string& name) {
    const auto has = [&](const std::vector<OptionText>& settings) {
      return std::ranges::find(settings, name, &OptionText::option) != settings.end();
    };
    return std::ranges::count(request_.configuration.given, name) > 0 || has(one.varied) ||
           has(contestant.settings) || preset_sets(contestant.preset, name);
  };
  if (how == StepSizes::tuned_where_unsaid && is_said("lr")) return {};
  std::vector<std::string> names = step_sizes_of(one.configuration.scheme);
  std::erase_if(names, [&](const std::string& name) { return name != "lr" && is_said(name); });
  return names;
}

/// Coding time is measured once for all seeds and contestants with one codec and model.
void Cases::use_measured_coding_time(Case& one, const std::string& key) {
  Configuration& c = one.configuration;
  const Scheme& scheme = find_scheme(c.scheme);
  if (!takes(scheme, "codec") || !encodes(scheme, c.ingredients)) return;
  auto known = coding_times_.find(key);
  if (known == coding_times_.end()) {
    const auto model = make_model({model_name(c, *one.data), c.l2, c.l1}, one.data->train);
    const auto codec = make_codec(ingredient_name(scheme, c.ingredients, "codec"));
    known =
        coding_times_.emplace(key, measure_coding_time(*codec, model->scalar(), model->tensors()))
            .first;
  }
  if (!c.encode_time) c.encode_time = known->second.encode;
  if (!c.decode_time) c.decode_time = known->second.decode;
}

/// With those whom it is about: what is true of one contestant need not be so of another.
void Cases::say_notes(const std::vector<Case>& cases) {
  std::vector<NotedRun> noted;
  noted.reserve(cases.size());
  for (const Case& one : cases) {
    // Its data's, which come first, have been heard.
    const auto heard = std::ranges::count_if(one.data->remarks, is_note);
    const auto of_resolving =
        std::span(one.notes).subspan(std::min(one.notes.size(), static_cast<std::size_t>(heard)));
    noted.push_back({one.label, name_of(one), one.configuration.seed, of_resolving});
  }
  for (const Note& note : collated_notes(noted)) {
    const bool is_new = said_.insert(note.text).second;
    if (is_new && remark_) {
      remark_(note.about.empty() ? note.text : with_name(note.text, note.about));
    }
  }
}

/// An option that was given, and what a contestant or the grid sets, where it changes nothing.
void Cases::say_what_is_idle(const std::vector<Case>& cases) {
  std::vector<OptionSetting> settings;
  settings.reserve(cases.size());
  for (const Case& one : cases) {
    settings.push_back({one.configuration, find_scheme(one.configuration.scheme)});
  }
  for (const std::string& note : idle_notes(settings, given())) note_of_all({"", note});
  for (const Contestant& contestant : request_.contestants) {
    const auto first = std::ranges::find(cases, contestant.label, &Case::label);
    if (first == cases.end()) continue;
    std::vector<std::string> own;
    for (const OptionText& setting : contestant.settings) own.push_back(setting.option);
    const std::vector<OptionSetting> alone{
        {first->configuration, find_scheme(first->configuration.scheme)}};
    for (const std::string& note : idle_notes(alone, own)) {
      note_of_all({contestant.label, note});
    }
  }
}

std::vector<Case> Cases::all() {
  const bool seed_varies = std::ranges::count(request_.variations, "seed", &Variation::option) > 0;
  if (seed_varies && request_.options.seeds > 1) {
    throw OptionError("vary", "seed is what --seeds varies; one of them is accepted");
  }
  check_varied("vary", request_.variations, request_.contestants);
  std::vector<Case> cases;
  for (int k = 0; k < request_.options.seeds; ++k) {
    std::vector<Asked> asked = asked_of(k);
    somebody_lies_ = std::ranges::any_of(
        asked, [](const Asked& each) { return has_liars(each.one.configuration); });
    std::erase_if(asked, [&](Asked& each) { return !can_run(each); });
    for (const std::string& note : left_out_notes(left_out_)) note_of_all({"", note});
    if (asked.empty()) {
      throw OptionError("schemes", fmt::format("none of them can run this; the last one: {}",
                                               left_out_.back().reason));
    }
    choose_clock(asked);
    somebody_talks_ =
        std::ranges::any_of(asked, [](const Asked& each) { return talks(each.one.configuration); });
    put_apart_last(asked);
    for (Asked& each : asked) {
      resolve_case(each, k == 0);
      each.one.tuned = tuned_of(each.one, *each.contestant);
      cases.push_back(std::move(each.one));
    }
  }
  say_notes(cases);
  say_what_is_idle(cases);
  return cases;
}

}  // namespace

std::string name_of(const Case& one) {
  return name_at(one.label, one.varied);
}

std::filesystem::path folder_of(const Case& one) {
  return one.folder / file_name_of(one.label);
}

std::vector<Case> cases_of(const ComparisonRequest& request, const LoadedData* data,
                           const ComparisonHooks& hooks, std::vector<Note>& notes,
                           std::vector<LeftOut>& left_out) {
  return Cases(request, data, hooks, notes, left_out).all();
}

}  // namespace trainyard
