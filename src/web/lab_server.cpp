#include "web/lab_server.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tbb/task_arena.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/report/json_text.hpp"
#include "trainyard/web/page.hpp"

#include "web/lab_answer.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* compare_path = "/api/compare";
constexpr const char* report_path = "/api/report";
constexpr const char* data_path = "/api/data";
constexpr const char* json_type = "application/json";
constexpr const char* bytes_type = "application/octet-stream";
/// A question with all options is 3 kB.
constexpr std::size_t most_question_bytes = std::size_t{64} * 1024;

HttpAnswer error_answer(int status, std::string_view message, const std::string& option = "") {
  Json json{{"error", shortened(printable(message))}};
  if (!option.empty()) json["option"] = option;
  return {.status = status, .type = json_type, .body = json_line(json)};
}

HttpAnswer busy_answer(std::string_view why) {
  HttpAnswer answer = error_answer(503, fmt::format("busy: {}", why));
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

HttpAnswer method_answer(const char* allowed) {
  HttpAnswer answer = error_answer(405, fmt::format("here there is only {}", allowed));
  answer.headers.emplace_back("Allow", allowed);
  return answer;
}

/// Scripts and styles stand in the page; a page loads nothing, and asks only this server.
std::vector<std::pair<std::string, std::string>> security_headers() {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
           "connect-src 'self'; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; "
           "form-action 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

/// One for each core: more would only make each later.
QueueLimits queue_limits(const LabServerOptions& options) {
  return {.at_once = std::max(1, tbb::this_task_arena::max_concurrency()),
          .budget = options.budget};
}

/// The length that a header says; empty where it is no number.
std::optional<std::size_t> length_of(const std::string& text) {
  std::size_t length = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, length);
  return error == std::errc() && at == end ? std::optional(length) : std::nullopt;
}

bool is_api(const std::string& path) {
  return path == compare_path || path == report_path || path == data_path;
}

/// Whether somebody opens a page by a link, wherever that stands. To frame it or to read it is
/// another thing, which the answer's headers and the browser deny.
bool follows_link(const HttpRequest& request) {
  const auto says = [&](const char* name, std::string_view value) {
    const std::string* found = request.header(name);
    return found != nullptr && request.headers.count(name) == 1 && *found == value;
  };
  return request.method == "GET" && !is_api(request.path) && says("sec-fetch-mode", "navigate") &&
         says("sec-fetch-dest", "document");
}

/// The refusal of a body that is not to be read; empty where it is to be.
std::optional<HttpAnswer> refuse_body(const HttpRequest& request) {
  const bool is_question = request.path != data_path;
  const std::size_t most = is_question ? most_question_bytes : LabData::most_upload_bytes;
  const std::string type = is_question ? json_type : bytes_type;
  if (request.header("transfer-encoding") != nullptr) {
    return error_answer(411, "a body without a length; Content-Length is needed");
  }
  const std::string* length = request.header("content-length");
  if (length == nullptr) return error_answer(411, "no Content-Length");
  const auto bytes = length_of(*length);
  if (!bytes || request.headers.count("content-length") > 1) {
    return error_answer(400, "Content-Length is no number");
  }
  if (*bytes > most) {
    return error_answer(
        413, fmt::format("a body of {} bytes; {} takes up to {}", *bytes, request.path, most));
  }
  if (request.header("content-encoding") != nullptr) {
    return error_answer(415, "a packed body; it is taken as it is");
  }
  const std::string* found = request.header("content-type");
  if (found == nullptr || found->substr(0, found->find(';')) != type) {
    return error_answer(415, fmt::format("{} takes Content-Type: {}", request.path, type));
  }
  return std::nullopt;
}

}  // namespace

LabServer::LabServer(LabPages pages, const LabServerOptions& options)
    : pages_(std::move(pages)),
      options_(options),
      queue_(queue_limits(options)),
      http_({.address = options.address,
             .port = options.port,
             .timeout = options.timeout,
             .headers = security_headers()},
            {.admit = [this](const HttpRequest& request) { return admit(request); },
             .answer = [this](const HttpRequest& request) { return answer(request); }}) {}

std::optional<HttpAnswer> LabServer::refuse_stranger(const HttpRequest& request) const {
  const std::string* host = request.header("host");
  if (host == nullptr || request.headers.count("host") > 1 || !is_our_host(*host)) {
    return error_answer(421, fmt::format("this is {}, and nothing is served here under another "
                                         "host's name",
                                         url()));
  }
  const std::string* origin = request.header("origin");
  const bool is_ours =
      origin == nullptr || (request.headers.count("origin") == 1 &&
                            origin->starts_with("http://") && is_our_host(origin->substr(7)));
  const std::string* site = request.header("sec-fetch-site");
  const bool is_same = site == nullptr || *site == "same-origin" || *site == "none";
  if (is_ours && (is_same || follows_link(request))) return std::nullopt;
  return error_answer(403, fmt::format("a page of another site asks; open {} itself", url()));
}

