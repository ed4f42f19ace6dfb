// SPDX-License-Identifier: MIT
#include "allocation_counter.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace {

std::atomic<long> counter{0};
std::atomic<std::size_t> bytes{0}, most{0};
thread_local long until_failure = 0;
std::atomic<std::size_t> too_large{0};

// In front of what is handed out stands its size, in room of one alignment.
constexpr std::size_t kAlignment = alignof(std::max_align_t);
static_assert(kAlignment >= sizeof(std::size_t));

void* counted_or_null(std::size_t size, std::size_t alignment = kAlignment) noexcept {
  ++counter;
  if (until_failure > 0 && --until_failure == 0) return nullptr;
  if (too_large > 0 && size >= too_large) return nullptr;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const room = std::aligned_alloc(alignment, alignment + rounded);
  if (room == nullptr) return nullptr;
  std::memcpy(room, &size, sizeof size);
  const std::size_t now = bytes += size;
  std::size_t before = most;
  while (before < now && !most.compare_exchange_weak(before, now)) {
  }
  return static_cast<char*>(room) + alignment;
}

void* counted(std::size_t size, std::size_t alignment = kAlignment) {
  if (void* memory = counted_or_null(size, alignment)) return memory;
  throw std::bad_alloc();
}

void give_back(void* memory, std::size_t alignment = kAlignment) noexcept {
  if (memory == nullptr) return;
  void* const room = static_cast<char*>(memory) - alignment;
  std::size_t size = 0;
  std::memcpy(&size, room, sizeof size);
  bytes -= size;
  std::free(room);
}

}  // namespace

long allocations() { return counter; }
std::size_t allocated_bytes() { return bytes; }
std::size_t most_allocated_bytes() { return most; }
long fail_allocation(long n) { return std::exchange(until_failure, n); }

void fail_allocations_from(std::size_t size) { too_large = size; }

void* operator new(std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
// std::stable_sort asks for its buffer in this way.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t alignment) noexcept {
  give_back(memory, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
  give_back(memory, static_cast<std::size_t>(alignment));
}
