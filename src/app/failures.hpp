// Several things to do of which each shall be tried, whatever becomes of the others.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/standard_streams.hpp"

namespace trainyard::app {

/// One line on standard error, of any text.
inline void complain(std::string_view message) {
  say("trainyard: " + shortened(printable(message)) + "\n");
}

inline void complain(const std::exception& error) {
  const bool of_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  complain(of_memory ? "not enough memory for this data set, model and number of workers"
                     : std::string_view(error.what()));
}

class Failures {
 public:
  /// Keeps what `action` throws. Of a second failure there is a message at once.
  template <typename Action>
  void attempt(const Action& action) {
    try {
      action();
    } catch (const std::exception& error) {
      if (first_) {
        complain(error);
      } else {
        first_ = std::current_exception();
      }
    }
  }
  /// Throws the first one, if there was any.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

}  // namespace trainyard::app
