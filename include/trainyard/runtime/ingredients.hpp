// The components that a run was given, one of each kind that its scheme takes: the graph of a
// gossip, the way of an all-reduce. The kinds are declared in scheme/ingredient.hpp.
//
// Threads: any number may look at once; put() is called before the ranks start.
#pragma once

#include <any>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "trainyard/base/error.hpp"

namespace trainyard {

/// A component is asked for of a kind that the scheme's row does not take.
class NotTaken : public UsageError {
 public:
  explicit NotTaken(const std::string& kind)
      : UsageError(".takes: it asks for a " + kind + ", which needs .takes = {\"" + kind + "\"}") {}
};

class Ingredients {
 public:
  template <typename Component>
  void put(std::string kind, std::shared_ptr<const Component> component) {
    of_kind_.insert_or_assign(std::move(kind), std::move(component));
  }

  /// nullptr where there is none of that kind. REQUIRES: a component of the kind is of that type.
  template <typename Component>
  const Component* find(std::string_view kind) const {
    const auto found = of_kind_.find(kind);
    if (found == of_kind_.end()) return nullptr;
    const auto* component = std::any_cast<std::shared_ptr<const Component>>(&found->second);
    if (component == nullptr) {  // in line, so that who analyses a caller sees that it throws
      throw InternalError("a component of a kind is asked for as another type");
    }
    return component->get();
  }

  /// Throws NotTaken where there is none of that kind.
  template <typename Component>
  const Component& get(std::string_view kind) const {
    const Component* found = find<Component>(kind);
    if (found == nullptr) throw NotTaken(std::string(kind));
    return *found;
  }

 private:
  std::map<std::string, std::any, std::less<>> of_kind_;
};

}  // namespace trainyard
