// Numbers side by side: eight doubles, or sixteen floats for the rough first look.
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

#include "boxes/kernels.hpp"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__) || defined(_M_X64)
#define RESONART_SSE2 1
#include <emmintrin.h>
#endif

namespace resonart {
namespace {

#if defined(__AVX2__) || defined(RESONART_SSE2)
inline float highest_of(__m128 four) {
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}
#endif

#if defined(__AVX512F__)

struct Lanes {
    __m512d v;
    static Lanes load(const double* p) { return {_mm512_load_pd(p)}; }
    static Lanes all(double a) { return {_mm512_set1_pd(a)}; }
    void store(double* p) const { _mm512_store_pd(p, v); }
};
inline Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_pd(a.v, b.v)}; }
inline Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_pd(a.v, b.v)}; }
inline Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_pd(a.v, b.v)}; }
inline Lanes operator/(Lanes a, Lanes b) { return {_mm512_div_pd(a.v, b.v)}; }
inline Lanes lower(Lanes a, Lanes b) { return {_mm512_min_pd(a.v, b.v)}; }
inline Lanes higher(Lanes a, Lanes b) { return {_mm512_max_pd(a.v, b.v)}; }
inline Lanes root(Lanes a) { return {_mm512_sqrt_pd(a.v)}; }
// One bit a lane, set where a >= b.
inline unsigned at_least(Lanes a, Lanes b) { return _mm512_cmp_pd_mask(a.v, b.v, _CMP_GE_OQ); }

struct RoughLanes {
    __m512 v;
    static RoughLanes load(const float* p) { return {_mm512_load_ps(p)}; }
    static RoughLanes all(float a) { return {_mm512_set1_ps(a)}; }
    void store(float* p) const { _mm512_store_ps(p, v); }
};
inline RoughLanes operator+(RoughLanes a, RoughLanes b) { return {_mm512_add_ps(a.v, b.v)}; }
inline RoughLanes operator-(RoughLanes a, RoughLanes b) { return {_mm512_sub_ps(a.v, b.v)}; }
inline RoughLanes operator*(RoughLanes a, RoughLanes b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline RoughLanes operator/(RoughLanes a, RoughLanes b) { return {_mm512_div_ps(a.v, b.v)}; }
inline RoughLanes lower(RoughLanes a, RoughLanes b) { return {_mm512_min_ps(a.v, b.v)}; }
inline RoughLanes higher(RoughLanes a, RoughLanes b) { return {_mm512_max_ps(a.v, b.v)}; }
inline unsigned at_least(RoughLanes a, RoughLanes b) {
    return _mm512_cmp_ps_mask(a.v, b.v, _CMP_GE_OQ);
}
// The highest of all lanes.
inline float highest(RoughLanes a) { return _mm512_reduce_max_ps(a.v); }

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
inline Lanes operator-(Lanes x, Lanes y) {
    return {_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)};
}
inline Lanes operator*(Lanes x, Lanes y) {
    return {_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)};
}
inline Lanes operator/(Lanes x, Lanes y) {
    return {_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)};
}
inline Lanes lower(Lanes x, Lanes y) { return {_mm256_min_pd(x.a, y.a), _mm256_min_pd(x.b, y.b)}; }
inline Lanes higher(Lanes x, Lanes y) { return {_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)}; }
inline Lanes root(Lanes x) { return {_mm256_sqrt_pd(x.a), _mm256_sqrt_pd(x.b)}; }
inline unsigned at_least(Lanes x, Lanes y) {
    const int low = _mm256_movemask_pd(_mm256_cmp_pd(x.a, y.a, _CMP_GE_OQ));
    const int high = _mm256_movemask_pd(_mm256_cmp_pd(x.b, y.b, _CMP_GE_OQ));
    return static_cast<unsigned>(low | (high << 4));
}

