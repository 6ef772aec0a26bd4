// Which of the candidates is expected to be the best, and whether there is any structure at all:
// decision trees over what is seen of candidates, trained on labelled rows by `python -m training`
// (see training/README.md).
#pragma once

#include <vector>

namespace resonart {

// How much worse than the best candidate each is expected to be, from what is seen of all.
std::vector<double> choice_scores(const std::vector<double>& features);

// Of one candidate's numbers: more than 0 where structure is more likely than none.
double structure_odds(const std::vector<double>& features);

}  // namespace resonart
