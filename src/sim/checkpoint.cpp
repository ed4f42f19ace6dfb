// SPDX-License-Identifier: MIT
#include "sim/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "core/hash.h"
#include "core/vec.h"

namespace clothlab {
namespace {

class NumberWriter {
 public:
  explicit NumberWriter(Memory& to) : to_(to) {}

  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(T& number) const { to_.put(static_cast<double>(number)); }
  void operator()(vec3& v) const { to_.put(std::span(&v, 1)); }
  void operator()(std::vector<vec3>& vectors) const { to_.put(vectors); }
  bool goes_on() const { return true; }
  template <class T, class Each>
  void list(std::vector<T>& items, const Each& each) const {
    to_.put(static_cast<double>(items.size()));
    for (T& item : items) each(item);
  }
  template <class T, class Each>
  void maybe(std::optional<T>& item, const Each& each) const {
    to_.put(item ? 1 : 0);
    if (item) each(*item);
  }

 private:
  Memory& to_;
};

class NumberReader {
 public:
  /// Of a cloth of n particles.
  NumberReader(MemoryReader& from, std::size_t n) : from_(from), n_(n) {}

  template <class T>
  requires std::is_integral_v<T>
  void operator()(T& number) const {
    constexpr std::uint64_t kMost =
        std::min<std::uint64_t>(std::numeric_limits<T>::max(), std::uint64_t{1} << 53);
    number = static_cast<T>(from_.count(kMost));
  }
  void operator()(double& number) const {
    number = from_.number();
    if (std::isnan(number)) refuse();
  }
  void operator()(vec3& v) const { read(std::span(&v, 1)); }
  void operator()(std::vector<vec3>& vectors) const {
    vectors.resize(n_);
    read(vectors);
  }
  /// Files of earlier versions end here.
  bool goes_on() const { return !from_.at_end(); }
  template <class T, class Each>
  void list(std::vector<T>& items, const Each& each) const {
    items.resize(from_.count(from_.left()));
    for (T& item : items) each(item);
  }
  template <class T, class Each>
  void maybe(std::optional<T>& item, const Each& each) const {
    item.reset();
    if (from_.count(1) == 1) each(item.emplace(T{}));
  }

 private:
  void read(std::span<vec3> vectors) const {
    from_.vectors(vectors);
    if (!std::ranges::all_of(vectors, is_finite)) refuse();
  }
  [[noreturn]] static void refuse() {
    throw InputError("The checkpoint is damaged: it contains a value that is not a finite number.");
  }

  MemoryReader& from_;
  std::size_t n_;
};

/// The numbers of a checkpoint in the order of its file.
template <class Each>
void each_number(Checkpoint& c, State& last_good, std::vector<double>& memory, bool& warned_of_energy,
                 const Each& each) {
  for (State* state : {&c.state, &last_good}) {
    each(state->x);
    each(state->v);
    each(state->t);
  }
  each.list(memory, each);
  each(c.entering);
  each(c.last_h);
  c.control.each_number(each);
  each.list(c.contacts, [&](ActiveContact& contact) {
    each(contact.particle);
    each(contact.surface);
    each(contact.sticks);
  });
  c.pins.each_number(each);
  each.maybe(c.grab, [&](GrabSpring& grab) {
    for (std::uint32_t& particle : grab.particles) each(particle);
    each(grab.weights);
    each(grab.cursor);
    for (double* value : {&grab.stiffness, &grab.damping, &grab.max_force, &grab.least_block}) each(*value);
  });
  each(c.grab_strength);
  c.account.each_number(each);
  c.watch.each_number(each);
  each(warned_of_energy);
  each(c.record.step);
  for (const EnergyEntry& entry : kEnergyEntries)
    if (entry.joule != &EnergyLedger::limit && entry.joule != &EnergyLedger::drivers)
      each(c.record.ledger.*entry.joule);
  each(c.record.ledger.energy);
  each(c.record.ledger.wind_given);
  each(c.last_good_step);
  if (each.goes_on()) c.moves.each_number(each);
  if (each.goes_on()) each(c.record.ledger.limit);
  if (each.goes_on()) each(c.stiffened);
  if (each.goes_on()) each(c.lifting);
  if (each.goes_on()) each.list(c.behind, each);
  if (each.goes_on())
    for (ActiveContact& contact : c.contacts) each(contact.impulse);
  if (each.goes_on()) each(c.record.ledger.drivers);
  if (each.goes_on()) c.moves.each_number_of_growth(each);
  if (each.goes_on())
    each.list(c.pairs, [&](ActivePair& pair) {
      for (std::uint32_t& particle : pair.features.particle) each(particle);
      bool is_edges = pair.features.kind == FeaturePair::Kind::edge_edge;
      each(is_edges);
      pair.features.kind = is_edges ? FeaturePair::Kind::edge_edge : FeaturePair::Kind::vertex_face;
      each(pair.impulse);
    });
}

/// True if its indices and sizes fit a mesh of that size.
bool fits(const Checkpoint& c, std::size_t n) {
  if (!std::isfinite(c.state.t) || !std::isfinite(c.last_h)) return false;
  if (!(c.stiffened >= 1 && std::isfinite(c.stiffened))) return false;
  const auto exists = [n](std::uint32_t particle) { return particle < n; };
  for (const ActiveContact& contact : c.contacts)
    if (!exists(contact.particle)) return false;
  for (const std::uint32_t particle : c.pins.particles())
    if (!exists(particle)) return false;
  if (!std::ranges::all_of(c.behind, exists) ||
      std::ranges::adjacent_find(c.behind, std::ranges::greater_equal()) != c.behind.end())
    return false;
  if (!c.grab) return true;
  return exists(c.grab->particles[0]) && exists(c.grab->particles[1]) && exists(c.grab->particles[2]);
}

}  // namespace

std::uint64_t state_hash(const State& state) { return Hash().add(state.x).add(state.v).add(state.t).value(); }

void write_checkpoint(const Checkpoint& checkpoint, Memory& to) {
  Checkpoint copy = checkpoint;
  State last_good = *copy.last_good;
  const std::span<const double> numbers = copy.memory.numbers();
  std::vector<double> memory(numbers.begin(), numbers.end());
  bool warned_of_energy = copy.notices.has(NoticeCause::spurious_energy);
  each_number(copy, last_good, memory, warned_of_energy, NumberWriter(to));
}

Checkpoint read_checkpoint(MemoryReader& from, std::size_t n) {
  Checkpoint checkpoint;
  State last_good;
  std::vector<double> memory;
  bool warned_of_energy = false;
  each_number(checkpoint, last_good, memory, warned_of_energy, NumberReader(from, n));
  if (!from.at_end() || !fits(checkpoint, n))
    throw InputError("The checkpoint does not belong to this mesh.");
  checkpoint.last_good = std::make_shared<const State>(std::move(last_good));
  checkpoint.memory = Memory(std::move(memory));
  checkpoint.record.time = checkpoint.state.t;
  if (warned_of_energy)
    checkpoint.notices.add(NoticeCause::spurious_energy, checkpoint.record.step,
                           "The run gained spurious energy before this checkpoint.");
  return checkpoint;
}

}  // namespace clothlab
