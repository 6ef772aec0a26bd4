// A sweep over vigilances, as a function of each algorithm's class.
#pragma once

#include <nanobind/nanobind.h>

#include "model/learner.hpp"

namespace resonart::bindings {

template <class Art>
void bind_sweep(nanobind::class_<Learner<Art>>& c);

}  // namespace resonart::bindings
