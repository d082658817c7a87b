#include "trainyard/analysis/training_time.hpp"

namespace trainyard {

namespace {

constexpr double operations_per_token = 8.0;  // and parameter
constexpr double a100 = 312e12;               // FLOP/s, dense, in bfloat16

}  // namespace

double training_time(const TrainingTask& task) {
  return operations_per_token * task.tokens * task.parameters /
         (task.devices * task.peak_flops * task.utilisation);
}

double utilisation_for(const TrainingTask& task, double seconds) {
  TrainingTask busy = task;
  busy.utilisation = 1.0;
  return training_time(busy) / seconds;
}

const std::vector<PublishedTraining>& published_trainings() {
  static const std::vector<PublishedTraining> table{
      {"GPT-3", {300e9, 175e9, 1024, a100, 140e12 / a100}, 34, "Narayanan et al. 2021"},
      {"GPT, 1 trillion", {450e9, 1e12, 3072, a100, 163e12 / a100}, 84, "Narayanan et al. 2021"},
      {"GPT-3", {300e9, 175e9, 1024, a100, 0.44}, 35, "Kun Yuan 2024; Narayanan et al. 2021"},
      {"LLaMA-65B", {1.4e12, 65e9, 2048, a100, 0.3}, 21, "Kun Yuan 2024; Touvron et al. 2023"},
  };
  return table;
}

}  // namespace trainyard
