#include "trainyard/model/gradient_parts.hpp"

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

std::vector<Stage> layers_of(const Model& model) {
  const LayeredModel* const layered = model.layered();
  if (layered == nullptr) return {};
  const Stage all = layered->stage_of({0, model.dimension()});
  return layered->cut(static_cast<int>(all.layers));
}

std::vector<GradientPart> parts_of(const Model& model, std::span<const Stage> layers) {
  if (layers.empty()) return {{.parameters = {0, model.dimension()}}};
  std::vector<GradientPart> parts;
  double done = 0.0;
  for (const Stage& layer : layers) done += layer.forward;
  for (std::size_t l = layers.size(); l-- > 0;) {
    done += layers[l].backward;
    parts.push_back({.number = parts.size(), .parameters = layers[l].parameters, .done = done});
  }
  parts.back().done = 1.0;  // but for rounding it is
  return parts;
}

}  // namespace

std::vector<GradientPart> gradient_parts(const Model& model) {
  return parts_of(model, layers_of(model));
}

GradientInParts::GradientInParts(const Model& model)
    : model_(model),
      layers_(layers_of(model)),
      workspaces_(layers_.empty() ? 1 : layers_.size()),
      inputs_(layers_.size()) {
  parts_ = parts_of(model, layers_);
}

void GradientInParts::go_forward(ConstVector parameters, Batch batch) {
  std::span<const float> units;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    inputs_[l] = units;
    const auto [first, count] = layers_[l].parameters;
    units = model_.layered()->forward(layers_[l], parameters.subspan(first, count), batch,
                                      inputs_[l], workspaces_[l]);
  }
  slopes_ = {};
}

void GradientInParts::compute(const GradientPart& part, ConstVector parameters, Batch batch,
                              Vector gradient) {
  if (layers_.empty()) {
    model_.gradient(parameters, batch, gradient, workspaces_.front());
    return;
  }
  if (part.number == 0) go_forward(parameters, batch);
  const std::size_t l = layers_.size() - 1 - part.number;
  const auto [first, count] = part.parameters;
  slopes_ =
      model_.layered()->backward(layers_[l], parameters.subspan(first, count), batch, inputs_[l],
                                 slopes_, gradient.subspan(first, count), workspaces_[l]);
}

}  // namespace trainyard
