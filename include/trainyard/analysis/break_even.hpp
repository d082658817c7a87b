// Does compression pay here? The bandwidth below which a step with encoded vectors is shorter than
// one with vectors as they are: above it, encoding takes longer than the bytes it saves.
//
// Both are the sustained steps of prediction.hpp, of the scheme with the codec and of the same
// scheme with `identity`. What a codec does to the number of steps that training takes is not in
// it: `compare --target-loss` shows that.
//
// Threads: the calling one, and those that the runs start, which have ended when it returns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/runtime/coder.hpp"

namespace trainyard {

struct BreakEven {
  Contestant scheme;
  std::string codec;
  CodingTime coding;                         // of a parameter
  double plain_step_s = 0.0, step_s = 0.0;   // at the setting's own bandwidth
  double plain_bytes = 0.0, bytes = 0.0;     // a step, of all ranks together
  bool always = false, never = false;        // it pays at any bandwidth, or at none
  std::optional<double> bytes_per_second{};  // else: below this, to a thousandth
};

/// A scheme that encodes, and by which codec.
struct CodedScheme {
  Contestant scheme;
  std::string codec;
};

/// Each scheme that `names` says (predicted_contestants()) with each of the `codecs`; a name that
/// says a codec, like "csgd:sign", with that one alone. Without names one of each way to send;
/// without codecs all whose messages have one length. Over the topology that is `given`, or a ring,
/// unless the name says one. Throws UsageError, naming --schemes, for a scheme that encodes
/// nothing, and naming --codec where each name has a codec and others are given.
std::vector<CodedScheme> coded_schemes(std::string_view names,
                                       const std::vector<std::string>& codecs = {},
                                       const IngredientNames& given = {});

/// Of one scheme and codec. Throws as predict() does.
BreakEven break_even(const Contestant& scheme, const std::string& codec,
                     const PredictionSetting& setting);

}  // namespace trainyard
