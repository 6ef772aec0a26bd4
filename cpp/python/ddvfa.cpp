// DDVFA as Python sees it.
#include "art/ddvfa.hpp"

#include "python/bind.hpp"
#include "python/learner.hpp"
#include "python/sweep.hpp"

namespace resonart::bindings {

void bind_ddvfa(nb::module_& m) {
    nb::class_<Learner<Ddvfa>> c = bind_learner<Ddvfa>(m, "Ddvfa");
    bind_sweep(c);
    c.def(
        "merge",
        [](Learner<Ddvfa>& engine, const DdvfaParams& params) {
            LabelChanges changes;
            {
                nb::gil_scoped_release free;
                CheckSignals poll;
                changes = engine.merge(params, poll);
            }
            return LearnerBinding<Ddvfa>::as_dict(changes);
        },
        nb::arg("params"));
    c.def("keep_apart", [](Learner<Ddvfa>& engine) {
        nb::gil_scoped_release free;
        CheckSignals poll;
        engine.keep_apart(poll);
    });
}

}  // namespace resonart::bindings
