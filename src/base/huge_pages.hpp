#pragma once

#include <cstddef>

namespace trainyard {

/// The size of a huge page on x86-64 and most other processors.
inline constexpr std::size_t huge_page = std::size_t{2} << 20U;

/// Less memory stays on small pages: what is lost at the end of the last huge page could be as much
/// as the memory itself, and a small data set would have to clear more than it fills.
inline constexpr std::size_t smallest_on_huge_pages = 4 * huge_page;

}  // namespace trainyard
