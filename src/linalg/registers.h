// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

// Numbers side by side in registers; compilers do not vectorise the solvers' loops like this. All operations
// are element-wise and none is fused, so every processor and compiler gives the same bits.

#if defined(__GNUC__)
/// For functions and lambdas on registers of 32 bytes: a call would pass these in another way with AVX2 than
/// without, of which GCC warns.
#define CLOTHLAB_INLINED __attribute__((always_inline))
#pragma GCC diagnostic ignored "-Wpsabi"
#else
#define CLOTHLAB_INLINED
#endif

namespace clothlab {

#if defined(__GNUC__)
template <class Number, std::size_t N>
struct RegisterOf {
  using type __attribute__((vector_size(N * sizeof(Number)))) = Number;
};
#else
/// For compilers without vector types.
template <class Number, std::size_t N>
struct alignas(N * sizeof(Number)) Numbers {
  Number v[N];

  Number& operator[](std::size_t k) { return v[k]; }
  Number operator[](std::size_t k) const { return v[k]; }

  template <class Of>
  static Numbers each(const Of& of) {
    Numbers all;
    for (std::size_t k = 0; k < N; ++k) all.v[k] = of(k);
    return all;
  }
  template <class Of>
  static Numbers each(const Numbers& a, const Numbers& b, const Of& of) {
    return each([&](std::size_t k) { return of(a[k], b[k]); });
  }
  friend Numbers operator+(const Numbers& a, const Numbers& b) { return each(a, b, std::plus()); }
  friend Numbers operator-(const Numbers& a, const Numbers& b) { return each(a, b, std::minus()); }
  friend Numbers operator*(const Numbers& a, const Numbers& b) { return each(a, b, std::multiplies()); }
  friend Numbers operator/(const Numbers& a, const Numbers& b) { return each(a, b, std::divides()); }
  friend Numbers operator*(Number s, const Numbers& a) {
    return each([&](std::size_t k) { return s * a[k]; });
  }
};
template <class Number, std::size_t N>
struct RegisterOf {
  using type = Numbers<Number, N>;
};
#endif

// Every 64-bit processor has registers of 16 bytes, which hold
using HalfLanes = RegisterOf<double, 2>::type;  // half a Padded
using Quad = RegisterOf<float, 4>::type;        // mostly three numbers and a zero, in single precision
// Those of 32 bytes are for loops that are compiled for AVX2.
using Double4 = RegisterOf<double, 4>::type;
using Octet = RegisterOf<float, 8>::type;

/// Two registers, for processors that have none of twice their size.
template <class Half>
struct Halves {
  using Number = std::remove_cvref_t<decltype(std::declval<Half>()[0])>;

  Half low{}, high{};

