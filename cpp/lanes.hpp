// Eight doubles side by side: the unit in which the engine looks at categories.
//
// A lane is a category, never a feature. Each category's sum therefore runs in feature order,
// one addition after the other, whatever the width of the machine's registers: the results are
// the same bits with SSE2, AVX2, AVX-512 or plain C++. Only the four basic operations, square
// root, minimum and comparison are used, all exactly rounded (IEEE 754).
//
// This header is compiled once for each instruction set (see kernels.cpp), so everything in it
// sits in an unnamed namespace: no copy made for wide registers may leak into another file.
#pragma once

#include <cmath>
#include <cstddef>

#include "kernels.hpp"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__) || defined(_M_X64)
#define RESONART_SSE2 1
#include <emmintrin.h>
#endif

namespace resonart {
namespace {

#if defined(__AVX512F__)

struct Lanes {
    __m512d v;
    static Lanes load(const double* p) { return {_mm512_load_pd(p)}; }
    static Lanes all(double a) { return {_mm512_set1_pd(a)}; }
    void store(double* p) const { _mm512_store_pd(p, v); }
};
inline Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_pd(a.v, b.v)}; }
inline Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_pd(a.v, b.v)}; }
inline Lanes operator/(Lanes a, Lanes b) { return {_mm512_div_pd(a.v, b.v)}; }
inline Lanes lower(Lanes a, Lanes b) { return {_mm512_min_pd(a.v, b.v)}; }
inline Lanes root(Lanes a) { return {_mm512_sqrt_pd(a.v)}; }
// One bit a lane, set where a >= b.
inline unsigned at_least(Lanes a, Lanes b) { return _mm512_cmp_pd_mask(a.v, b.v, _CMP_GE_OQ); }

#elif defined(__AVX2__)

struct Lanes {
    __m256d a, b;
    static Lanes load(const double* p) { return {_mm256_load_pd(p), _mm256_load_pd(p + 4)}; }
    static Lanes all(double a) { return {_mm256_set1_pd(a), _mm256_set1_pd(a)}; }
    void store(double* p) const {
        _mm256_store_pd(p, a);
        _mm256_store_pd(p + 4, b);
    }
};
inline Lanes operator+(Lanes x, Lanes y) {
    return {_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)};
}
inline Lanes operator*(Lanes x, Lanes y) {
    return {_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)};
}
inline Lanes operator/(Lanes x, Lanes y) {
    return {_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)};
}
inline Lanes lower(Lanes x, Lanes y) { return {_mm256_min_pd(x.a, y.a), _mm256_min_pd(x.b, y.b)}; }
inline Lanes root(Lanes x) { return {_mm256_sqrt_pd(x.a), _mm256_sqrt_pd(x.b)}; }
inline unsigned at_least(Lanes x, Lanes y) {
    const int low = _mm256_movemask_pd(_mm256_cmp_pd(x.a, y.a, _CMP_GE_OQ));
    const int high = _mm256_movemask_pd(_mm256_cmp_pd(x.b, y.b, _CMP_GE_OQ));
    return static_cast<unsigned>(low | (high << 4));
}

#elif defined(RESONART_SSE2)

struct Lanes {
    __m128d v[4];
    static Lanes load(const double* p) {
        return {{_mm_load_pd(p), _mm_load_pd(p + 2), _mm_load_pd(p + 4), _mm_load_pd(p + 6)}};
    }
    static Lanes all(double a) {
        const __m128d s = _mm_set1_pd(a);
        return {{s, s, s, s}};
    }
    void store(double* p) const {
        for (int i = 0; i < 4; ++i) _mm_store_pd(p + 2 * i, v[i]);
    }
};
#define RESONART_EACH(expression)                    \
    Lanes r;                                         \
    for (int i = 0; i < 4; ++i) r.v[i] = expression; \
    return r
inline Lanes operator+(Lanes a, Lanes b) { RESONART_EACH(_mm_add_pd(a.v[i], b.v[i])); }
inline Lanes operator*(Lanes a, Lanes b) { RESONART_EACH(_mm_mul_pd(a.v[i], b.v[i])); }
inline Lanes operator/(Lanes a, Lanes b) { RESONART_EACH(_mm_div_pd(a.v[i], b.v[i])); }
inline Lanes lower(Lanes a, Lanes b) { RESONART_EACH(_mm_min_pd(a.v[i], b.v[i])); }
inline Lanes root(Lanes a) { RESONART_EACH(_mm_sqrt_pd(a.v[i])); }
#undef RESONART_EACH
inline unsigned at_least(Lanes a, Lanes b) {
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i) {
        bits |= static_cast<unsigned>(_mm_movemask_pd(_mm_cmpge_pd(a.v[i], b.v[i]))) << (2 * i);
    }
    return bits;
}

#else  // any other machine: plain loops of known length, which compilers vectorise well

struct Lanes {
    double v[kLanes];
    static Lanes load(const double* p) {
        Lanes r;
        for (std::size_t i = 0; i < kLanes; ++i) r.v[i] = p[i];
        return r;
    }
    static Lanes all(double a) {
        Lanes r;
        for (std::size_t i = 0; i < kLanes; ++i) r.v[i] = a;
        return r;
    }
    void store(double* p) const {
        for (std::size_t i = 0; i < kLanes; ++i) p[i] = v[i];
    }
};
#define RESONART_EACH(expression)                                 \
    Lanes r;                                                      \
    for (std::size_t i = 0; i < kLanes; ++i) r.v[i] = expression; \
    return r
inline Lanes operator+(Lanes a, Lanes b) { RESONART_EACH(a.v[i] + b.v[i]); }
inline Lanes operator*(Lanes a, Lanes b) { RESONART_EACH(a.v[i] * b.v[i]); }
inline Lanes operator/(Lanes a, Lanes b) { RESONART_EACH(a.v[i] / b.v[i]); }
inline Lanes lower(Lanes a, Lanes b) { RESONART_EACH(a.v[i] < b.v[i] ? a.v[i] : b.v[i]); }
inline Lanes root(Lanes a) { RESONART_EACH(std::sqrt(a.v[i])); }
#undef RESONART_EACH
inline unsigned at_least(Lanes a, Lanes b) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < kLanes; ++i) bits |= (a.v[i] >= b.v[i] ? 1u : 0u) << i;
    return bits;
}

#endif

}  // namespace
}  // namespace resonart
