// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace clothlab {

class ContactResponse;

/// Contact of particles with the floor and the obstacles, solved by the method within its step: Coulomb's law
/// at the end of the step (linalg/contact_solver.h).
///
/// A step begins with the contacts that it may close: particles nearer to a surface than they can move, each
/// with at most three surfaces. A surface is replaced by its tangent plane at the closest point, which moves
/// with the surface to the end of the step. The step is repeated, at most twice, if a particle passes a
/// surface that was not among its contacts. Particles that still end below a curved surface are put on it.
///
/// Pinned particles follow their pins, also below a surface. Cloth below a surface that appears or rises is
/// lifted at 1 m/s.
std::unique_ptr<ContactResponse> make_nodal_contact();

}  // namespace clothlab
