// Which copy of the kernels runs: asked of the processor once, when the module is first used.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "boxes/kernels.hpp"

#if defined(_MSC_VER) && !defined(__clang__)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace resonart {

extern const Kernels kernels_baseline;
#ifdef RESONART_X86
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
#endif

namespace {

#ifdef RESONART_X86
#if defined(_MSC_VER) && !defined(__clang__)
bool has_bit(int leaf, int sub, int reg, int bit) {
    int r[4];
    __cpuid(r, 0);
    if (r[0] < leaf) return false;
    __cpuidex(r, leaf, sub);
    return (r[reg] >> bit & 1) != 0;
}
// The operating system must save the wide registers too (XCR0).
bool os_saves(unsigned long long mask) {
    return has_bit(1, 0, 2, 27) && (_xgetbv(0) & mask) == mask;
}
bool has_avx2() { return os_saves(0x6) && has_bit(7, 0, 1, 5); }
// /arch:AVX512 may use F, DQ, CD, BW and VL.
bool has_avx512() {
    return os_saves(0xe6) && has_bit(7, 0, 1, 16) && has_bit(7, 0, 1, 17) && has_bit(7, 0, 1, 28) &&
           has_bit(7, 0, 1, 30) && has_bit(7, 0, 1, 31);
}
#else
bool has_avx2() { return __builtin_cpu_supports("avx2"); }
bool has_avx512() { return __builtin_cpu_supports("avx512f"); }
#endif
#endif

constexpr std::size_t kMost = 3;

std::size_t list_runnable(const Kernels** tables) {
    std::size_t n = 0;
    tables[n++] = &kernels_baseline;
#ifdef RESONART_X86
    if (has_avx2()) tables[n++] = &kernels_avx2;
    if (has_avx512()) tables[n++] = &kernels_avx512;
#endif
    return n;
}

const Kernels* find(const char* name) {
    const Kernels* tables[kMost];
    const std::size_t n = list_runnable(tables);
    for (std::size_t i = 0; i < n; ++i) {
        if (std::strcmp(tables[i]->name, name) == 0) return tables[i];
    }
    return nullptr;
}

const Kernels* choose() {
    if (const char* wanted = std::getenv("RESONART_SIMD")) {
        if (const Kernels* found = find(wanted)) return found;
    }
    const Kernels* tables[kMost];
    return tables[list_runnable(tables) - 1];
}

std::atomic<const Kernels*>& current() {
    static std::atomic<const Kernels*> table{choose()};
    return table;
}

}  // namespace

const Kernels& kernels() { return *current().load(std::memory_order_relaxed); }

std::size_t available_kernels(const char** names, std::size_t most) {
    const Kernels* tables[kMost];
    const std::size_t n = list_runnable(tables);
    for (std::size_t i = 0; i < n && i < most; ++i) names[i] = tables[i]->name;
    return n < most ? n : most;
}

bool use_kernels(const char* name) {
    const Kernels* found = find(name);
    if (!found) return false;
    current().store(found, std::memory_order_relaxed);
    return true;
}

}  // namespace resonart