struct RoughLanes {
    __m256 a, b;
    static RoughLanes load(const float* p) { return {_mm256_load_ps(p), _mm256_load_ps(p + 8)}; }
    static RoughLanes all(float a) { return {_mm256_set1_ps(a), _mm256_set1_ps(a)}; }
    void store(float* p) const {
        _mm256_store_ps(p, a);
        _mm256_store_ps(p + 8, b);
    }
};
inline RoughLanes operator+(RoughLanes x, RoughLanes y) {
    return {_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)};
}
inline RoughLanes operator-(RoughLanes x, RoughLanes y) {
    return {_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)};
}
inline RoughLanes operator*(RoughLanes x, RoughLanes y) {
    return {_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)};
}
inline RoughLanes operator/(RoughLanes x, RoughLanes y) {
    return {_mm256_div_ps(x.a, y.a), _mm256_div_ps(x.b, y.b)};
}
inline RoughLanes lower(RoughLanes x, RoughLanes y) {
    return {_mm256_min_ps(x.a, y.a), _mm256_min_ps(x.b, y.b)};
}
inline RoughLanes higher(RoughLanes x, RoughLanes y) {
    return {_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)};
}
inline unsigned at_least(RoughLanes x, RoughLanes y) {
    const int low = _mm256_movemask_ps(_mm256_cmp_ps(x.a, y.a, _CMP_GE_OQ));
    const int high = _mm256_movemask_ps(_mm256_cmp_ps(x.b, y.b, _CMP_GE_OQ));
    return static_cast<unsigned>(low | (high << 8));
}
inline float highest(RoughLanes x) {
    const __m256 eight = _mm256_max_ps(x.a, x.b);
    return highest_of(_mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1)));
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
#define RESONART_EACH_OF(Type, expression)           \
    Type r;                                          \
    for (int i = 0; i < 4; ++i) r.v[i] = expression; \
    return r
#define RESONART_EACH(expression) RESONART_EACH_OF(Lanes, expression)
inline Lanes operator+(Lanes a, Lanes b) { RESONART_EACH(_mm_add_pd(a.v[i], b.v[i])); }
inline Lanes operator-(Lanes a, Lanes b) { RESONART_EACH(_mm_sub_pd(a.v[i], b.v[i])); }
inline Lanes operator*(Lanes a, Lanes b) { RESONART_EACH(_mm_mul_pd(a.v[i], b.v[i])); }
inline Lanes operator/(Lanes a, Lanes b) { RESONART_EACH(_mm_div_pd(a.v[i], b.v[i])); }
inline Lanes lower(Lanes a, Lanes b) { RESONART_EACH(_mm_min_pd(a.v[i], b.v[i])); }
inline Lanes higher(Lanes a, Lanes b) { RESONART_EACH(_mm_max_pd(a.v[i], b.v[i])); }
inline Lanes root(Lanes a) { RESONART_EACH(_mm_sqrt_pd(a.v[i])); }
inline unsigned at_least(Lanes a, Lanes b) {
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i) {
        bits |= static_cast<unsigned>(_mm_movemask_pd(_mm_cmpge_pd(a.v[i], b.v[i]))) << (2 * i);
    }
    return bits;
}

