// A number out of a command's answer, worked out as a reader would.
//
//   rows[daly].interval_s / 60
//   log(rows[1].rounds / rows[0].rounds) / log(2)
//
// A name is a member of the document. [3] is an element by its place, [daly] the first element one
// of whose members is that word, or, of an object, the member of that name. Numbers, + - * / and
// brackets are as usual, log is the natural logarithm, and null is infinity: what never happened.
//
// Threads: any; a function of its arguments.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace trainyard {

/// Throws InternalError: "EXPRESSION: what is wrong".
double evaluated(std::string_view expression, const nlohmann::json& answer);

}  // namespace trainyard
