// One row, as Python gives it: a list, a tuple, an array or any other sequence of numbers.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/rows.hpp"

namespace resonart::bindings {

namespace nb = nanobind;

inline std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.12g", value);
    return text;
}

// Whether something is a numpy.ndarray itself, which hides no values as its subclasses may. NumPy
// is not imported for it, neither here nor when the module is made, so that what needs no arrays
// (the options of the command line, the version) starts without: who has an array has imported it.
inline bool is_plain_array(nb::handle row) {
    static std::atomic<PyObject*> plain{nullptr};
    PyObject* known = plain.load(std::memory_order_relaxed);
    if (known == nullptr) {
        const nb::object modules = nb::module_::import_("sys").attr("modules");
        const nb::object numpy = modules.attr("get")("numpy");
        nb::object kind = nb::getattr(numpy, "ndarray", nb::none());
        if (kind.is_none()) return false;
        known = kind.release().ptr();  // kept to the end
        plain.store(known, std::memory_order_relaxed);
    }
    return row.type().ptr() == known;
}

// One row given as a list, a tuple, an array or any other sequence of numbers.
class OneRow {
public:
    OneRow(nb::handle row, std::size_t n_features) {
        values_ = stack_;
        if (n_features > kOnStack) {
            heap_.resize(n_features);
            values_ = heap_.data();
        }
        if (!read_buffer(row, n_features)) read_sequence(row, n_features);
        for (std::size_t f = 0; f < n_features; ++f) {
            if (!usable(values_[f])) {
                if (std::isfinite(values_[f])) too_large(f);
                throw nb::value_error(
                    ("the row has " + std::string(std::isnan(values_[f]) ? "NaN" : "infinity") +
                     " in column " + std::to_string(f) + "; resonart needs finite numbers")
                        .c_str());
            }
        }
    }
    OneRow(const OneRow&) = delete;
    OneRow& operator=(const OneRow&) = delete;
    const double* data() const { return values_; }

    static std::size_t length(nb::handle row) {
        const Py_ssize_t n = PyObject_Size(row.ptr());
        if (n < 0) throw nb::python_error();
        return static_cast<std::size_t>(n);
    }

private:
    static constexpr std::size_t kOnStack = 64;

    [[noreturn]] static void wrong_length(std::size_t got, std::size_t want) {
        throw nb::value_error(("the row has " + std::to_string(got) +
                               " features, but the model has " + std::to_string(want) + " features")
                                  .c_str());
    }

    static void check_length(PyObject* items, std::size_t want) {
        const std::size_t got = length(items);
        if (got != want) wrong_length(got, want);
    }

    [[noreturn]] static void too_large(std::size_t column) {
        throw nb::value_error(("the row has too large a value in column " + std::to_string(column) +
                               "; resonart needs numbers from " + number(-kLargest) + " to " +
                               number(kLargest) +
                               ", whose squares are finite: divide the column by a constant, or "
                               "take its logarithm")
                                  .c_str());
    }

    // Values that NumPy says are no real numbers: complex ones, dates, text.
    static void check_kind(nb::handle value) {
        const nb::object dtype = nb::getattr(value, "dtype", nb::none());
        if (dtype.is_none()) return;
        const nb::object kind = nb::getattr(dtype, "kind", nb::none());
        if (!PyUnicode_Check(kind.ptr())) return;
        if (std::string("fiubO").find(nb::cast<std::string>(kind)) == std::string::npos) {
            throw nb::type_error(("learn_one takes one row: a sequence of real numbers, got " +
                                  nb::cast<std::string>(nb::str(dtype)) + " values")
                                     .c_str());
        }
    }

    // An array of a class of its own may hide values.
    static void check_mask(nb::handle row) {
        const nb::object mask = nb::getattr(row, "mask", nb::none());
        if (mask.is_none()) return;
        if (nb::cast<bool>(nb::module_::import_("numpy.ma").attr("is_masked")(row))) {
            throw nb::value_error(
                "the row is a masked array with masked values, and resonart knows no gaps: leave "
                "the row out, or fill them first with row.filled(value)");
        }
    }

