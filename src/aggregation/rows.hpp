// The rows of the table of aggregations, each defined in the file of its own name.
#pragma once

#include "trainyard/aggregation/aggregator.hpp"

namespace trainyard {

AggregationInfo bucketing_step();
AggregationInfo nearest_neighbour_mixing_step();
AggregationInfo clip_step();
AggregationInfo adaptive_clip_step();
AggregationInfo mean_rule();
AggregationInfo median_rule();
AggregationInfo trimmed_mean_rule();
AggregationInfo mean_around_median_rule();
AggregationInfo krum_rule();
AggregationInfo multi_krum_rule();
AggregationInfo bulyan_rule();
AggregationInfo geometric_median_rule();
AggregationInfo centered_clip_rule();
AggregationInfo mda_rule();

}  // namespace trainyard
