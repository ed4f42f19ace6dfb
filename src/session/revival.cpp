// SPDX-License-Identifier: MIT
#include "session/revival.h"

#include <algorithm>
#include <bit>

#include "contact/surfaces.h"
#include "core/text.h"
#include "sim/checkpoint.h"
#include "sim/contact.h"
#include "sim/parameters.h"

namespace clothlab {
namespace {

std::string method_at(const Prospect& now) {
  return std::string(now.integrator->title) + " at h = " + format_quantity(now.h, "s");
}

std::string from(double time) {
  return time > 0 ? "from " + format_plain(time) + " s, the last good state" : "from the start";
}

BlowUpFacts facts_of(const BlowUp& blow_up, std::optional<double> good_time, const Scene& scene,
                     const StepRecord& last, const ClothMesh& mesh) {
  const IntegratorInfo& method = method_info(scene);
  BlowUpFacts facts{.integrator = &method,
                    .parameters = integrator_parameters(scene),
                    .finite = blow_up.cause != BlowUp::Cause::not_finite,
                    .step = blow_up.step,
                    .time = blow_up.time,
                    .h = blow_up.h,
                    .energy = blow_up.energy,
                    .spurious = blow_up.cause == BlowUp::Cause::spurious_energy,
                    .squeezed = blow_up.cause == BlowUp::Cause::squeezed,
                    .crowded = blow_up.cause == BlowUp::Cause::crowded,
                    .allowed = blow_up.allowed,
                    .factor = scene.energy_limit,
                    .good_time = good_time,
                    .solved_once = solves_stages_once(method, scene.solver),
                    .spring = blow_up.spring};
  if (facts.squeezed || facts.crowded || last.contacts.pairs > 0) facts.contact_model = scene.contact.model;
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

/// None if it is the start.
std::optional<double> good_time(const State& good, std::uint64_t step) {
  return step > 0 ? std::optional(good.t) : std::nullopt;
}

}  // namespace

BlowUpFacts blow_up_facts(BlowUp blow_up, const Simulation& simulation) {
  const auto [good, step] = simulation.last_good_state();
  // Older files of moments have neither: a guess.
  if (!blow_up.spring && !blow_up.contact)
    blow_up.spring = failed_spring(simulation.system(), good.x, simulation.state().x);
  return facts_of(blow_up, good_time(good, step), simulation.scene(), simulation.record(), simulation.mesh());
}

BlowUpFacts blow_up_facts(const BlowUp& blow_up, const Checkpoint& then, const ClothMesh& mesh) {
  const auto [good, step] = last_good_state(then);
  return facts_of(blow_up, good_time(good, step), *then.scene, then.record, mesh);
}

bool describes(const BlownUpRun& run, const BlowUp& blow_up) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };  // may be NaN
  return run.facts.step == blow_up.step && run.facts.h == blow_up.h &&
         bits(run.facts.energy) == bits(blow_up.energy);
}

std::string blow_up_sentence(const BlownUpRun& run) {
  const std::string where = name_of_failure(run.facts);
  return (run.facts.solved_once ? "S-" : "") + std::string(run.facts.integrator->title) +
         " blew up in step " + std::to_string(run.facts.step) +
         " with h = " + format_quantity(run.facts.h, "s") + ", at " + format_plain(run.facts.time) + " s" +
         (where.empty() ? where : ", in " + where) + ".";
}

std::string continues_text(const Prospect& now, double time) {
  return "The run continues " + from(time) + ", with " + method_at(now) + ".";
}

std::string stays_frozen_text(const Prospect& now) {
  const std::string title(now.integrator->title);
  if (!now.largest_step)
    return "The stability limit of " + title + " here is not known. Press Space to try it.";
  if (*now.largest_step == 0) return title + " is stable at no h here. Press Space to try it anyway.";
  return title + " is stable here below h = " + format_quantity(*now.largest_step, "s") +
         " only. Press Space to try it anyway.";
}

std::string tries_again_text(const Prospect& now, double time) {
  std::string text = "The run is tried again " + from(time) + ". ";
  if (!now.largest_step || now.is_stable()) return text + method_at(now) + " may blow up again.";
  return text + method_at(now) + " is unstable here: it will blow up again.";
}

std::string waits_in_past_text(const Prospect& now) {
  return "Press Space to continue from the shown moment with " + method_at(now) + ".";
}

}  // namespace clothlab
