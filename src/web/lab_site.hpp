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

#include "web/lab_data.hpp"
#include "web/lab_definition.hpp"

namespace trainyard {

class LabSite {
 public:
  /// `interrupted` ends whatever is being worked out, and must outlive this.
  explicit LabSite(const std::atomic<bool>& interrupted) : interrupted_(interrupted) {}

  /// The page of "/", "/free" or "/lab/NAME"; empty where there is none. Throws Interrupted.
  std::optional<std::string> page(const std::string& path);

  /// The pages as files, whose answers to all positions of their sliders, thinned to so many, are
  /// in them (48: a page of about 5 MB, a minute of computing for all): page name → HTML, in the
  /// order of `told`, which hears of each before it is made. The index comes last, so that its
  /// links lead somewhere even after an interrupt. There is no free page: it needs somebody who
  /// computes. Throws Interrupted.
  void export_pages(
      const std::function<void(const std::string& name, const std::string& html)>& take,
      const std::function<void(const std::string&)>& told, std::size_t most_positions = 48);

  /// "index.html", "straggler.html", …
  static std::vector<std::string> exported_names();

 private:
  std::string lab_page(const LabDefinition& lab);
  std::string free_page();
  std::string first_answer(const std::string& question);

  std::string computed(const std::string& question);

  const std::atomic<bool>& interrupted_;
  LabData data_;      // generated sets
  std::mutex mutex_;  // guards what follows
  /// Question → document, or who waits for it.
  std::map<std::string, std::shared_future<std::string>> answers_;
};

}  // namespace trainyard
