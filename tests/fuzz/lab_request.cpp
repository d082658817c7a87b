// What a browser sends to the lab: an HTTP request, or, where it begins with '{', a question alone.
// The question is refused with a UsageError, or it is within the lab's bounds; it is not run.
#include <algorithm>
#include <array>
#include <string>

#include <sys/socket.h>

#include "trainyard/base/descriptor.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/run/run.hpp"

#include "check.hpp"
#include "web/http_server.hpp"
#include "web/lab_limits.hpp"
#include "web/lab_question.hpp"

namespace trainyard {

namespace {

std::shared_ptr<const UploadedData> no_upload(std::string_view) {
  return nullptr;
}

void check_bounds(const LabQuestion& question) {
  const Configuration& common = question.request.configuration;
  require(question.request.contestants.size() <= most_lab_contestants, "many contestants");
  require(question.request.options.seeds <= most_lab_seeds, "many seeds");
  require(question.request.options.step_sizes == StepSizes::as_given, "tuned");
  for (const Contestant& contestant : question.request.contestants) {
    Configuration c = common;
    apply(contestant.settings, c);
    require(c.workers <= most_lab_workers && c.servers <= most_lab_workers, "many workers");
    require(c.time == TimeMode::simulated && c.compute_time, "the machine's clock");
    require(origin_of(c.dataset) == DataOrigin::generated, "a file of data");
    require(c.test.empty() || c.test == "every-fifth", "a test file");
    require(c.labels.empty() && c.test_labels.empty() && c.network.links.empty(), "a file");
    require(c.out.empty() && c.trace.empty() && !c.force && !c.force_memory, "an output");
    const std::string graph = ingredient_name(c.ingredients, "topology");
    require(!graph.starts_with("file") && !graph.starts_with("digraph"), "a graph's file");
  }
}

void ask(std::string_view body) {
  static const LoadedData data{"input", generate_dense_logistic(64, 8, 1), {}};
  try {
    LabQuestion question = parse_lab_question(body, no_upload);
    check_bounds(question);
    bound_lab_question(question, data);
    check_bounds(question);
  } catch (const UsageError& error) {  // the question is bad, and said to be
    (void)option_of(error);
  }
}

HttpAnswer answer(const HttpRequest& request) {
  require(request.method == "POST" || request.body.empty(), "a body that was not read");
  ask(request.body);
  return {.type = "text/plain", .body = request.path};
}

std::optional<HttpAnswer> admit(const HttpRequest& request) {
  if (request.path != "/refused") return std::nullopt;
  return HttpAnswer{.status = 403, .type = "text/plain", .body = "no"};
}

/// As it would come over a network, and then nothing more.
void send(std::string_view bytes) {
  static HttpServer server({}, {.admit = admit, .answer = answer});
  std::array<int, 2> ends{};
  require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0, "no sockets");
  const Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  const ssize_t sent = ::send(ours.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  require(sent == static_cast<ssize_t>(bytes.size()), "a socket without room");
  shutdown(ours.number(), SHUT_WR);
  server.attend(theirs.number());
  std::array<char, 65536> text{};
  const ssize_t count = recv(ours.number(), text.data(), text.size(), 0);
  if (count <= 0) return;  // it ended in the head
  const std::string_view answered(text.data(), static_cast<std::size_t>(count));
  require(answered.starts_with("HTTP/1.1 "), "an answer that is none");
}

}  // namespace

}  // namespace trainyard

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  const std::string_view text = as_text(data, size);
  if (text.starts_with("{")) {
    ask(text);
  } else {
    send(text);
  }
  return 0;
}
