#include "report/terminal.hpp"

#include <sys/ioctl.h>

namespace trainyard {

std::string cut_to_terminal(int descriptor, const std::string& line) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return line;
  std::size_t columns = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins_character = (static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U;
    if (begins_character && ++columns == size.ws_col) return line.substr(0, i);
  }
  return line;
}

}  // namespace trainyard