    bool read_buffer(nb::handle row, std::size_t d) {
        if (PyList_Check(row.ptr()) || PyTuple_Check(row.ptr()) ||
            !PyObject_CheckBuffer(row.ptr())) {
            return false;
        }
        if (!is_plain_array(row)) check_mask(row);
        Py_buffer view;
        if (PyObject_GetBuffer(row.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
            PyErr_Clear();
            return false;
        }
        const bool doubles = view.ndim == 1 && view.itemsize == sizeof(double) && view.format &&
                             view.format[0] == 'd' && view.format[1] == '\0';
        const std::size_t n = view.ndim == 1 ? static_cast<std::size_t>(view.shape[0]) : 0;
        if (doubles && n == d) {
            const char* p = static_cast<const char*>(view.buf);
            for (std::size_t f = 0; f < d; ++f, p += view.strides[0]) {
                std::memcpy(&values_[f], p, sizeof(double));
            }
        }
        PyBuffer_Release(&view);
        if (doubles && n != d) wrong_length(n, d);
        return doubles;
    }

    // Lists and tuples, and whatever else has places and one dimension: not sets, dicts or frames.
    static bool is_row(nb::handle row) {
        if (PyList_Check(row.ptr()) || PyTuple_Check(row.ptr())) return true;
        if (PyUnicode_Check(row.ptr()) || PyBytes_Check(row.ptr()) || PyDict_Check(row.ptr()) ||
            !PySequence_Check(row.ptr())) {
            return false;
        }
        const nb::object shape = nb::getattr(row, "shape", nb::none());
        return !PyTuple_Check(shape.ptr()) || PyTuple_Size(shape.ptr()) == 1;
    }

    void read_sequence(nb::handle row, std::size_t d) {
        const char* wanted = "learn_one takes one row: a sequence of numbers";
        if (!is_row(row)) throw nb::type_error(wanted);
        check_kind(row);
        PyObject* items = PySequence_Fast(row.ptr(), wanted);
        if (!items) throw nb::python_error();
        const nb::object hold = nb::steal(items);
        check_length(items, d);
        for (std::size_t f = 0; f < d; ++f) {
            // Kept: an item's own __float__, or another thread, may do anything, even change the
            // list.
            PyObject* const item = PySequence_GetItem(items, static_cast<Py_ssize_t>(f));
            if (!item) {
                PyErr_Clear();
                check_length(items, d);
                throw nb::value_error("the row changed while it was read");
            }
            const nb::object kept = nb::steal(item);
            if (PyFloat_CheckExact(item)) {
                values_[f] = PyFloat_AsDouble(item);
                continue;
            }
            if (!PyLong_CheckExact(item)) {
                if (PyComplex_Check(item)) {
                    throw nb::type_error(
                        "learn_one takes one row: a sequence of real numbers, got a complex one");
                }
                check_kind(kept);
            }
            const double value = PyFloat_AsDouble(item);
            if (value == -1.0 && PyErr_Occurred()) {
                if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw nb::python_error();
                PyErr_Clear();
                too_large(f);
            }
            values_[f] = value;
            check_length(items, d);
        }
    }

    double stack_[kOnStack];
    std::vector<double> heap_;
    double* values_;
};

// A list or tuple of plain numbers as the one row that it is; of anything else, no row.
class PlainRow {
public:
    PlainRow(nb::handle row, std::size_t n_features) {
        const bool is_plain = PyList_CheckExact(row.ptr()) || PyTuple_CheckExact(row.ptr());
        if (!is_plain || OneRow::length(row) != n_features) return;
        values_.resize_uninitialised(n_features);
        for (std::size_t f = 0; f < n_features; ++f) {
            const nb::object item =
                nb::steal(PySequence_GetItem(row.ptr(), static_cast<Py_ssize_t>(f)));
            if (!item.is_valid()) {  // another thread has taken it out
                PyErr_Clear();
                return;
            }
            if (!PyFloat_CheckExact(item.ptr()) && !PyLong_CheckExact(item.ptr())) return;
            values_[f] = PyFloat_AsDouble(item.ptr());
            if (values_[f] == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                return;
            }
            if (!usable(values_[f])) return;
        }
        is_row_ = true;
    }
    std::size_t size() const { return is_row_ ? 1 : 0; }
    void read(std::size_t, double* row) const { std::copy(values_.begin(), values_.end(), row); }

private:
    Buffer<double> values_;
    bool is_row_ = false;
};

}  // namespace resonart::bindings
