// Memory for arrays: aligned for the widest registers, and where an array is large, on large pages.
//
// A search jumps from node to node and from box to box. Over thousands of pages of 4 KiB most jumps
// miss the processor's list of where pages are (its TLB), and a virtual machine pays twice for
// that. Linux has pages of 2 MiB for those who ask.
#pragma once

#include <cstddef>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace resonart {

constexpr std::size_t kLargePage = std::size_t{1} << 21;

constexpr std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes < kLargePage ? 64 : kLargePage};
}

// Throws std::bad_alloc.
inline void* allocate(std::size_t bytes) {
    void* p = ::operator new(bytes, alignment(bytes));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    // A wish: where it isn't granted, small pages serve.
    if (bytes >= kLargePage) static_cast<void>(madvise(p, bytes, MADV_HUGEPAGE));
#endif
    return p;
}

// What `allocate` gave for so many bytes.
inline void release(void* p, std::size_t bytes) noexcept { ::operator delete(p, alignment(bytes)); }

}  // namespace resonart
