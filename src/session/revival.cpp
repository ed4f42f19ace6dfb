// SPDX-License-Identifier: MIT
#include "session/revival.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "contact/surface_name.h"
#include "core/text.h"
#include "integrate/registry.h"
#include "sim/checkpoint.h"
#include "sim/contact.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

std::string method_at(const Prospect& now) {
  return std::string(now.integrator->title) + " at h = " + format_quantity(now.h, "s");
}

std::string from(double time) {
  return time > 0 ? "from " + format_plain(time) + " s, the last sound state" : "from the start";
}

BlowUpFacts facts_of(const BlowUp& blow_up, std::optional<double> good_time, const Scene& scene,
                     const StepRecord& last, const ClothMesh& mesh) {
  BlowUpFacts facts{.finite = blow_up.cause != BlowUp::Cause::not_finite,
                    .step = blow_up.step,
                    .time = blow_up.time,
                    .h = blow_up.h,
                    .energy = blow_up.energy,
                    .made = blow_up.cause == BlowUp::Cause::made,
                    .squeezed = blow_up.cause == BlowUp::Cause::squeezed,
                    .crowded = blow_up.cause == BlowUp::Cause::crowded,
                    .allowed = blow_up.allowed,
                    .factor = scene.energy_limit,
                    .good_time = good_time,
                    .spring = blow_up.spring};
  if (facts.squeezed || facts.crowded || last.contacts.pairs > 0) facts.contact_model = scene.contact.model;
  const IntegratorInfo& method = integrator_info(scene.integrator);
  if (facts.crowded)
    facts.other_contact = contact_by({ContactModel::filter}, method);
  else if (facts.squeezed)
    facts.other_contact = contact_by({ContactModel::filter, ContactModel::penalty}, method);
  else
    facts.other_contact =
        contact_by({ContactModel::filter, ContactModel::penalty, ContactModel::barrier}, method);
  if (facts.spring) {
    const std::vector<std::uint32_t>& vertices = mesh.vertex_of_particle;
    const auto [low, high] = std::minmax(vertices[facts.spring->i], vertices[facts.spring->j]);
    facts.vertices = {low, high};
  }
  if (blow_up.contact) {
    facts.contact = blow_up.contact;
    facts.contact_vertex = mesh.vertex_of_particle[facts.contact->particle];
    facts.contact_with = surface_text(facts.contact->surface, facts.contact->shape);
  }
  return facts;
}

/// None where it is the start.
std::optional<double> good_time(const State& sound, std::uint64_t step) {
  return step > 0 ? std::optional(sound.t) : std::nullopt;
}

}  // namespace

BlowUpFacts blow_up_facts(const BlowUp& blow_up, const Simulation& simulation) {
  const auto [sound, step] = simulation.last_good_state();
  return facts_of(blow_up, good_time(sound, step), simulation.scene(), simulation.record(),
                  simulation.mesh());
}

BlowUpFacts blow_up_facts(const BlowUp& blow_up, const Checkpoint& then, const ClothMesh& mesh) {
  const auto [sound, step] = last_good_state(then);
  return facts_of(blow_up, good_time(sound, step), *then.scene, then.record, mesh);
}

bool describes(const BlownUpRun& run, const BlowUp& blow_up) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };  // may be NaN
  return run.facts.step == blow_up.step && run.facts.h == blow_up.h &&
         bits(run.facts.energy) == bits(blow_up.energy);
}

std::string blow_up_sentence(const BlownUpRun& run) {
  const std::string where = name_of_failure(run.facts, *run.integrator, run.parameters);
  return std::string(run.integrator->title) + " blew up in step " + std::to_string(run.facts.step) +
         " with h = " + format_quantity(run.facts.h, "s") + ", at " + format_plain(run.facts.time) + " s" +
         (where.empty() ? where : ", in " + where) + ".";
}

std::string goes_on_text(const Prospect& now, double time) {
  return "Goes on " + from(time) + ", with " + method_at(now) + ".";
}

std::string stays_frozen_text(const Prospect& now) {
  const std::string title(now.integrator->title);
  if (!now.largest_step) return "How far " + title + " is stable here is not known. Space tries it.";
  if (*now.largest_step == 0) return title + " is stable at no h here. Space tries it all the same.";
  return title + " is stable here below h = " + format_quantity(*now.largest_step, "s") +
         " only. Space tries it all the same.";
}

std::string tries_again_text(const Prospect& now, double time) {
  std::string text = "Tries again " + from(time) + ". ";
  if (!now.largest_step || now.is_stable()) return text + method_at(now) + " may blow up again.";
  return text + method_at(now) + " is unstable here: it will blow up again.";
}

std::string waits_in_past_text(const Prospect& now) {
  return "Space goes on from the moment shown, with " + method_at(now) + ".";
}

}  // namespace clothlab
