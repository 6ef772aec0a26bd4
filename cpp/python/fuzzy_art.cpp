// Fuzzy ART as Python sees it.
#include "art/fuzzy_art.hpp"

#include "python/bind.hpp"
#include "python/learner.hpp"
#include "python/sweep.hpp"

namespace resonart::bindings {

void bind_fuzzy_art(nb::module_& m) {
    nb::class_<Learner<FuzzyArt>> c = bind_learner<FuzzyArt>(m, "FuzzyArt");
    bind_sweep(c);
}

}  // namespace resonart::bindings
