// Rows of numbers wherever they lie: any plain element type, any strides, no copy.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace resonart {

class Rows {
public:
    // Strides in bytes. `T` is the element type.
    template <class T>
    static Rows of(const void* data, std::size_t n, std::size_t d, std::ptrdiff_t row_stride,
                   std::ptrdiff_t column_stride) {
        return Rows(static_cast<const char*>(data), n, d, row_stride, column_stride, &read_row<T>);
    }

    std::size_t size() const { return n_; }
    std::size_t n_features() const { return d_; }

    void read(std::size_t r, double* out) const {
        read_(data_ + static_cast<std::ptrdiff_t>(r) * row_stride_, column_stride_, d_, out);
    }
    double at(std::size_t r, std::size_t f) const {
        double value;
        read_(data_ + static_cast<std::ptrdiff_t>(r) * row_stride_ +
                  static_cast<std::ptrdiff_t>(f) * column_stride_,
              column_stride_, 1, &value);
        return value;
    }

private:
    using Read = void (*)(const char*, std::ptrdiff_t, std::size_t, double*);

    Rows(const char* data, std::size_t n, std::size_t d, std::ptrdiff_t row_stride,
         std::ptrdiff_t column_stride, Read read)
        : data_(data),
          n_(n),
          d_(d),
          row_stride_(row_stride),
          column_stride_(column_stride),
          read_(read) {}

    template <class T>
    static void read_row(const char* p, std::ptrdiff_t stride, std::size_t d, double* out) {
        // Values are copied bytewise: the array need not be aligned.
        if (stride == static_cast<std::ptrdiff_t>(sizeof(T))) {  // the usual case, vectorised
            for (std::size_t f = 0; f < d; ++f) out[f] = read_one<T>(p + f * sizeof(T));
            return;
        }
        for (std::size_t f = 0; f < d; ++f, p += stride) out[f] = read_one<T>(p);
    }

    template <class T>
    static double read_one(const char* p) {
        T value;
        std::memcpy(&value, p, sizeof(T));
        return static_cast<double>(value);
    }

    const char* data_;
    std::size_t n_, d_;
    std::ptrdiff_t row_stride_, column_stride_;
    Read read_;
};

// The largest value that a feature may have. Ranges are squared, and squares are summed over
// features and rows: up to 2^53 rows of a million features such a sum is finite.
constexpr double kLargest = 1e140;

inline bool usable(double value) { return std::fabs(value) <= kLargest; }

}  // namespace resonart
