// Loaded before everything else into a Python process (LD_PRELOAD), lets allocations of C++ and the
// starting of threads fail while it is told to.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> n_allocations{0};
std::atomic<long> failing{-1};  // the number of the allocation that fails; negative: none
std::atomic<bool> once{false};  // it alone, or all after it, too
std::atomic<long> n_threads{0};
std::atomic<unsigned long> denied{0};  // bit t: the t-th thread; the last bit: all after it, too
std::atomic<long> n_failed{0};
std::atomic<bool> armed{false};

void* allocate(std::size_t bytes, std::size_t alignment) {
    if (armed) {
        const long number = n_allocations++;
        const long which = failing;
        if (which >= 0 && (number == which || (number > which && !once))) {
            ++n_failed;
            throw std::bad_alloc();
        }
    }
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* p = std::aligned_alloc(alignment, rounded ? rounded : alignment);
    if (!p) throw std::bad_alloc();
    return p;
}

}  // namespace

void* operator new(std::size_t n) { return allocate(n, 16); }
void* operator new[](std::size_t n) { return allocate(n, 16); }
void* operator new(std::size_t n, std::align_val_t a) {
    return allocate(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
    return allocate(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*begin)(void*),
                   void* argument) noexcept {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    if (armed) {
        const long number = n_threads++;
        if (denied >> (number < 63 ? number : 63) & 1) {
            ++n_failed;
            return EAGAIN;
        }
    }
    return create(thread, attributes, begin, argument);
}

// From now on; a negative allocation: none fails.
void failing_begin(long allocation, int alone, unsigned long threads) {
    n_allocations = n_threads = n_failed = 0;
    failing = allocation;
    once = alone != 0;
    denied = threads;
    armed = true;
}
// Until now. Returns how many failed; how many there were is told by the next.
long failing_end(void) {
    armed = false;
    return n_failed;
}
long failing_allocations(void) { return n_allocations; }
long failing_threads(void) { return n_threads; }
}
