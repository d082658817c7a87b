// A connection that says what no well-behaved client does.
#pragma once

#include <string>
#include <string_view>

#include "trainyard/base/descriptor.hpp"

namespace trainyard {

class RawConnection {
 public:
  /// To 127.0.0.1.
  explicit RawConnection(int port);

  /// False when the other side has closed.
  bool send(std::string_view bytes) const;
  /// Nobody sends any more from here.
  void end_sending() const;
  /// Whether the other side has closed, or something has arrived, by now.
  bool has_news() const;
  /// Everything until the other side closes.
  std::string rest() const;

 private:
  Descriptor socket_;
};

/// Sends `text` on a connection of its own and returns the whole answer.
std::string raw_answer(int port, std::string_view text);

/// 404 of "HTTP/1.1 404 Not Found…"; 0 where it is nothing of the kind.
int raw_status(const std::string& answer);

}  // namespace trainyard
