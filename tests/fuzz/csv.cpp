#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  const std::string_view text = as_text(data, size);
  ReadOptions commas;
  commas.format = Format::csv;
  read_and_check(text, {}, commas);
  commas.table.missing = MissingFields::drop;
  commas.real_labels = true;
  read_and_check(text, {}, commas);
  ReadOptions tabs;
  tabs.format = Format::tsv;
  tabs.label_column = "-1";
  tabs.table.header = HeaderLine::yes;
  read_and_check(text, {}, tabs);
  ReadOptions weights;
  weights.format = Format::csv;
  weights.table.weight_column = "-1";
  read_and_check(text, {}, weights);
  return 0;
}
