#include "linalg/spring_matrix.h"

#include <algorithm>
#include <cassert>

#include <glm/glm.hpp>

namespace clothlab {

namespace {

// Where the product finds a row's vectors: side by side for the solvers, through the numbering for others.
struct ByRow {
  const Padded* x_of;
  Padded* y_of;
  const Padded& x(std::size_t row) const { return x_of[row]; }
  Padded& y(std::size_t row) const { return y_of[row]; }
};

struct ByParticle {
  const std::uint32_t* particle;
  const vec3* x_of;
  vec3* y_of;
  const vec3& x(std::size_t row) const { return x_of[particle[row]]; }
  vec3& y(std::size_t row) const { return y_of[particle[row]]; }
};

struct Force {
  double x, y, z;
};

// (u u^T + b I) (x_i - x_j)
template <class Vector>
Force spring_force(const SpringMatrix::Spring& s, const Vector& xi, const Vector& xj) {
  const double dx = xi.x - xj.x;
  const double dy = xi.y - xj.y;
  const double dz = xi.z - xj.z;
  const double along = s.u.x * dx + s.u.y * dy + s.u.z * dz;
  return {along * s.u.x + s.b * dx, along * s.u.y + s.b * dy, along * s.u.z + s.b * dz};
}

}  // namespace

SpringMatrix::SpringMatrix(std::shared_ptr<const SpringPattern> pattern)
    : pattern_(std::move(pattern)), diagonal_(pattern_->particles(), 0.0), values_(pattern_->springs()) {}

void SpringMatrix::set_zero() {
  std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
  std::fill(values_.begin(), values_.end(), Spring{});
  clear_stencils();
}

void SpringMatrix::clear_stencils() {
  stencils_.clear();
  points_.clear();
}

void SpringMatrix::add_stencil(const Stencil& stencil) {
  assert(stencil.count >= 1 && stencil.count <= 3);
  const auto index = static_cast<std::uint32_t>(stencils_.size());
  stencils_.push_back(stencil);
  for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
    const StencilPoint point{pattern_->row[stencil.particle[k]], index, stencil.weight[k]};
    const auto after = std::upper_bound(points_.begin(), points_.end(), point,
                                        [](const auto& a, const auto& b) { return a.row < b.row; });
    points_.insert(after, point);
  }
}

std::span<const SpringMatrix::StencilPoint> SpringMatrix::points_of(std::size_t chunk) const {
  const auto first_from = [&](std::uint32_t row) {
    return std::lower_bound(points_.begin(), points_.end(), row,
                            [](const StencilPoint& point, std::uint32_t r) { return point.row < r; });
  };
  return {first_from(pattern_->chunk_begin[chunk]), first_from(pattern_->chunk_begin[chunk + 1])};
}

