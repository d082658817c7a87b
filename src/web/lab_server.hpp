// The server of `trainyard lab`: pages, and comparisons on demand.
//
//   GET  /, /lab/NAME, /free      what LabPages has for the path; 404 for all others
//   POST /api/compare             a question (lab_question.hpp) → what `compare --json` prints
//   POST /api/report              the same question → what `compare --html` writes
//   POST /api/data?name=ROWS.csv  a file → {"data": TOKEN, "name", "rows", "features", "classes",
//                                 "remarks"}; other parameters are options that say how it is read
//                                 (label-column, header, …)
//
// Answers of the API that are no result are {"error": "…"}, with "option" where it is about one:
//
//   400  the question, an option or the uploaded data are wrong     409  superseded by a newer one
//   403  from a page of somebody else                               411  without a length
//   404  no such page    405  not with this method                  413  too long
//   415  not what is taken here                                     421  for another host
//   422  a run cannot go on: no room, or the end of its clock       500  a defect
//   503  busy or about to end, with Retry-After
//
// Nobody can reach it but who is on the machine, unless another address is asked for; and no page
// of another site can ask it anything: the host that a request names must be this one (so that no
// name of somebody else's leads here, DNS rebinding), and where a browser says which page asks, it
// must be one of ours. A link to a page may be followed from anywhere: it is an experiment to show,
// and who has the link learns nothing of what it leads to. No file is read by a path from a
// request.
//
// run_comparison() may be called from several threads at once, which is what this does; what the
// calls share is the account of the program's memory (base/memory_account.hpp). Its bound holds for
// all together: an array beyond it ends its question with 422. A run that might not fit tries its
// scheme on a small model first and reads the account's peak (run/memory.hpp), which others' arrays
// disturb; the lab's sizes are far below where that begins.
//
// Threads: serve() is called once, from one; it has a thread for each connection and one that
// watches over questions, and all have ended when it returns.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "trainyard/web/lab.hpp"

#include "web/http_server.hpp"
#include "web/lab_data.hpp"
#include "web/lab_question.hpp"
#include "web/question_queue.hpp"
#include "web/server_address.hpp"

namespace trainyard {

struct LabPages {
  /// The HTML of "/", "/lab/NAME", …; empty where there is no such page. Called from any thread.
  /// It notices the interrupt of serve() by itself, and throws Interrupted.
  std::function<std::optional<std::string>(const std::string& path)> page;
};

class LabServer {
 public:
  /// Binds. Throws UsageError for an address that is none, RunError where it cannot be had.
  LabServer(LabPages pages, const LabServerOptions& options);

  int port() const { return http_.port(); }
  /// "http://127.0.0.1:41253"
  std::string url() const { return url_of(options_.address, port()); }

  /// Answers until `interrupted`.
  void serve(const std::atomic<bool>& interrupted) { http_.serve(interrupted); }

 private:
  std::optional<HttpAnswer> admit(const HttpRequest& request) const;
  std::optional<HttpAnswer> refuse_stranger(const HttpRequest& request) const;
  bool is_our_host(const std::string& host) const {
    return is_host_of(host, options_.address, port());
  }
  using Computing = std::function<std::string(const std::atomic<bool>& interrupted, bool alone)>;
  HttpAnswer answer(const HttpRequest& request);
  HttpAnswer in_turn(const std::string& client, std::uint64_t number, const HttpRequest& request,
                     const Computing& text);
  HttpAnswer page(const std::string& path) const;
  HttpAnswer compare(const HttpRequest& request);
  HttpAnswer report(const HttpRequest& request);
  HttpAnswer upload(const HttpRequest& request);
  std::string computed(LabQuestion& question, const std::atomic<bool>& interrupted, bool alone);

  const LabPages pages_;
  const LabServerOptions options_;
  LabData data_;
  QuestionQueue queue_;
  HttpServer http_;  // the last: it uses all others
};

}  // namespace trainyard
