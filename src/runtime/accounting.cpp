#include "runtime/accounting.hpp"

#include <algorithm>
#include <utility>

#include "trainyard/network/switch.hpp"

namespace trainyard {

RuntimeReport closed_report(std::vector<RankAccount> accounts, const std::vector<Time>& ended) {
  RuntimeReport report;
  report.elapsed = *std::ranges::max_element(ended);
  for (std::size_t r = 0; r < accounts.size(); ++r) {
    RankAccount& account = accounts[r];
    account.compute = ended[r] - account.transfer - account.wait;
    account.wait += report.elapsed - ended[r];
  }
  report.accounts = std::move(accounts);
  return report;
}

RankAccount total_traffic(const std::vector<RankAccount>& accounts) {
  RankAccount total;
  for (const RankAccount& account : accounts) {
    total.messages_sent += account.messages_sent;
    total.bytes_sent += account.bytes_sent;
    total.messages_received += account.messages_received;
    total.bytes_received += account.bytes_received;
  }
  return total;
}

void finish_recording(TraceRecorder& recorder, Switch& network, const std::vector<Time>& ended) {
  network.advance(Time::max() - Time{1},
                  [&](const Transfer& transfer) { recorder.message(transfer); });
  recorder.finish(ended);
}

}  // namespace trainyard
