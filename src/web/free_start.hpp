// What the file of a lab says, as the free page has it: contestants as they are typed, and options.
//
//   {"schemes": "ring,ps-async{lr=0.125}", "options": {"workers": "8", "gradient-noise": ""}}
//
// A question (lab_question.hpp) of both is that of the lab, but for options that the lab's server
// takes from its files alone, as they make an answer slow (optimum, gradient-noise).
//
// Threads: any; a function of its argument.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "trainyard/configuration/labs.hpp"

namespace trainyard {

/// A contestant is typed as its label where that is what it is, so that curves keep their names. A
/// switch that is on has an empty text, as the page's form has it.
nlohmann::ordered_json free_start(const Lab& lab);

}  // namespace trainyard
