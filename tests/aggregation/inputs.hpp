// Vectors for the tests of aggregations and attacks, and what these make of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/aggregation/aggregator.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/base/vector.hpp"

namespace trainyard::test {

using Numbers = std::vector<double>;

/// n vectors of one length, in memory of their own.
struct Inputs {
  std::vector<VectorBuffer> buffers;
  std::vector<ConstVector> views;
  std::vector<Vector> written;

  Inputs(const std::vector<Numbers>& rows, Scalar scalar = Scalar::float64) {
    for (const Numbers& row : rows) {
      buffers.push_back(VectorBuffer::zeroed(scalar, row.size()));
      with_scalar(scalar, [&]<typename T>(T) {
        std::ranges::transform(row, buffers.back().view().as<T>().begin(),
                               [](double value) { return static_cast<T>(value); });
      });
    }
    for (VectorBuffer& buffer : buffers) {
      written.push_back(buffer.view());
      views.emplace_back(buffer.view());
    }
  }
  std::size_t length() const { return buffers.front().size(); }
};

inline Numbers numbers_of(ConstVector v) {
  Numbers result;
  with_scalar(v.scalar(), [&]<typename T>(T) {
    for (const T value : v.as<T>()) result.push_back(static_cast<double>(value));
  });
  return result;
}

inline std::vector<Numbers> random_rows(std::size_t n, std::size_t d, RandomStream& random) {
  std::vector<Numbers> rows(n, Numbers(d));
  for (Numbers& row : rows) {
    for (double& value : row) value = random.normal();
  }
  return rows;
}

/// A step by its text, without a look at n.
inline std::shared_ptr<const AggregationStep> step_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto found =
      std::ranges::find(aggregations(), text.substr(0, colon), &AggregationInfo::name);
  return found->make(colon == std::string_view::npos ? found->fallback : text.substr(colon + 1));
}

/// What a chain makes of vectors from a result of 0 on, whatever its bound says of n.
inline Numbers combined(std::string_view text, const Inputs& inputs, AggregatorScratch& scratch) {
  VectorBuffer result = VectorBuffer::zeroed(inputs.views.front().scalar(), inputs.length());
  std::vector<std::shared_ptr<const AggregationStep>> steps;
  std::string rest(text);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('+'), rest.size());
    steps.push_back(step_of(std::string_view(rest).substr(0, end)));
    rest.erase(0, end + 1);
  }
  const Aggregator aggregator(std::move(steps), static_cast<int>(inputs.views.size()));
  aggregator.combine(inputs.views, scratch, result.view());
  return numbers_of(result.view());
}
inline Numbers combined(std::string_view text, const std::vector<Numbers>& rows,
                        Scalar scalar = Scalar::float64) {
  AggregatorScratch scratch(RandomStream(1, Purpose::scheme));
  return combined(text, Inputs(rows, scalar), scratch);
}

/// What one step makes of vectors.
inline std::vector<Numbers> stepped(std::string_view text, const std::vector<Numbers>& rows,
                                    AggregatorScratch& scratch) {
  const auto step = step_of(text);
  const Inputs in(rows);
  const auto count = static_cast<std::size_t>(step->results(static_cast<int>(rows.size())));
  Inputs out(std::vector<Numbers>(count, Numbers(in.length())));
  step->apply(in.views, 0, out.written, scratch);
  std::vector<Numbers> result;
  for (const ConstVector v : out.views) result.push_back(numbers_of(v));
  return result;
}

inline double largest(const Numbers& a) {
  double most = 0.0;
  for (const double value : a) most = std::max(most, std::abs(value));
  return most;
}
/// max_k |a_k − b_k|, infinite where one is not a number.
inline double gap(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = std::abs(a[k] - b[k]);
    most = std::isnan(difference) ? INFINITY : std::max(most, difference);
  }
  return most;
}

/// A text of each rule and step of the table for 11 vectors, 2 of them lies.
inline std::string sample_text(const AggregationInfo& info) {
  if (info.argument.empty() || !info.fallback.empty()) return info.name;
  return info.name + ":2";
}
/// A chain of each: a step with a rule behind it, which is the median.
inline std::vector<std::string> sample_chains() {
  std::vector<std::string> chains;
  for (const AggregationInfo& info : aggregations()) {
    const std::string text = sample_text(info);
    chains.push_back(step_of(text)->is_rule() ? text : text + "+median");
  }
  return chains;
}

}  // namespace trainyard::test
