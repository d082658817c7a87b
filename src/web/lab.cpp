#include "trainyard/web/lab.hpp"

#include "web/lab_definition.hpp"
#include "web/lab_server.hpp"
#include "web/lab_site.hpp"

namespace trainyard {

void require_lab(std::string_view name) {
  (void)lab_definition(name);
}

void serve_lab(const LabServerOptions& options, const std::atomic<bool>& interrupted,
               const std::function<void(const std::string& url)>& bound) {
  LabSite site(interrupted, options.without_answers);
  LabServer server({.page = [&](const std::string& path) { return site.page(path); }}, options);
  bound(server.url());
  server.serve(interrupted);
}

std::vector<std::string> exported_lab_pages(const std::string& only) {
  return LabSite::exported_names(only);
}

void export_lab(const std::string& only, const std::atomic<bool>& interrupted, bool without_answers,
                const std::function<void(const std::string& name, const std::string& html)>& take,
                const std::function<void(const std::string&)>& told) {
  LabSite(interrupted, without_answers).export_pages(only, take, told);
}

}  // namespace trainyard
