// dispatch.cpp as MSVC reads it, for a compiler that is not MSVC: how the processor is asked there.
//
// The headers come first, as this compiler has them; after that nothing is included twice.
#include <intrin.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "boxes/kernels.hpp"

#define __INTRIN_H  // clang's own, which it has for MSVC alone
#define _MSC_VER 1930
#undef __clang__
#include "boxes/dispatch.cpp"
