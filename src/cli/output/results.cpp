// SPDX-License-Identifier: MIT
#include "cli/output/results.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output/progress.h"
#include "contact/contact_pair.h"
#include "contact/contact_response.h"
#include "contact/surfaces.h"
#include "core/about.h"
#include "core/error.h"
#include "core/quantile.h"
#include "core/text.h"
#include "core/text_file.h"
#include "documents/checkpoint_file.h"
#include "documents/obstacle_meshes.h"
#include "documents/recorder.h"
#include "documents/scene_file.h"
#include "io/csv.h"
#include "mesh/cloth_mesh.h"
#include "mesh/ply_writer.h"
#include "sim/cloth_intersections.h"
#include "sim/contact.h"
#include "sim/diagnostics.h"
#include "sim/parameters.h"
#include "sim/scene_json.h"

namespace clothlab {
namespace {

constexpr std::string_view kContactHeader =
    "step,body,time,normal_impulse,friction_impulse,work_motion,work_friction,particles\n";

void write_shape(const std::filesystem::path& folder, std::uint64_t step, const Simulation& simulation) {
  write_obj_file(folder / (sequence_number(step) + ".obj"), simulation.mesh(), simulation.state().x);
}

using Json = nlohmann::ordered_json;

Json quantiles_of(const std::vector<double>& values) {
  return {{"median", quantile(values, 0.5)},
          {"p95", quantile(values, 0.95)},
          {"max", quantile(values, 1)},
          {"sum", std::reduce(values.begin(), values.end())}};
}

Json json_of_mesh(const Simulation& simulation) {
  const Scene& scene = simulation.scene();
  const ClothMesh& mesh = simulation.mesh();
  std::string source;
  if (const auto* file = std::get_if<FileSource>(&scene.mesh))
    source = utf8_of(std::filesystem::absolute(path_of(file->path)));
  if (const auto* grid = std::get_if<GridSource>(&scene.mesh))
    source = "grid " + std::to_string(grid->rows) + "x" + std::to_string(grid->cols);
  if (const auto* generated = std::get_if<GeneratedSource>(&scene.mesh))
    source = "generated " + generated->name;
  return {{"source", source},
          {"hash", hex_digits(fingerprint(mesh))},
          {"particles", mesh.positions.size()},
          {"stretch_springs", mesh.stretch_springs.size()},
          {"bending_springs", mesh.bend_springs.size()},
          {"merged_faces", mesh.report.merged_faces},
          {"welded_vertices", mesh.report.welded},
          {"dropped_faces", mesh.report.dropped_faces}};
}

Json hashes_of(std::span<const Obstacle> bodies) {
  Json hashes = Json::array();
  for (const std::uint64_t hash : mesh_fingerprints(bodies)) hashes.push_back(hex_digits(hash));
  return hashes;
}

/// 0-based `v` indices.
Json pinned_vertices(const Simulation& simulation) {
  Json vertices = Json::array();
  const std::vector<std::uint32_t>& of_particle = simulation.mesh().vertex_of_particle;
  for (std::uint32_t particle = 0; particle < of_particle.size(); ++particle)
    if (simulation.is_pinned(particle)) vertices.push_back(of_particle[particle]);
  return vertices;
}

/// Current values: automatic ones as they were chosen, null if the model has none.
Json json_of_contact(const Simulation& simulation) {
  const Scene& scene = simulation.scene();
  const ContactModelInfo& model = info_of(scene.contact.model);
  Json json{{"model", model.id},
            {"floor", scene.floor.on},
            {"obstacles", scene.obstacles.bodies.size()},
            {"self_contact", scene.contact.model != ContactModel::filter && scene.self_contact},
            {"friction", scene.obstacles.friction},
            {"floor_friction", scene.floor.friction},
            {"thickness", nullptr},
            {"distance", nullptr},
            {"stiffness", nullptr},
            {"friction_speed", nullptr}};
  if (uses_impulses(scene)) json["thickness"] = simulation.contact().thickness();
  if (!model.by_forces) return json;
  const ContactSettings& settings = simulation.contact().force().settings();
  json["thickness"] = settings.thickness;
  json["distance"] = settings.law.distance;
  json["stiffness"] = settings.law.stiffness;
  json["friction_speed"] = settings.friction.speed;
  return json;
}

}  // namespace

std::string text_of_scene(Scene scene) {
  const IntegratorInfo& info = method_info(scene);
  const IntegratorParameters values = integrator_parameters(scene, info);
  for (std::size_t i = 0; i < info.parameters.size(); ++i)
    scene.integrator_parameters.emplace(info.parameters[i].id, values[i]);
  try {
    change_paths(scene, [](const std::filesystem::path& path) { return std::filesystem::absolute(path); });
    return write_scene(scene);
  } catch (const InputError&) {
    return {};
  }
}

void print_notice(const Notice& notice) {
  std::fprintf(stderr, "clothlab: %s\n", text_with_step(notice).c_str());
}

void Results::add_to(CLI::App& app) {
  constexpr const char* kGroup = "Results";
  const auto file = [&](const char* name, std::optional<std::string>& target, const char* extension,
                        const char* type, const char* help) {
    files_.add_option(app, kGroup, name, extension, target, type, help);
  };
  file("--state", state_, ".csv", "FILE.csv",
       "The last state: x,y,z,vx,vy,vz, one row per vertex of the mesh.");
  file("--diagnostics", diagnostics_, ".csv", "FILE.csv",
       "One row per step: energies, strain, iterations, milliseconds, energy ledger of the step, and "
       "contacts.");
  file("--contact-csv", contact_csv_, ".csv", "FILE.csv",
       "One row per step and body (floor, obstacles, the cloth itself): impulses, works and particles in "
       "contact.");
  track_.add_to(app, kGroup, files_);
  file("--obj", obj_, ".obj", "FILE.obj",
       "The last shape, with the mesh's own faces, vertex order, names and materials.");
  file("--ply", ply_, ".ply", "FILE.ply",
       "The last shape with velocities (vx, vy, vz) and the largest strain at each vertex.");
  add_text(app, kGroup, "--obj-sequence", obj_sequence_, "DIR",
           "Shapes as DIR/000000.obj and so on, by step number.");
  file("--point-cache", point_cache_, ".pc2 or .mdd", "FILE.pc2|FILE.mdd",
       "Shapes of the start and of every step, or every N steps with --every, as a point cache of the mesh "
       "for Blender and others; kept in memory until the end, up to 4 GiB. PC2 has one shape per frame, MDD "
       "has their times.");
  file("--usd", usd_, ".usda", "FILE.usda",
       "The same shapes as a USD file with mesh and texture coordinates.");
  file("--checkpoint", checkpoint_, ".checkpoint", "FILE",
       "The complete run at its end, and every N steps with --every; --resume continues it.");
  add_text(
      app, kGroup, "--every", every_text_, "N",
      "Number of steps between two shapes of --obj-sequence, --point-cache or --usd, or two checkpoints; "
      "default 1 for shapes.");
  file("--summary", summary_, ".json", "FILE.json", "Settings and figures of the run, and how it ended.");
  app.add_flag("--fail-on-nonconvergence", fail_on_nonconvergence_,
               "Exits with status 4 if steps did not converge; the run itself is the same.")
      ->group(kGroup);
}

void Results::check() {
  if (every_text_ && !obj_sequence_ && !point_cache_ && !usd_ && !checkpoint_)
    throw InputError("--every needs --obj-sequence, --point-cache, --usd or --checkpoint.");
  if (point_cache_) {
    const bool is_mdd = lower_case(*point_cache_).ends_with(".mdd");
    point_cache_samples_.emplace(is_mdd ? PointCacheFormat::mdd : PointCacheFormat::pc2);
  }
  if (usd_) usd_shapes_.emplace();
  files_.check();
  track_.check();
  if (every_text_) every_ = static_cast<std::uint64_t>(parse_whole("every", *every_text_, 1, 1'000'000'000));
  if (obj_sequence_) files_.add_numbered(*obj_sequence_, "", ".obj");
}

void Results::set_origin(const char* kind, const std::filesystem::path& file) {
  origin_ = {kind, file, file_fingerprint(file)};
}

Results::Overlaps Results::count_overlaps(WorkerPool& pool, const Simulation& simulation) {
  const IntersectionList found =
      list_intersections(pool, simulation.mesh(), simulation.state().x, simulation.scene().floor,
                         simulation.obstacles(), simulation.joined());
  return {found.pairs.size(), found.particles.size()};
}

void Results::begin(WorkerPool& pool, const Simulation& simulation) {
  cpu_at_start_ = process_seconds();
  wall_at_start_ = std::chrono::steady_clock::now();
  prints_summary_ = prints_summary_ && !files_.any_named() && !obj_sequence_;
  if (summary_ || prints_summary_) {
    scene_at_start_ = text_of_scene(simulation.scene());
    overlaps_at_start_ = count_overlaps(pool, simulation);
  }
  if (diagnostics_) {
    diagnostics_file_.emplace(*diagnostics_);
    diagnostics_file_->write(kDiagnosticsHeader);
  }
  if (contact_csv_) {
    contact_file_.emplace(*contact_csv_);
    contact_file_->write(kContactHeader);
  }
  if (track_.file()) {
    const std::string start = track_.rows(simulation);
    track_file_.emplace(*track_.file());
    track_file_->write(VertexTrack::header() + start);
  }
  figures_.max_strain = simulation.record().max_strain;
  append(new_notices_.in(simulation.notices()), notices_);
  keep_shape(simulation);
  if (!obj_sequence_) return;
  make_folder(*obj_sequence_);
  write_shape(*obj_sequence_, 0, simulation);
}

void Results::after_step(WorkerPool& pool, const Simulation& simulation, const StepTime& took) {
  const StepRecord& r = simulation.record();
  figures_.add(r, took, simulation.scene().dt);
  append(new_notices_.in(simulation.notices()), notices_);
  files_.attempt(diagnostics_file_, [&](OutputFile& file) { file.write(diagnostics_row(r, took.wall)); });
  files_.attempt(contact_file_, [&](OutputFile&) { write_contacts(pool, simulation); });
  files_.attempt(track_file_, [&](OutputFile& file) { file.write(track_.rows(simulation)); });
  if (r.step % every_ != 0) return;
  keep_shape(simulation);
  files_.attempt(obj_sequence_, [&](const std::string& folder) { write_shape(folder, r.step, simulation); });
  if (every_text_)
    files_.attempt(checkpoint_, [&](const std::string&) { write_checkpoint(pool, simulation); });
}

void Results::keep_shape(const Simulation& simulation) {
  if (!point_cache_samples_ && !usd_shapes_) return;
  const std::vector<vec3> points = vertex_positions(simulation.mesh(), simulation.state().x);
  if (shape_points_ == 0) shape_points_ = points.size();
  const auto add = [&](auto& shapes) {
    if (points.size() != shape_points_)
      throw SystemError("The run changed its mesh, and --point-cache and --usd have the points of one mesh.");
    shapes.add(simulation.state().t, points);
  };
  files_.attempt(point_cache_samples_, add);
  files_.attempt(usd_shapes_, add);
}

void Results::check_memory(const Simulation& start, std::uint64_t steps) const {
  constexpr double kUsdBytes = 50, kCacheBytes = 12;  // of a point, at most
  const auto shapes = 1 + steps / every_;
  const std::size_t points = start.mesh().particle_of_vertex.size();
  const double each = (usd_ ? kUsdBytes : 0) + (point_cache_ ? kCacheBytes : 0);
  if (static_cast<double>(shapes) * static_cast<double>(points) * each >
      static_cast<double>(kMaxPointCacheBytes))
    throw InputError(std::to_string(shapes) + " shapes of " + std::to_string(points) +
                     " vertices have more than 4 GiB. Use a larger --every.");
}

void Results::write_contacts(WorkerPool& pool, const Simulation& simulation) {
  std::vector<std::vector<std::uint32_t>> touching(kMostObstacles +
                                                   2);  // particles by surface, the cloth last
  const auto list = [&](std::uint32_t surface) -> auto& {
    return surface == kClothItself ? touching.back() : touching[surface];
  };
  for (const ContactPair& pair : simulation.contacts(pool)) list(pair.surface).push_back(pair.particle);
  const StepRecord& r = simulation.record();
  const Scene& scene = simulation.scene();
  const auto write = [&](std::uint32_t surface) {
    std::vector<std::uint32_t>& particles = list(surface);
    std::ranges::sort(particles);
    const auto others = std::unique(particles.begin(), particles.end());
    const BodyContact& body = simulation.body_contacts().of(surface);
    contact_file_->write(csv_row(r.step, surface_id(surface, scene.obstacles.bodies), r.time,
                                 body.normal_impulse, body.friction_impulse, body.work_motion,
                                 body.work_friction, others - particles.begin()));
  };
  if (scene.floor.on) write(0);
  for (std::uint32_t k = 1; k <= scene.obstacles.bodies.size(); ++k) write(k);
  if (scene.contact.model != ContactModel::filter && scene.self_contact) write(kClothItself);
}

void Results::write_checkpoint(WorkerPool& pool, const Simulation& simulation) {
  if (moment_.lanes.empty()) moment_ = moment_of_lane(0, std::make_shared<Checkpoint>());
  simulation.save(pool, *moment_.lanes.front().checkpoint);
  moment_.time = simulation.state().t;
  write_checkpoint_file(moment_, simulation.mesh(), *checkpoint_);
}

void Results::report_shortfalls() const {
  for (const Notice& notice : notices_)
    if (notice.cause != NoticeCause::not_converged) print_notice(notice);
  if (figures_.not_converged == 0) return;
  std::fprintf(stderr, "clothlab: %llu of %zu steps did not converge, the first of them step %llu: %s.\n",
               static_cast<unsigned long long>(figures_.not_converged), figures_.step_ms.size(),
               static_cast<unsigned long long>(figures_.first_not_converged), figures_.first_reason.c_str());
}

void Results::notice_intersections(WorkerPool& pool, const Simulation& simulation) {
  if (contains(notices_, NoticeCause::intersections)) return;  // from the start on
  const Scene& scene = simulation.scene();
  const ClothIntersections found = find_intersections(pool, simulation.mesh(), simulation.state().x,
                                                      simulation.obstacles(), simulation.joined());
  // Cloth without self-contact may intersect itself.
  const bool collides_with_itself = scene.contact.model != ContactModel::filter && scene.self_contact;
  if ((collides_with_itself ? found.pairs : found.with_obstacles) == 0) return;
  const std::string cures =
      contact_by({ContactModel::impulse, ContactModel::barrier}, simulation.integrator());
  notices_.push_back({NoticeCause::intersections, simulation.steps(),
                      text_of(found, "at the end") + "." +
                          (cures.empty() || info_of(scene.contact.model).sees_within_steps
                               ? ""
                               : " Use " + cures + " to prevent them.")});
}

StepStatus Results::play(LanePlay& run, std::uint64_t last_step, WorkerPool& pool, bool quiet) {
  check_memory(run.simulation(), last_step - std::min(last_step, run.step()));
  begin(pool, run.simulation());
  Progress progress(last_step, quiet);
  return run.play(pool, [&] {
    if (run.first_lane_runs()) after_step(pool, run.simulation(), run.took());
    progress.show(run.step(), run.simulation().state().t);
  });
}

int Results::finish(WorkerPool& pool, const Simulation& simulation, StepStatus status) {
  const bool interrupted = status == StepStatus::stopped;
  const std::string blow_up = status == StepStatus::blown_up ? blow_up_text(simulation, pool) : std::string();
  notice_intersections(pool, simulation);
  if (std::string text =
          open_seams_text(seam_gaps(simulation.seams(), simulation.state().x), simulation.state().t);
      !text.empty())
    notices_.push_back({NoticeCause::open_seams, simulation.steps(), std::move(text)});
  files_.attempt(diagnostics_file_, [](OutputFile& file) { file.commit(); });
  files_.attempt(contact_file_, [](OutputFile& file) { file.commit(); });
  files_.attempt(track_file_, [](OutputFile& file) { file.commit(); });
  files_.attempt(state_, [&](const std::string& path) {
    const InitialState last = simulation.export_state();
    write_file(path, state_csv(last.positions, last.velocities));
  });
  files_.attempt(obj_,
                 [&](const auto& path) { write_obj_file(path, simulation.mesh(), simulation.state().x); });
  const auto write_pieces = [&](const std::string& path, const auto& write) {
    OutputFile file(path);
    write([&](std::string_view piece) { file.write(piece); });
    file.commit();
  };
  files_.attempt(ply_, [&](const std::string& path) {
    const State& state = simulation.state();
    write_pieces(path, [&](const auto& sink) { write_ply(simulation.mesh(), state.x, state.v, sink); });
  });
  files_.attempt(point_cache_samples_, [&](const PointCacheSamples& samples) {
    write_pieces(*point_cache_, [&](const auto& sink) { samples.write(sink); });
  });
  files_.attempt(usd_shapes_, [&](const UsdShapes& shapes) {
    write_pieces(*usd_, [&](const auto& sink) { shapes.write(simulation.mesh(), sink); });
  });
  files_.attempt(checkpoint_, [&](const std::string&) { write_checkpoint(pool, simulation); });
  const auto summary = [&] { return summary_text(pool, simulation, interrupted, blow_up); };
  files_.attempt(summary_, [&](const std::string& path) { write_file(path, summary()); });
  if (prints_summary_) std::fputs(summary().c_str(), stdout);
  report_shortfalls();
  if (!blow_up.empty()) std::fprintf(stderr, "clothlab: %s\n", blow_up.c_str());
  if (interrupted)
    std::fprintf(stderr, "clothlab: interrupted after step %llu; the results so far were written.\n",
                 static_cast<unsigned long long>(simulation.steps()));
  if (files_.lost()) return kExitFault;
  if (status == StepStatus::blown_up) return kExitBlownUp;
  if (interrupted) return Interrupt::exit_status();
  return fail_on_nonconvergence_ && figures_.not_converged > 0 ? kExitNotConverged : kExitDone;
}

std::string Results::summary_text(WorkerPool& pool, const Simulation& simulation, bool interrupted,
                                  const std::string& blow_up) const {
  const StepRecord& last = simulation.record();
  Json json{{kSummaryKey, kSummaryVersion},
            {"command", command_},
            {"version", program_version()},
            {"scene", scene_at_start_.empty() ? Json() : Json::parse(scene_at_start_)},
            {"checkpoint", nullptr},
            {"journal", nullptr},
            {"mesh", json_of_mesh(simulation)},
            {"obstacle_meshes", hashes_of(simulation.scene().obstacles.bodies)},
            {"pins", pinned_vertices(simulation)},
            {"contact", json_of_contact(simulation)},
            {"integrator", simulation.integrator().id},
            {"particles", simulation.system().size()},
            {"springs",
             {{"stretch", simulation.mesh().stretch_springs.size()},
              {"bend", simulation.mesh().bend_springs.size()}}},
            {"steps", simulation.steps()},
            {"time", simulation.state().t},
            {"dt", simulation.scene().dt},
            {"state_hash", hex_digits(state_hash(simulation.state()))},
            {"energy",
             {{"kinetic", last.energy.kinetic},
              {"stretch", last.energy.stretch},
              {"bend", last.energy.bend},
              {"gravity", last.energy.gravity},
              {"pressure", last.energy.pressure},
              {"drivers", last.energy.drivers},
              {"total", last.energy.total}}},
            {"volume", last.volume},
            {"max_strain", {{"last", last.max_strain}, {"whole_run", figures_.max_strain}}},
            {"iterations",
             {{"newton", figures_.newton_iterations},
              {"cg", figures_.cg_iterations},
              {"steps_not_converged", figures_.not_converged}}},
            {"notices", Json::array()},
            {"step_ms", quantiles_of(figures_.step_ms)},
            {"step_cpu_ms", quantiles_of(figures_.step_cpu_ms)},
            // null if no step was taken
            {"real_time_factor", figures_.real_time_factor()},
            {"cpu_seconds", process_seconds() - cpu_at_start_},
            {"wall_seconds",
             std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_at_start_).count()},
            {"threads", pool.threads()},
            {"interrupted", interrupted},
            {"blow_up", nullptr}};
  if (origin_)
    json[origin_->kind] = {{"file", utf8_of(std::filesystem::absolute(origin_->file))},
                           {"hash", hex_digits(origin_->hash)}};
  for (const EnergyEntry& entry : kEnergyEntries)
    json["ledger"][std::string(entry.column)] = last.ledger.*entry.joule;
  json["ledger"]["wind_given"] = last.ledger.wind_given;
  json["ledger"]["air_loss"] = last.ledger.lost_to_air();
  for (const Notice& notice : notices_)
    json["notices"].push_back(
        Json{{"step", notice.step}, {"cause", name_of(notice.cause)}, {"text", notice.text}});
  const auto figure = [](double of_last, double largest) {
    return Json{{"last", of_last}, {"whole_run", largest}};
  };
  json["residual"] = figure(last.residual, figures_.residual);
  json["contacts"] = {{"pairs", last.contacts.pairs},
                      {"sticking", last.contacts.sticking},
                      {"least_gap", last.contacts.least_gap},
                      {"normal_force", last.contacts.push},
                      {"friction_power", last.contacts.friction_power}};
  const Overlaps now = count_overlaps(pool, simulation);
  const auto overlaps = [](const Overlaps& of) {
    return Json{{"pairs", of.pairs}, {"interior_vertices", of.interior_vertices}};
  };
  json["intersections"] = {{"start", overlaps(overlaps_at_start_)}, {"end", overlaps(now)}};
  json["distance_from_backward_euler"] = last.distance ? figure(*last.distance, figures_.distance) : Json();
  const bool rods = simulation.integrator().inextensible || has_distances(simulation.scene().drivers);
  json["length_violation"] = rods ? figure(last.length_violation, figures_.length_violation) : Json();
  json["rod_force"] = rods ? figure(last.rod_force, figures_.rod_force) : Json();
  json["modes"] = last.modes ? Json(*last.modes) : Json();
  if (const std::optional<BlowUp>& end = simulation.blow_up())
    json["blow_up"] = Json{{"step", end->step}, {"time", end->time}, {"reason", blow_up}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace clothlab
