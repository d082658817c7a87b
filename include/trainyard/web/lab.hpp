// The lab: pages to play with, from a server or as files.
//
// Threads: serve_lab() has a thread for each connection and one that watches over questions; all
// have ended when it returns. The rest is for one thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Throws UsageError for a name that is no lab's, with those there are.
void require_lab(std::string_view name);

/// An address of --listen-to-network as browsers write it in Host: "FD00:0::5" is "fd00::5", and
/// "::ffff:192.168.1.5" is "192.168.1.5". Throws UsageError for what is no address, and for one
/// that stands for all of them.
std::string listening_address(const std::string& text);

struct LabServerOptions {
  std::string address = "127.0.0.1";        // another one than loopback, as listening_address()
                                            // writes it: everybody there may ask
  int port = 0;                             // 0: any that is free
  bool without_answers = false;             // no page says what is right, or tells its story
  std::chrono::milliseconds budget{2000};   // of a question's computing
  std::chrono::milliseconds timeout{5000};  // of what a client has to send or take
};

/// Answers until `interrupted`. `bound` is told "http://127.0.0.1:41253" before the first answer.
/// Throws UsageError for an address that is none, RunError where it cannot be had.
void serve_lab(const LabServerOptions& options, const std::atomic<bool>& interrupted,
               const std::function<void(const std::string& url)>& bound);

/// "index.html", "trainyard.js", "straggler.html", …; of one lab "trainyard.js" and its own page.
/// `only` is its name, empty for all. Throws UsageError for a name that is none.
std::vector<std::string> exported_lab_pages(const std::string& only);
/// The pages as files: `take` gets name and text of each, and `told` hears of each before it is
/// made. The index comes last. `without_answers` as in LabServerOptions. Throws Interrupted.
void export_lab(const std::string& only, const std::atomic<bool>& interrupted, bool without_answers,
                const std::function<void(const std::string& name, const std::string& html)>& take,
                const std::function<void(const std::string&)>& told);

}  // namespace trainyard
