#include "trainyard/base/version.hpp"

namespace trainyard {

std::string_view version() {
  return TRAINYARD_VERSION;
}

}  // namespace trainyard
