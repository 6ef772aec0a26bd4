// Between NumPy arrays and the engine's plain memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/rows.hpp"

namespace resonart::bindings {

namespace nb = nanobind;

using AnyRows = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <class T>
using NewMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

template <class T>
Rows rows_of(const AnyRows& a) {
    const auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    return Rows::of<T>(a.data(), a.shape(0), a.shape(1), a.stride(0) * size, a.stride(1) * size);
}

inline Rows as_rows(const AnyRows& a) {
    const auto t = a.dtype();
    if (t == nb::dtype<double>()) return rows_of<double>(a);
    if (t == nb::dtype<float>()) return rows_of<float>(a);
    if (t == nb::dtype<std::int64_t>()) return rows_of<std::int64_t>(a);
    if (t == nb::dtype<std::int32_t>()) return rows_of<std::int32_t>(a);
    if (t == nb::dtype<std::int16_t>()) return rows_of<std::int16_t>(a);
    if (t == nb::dtype<std::int8_t>()) return rows_of<std::int8_t>(a);
    if (t == nb::dtype<std::uint64_t>()) return rows_of<std::uint64_t>(a);
    if (t == nb::dtype<std::uint32_t>()) return rows_of<std::uint32_t>(a);
    if (t == nb::dtype<std::uint16_t>()) return rows_of<std::uint16_t>(a);
    if (t == nb::dtype<std::uint8_t>()) return rows_of<std::uint8_t>(a);
    throw nb::type_error("rows must be of a plain integer or floating-point type");
}

// New arrays. Memory is owned by Python once `release` has been called.
template <class T>
class NewArray {
public:
    explicit NewArray(std::size_t n) : size_(n), data_(new T[n ? n : 1]) {}
    T* data() { return data_.get(); }
    NewVector<T> vector() {
        T* p = data_.get();
        return NewVector<T>(p, {size_}, owner());
    }
    NewMatrix<T> matrix(std::size_t rows, std::size_t columns) {
        T* p = data_.get();
        return NewMatrix<T>(p, {rows, columns}, owner());
    }

private:
    nb::capsule owner() {
        nb::capsule capsule(data_.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
        data_.release();
        return capsule;
    }
    std::size_t size_;
    std::unique_ptr<T[]> data_;
};

// Whole numbers as NumPy's own int64. (What comes through the buffer protocol is of the equal
// but differently named type `long long`, which shows wherever an array is printed.)
using WholeNumbers = nb::object;
inline WholeNumbers whole_numbers(NewArray<std::int64_t>& numbers) {
    return nb::cast(numbers.vector()).attr("view")(nb::module_::import_("numpy").attr("int64"));
}

// The same in rows and columns.
inline WholeNumbers whole_matrix(NewArray<std::int64_t>& numbers, std::size_t rows,
                                 std::size_t columns) {
    return nb::cast(numbers.matrix(rows, columns))
        .attr("view")(nb::module_::import_("numpy").attr("int64"));
}

// Numbers that are added one after the other while a model is held still, and then are Python's.
template <class T>
class Table {
public:
    explicit Table(std::size_t columns = 1) : columns_(columns) { numbers_->reserve(1); }
    void reserve(std::size_t n_rows) { numbers_->reserve(n_rows * columns_ + 1); }
    template <class... Values>
    void add(const Values&... values) {
        (numbers_->push_back(static_cast<T>(values)), ...);
    }
    void add_all(const T* numbers, std::size_t n) {
        numbers_->insert(numbers_->end(), numbers, numbers + n);
    }

    nb::object vector() { return made<nb::ndim<1>>({numbers_->size()}); }
    nb::object matrix() { return made<nb::ndim<2>>({numbers_->size() / columns_, columns_}); }

private:
    template <class Dimensions>
    nb::object made(std::initializer_list<std::size_t> shape) {
        T* const numbers = numbers_->data();
        nb::capsule owner(numbers_.get(),
                          [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
        numbers_.release();
        nb::object array =
            nb::cast(nb::ndarray<nb::numpy, T, Dimensions, nb::c_contig>(numbers, shape, owner));
        if constexpr (std::is_same_v<T, std::int64_t>) {
            return array.attr("view")(nb::module_::import_("numpy").attr("int64"));
        } else {
            return array;
        }
    }

    std::size_t columns_;
    std::unique_ptr<std::vector<T>> numbers_ = std::make_unique<std::vector<T>>();
};

}  // namespace resonart::bindings