std::optional<HttpAnswer> LabServer::admit(const HttpRequest& request) const {
  if (auto refused = refuse_stranger(request)) return refused;
  if (is_api(request.path)) {
    return request.method == "POST" ? refuse_body(request) : method_answer("POST");
  }
  if (request.method != "GET" && request.method != "HEAD") return method_answer("GET, HEAD");
  return std::nullopt;
}

HttpAnswer LabServer::answer(const HttpRequest& request) {
  try {
    if (request.path == compare_path) return compare(request);
    if (request.path == report_path) return report(request);
    if (request.path == data_path) return upload(request);
    return page(request.path);
  } catch (const UsageError& error) {
    return error_answer(400, error.what(), option_of(error));
  } catch (const DataError& error) {
    return error_answer(400, error.what());
  } catch (const Interrupted&) {
    return busy_answer("no scheme came to its first evaluation in time");
  } catch (const RunError& error) {
    return error_answer(422, error.what());
  } catch (const std::bad_alloc&) {
    return busy_answer("not enough memory");
  } catch (const std::exception& error) {
    return error_answer(500, error.what());
  }
}

HttpAnswer LabServer::page(const std::string& path) const {
  try {
    auto html = pages_.page(path);
    if (!html) return error_answer(404, fmt::format("no page {}", echoed(path)));
    return {.type = "text/html; charset=utf-8", .body = std::move(*html)};
  } catch (const Interrupted&) {
    return busy_answer("the server is about to end");
  }
}

std::string LabServer::computed(LabQuestion& question, const std::atomic<bool>& interrupted,
                                bool alone) {
  const auto data = data_.load(question.request.configuration, question.upload.get());
  return lab_answer(question, *data, interrupted, alone);
}

/// The text, when its turn has come.
HttpAnswer LabServer::in_turn(const std::string& client, std::uint64_t number,
                              const HttpRequest& request, const Computing& text) {
  HttpAnswer answer{.type = json_type, .body = {}};
  const QuestionEnd end = queue_.ask(client, number, request.gone,
                                     [&](const std::atomic<bool>& interrupted, bool alone) {
                                       answer.body = text(interrupted, alone);
                                     });
  switch (end) {
    case QuestionEnd::answered:
      return answer;
    case QuestionEnd::busy:
      return busy_answer("too many questions wait");
    case QuestionEnd::superseded:
    case QuestionEnd::gone:  // nobody hears it
      break;
  }
  return error_answer(409, "superseded");
}

HttpAnswer LabServer::compare(const HttpRequest& request) {
  LabQuestion question = parse_lab_question(
      request.body, [this](std::string_view token) { return data_.find(token); });
  return in_turn(question.client, question.number, request,
                 [&](const std::atomic<bool>& interrupted, bool alone) {
                   return computed(question, interrupted, alone);
                 });
}

/// The page that `compare --html` makes of the same.
HttpAnswer LabServer::report(const HttpRequest& request) {
  HttpAnswer answer = compare(request);
  if (answer.status != 200) return answer;
  answer.type = "text/html; charset=utf-8";
  answer.body = html_page(PageKind::comparison, "A comparison of the lab", answer.body);
  answer.headers.emplace_back("Content-Disposition", "attachment; filename=\"report.html\"");
  return answer;
}

namespace {

/// Whether it says how an upload is read.
bool is_of_upload(std::string_view name) {
  return std::ranges::any_of(options_taken_by(taker::upload),
                             [&](const Option* option) { return option->name == name; });
}

}  // namespace

HttpAnswer LabServer::upload(const HttpRequest& request) {
  std::string name;
  std::vector<OptionText> options;
  for (const auto& [key, value] : request.query) {
    if (key == "name") {
      name = value;
    } else if (is_of_upload(key)) {
      options.push_back({key, value});
    } else {
      throw UsageError(fmt::format("{} says nothing about how a file is read", echoed(key)));
    }
  }
  // The client is nobody: reading a file takes no question's place.
  return in_turn("", 0, request, [&](const std::atomic<bool>&, bool) {
    const auto made = data_.add(name, request.body, options);
    return json_line({{"data", made->token},
                      {"name", made->name},
                      {"rows", made->rows},
                      {"features", made->features},
                      {"classes", made->classes},
                      {"remarks", made->remarks}});
  });
}

}  // namespace trainyard
