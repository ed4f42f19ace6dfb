// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace clothlab {

/// Keeps each distinct value once, at an address that is valid until the program ends. Any thread may ask for
/// one, and none waits for another. For values that a user makes by hand: the list is searched from its
/// start.
template <class T>
class Interned {
 public:
  /// The value for which matches(value) is true; else the new one that make() returns.
  template <class Matches, class Make>
  const T& get(const Matches& matches, const Make& make) {
    const Node* seen = nullptr;
    std::unique_ptr<Node> added;
    for (const Node* head = head_.load();;) {
      for (const Node* node = head; node != seen; node = node->next)
        if (matches(node->value)) return node->value;
      seen = head;
      if (!added) added = std::make_unique<Node>(make());
      added->next = head;
      if (head_.compare_exchange_strong(head, added.get())) return added.release()->value;
    }
  }

 private:
  struct Node {
    explicit Node(T v) : value(std::move(v)) {}
    T value;
    const Node* next = nullptr;
  };
  std::atomic<const Node*> head_ = nullptr;
};

}  // namespace clothlab
