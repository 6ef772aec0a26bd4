// A growing array of plain values that fails cleanly.
//
// `reserve` is the only member besides copying that can throw (std::bad_alloc), and leaves the
// contents alone when it does. Code that must not half-happen reserves first, then writes.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "base/memory.hpp"

namespace resonart {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable<T>::value, "Buffer holds plain values");

public:
    Buffer() = default;
    Buffer(const Buffer& other) {
        reserve(other.size_);
        append(other.data_, other.size_);
    }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(const Buffer& other) {
        if (this != &other) {
            reserve(other.size_);
            size_ = 0;
            append(other.data_, other.size_);
        }
        return *this;
    }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Buffer() { release(data_, capacity_ * sizeof(T)); }

    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    std::size_t size() const { return size_; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](std::size_t i) { return data_[checked(i)]; }
    const T& operator[](std::size_t i) const { return data_[checked(i)]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

    // Room for `n` values in all, growing by half so that appending stays cheap.
    void reserve(std::size_t n) {
        if (n <= capacity_) return;
        std::size_t grown = capacity_ + capacity_ / 2 + 16;
        if (grown < n) grown = n;
        if (grown > std::numeric_limits<std::size_t>::max() / sizeof(T) / 2) throw std::bad_alloc();
        T* fresh = static_cast<T*>(allocate(grown * sizeof(T)));
        if (size_) std::memcpy(fresh, data_, size_ * sizeof(T));
        release(data_, capacity_ * sizeof(T));
        data_ = fresh;
        capacity_ = grown;
    }

    // The rest needs the room reserved before.
    void push(T value) noexcept { data_[size_++] = value; }
    void append(const T* values, std::size_t n) noexcept {
        if (n) std::memcpy(data_ + size_, values, n * sizeof(T));
        size_ += n;
    }
    void append(T value, std::size_t n) noexcept {
        for (std::size_t i = 0; i < n; ++i) data_[size_ + i] = value;
        size_ += n;
    }
    void insert(std::size_t at, T value) noexcept {
        std::memmove(data_ + at + 1, data_ + at, (size_ - at) * sizeof(T));
        data_[at] = value;
        ++size_;
    }
    void clear() noexcept { size_ = 0; }
    void shrink(std::size_t n) noexcept {
        if (n < size_) size_ = n;
    }

    // Work space: `n` values of any content.
    void resize_uninitialised(std::size_t n) {
        reserve(n);
        size_ = n;
    }
    void assign(std::size_t n, T value) {
        reserve(n);
        size_ = 0;
        append(value, n);
    }

private:
    // A sanitizer knows what was asked for, not what of it is in use.
    std::size_t checked(std::size_t i) const {
#ifdef RESONART_SANITIZE
        if (i >= size_) std::abort();
#endif
        return i;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace resonart