  friend Halves operator+(const Halves& a, const Halves& b) { return {a.low + b.low, a.high + b.high}; }
  friend Halves operator-(const Halves& a, const Halves& b) { return {a.low - b.low, a.high - b.high}; }
  friend Halves operator*(const Halves& a, const Halves& b) { return {a.low * b.low, a.high * b.high}; }
  friend Halves operator*(Number s, const Halves& a) { return {s * a.low, s * a.high}; }
  friend Halves operator/(const Halves& a, const Halves& b) { return {a.low / b.low, a.high / b.high}; }
};
/// The four doubles of a Padded.
using Lanes = Halves<HalfLanes>;

/// s in all places
template <class Register, class Number>
CLOTHLAB_INLINED inline Register all(Number s) {
  if constexpr (requires(Register r) { r.low; }) {
    return {all<decltype(Register::low)>(s), all<decltype(Register::low)>(s)};
  } else if constexpr (sizeof(Register) == 2 * sizeof(s)) {
    return Register{s, s};
  } else if constexpr (sizeof(Register) == 4 * sizeof(s)) {
    return Register{s, s, s, s};
  } else {
    return Register{s, s, s, s, s, s, s, s};
  }
}

/// Of an address that is a multiple of the register's size.
template <class Register, class Number>
CLOTHLAB_INLINED inline Register load(const Number* from) {
  if constexpr (requires(Register r) { r.low; }) {
    using Half = decltype(Register::low);
    return {load<Half>(from), load<Half>(from + sizeof(Half) / sizeof(Number))};
  } else {
    return *reinterpret_cast<const Register*>(from);
  }
}
/// Of any address.
template <class Register, class Number>
CLOTHLAB_INLINED inline Register load_unaligned(const Number* from) {
  if constexpr (requires(Register r) { r.low; }) {
    using Half = decltype(Register::low);
    constexpr std::size_t kHalf = sizeof(Half) / sizeof(Number);  // NOLINT(bugprone-sizeof-expression)
    return {load_unaligned<Half>(from), load_unaligned<Half>(from + kHalf)};
  } else {
    Register a;
    std::memcpy(&a, from, sizeof a);
    return a;
  }
}
template <class Register, class Number>
CLOTHLAB_INLINED inline void store(const Register& a, Number* to) {
  *reinterpret_cast<Register*>(to) = a;
}
template <class Half, class Number>
CLOTHLAB_INLINED inline void store(const Halves<Half>& a, Number* to) {
  store(a.low, to);
  store(a.high, to + sizeof(Half) / sizeof(Number));
}

/// a == b ? then : otherwise, number by number, and the same with >. Without vector types by table lookup, as
/// a branch is badly predicted.
template <class Register>
CLOTHLAB_INLINED inline Register where_equal(const Register& a, const Register& b, const Register& then,
                                             const Register& otherwise) {
#if defined(__GNUC__)
  return a == b ? then : otherwise;
#else
  return Register::each([&](std::size_t k) { return std::array{otherwise[k], then[k]}[a[k] == b[k]]; });
#endif
}
template <class Register>
CLOTHLAB_INLINED inline Register where_greater(const Register& a, const Register& b, const Register& then,
                                               const Register& otherwise) {
#if defined(__GNUC__)
  return a > b ? then : otherwise;
#else
  return Register::each([&](std::size_t k) { return std::array{otherwise[k], then[k]}[a[k] > b[k]]; });
#endif
}
template <class Half>
CLOTHLAB_INLINED inline Halves<Half> where_equal(const Halves<Half>& a, const Halves<Half>& b,
                                                 const Halves<Half>& then, const Halves<Half>& otherwise) {
  return {where_equal(a.low, b.low, then.low, otherwise.low),
          where_equal(a.high, b.high, then.high, otherwise.high)};
}
template <class Half>
CLOTHLAB_INLINED inline Halves<Half> where_greater(const Halves<Half>& a, const Halves<Half>& b,
                                                   const Halves<Half>& then, const Halves<Half>& otherwise) {
  return {where_greater(a.low, b.low, then.low, otherwise.low),
          where_greater(a.high, b.high, then.high, otherwise.high)};
}

/// The numbers in the named places, those of b behind those of a.
template <int... kPlaces, class Register>
CLOTHLAB_INLINED inline auto shuffled(const Register& a, const Register& b) {
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
  return __builtin_shufflevector(a, b, kPlaces...);
#else
  using Number = std::remove_cvref_t<decltype(a[0])>;
  constexpr int kSize = sizeof a / sizeof(Number);
  return typename RegisterOf<Number, sizeof...(kPlaces)>::type{
      (kPlaces < kSize ? a[kPlaces % kSize] : b[kPlaces % kSize])...};
#endif
}
template <int kPlace>
CLOTHLAB_INLINED inline const HalfLanes& half_with(const Lanes& a, const Lanes& b) {
  return kPlace < 2 ? a.low : kPlace < 4 ? a.high : kPlace < 6 ? b.low : b.high;
}
template <int kFirst, int kSecond, int kThird, int kFourth>
CLOTHLAB_INLINED inline Lanes shuffled(const Lanes& a, const Lanes& b) {
  return {shuffled<kFirst % 2, 2 + kSecond % 2>(half_with<kFirst>(a, b), half_with<kSecond>(a, b)),
          shuffled<kThird % 2, 2 + kFourth % 2>(half_with<kThird>(a, b), half_with<kFourth>(a, b))};
}
/// Of each four numbers those in the named places.
template <int kFirst, int kSecond, int kThird, int kFourth, class Register>
CLOTHLAB_INLINED inline Register in_fours(const Register& a) {
  if constexpr (std::is_same_v<Register, Octet>) {
    return shuffled<kFirst, kSecond, kThird, kFourth, kFirst + 4, kSecond + 4, kThird + 4, kFourth + 4>(a, a);
  } else if constexpr (std::is_same_v<Register, Halves<Quad>>) {
    return {in_fours<kFirst, kSecond, kThird, kFourth>(a.low),
            in_fours<kFirst, kSecond, kThird, kFourth>(a.high)};
  } else {
    return shuffled<kFirst, kSecond, kThird, kFourth>(a, a);
  }
}
/// Four numbers with 0 in the fourth place.
template <class Register>
CLOTHLAB_INLINED inline Register without_fourth(const Register& a) {
  if constexpr (std::is_same_v<Register, Lanes>) {
    return {a.low, HalfLanes{a.high[0], 0.0}};
  } else {
    return where_greater(Register{1, 1, 1, 0}, Register{}, a, Register{});
  }
}

CLOTHLAB_INLINED inline Quad low(const Octet& a) { return shuffled<0, 1, 2, 3>(a, a); }
CLOTHLAB_INLINED inline Quad high(const Octet& a) { return shuffled<4, 5, 6, 7>(a, a); }
inline Quad low(const Halves<Quad>& a) { return a.low; }
inline Quad high(const Halves<Quad>& a) { return a.high; }
template <class Eight>
CLOTHLAB_INLINED inline Eight joined(Quad low, Quad high) {
  if constexpr (std::is_same_v<Eight, Octet>) {
    return shuffled<0, 1, 2, 3, 4, 5, 6, 7>(low, high);
  } else {
    return {low, high};
  }
}

inline HalfLanes root(HalfLanes a) { return HalfLanes{std::sqrt(a[0]), std::sqrt(a[1])}; }
inline Lanes root(const Lanes& a) { return {root(a.low), root(a.high)}; }
CLOTHLAB_INLINED inline Double4 root(const Double4& a) {
  return Double4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}

/// Registers with four doubles, and with eight numbers in single precision.
struct PortableRegisters {
  using Four = Lanes;
  using Eight = Halves<Quad>;
};
struct Avx2Registers {
  using Four = Double4;
  using Eight = Octet;
};

#if defined(__GNUC__) && defined(__x86_64__)

inline const bool kHasAvx2 = __builtin_cpu_supports("avx2");

template <class Body>
__attribute__((target("avx2"), flatten)) auto compiled_for_avx2(const Body& body) {
  return body(Avx2Registers());
}

/// body(registers), compiled for AVX2 where the processor has it and `allowed`.
template <class Body>
auto with_best_registers(const Body& body, bool allowed = true) {
  return allowed && kHasAvx2 ? compiled_for_avx2(body) : body(PortableRegisters());
}

#else

template <class Body>
auto with_best_registers(const Body& body, bool /*allowed*/ = true) {
  return body(PortableRegisters());
}

#endif

/// Starts to load what a loop reads soon: hardware prefetchers stop at the end of a page.
template <class Value>
CLOTHLAB_INLINED inline void prefetch_next_page(const Value* at) {
#if defined(__GNUC__)
  __builtin_prefetch(reinterpret_cast<const char*>(at) + 4096);
#else
  static_cast<void>(at);
#endif
}

}  // namespace clothlab
