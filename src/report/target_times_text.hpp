// Times to a target, as advice says them.
//
// Threads: any; functions of their arguments.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "trainyard/study/target_times.hpp"

namespace trainyard {

/// Who is there first, in a line.
std::string first_at_target_sentence(const TargetTimes& times);
/// What is not ranked, is left out, or is rough; a line each.
std::string remarks_on(const TargetTimes& times);
/// That, and a table with a way to talk a row.
std::string target_times_text(const TargetTimes& times);
/// The member "target" of advice_json().
nlohmann::ordered_json target_times_object(const TargetTimes& times);

}  // namespace trainyard
