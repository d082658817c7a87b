// A page that draws a document: one HTML file that asks nobody for another one, from disk as from a
// server.
//
// Threads: any; it returns text and touches nothing else.
#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// The kind of a document, which decides which page draws it (src/web/page/main.js).
enum class PageKind {
  comparison,  // {"runs": […]} or one run
  map,         // crossover_map_json()
  prediction,  // prediction_json()
  sweep,       // sweep_json()
  break_even,  // break_even_json()
  advice,      // advice_json()
  netcheck,    // netcheck_json()
  topology,    // topology_json()
  consensus,   // consensus_json()
  timeline,    // timeline_json()
  score,       // scored_json()
  published,   // reproductions_json()
  lab,         // a lab, with what it shows first (lab_site.hpp)
  free,        // everything that a question may set
  labs         // the list of them
};

/// `json` is what the command prints with --json, and all that the page shows.
std::string html_page(PageKind kind, const std::string& title, std::string_view json);

/// The same page without its scripts, which lie beside it in a file of that name: of many pages in
/// one folder they would be a third of all bytes.
std::string html_page_beside(const std::string& scripts, PageKind kind, const std::string& title,
                             std::string_view json);
/// That file.
std::string page_scripts();

}  // namespace trainyard
