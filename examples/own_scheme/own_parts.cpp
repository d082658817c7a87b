// A model, a topology and a codec of one's own in one file, and the ordinary program that knows
// them beside the published ones:
//
//   own_parts compare --schemes gossip:office,gossip:ring --workers 4 --model huber --dataset F.csv
//   own_parts run --scheme ec-sgd --codec halves
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "trainyard/app/program.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/codec/add_codec.hpp"
#include "trainyard/model/add_model.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/topology/add_topology.hpp"

namespace {

using namespace trainyard;

/// Linear regression whose loss is |x·w − y| − ½ beyond 1, and ½ (x·w − y)² within (Huber 1964).
class Huber final : public Model {
 public:
  Huber(const Penalties& penalties, std::size_t features)
      : features_(features), penalties_(penalties) {}

  std::size_t dimension() const override { return features_; }
  void initialize(Vector parameters, std::uint64_t /*seed*/) const override {
    kernels::set_to_zero(parameters);
  }

  void gradient(ConstVector parameters, Batch batch, Vector gradient,
                Workspace& /*workspace*/) const override {
    kernels::copy(parameters, gradient);
    kernels::scale(penalties_.l2, gradient);
    const double share = 1.0 / static_cast<double>(row_count(batch));
    for_each_row(parameters, batch, [&](ConstVector row, double off, double weight) {
      kernels::axpy(share * weight * std::fmax(-1.0, std::fmin(off, 1.0)), row, gradient);
    });
  }

  Tally evaluate(ConstVector parameters, Batch batch, Workspace& /*workspace*/) const override {
    Tally tally;
    for_each_row(parameters, batch, [&](ConstVector /*row*/, double off, double weight) {
      const double far = std::fabs(off);
      tally.loss_sum += weight * (far <= 1.0 ? off * off / 2 : far - 0.5);
      tally.weight += weight;
      ++tally.rows;
    });
    return tally;
  }

  double penalty(ConstVector parameters) const override {
    const std::span<const float> w = parameters.floats();
    return 0.5 * penalties_.l2 * static_cast<double>(kernels::dot(w, w));
  }

 private:
  template <typename Visit>
  static void for_each_row(ConstVector parameters, Batch batch, const Visit& visit) {
    for (const RowRange& range : batch) {
      const Dataset& data = *range.data;
      for (std::size_t r = range.first; r < range.first + range.count; ++r) {
        const std::span<const float> row = data.dense_row(r);
        const double off = kernels::dot(row, parameters.floats()) - data.targets[r];
        visit(row, off, data.weight_of(r));
      }
    }
  }

  std::size_t features_;
  Penalties penalties_;
};

OwnModel huber() {
  return {.name = "huber",
          .summary = "linear regression that outliers pull with force 1",
          .real_labels = true,
          .make = [](const Penalties& penalties, const Dataset& train) -> std::unique_ptr<Model> {
            if (train.sparse || penalties.l1 > 0.0) {
              throw OptionError("model", "huber", "it takes dense rows, and no --l1");
            }
            return std::make_unique<Huber>(penalties, train.features);
          }};
}

/// Four desks around a table: everybody averages with both neighbours.
Topology office(const TopologyRequest& asked) {
  if (asked.ranks != 4) throw UsageError("office: it is of 4 workers");
  const double third = 1.0 / 3.0;
  const std::vector<double> weights{third, third, 0,     third,  //
                                    third, third, third, 0,      //
                                    0,     third, third, third,  //
                                    third, 0,     third, third};
  return {"", {matrix_of_weights(asked.ranks, weights)}};
}

/// The upper half of each float: sign, exponent and 7 bits, without rounding.
class Halves final : public Codec {
 public:
  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    if (scalar != Scalar::float32) throw UsageError("halves: it takes floats");
    std::size_t floats = 0;
    for (const TensorShape& shape : shapes) floats += shape.rows * shape.columns;
    return 2 * floats;
  }
  std::size_t encode(ConstVector x, TensorShapes /*shapes*/, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::memcpy(&wire[2 * i], x.bytes().data() + 4 * i + 2, 2);
    }
    return 2 * x.size();
  }
  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes /*shapes*/,
                  Vector sum) const override {
    if (wire.size() != 2 * sum.size()) throw MalformedMessage("halves: two bytes a number");
    for (std::size_t i = 0; i < sum.size(); ++i) {
      float value = 0.0F;
      std::memcpy(reinterpret_cast<std::byte*>(&value) + 2, &wire[2 * i], 2);
      sum.floats()[i] += static_cast<float>(scale) * value;
    }
  }
  bool unbiased() const override { return false; }
  double error_bound(std::size_t /*length*/) const override { return 1.0 / 16384; }  // (2⁻⁷)²
};

CodecInfo halves() {
  return {.name = "halves",
          .summary = "the upper half of each float",
          .wire = "16d",
          .error = "at most 2⁻¹⁴ ‖x‖², towards zero",
          .source = "an example"};
}

}  // namespace

int main(int argc, char** argv) {
  return run_program_with(argc, argv, [] {
    add_model(huber());
    add_topology({.name = "office", .summary = "four desks around a table"}, office);
    add_codec(halves(), [](std::string_view) { return std::make_shared<const Halves>(); });
  });
}