// Every chunk writes its own rows only. A spring within the chunk is computed once and goes to both ends;
// one that leaves the chunk is computed by the chunks of both its ends. Every row so receives its terms
// in an order that the pattern alone decides: incoming springs, stencils, then the chunk's own springs.
template <class Rows>
double SpringMatrix::chunk_product(std::size_t chunk, const Rows& rows) const {
  const SpringPattern& p = *pattern_;
  const std::uint32_t begin = p.chunk_begin[chunk];
  const std::uint32_t end = p.chunk_begin[chunk + 1];

  for (std::uint32_t i = begin; i < end; ++i) rows.y(i) = {};
  for (std::uint32_t k = p.incoming_begin[chunk]; k < p.incoming_begin[chunk + 1]; ++k) {
    const SpringPattern::Incoming& in = p.incoming[k];
    const Force f = spring_force(values_[in.slot], rows.x(in.lower), rows.x(in.upper));
    auto& y = rows.y(in.upper);
    y.x -= f.x;
    y.y -= f.y;
    y.z -= f.z;
  }
  for (const StencilPoint& point : points_of(chunk)) {
    const Stencil& stencil = stencils_[point.stencil];
    vec3 mean(0.0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
      const auto& x = rows.x(p.row[stencil.particle[k]]);
      mean += stencil.weight[k] * vec3(x.x, x.y, x.z);
    }
    const vec3 f = point.weight * (stencil.C * mean);
    auto& y = rows.y(point.row);
    y.x += f.x;
    y.y += f.y;
    y.z += f.z;
  }

  double x_dot_y = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const auto x = rows.x(i);
    const double d = diagonal_[p.particle[i]];
    auto sum = rows.y(i);  // what lower rows have left here
    sum.x += d * x.x;
    sum.y += d * x.y;
    sum.z += d * x.z;
    const std::uint32_t outer = p.slot_outer[i];
    const std::uint32_t last = p.slot_begin[i + 1];
    for (std::uint32_t k = p.slot_begin[i]; k < outer; ++k) {
      const std::uint32_t j = p.upper[k];
      const Force f = spring_force(values_[k], x, rows.x(j));
      sum.x += f.x;
      sum.y += f.y;
      sum.z += f.z;
      auto& y = rows.y(j);
      y.x -= f.x;
      y.y -= f.y;
      y.z -= f.z;
    }
    for (std::uint32_t k = outer; k < last; ++k) {
      const Force f = spring_force(values_[k], x, rows.x(p.upper[k]));
      sum.x += f.x;
      sum.y += f.y;
      sum.z += f.z;
    }
    rows.y(i) = sum;
    x_dot_y += x.x * sum.x + x.y * sum.y + x.z * sum.z;
  }
  return x_dot_y;
}

double SpringMatrix::multiply_chunk(std::size_t chunk, const Padded* x, Padded* y) const {
  return chunk_product(chunk, ByRow{x, y});
}

void SpringMatrix::multiply(WorkerPool& pool, std::span<const vec3> x, std::span<vec3> y) const {
  assert(x.size() == size() && y.size() == size() && x.data() != y.data());
  const ByParticle rows{pattern_->particle.data(), x.data(), y.data()};
  pool.for_chunks(pattern_->chunks(), 1, [&](std::size_t chunk, std::size_t) { chunk_product(chunk, rows); });
}

void SpringMatrix::diagonal_blocks(WorkerPool& pool, std::span<mat3> blocks) const {
  assert(blocks.size() == size());
  const SpringPattern& p = *pattern_;
  const auto spring_block = [&](std::uint32_t slot) {
    const Spring& s = values_[slot];
    return glm::outerProduct(s.u, s.u) + mat3(s.b);
  };
  pool.for_chunks(p.chunks(), 1, [&](std::size_t chunk, std::size_t) {
    const std::uint32_t begin = p.chunk_begin[chunk];
    const std::uint32_t end = p.chunk_begin[chunk + 1];
    const auto block = [&](std::uint32_t row) -> mat3& { return blocks[p.particle[row]]; };
    for (std::uint32_t i = begin; i < end; ++i) block(i) = mat3(diagonal_[p.particle[i]]);
    for (std::uint32_t k = p.incoming_begin[chunk]; k < p.incoming_begin[chunk + 1]; ++k) {
      block(p.incoming[k].upper) += spring_block(p.incoming[k].slot);
    }
    for (std::uint32_t i = begin; i < end; ++i) {
      mat3 own(0.0);
      for (std::uint32_t k = p.slot_begin[i]; k < p.slot_begin[i + 1]; ++k) {
        const mat3 shared = spring_block(k);
        own += shared;
        if (k < p.slot_outer[i]) block(p.upper[k]) += shared;
      }
      block(i) += own;
    }
    // The weights of all of a stencil's points that fall on one particle act together.
    for (const StencilPoint& point : points_of(chunk)) {
      const Stencil& stencil = stencils_[point.stencil];
      for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
        if (p.row[stencil.particle[k]] != point.row) continue;
        block(point.row) += (point.weight * stencil.weight[k]) * stencil.C;
      }
    }
  });
}

}  // namespace clothlab
