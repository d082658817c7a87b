// The pages of the lab: an index, a story for each definition, and one with everything.
//
// Threads: any may call anything at any time; what a page shows first is worked out once.
#pragma once

#include <filesystem>
#include <functional>
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
  /// The page of "/", "/free" or "/lab/NAME"; empty where there is none.
  std::optional<std::string> page(const std::string& path);

  /// The same pages as files, whose answers to all positions of their sliders (thinned) are in
  /// them: page name → HTML, in the order of `told`, which hears of each before it is made. There
  /// is no free page: it needs somebody who computes.
  void export_pages(
      const std::function<void(const std::string& name, const std::string& html)>& take,
      const std::function<void(const std::string&)>& told, const std::atomic<bool>& interrupted);

  /// "index.html", "straggler.html", …
  static std::vector<std::string> exported_names();

 private:
  std::string lab_page(const LabDefinition& lab);
  std::string free_page();
  std::string first_answer(const std::string& question);

  LabData data_;                                // generated sets
  std::mutex mutex_;                            // guards what follows
  std::map<std::string, std::string> answers_;  // question → document
};

}  // namespace trainyard
