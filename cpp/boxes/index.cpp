// Whether boxes are indexed: asked of the environment once, when the first model grows.
#include "boxes/index.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace resonart {
namespace {

Indexing choose() {
    const char* wanted = std::getenv("RESONART_INDEX");
    if (wanted && std::strcmp(wanted, "on") == 0) return Indexing::always;
    if (wanted && std::strcmp(wanted, "off") == 0) return Indexing::never;
    return Indexing::automatic;
}

std::atomic<Indexing>& current() {
    static std::atomic<Indexing> choice{choose()};
    return choice;
}

}  // namespace

Indexing indexing() { return current().load(std::memory_order_relaxed); }
void use_indexing(Indexing choice) { current().store(choice, std::memory_order_relaxed); }

std::uint32_t number_of_packing() {
    static std::atomic<std::uint32_t> last{0};
    return ++last;
}

}  // namespace resonart
