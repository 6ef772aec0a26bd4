// DVFA as Python sees it.
#include "art/dvfa.hpp"

#include "python/bind.hpp"
#include "python/learner.hpp"
#include "python/sweep.hpp"

namespace resonart::bindings {

void bind_dvfa(nb::module_& m) {
    nb::class_<Learner<Dvfa>> c = bind_learner<Dvfa>(m, "Dvfa");
    bind_sweep(c);
}

}  // namespace resonart::bindings
