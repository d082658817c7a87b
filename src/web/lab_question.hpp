// A question of the lab: a page's JSON into a comparison that is bounded in what it costs and
// touches neither files nor the machine's clock.
//
//   {"schemes": "ring,gossip{topology=torus}", "lab": "ports-and-latency",
//    "options": {"latency": "1ms", "workers": "8"}, "data": "TOKEN", "seeds": 1,
//    "client": "a window's name", "question": 17}
//
// All of it may be left out. `options` are the program's own, as on the command line; without
// `schemes` it is the lab's contestants, or the six of `compare`. The comparison is the one that
// the command line makes of the same, except that time is always virtual, and that where nobody
// says otherwise a minibatch is taken to need 1 ms and evaluations are as far apart as a page can
// show. A lab says all of these, so that its page and `compare lab:NAME` have the same figures.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "trainyard/base/error.hpp"
#include "trainyard/study/comparison.hpp"

#include "web/lab_data.hpp"

namespace trainyard {

struct LabQuestion {
  ComparisonRequest request;
  std::shared_ptr<const UploadedData> upload;  // its data set; null: a generated one
  std::string client;                          // empty: it is nobody's
  std::uint64_t number = 0;                    // of that client's questions; a later one is larger
};

using FindUpload = std::function<std::shared_ptr<const UploadedData>(std::string_view token)>;

/// Throws UsageError.
LabQuestion parse_lab_question(std::string_view body, const FindUpload& find_upload);

/// Checks that need the data: sizes, work, evaluations. Throws UsageError.
void bound_lab_question(LabQuestion& question, const LoadedData& data);

/// Throws OptionError where a question may not set the option, or not to this.
void check_lab_option(const OptionText& setting);

/// The option that the message is about, empty where it is about none: "latency".
std::string option_of(const UsageError& error);

}  // namespace trainyard
