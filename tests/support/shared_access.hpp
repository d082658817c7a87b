// The ways to change a shared model, for tests that go over all of them.
#pragma once

#include <array>

#include "trainyard/runtime/shared_model.hpp"

namespace trainyard::test {

inline constexpr std::array all_accesses{SharedAccess::racy, SharedAccess::cas_add,
                                         SharedAccess::locked};

}  // namespace trainyard::test
