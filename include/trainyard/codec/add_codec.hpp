// Codecs of one's own, beside those of the table.
//
//   add_codec({.name = "halves", .summary = "…", .wire = "16d", .error = "…", .source = "mine"},
//             [](std::string_view) { return std::make_shared<const Halves>(); });
//
// Threads: by one, while nothing else is going on.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "trainyard/codec/codec.hpp"

namespace trainyard {

/// As CodecInfo::make, with something of its own. Called by any thread.
using CodecMaker = std::function<std::shared_ptr<const Codec>(std::string_view argument)>;

/// Adds a codec, which every command then knows by its name; in the place of one of the same name
/// that was added before. `make` is called where the row has no function of its own. Throws
/// UsageError for a name that cannot be typed or is there already, and for a row that says neither
/// how it is made nor what it does.
void add_codec(CodecInfo row, CodecMaker make = {});

}  // namespace trainyard
