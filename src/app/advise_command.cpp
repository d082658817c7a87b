#include "trainyard/report/advice_format.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

int advise_command(const AdviceQuestion& question, const AnswerOutput& output) {
  const Advice advice = advise(question);
  print_answer(output, {.text = [&] { return advice_text(question, advice); },
                        .json = [&] { return advice_json(question, advice); }});
  return exit_done;
}

}  // namespace trainyard::app
