#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  const std::string_view text = as_text(data, size);
  ReadOptions found;
  read_and_check(text, {}, found);
  ReadOptions test_file;
  test_file.features = 5;
  test_file.drop_unknown_features = true;
  test_file.classes = 3;
  test_file.coding = LabelCoding::from_one;
  read_and_check(text, {}, test_file);
  ReadOptions scored;
  scored.labels = LabelUse::if_there;
  scored.label_weights = true;
  read_and_check(text, {}, scored);
  return 0;
}