struct RoughLanes {
    __m128 v[4];
    static RoughLanes load(const float* p) {
        return {{_mm_load_ps(p), _mm_load_ps(p + 4), _mm_load_ps(p + 8), _mm_load_ps(p + 12)}};
    }
    static RoughLanes all(float a) {
        const __m128 s = _mm_set1_ps(a);
        return {{s, s, s, s}};
    }
    void store(float* p) const {
        for (int i = 0; i < 4; ++i) _mm_store_ps(p + 4 * i, v[i]);
    }
};
inline RoughLanes operator+(RoughLanes a, RoughLanes b) {
    RESONART_EACH_OF(RoughLanes, _mm_add_ps(a.v[i], b.v[i]));
}
inline RoughLanes operator-(RoughLanes a, RoughLanes b) {
    RESONART_EACH_OF(RoughLanes, _mm_sub_ps(a.v[i], b.v[i]));
}
inline RoughLanes operator*(RoughLanes a, RoughLanes b) {
    RESONART_EACH_OF(RoughLanes, _mm_mul_ps(a.v[i], b.v[i]));
}
inline RoughLanes operator/(RoughLanes a, RoughLanes b) {
    RESONART_EACH_OF(RoughLanes, _mm_div_ps(a.v[i], b.v[i]));
}
inline RoughLanes lower(RoughLanes a, RoughLanes b) {
    RESONART_EACH_OF(RoughLanes, _mm_min_ps(a.v[i], b.v[i]));
}
inline RoughLanes higher(RoughLanes a, RoughLanes b) {
    RESONART_EACH_OF(RoughLanes, _mm_max_ps(a.v[i], b.v[i]));
}
#undef RESONART_EACH
#undef RESONART_EACH_OF
inline unsigned at_least(RoughLanes a, RoughLanes b) {
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i) {
        bits |= static_cast<unsigned>(_mm_movemask_ps(_mm_cmpge_ps(a.v[i], b.v[i]))) << (4 * i);
    }
    return bits;
}
inline float highest(RoughLanes a) {
    return highest_of(_mm_max_ps(_mm_max_ps(a.v[0], a.v[1]), _mm_max_ps(a.v[2], a.v[3])));
}

#else  // any other machine: plain loops of known length, which compilers vectorise well

template <class T, std::size_t N>
struct Plain {
    T v[N];
    static Plain load(const T* p) {
        Plain r;
        for (std::size_t i = 0; i < N; ++i) r.v[i] = p[i];
        return r;
    }
    static Plain all(T a) {
        Plain r;
        for (std::size_t i = 0; i < N; ++i) r.v[i] = a;
        return r;
    }
    void store(T* p) const {
        for (std::size_t i = 0; i < N; ++i) p[i] = v[i];
    }
};
using Lanes = Plain<double, kLanes>;
using RoughLanes = Plain<float, kRoughLanes>;
#define RESONART_PLAIN                \
    template <class T, std::size_t N> \
    inline
#define RESONART_EACH(expression)                            \
    Plain<T, N> r;                                           \
    for (std::size_t i = 0; i < N; ++i) r.v[i] = expression; \
    return r
RESONART_PLAIN Plain<T, N> operator+(Plain<T, N> a, Plain<T, N> b) {
    RESONART_EACH(a.v[i] + b.v[i]);
}
RESONART_PLAIN Plain<T, N> operator-(Plain<T, N> a, Plain<T, N> b) {
    RESONART_EACH(a.v[i] - b.v[i]);
}
RESONART_PLAIN Plain<T, N> operator*(Plain<T, N> a, Plain<T, N> b) {
    RESONART_EACH(a.v[i] * b.v[i]);
}
RESONART_PLAIN Plain<T, N> operator/(Plain<T, N> a, Plain<T, N> b) {
    RESONART_EACH(a.v[i] / b.v[i]);
}
RESONART_PLAIN Plain<T, N> lower(Plain<T, N> a, Plain<T, N> b) {
    RESONART_EACH(a.v[i] < b.v[i] ? a.v[i] : b.v[i]);
}
RESONART_PLAIN Plain<T, N> higher(Plain<T, N> a, Plain<T, N> b) {
    RESONART_EACH(a.v[i] > b.v[i] ? a.v[i] : b.v[i]);
}
RESONART_PLAIN Plain<T, N> root(Plain<T, N> a) { RESONART_EACH(std::sqrt(a.v[i])); }
RESONART_PLAIN unsigned at_least(Plain<T, N> a, Plain<T, N> b) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < N; ++i) bits |= (a.v[i] >= b.v[i] ? 1u : 0u) << i;
    return bits;
}
#undef RESONART_EACH
#undef RESONART_PLAIN
inline float highest(const RoughLanes& a) {
    float most = a.v[0];
    for (const float each : a.v) most = each > most ? each : most;
    return most;
}

#endif

}  // namespace
}  // namespace resonart
