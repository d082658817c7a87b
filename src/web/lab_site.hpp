// The pages of the lab: an index, a story for each definition, and one with everything.
//
// Threads: any may call anything at any time; what a page shows first is worked out once, by who
// asks for it first, and others who ask for the same page wait for it.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "web/lab_data.hpp"
#include "web/lab_definition.hpp"

namespace trainyard {

class LabSite {
 public:
  /// `interrupted` ends whatever is being worked out, and must outlive this. With `untold` no page
  /// says what is right, nor what its picture shows (without_answers()).
  explicit LabSite(const std::atomic<bool>& interrupted, bool untold = false)
      : interrupted_(interrupted), untold_(untold) {}

  /// The page of "/", "/free" or "/lab/NAME"; empty where there is none. Throws Interrupted.
  std::optional<std::string> page(const std::string& path);

  /// The pages as files, or that of the lab `only` where it is not empty, whose answers to all
  /// positions of their sliders, thinned to so many, are in them (48: a page of about 2 MB, a
  /// minute of computing for all): file name → text, in the order of `told`, which hears of each
  /// before it is made. The pages' scripts come before the first, and the index last, so that its
  /// links lead somewhere even after an interrupt. There is no free page: it needs somebody who
  /// computes. One lab alone has no index, and nowhere to go to. Throws Interrupted, and UsageError
  /// for a name that is no lab's.
  void export_pages(
      const std::string& only,
      const std::function<void(const std::string& name, const std::string& html)>& take,
      const std::function<void(const std::string&)>& told, std::size_t most_positions = 48);

  /// "index.html", "trainyard.js", "straggler.html", …
  static std::vector<std::string> exported_names(const std::string& only);

 private:
  std::string lab_page(const LabDefinition& lab);
  std::string free_page();
  std::string first_answer(const std::string& question);

  std::string computed(const std::string& question);
  std::string definition_of(const LabDefinition& lab) const;
  nlohmann::json free_href() const;

  const std::atomic<bool>& interrupted_;
  const bool untold_;
  LabData data_;      // generated sets
  std::mutex mutex_;  // guards what follows
  /// Question → document, or who waits for it.
  std::map<std::string, std::shared_future<std::string>> answers_;
};

}  // namespace trainyard
