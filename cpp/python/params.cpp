// Structs of parameters as Python sees them: made by keywords, read by attributes, and with a list
// of their fields, all of it from the struct's own list.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "art/params.hpp"
#include "python/bind.hpp"

namespace resonart::bindings {
namespace {

// What Python knows of a field. Choices are those of the default's class.
struct ParamField {
    std::string name, kind;
    double low, high;
    bool low_included;
    nb::object initial;
};

template <class Value>
constexpr const char* kind_of() {
    if constexpr (std::is_same<Value, bool>::value) return "flag";
    if constexpr (std::is_enum<Value>::value) return "choice";
    return std::is_integral<Value>::value ? "whole" : "real";
}

template <class Params>
void read_params(const nb::kwargs& given, Params& out) {
    std::size_t n_known = 0;
    Params::each([&](const char* name, auto member, const Range&) {
        if (!given.contains(name)) return;
        ++n_known;
        if (!nb::try_cast(given[name], out.*member)) {
            throw nb::type_error((std::string(name) + " is of another type").c_str());
        }
    });
    if (n_known != given.size()) throw nb::type_error("there is no such parameter");
}

// DensityART's vigilances are not given: clusters have their own.
template <class Params, class = void>
struct HasVigilance : std::false_type {};
template <class Params>
struct HasVigilance<Params, std::void_t<decltype(&Params::lower_vigilance)>> : std::true_type {};

template <class Params>
void bind_struct(nb::module_& m, const char* name) {
    nb::class_<Params> c(m, name);
    c.def("__init__", [](Params* self, const nb::kwargs& values) {
        Params params;
        read_params(values, params);
        params.check();
        new (self) Params(params);
    });
    if constexpr (HasVigilance<Params>::value) {
        c.def_prop_ro("lower_vigilance", &Params::lower_vigilance);
    }
    nb::list fields;
    Params::each([&](const char* field, auto member, const Range& range) {
        const auto initial = Params().*member;
        using Value = std::remove_const_t<decltype(initial)>;
        c.def_prop_ro(field, [member](const Params& params) { return params.*member; });
        fields.append(ParamField{field, kind_of<Value>(), range.low, range.high, range.low_included,
                                 nb::cast(initial)});
    });
    c.attr("fields") = nb::tuple(fields);
}

}  // namespace

void bind_params(nb::module_& m) {
    nb::enum_<Linkage> linkages(m, "Linkage");
    each_linkage([&](const char* name, Linkage linkage) { linkages.value(name, linkage); });
    nb::enum_<Search>(m, "Search")
        .value("activation", Search::activation)
        .value("index", Search::index);
    nb::enum_<OutOfBounds>(m, "OutOfBounds")
        .value("expand", OutOfBounds::expand)
        .value("clip", OutOfBounds::clip)
        .value("error", OutOfBounds::error);
    nb::enum_<Scaling>(m, "Scaling")
        .value("auto", Scaling::automatic)
        .value("given", Scaling::given)
        .value("range", Scaling::range)
        .value("standard", Scaling::standard)
        .value("rank", Scaling::rank)
        .value("pca", Scaling::pca);
    nb::enum_<Selection>(m, "Selection")
        .value("auto", Selection::automatic)
        .value("eom", Selection::eom)
        .value("leaf", Selection::leaf)
        .value("cut", Selection::cut)
        .value("fixed", Selection::fixed);
    nb::enum_<Noise>(m, "Noise").value("label", Noise::label).value("nearest", Noise::nearest);
    nb::class_<ParamField>(m, "ParamField")
        .def_ro("name", &ParamField::name)
        .def_ro("kind", &ParamField::kind)
        .def_ro("low", &ParamField::low)
        .def_ro("high", &ParamField::high)
        .def_ro("low_included", &ParamField::low_included)
        .def_ro("initial", &ParamField::initial);
    bind_struct<FuzzyArtParams>(m, "FuzzyArtParams");
    bind_struct<DvfaParams>(m, "DvfaParams");
    bind_struct<DdvfaParams>(m, "DdvfaParams");
    bind_struct<TopoArtParams>(m, "TopoArtParams");
    bind_struct<DensityArtParams>(m, "DensityArtParams");
}

}  // namespace resonart::bindings
