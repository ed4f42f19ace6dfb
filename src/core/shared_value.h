// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <utility>

namespace clothlab {

/// An optional value that copies share until one of them is changed.
template <class T>
class SharedValue {
 public:
  SharedValue() = default;
  SharedValue(T value) : value_(std::make_shared<T>(std::move(value))) {}

  explicit operator bool() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// For changes: first copies the value if others share it.
  T& operator*() { return own(); }
  T* operator->() { return &own(); }
  T& emplace() { return *(value_ = std::make_shared<T>()); }
  void reset() { value_.reset(); }

  bool operator==(const SharedValue& other) const {
    return value_ == other.value_ || (value_ && other.value_ && *value_ == *other.value_);
  }

 private:
  T& own() {
    if (value_.use_count() > 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }

  std::shared_ptr<T> value_;
};

}  // namespace clothlab
