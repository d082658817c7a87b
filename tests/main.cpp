// Catch2 2 wants its main() compiled once; Catch2 3 links one the same way.
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

int main(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}
