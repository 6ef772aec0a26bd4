// How this module was built, for bug reports.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace resonart::bindings {

namespace nb = nanobind;

inline std::string compiler() {
#if defined(__apple_build_version__)
    const char* name = "Apple Clang";
#elif defined(__clang__)
    const char* name = "Clang";
#elif defined(__GNUC__)
    const char* name = "GCC";
#endif
#if defined(__clang__)
    const int version[] = {__clang_major__, __clang_minor__, __clang_patchlevel__};
#elif defined(__GNUC__)
    const int version[] = {__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__};
#elif defined(_MSC_VER)
    const char* name = "MSVC";
    const int version[] = {_MSC_VER / 100, _MSC_VER % 100, _MSC_FULL_VER % 100000};
#else
    const char* name = "another compiler";
    const int version[] = {0, 0, 0};
#endif
    return std::string(name) + " " + std::to_string(version[0]) + "." + std::to_string(version[1]) +
           "." + std::to_string(version[2]);
}

inline nb::dict build_facts() {
    nb::dict facts;
    facts["compiler"] = compiler();
    facts["cxx_standard"] = static_cast<long>(__cplusplus);
    facts["nanobind"] = std::to_string(NB_VERSION_MAJOR) + "." + std::to_string(NB_VERSION_MINOR) +
                        "." + std::to_string(NB_VERSION_PATCH);
#ifdef Py_LIMITED_API
    facts["stable_abi"] = true;
#else
    facts["stable_abi"] = false;
#endif
#ifdef NB_FREE_THREADED
    facts["free_threaded"] = true;
#else
    facts["free_threaded"] = false;
#endif
#ifdef RESONART_SANITIZE
    facts["sanitized"] = true;
#else
    facts["sanitized"] = false;
#endif
    return facts;
}

}  // namespace resonart::bindings
