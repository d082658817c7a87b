// Words of one file in the encoding of another. Files are read as bytes, so that "Köln" in UTF-8
// and in Latin-1 are two words.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// UTF-8 of text in Latin-1, or Latin-1 of text in UTF-8. Empty where it is all ASCII, or UTF-8
/// with characters that Latin-1 has not.
std::string in_other_encoding(std::string_view text);

}  // namespace trainyard
