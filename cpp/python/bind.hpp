// What each file of this folder adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace resonart::bindings {

namespace nb = nanobind;

void bind_params(nb::module_& m);
void bind_partitions(nb::module_& m);
void bind_vat(nb::module_& m);
void bind_fuzzy_art(nb::module_& m);
void bind_dvfa(nb::module_& m);
void bind_ddvfa(nb::module_& m);
void bind_merge_art(nb::module_& m);
void bind_topo_art(nb::module_& m);
void bind_density_art(nb::module_& m);
void bind_reading(nb::module_& m);

}  // namespace resonart::bindings
