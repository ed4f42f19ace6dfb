// SPDX-License-Identifier: MIT
// The module `clothlab` for Python (docs/python.md): the classes that Python sees.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "core/error.h"
#include "documents/scene_file.h"
#include "python/options.h"
#include "python/run.h"
#include "sim/checkpoint.h"
#include "sim/parameters.h"

namespace py = pybind11;
using namespace py::literals;

namespace clothlab {
namespace {

struct SceneObject {
  std::shared_ptr<const LoadedScene> loaded;
};
struct LaneObject {
  std::shared_ptr<Run> run;
  LaneId id = 0;

  const Lane& lane() const { return run->lane(id); }
  const Simulation& simulation() const { return *lane().simulation; }
};
/// A run is also its first lane.
struct RunObject : LaneObject {};
struct BlowUpObject {
  BlowUp blow_up;
  std::string text;
};
using Point = std::array<double, 3>;
using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;

SceneObject scene_of(LoadedScene loaded) { return {std::make_shared<const LoadedScene>(std::move(loaded))}; }

RunObject run_of(LoadedScene loaded, int threads) {
  auto run = std::make_shared<Run>(std::move(loaded), threads);
  const LaneId first = run->lanes().front().id;
  return {{std::move(run), first}};
}

/// `rows` rows of memory that `owner` keeps, without a copy; read only.
template <class Number, std::size_t columns = 1, class Row>
py::array view_of(std::span<const Row> rows, const py::object& owner) {
  static_assert(sizeof(Row) == columns * sizeof(Number));
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(rows.size())};
  if (columns > 1) shape.push_back(columns);
  py::array view(py::dtype::of<Number>(), std::move(shape), static_cast<const void*>(rows.data()), owner);
  view.attr("setflags")("write"_a = false);
  return view;
}

/// An owner of arrays that keeps a value.
template <class Value>
py::capsule owner_of(Value value) {
  return py::capsule(new Value(std::move(value)), [](void* held) { delete static_cast<Value*>(held); });
}

py::array view_of_state(const LaneObject& lane, std::vector<vec3> State::*rows) {
  const State& state = lane.simulation().state();
  return view_of<double, 3>(std::span<const vec3>(state.*rows), py::cast(lane.run->show(lane.id)));
}

template <class Number, std::size_t columns = 1, class Rows>
py::array view_of_mesh(const LaneObject& lane, Rows ClothMesh::*rows) {
  const std::shared_ptr<const ClothMesh> mesh = lane.run->loaded().mesh;
  return view_of<Number, columns>(std::span((*mesh).*rows), owner_of(mesh));
}

py::array contacts_of(const LaneObject& lane) {
  py::list names, formats, offsets;
  const auto add = [&](const char* name, const char* format, std::size_t offset) {
    names.append(name);
    formats.append(py::dtype::from_args(py::str(format)));
    offsets.append(offset);
  };
  add("particle", "u4", offsetof(ContactPair, particle));
  add("surface", "u4", offsetof(ContactPair, surface));
  add("sticks", "?", offsetof(ContactPair, sticks));
  add("gap", "f8", offsetof(ContactPair, gap));
  add("slip", "f8", offsetof(ContactPair, slip));
  add("push", "(3,)f8", offsetof(ContactPair, push));
  add("friction", "(3,)f8", offsetof(ContactPair, friction));
  std::vector<ContactPair> pairs = lane.run->contacts(lane.id);
  const std::vector<py::ssize_t> count{static_cast<py::ssize_t>(pairs.size())}, stride{sizeof(ContactPair)};
  const ContactPair* first = pairs.data();
  return py::array(py::dtype(names, formats, offsets, sizeof(ContactPair)), count, stride, first,
                   owner_of(std::move(pairs)));
}

py::dict energy_of(const LaneObject& lane) {
  const EnergyReport& energy = lane.simulation().record().energy;
  return py::dict("kinetic"_a = energy.kinetic, "stretch"_a = energy.stretch, "bend"_a = energy.bend,
                  "gravity"_a = energy.gravity, "pressure"_a = energy.pressure, "drivers"_a = energy.drivers,
                  "total"_a = energy.total);
}

py::dict ledger_of(const LaneObject& lane) {
  const EnergyLedger& ledger = lane.simulation().record().ledger;
  py::dict entries;
  for (const EnergyEntry& entry : kEnergyEntries)
    entries[py::str(std::string(entry.column))] = ledger.*entry.joule;
  return entries;
}

py::dict solver_of(const LaneObject& lane) {
  const Simulation& simulation = lane.simulation();
  const StepRecord& record = simulation.record();
  const std::span<const double> residuals = simulation.residual_history();
  const ContactSolves contact = record.contact_solves.value_or(ContactSolves());
  return py::dict(
      "converged"_a = record.converged, "reason"_a = std::string(record.reason),
      "warning"_a = std::string(record.warning), "h"_a = record.h,
      "newton_iterations"_a = record.newton_iterations, "cg_iterations"_a = record.cg_iterations,
      "products"_a = record.products, "force_evaluations"_a = record.force_evaluations,
      "residual"_a = record.residual, "cg_residual"_a = record.cg_residual,
      "cg_residuals"_a = py::array_t<double>(static_cast<py::ssize_t>(residuals.size()), residuals.data()),
      "length_violation"_a = record.length_violation, "rod_force"_a = record.rod_force,
      "contact_stiffness"_a = record.contacts.stiffness, "contact_limit"_a = record.contacts.limit,
      "contact_rounds"_a = contact.rounds, "contact_residual"_a = contact.residual);
}

std::optional<BlowUpObject> blow_up_of(const LaneObject& object) {
  const Lane& lane = object.lane();
  const std::optional<BlowUp>& blow_up = lane.frozen ? lane.frozen : lane.simulation->blow_up();
  if (!blow_up) return std::nullopt;
  return BlowUpObject{*blow_up, object.run->blow_up_text(object.id)};
}

/// Polls for signals ten times a second: Ctrl-C raises an exception and ends the step.
class SignalProbe {
 public:
  bool poll() {
    const Clock::rep now = Clock::now().time_since_epoch().count();
    if (raised_ || now < next_) return raised_;
    next_ = now + Clock::duration(std::chrono::milliseconds(100)).count();
    const py::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) raised_ = true;
    return raised_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::atomic<Clock::rep> next_{0};
  std::atomic<bool> raised_{false};
};

std::uint64_t step(const RunObject& object, std::uint64_t count) {
  const Run::Change change(*object.run);
  SignalProbe signals;
  std::uint64_t done = 0;
  {
    const py::gil_scoped_release others;
    done = object.run->step(change, count, [&] { return signals.poll(); });
  }
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  return done;
}

std::vector<LaneObject> lanes_of(const RunObject& object) {
  std::vector<LaneObject> lanes;
  for (const Lane& lane : object.run->lanes()) lanes.push_back({object.run, lane.id});
  return lanes;
}

LoadedScene named_scene(const py::object& path, SceneOptions& options) {
  if (path.is_none()) return load_scene(std::nullopt, options);
  return load_scene(py::cast<std::filesystem::path>(path).string(), options);
}

SceneObject make_scene(const py::object& path, const py::kwargs& values) {
  SceneOptions options = options_of(values);
  return scene_of(named_scene(path, options));
}

SceneObject change_scene(const SceneObject& scene, const py::kwargs& values) {
  return scene_of(with_options(*scene.loaded, options_of(values)));
}

std::vector<vec3> vectors_of(const Rows& rows) {
  if (rows.ndim() != 2 || rows.shape(1) != 3)
    throw InputError("A state has the shape (number of vertices, 3).");
  const auto at = rows.unchecked<2>();
  std::vector<vec3> vectors;
  for (py::ssize_t i = 0; i < rows.shape(0); ++i) vectors.emplace_back(at(i, 0), at(i, 1), at(i, 2));
  return vectors;
}

SceneObject with_state(const SceneObject& scene, const Rows& positions,
                       const std::optional<Rows>& velocities) {
  LoadedScene changed = *scene.loaded;
  InitialState state{vectors_of(positions), {}};
  state.velocities =
      velocities ? vectors_of(*velocities) : std::vector<vec3>(state.positions.size(), vec3(0));
  changed.scene.initial_state = std::move(state);
  return scene_of(std::move(changed));
}

SceneObject current_scene(const LaneObject& lane) {
  LoadedScene now = lane.run->loaded();
  now.scene = lane.simulation().scene();
  now.lanes.clear();
  now.moment.reset();
  return scene_of(std::move(now));
}

RunObject make_run(const py::object& scene, const py::kwargs& values) {
  SceneOptions options = options_of(values);
  if (py::isinstance<SceneObject>(scene))
    return run_of(with_options(*py::cast<SceneObject>(scene).loaded, options), options.threads());
  return run_of(named_scene(scene, options), options.threads());
}

RunObject continue_run(const std::filesystem::path& path, const py::kwargs& values) {
  const SceneOptions options = options_of(values);
  return run_of(load_checkpoint(path, options), options.threads());
}

void bind_scene(py::module_& module) {
  py::class_<SceneObject>(module, "Scene",
                          R"(A cloth with everything that defines its run: mesh, pins, material, method.

Scene(path=None, **options): a scene file (.json) or a mesh (.obj), or the cloth of the options mesh, grid or scene, with
the other options on top. Options are those of the command line, with _ for -: Scene(grid=(20, 20), dt=1/60). A Scene does
not change. Raises ValueError with the sentence of the command line for an unknown option or a bad value.)")
      .def(py::init(&make_scene), "path"_a = py::none())
      .def("with_options", &change_scene, "The same cloth with other options on top, as a new Scene.")
      .def(
          "with_state", &with_state, "positions"_a, "velocities"_a = py::none(),
          R"(The same cloth with this start, as a new Scene: one row per `v` line of the mesh, in the units of its file.
Rest lengths still come from the mesh. Run() raises ValueError if the number of rows is wrong.)")
      .def(
          "save",
          [](const SceneObject& scene, const std::filesystem::path& path) {
            save_scene_file(scene.loaded->scene, scene.loaded->lanes, path);
          },
          "path"_a, "Writes a scene file, which the program reads too. Raises ValueError or OSError.")
      .def_property_readonly(
          "options", [](const SceneObject& scene) { return values_of(scene.loaded->scene); },
          "All parameters with their values, as a new dict by the names of the keyword arguments.");
}

template <auto member>
auto member_of(const BlowUpObject& object) {
  return object.blow_up.*member;
}

std::string cause_of(const BlowUpObject& object) {
  constexpr std::array kNames{"not_finite", "energy", "spurious_energy", "squeezed", "crowded"};
  return kNames[static_cast<std::size_t>(object.blow_up.cause)];
}

void bind_reports(py::module_& module) {
  const py::class_<ShownState, std::shared_ptr<ShownState>> owner(module, "_State",
                                                                  "Owner of arrays of a state.");
  py::class_<Notice>(module, "Notice", "What the user of a run needs to know; str() is its sentence.")
      .def_property_readonly(
          "cause", [](const Notice& notice) { return std::string(name_of(notice.cause)); },
          "Name of the cause, such as \"spurious-energy\".")
      .def_readonly("step", &Notice::step, "The step after which it was found; 0: at the start.")
      .def_readonly("text", &Notice::text, "One or two sentences.")
      .def("__str__", &text_with_step);
  py::class_<BlowUpObject>(
      module, "BlowUp",
      "Why a step was rejected. The lane keeps the state before that step. Not an exception.")
      .def_readonly("text", &BlowUpObject::text, "What happened and why, as the program reports it.")
      .def_property_readonly("cause", &cause_of, "not_finite, energy, spurious_energy, squeezed or crowded.")
      .def_property_readonly("step", &member_of<&BlowUp::step>, "The step that failed.")
      .def_property_readonly("time", &member_of<&BlowUp::time>, "At the end of that step [s].")
      .def_property_readonly("energy", &member_of<&BlowUp::energy>,
                             "Energy after that step, or its spurious energy [J].")
      .def_property_readonly("allowed", &member_of<&BlowUp::allowed>, "The limit that it exceeded [J].")
      .def("__str__", [](const BlowUpObject& object) { return object.text; });
}

void bind_lane(py::module_& module) {
  py::class_<LaneObject> lane(module, "Lane",
                              "One method with its own state in a run; Run.add_lane() creates it.");
  const auto add = [&](const char* name, const auto& get, const char* doc) {
    lane.def_property_readonly(name, get, doc);
  };
  const auto add_value = [&](const char* name, const auto& get, const char* doc) {
    add(
        name, [get](const LaneObject& of) { return get(of.simulation()); }, doc);
  };
  const auto add_rows = [&]<class Number, std::size_t columns>(const char* name, const auto& rows,
                                                               const char* doc) {
    add(
        name, [rows](const LaneObject& of) { return view_of_mesh<Number, columns>(of, rows); }, doc);
  };
  lane.def(
      "set", [](const LaneObject& of, const py::kwargs& values) { of.run->set(of.id, options_of(values)); },
      R"(Changes options between two steps: those of the method for this lane, all others for all lanes.
Positions stay. Raises ValueError, without effect, for a bad value and for options that choose the mesh.)");
  add(
      "name", [](const LaneObject& of) { return std::string(1, lane_letter(of.lane().id)); },
      "Letter of the lane, A to H.");
  add("scene", &current_scene, "The current values as a Scene, which starts from the beginning.");
  add(
      "positions", [](const LaneObject& of) { return view_of_state(of, &State::x); },
      R"(Positions [m], n x 3, one row per particle: a read-only view of the memory of the run, without a copy.
It keeps the values of this moment, so read it again after a step. If the view still exists then, the run continues in
other memory.)");
  add(
      "velocities", [](const LaneObject& of) { return view_of_state(of, &State::v); },
      "Velocities [m/s], n x 3; a view like positions.");
  add_rows.template operator()<std::uint32_t, 3>("triangles", &ClothMesh::triangles,
                                                 "Particles of the triangles, m x 3; a view.");
  add_rows.template operator()<std::uint32_t, 2>("stretch_springs", &ClothMesh::stretch_springs,
                                                 "Particles of the stretch springs, k x 2; a view.");
  add_rows.template operator()<double, 3>("rest_positions", &ClothMesh::positions,
                                          "Positions of the mesh at rest [m], n x 3; a view.");
  add_rows.template operator()<std::int32_t, 1>(
      "particle_of_vertex", &ClothMesh::particle_of_vertex,
      "Particle of each `v` line of the mesh, -1 if no face uses it; a view.");
  add(
      "masses",
      [](const LaneObject& of) {
        const std::span<const double> masses = of.simulation().system().masses();
        return py::array_t<double>(static_cast<py::ssize_t>(masses.size()), masses.data());
      },
      "Masses of the particles [kg], a copy.");
  add("energy", &energy_of,
      "Energies of the state [J]: kinetic, stretch, bend, gravity, pressure, drivers, total.");
  add("ledger", &ledger_of, R"(The energy ledger since the start [J], by the columns of --diagnostics.
Its entries add up to the change of the total energy.)");
  add("contacts", &contacts_of, R"(The contacts of the last step as a structured array that owns its memory:
particle, surface (0: floor, k: obstacle k - 1, CLOTH_ITSELF), sticks, gap [m], slip [m/s], push and friction [N].)");
  add("solver", &solver_of,
      R"(Report of the last step: converged, reason, iterations, residuals, contact figures.
cg_residuals is a copy.)");
  add("blow_up", &blow_up_of, R"(None, or why the last step of this lane was rejected: a BlowUp.
The text is computed when it is read, which may take a second.)");
  add_value(
      "integrator", [](const Simulation& of) { return std::string(of.integrator().id); },
      "Name of the method.");
  add_value(
      "time", [](const Simulation& of) { return of.state().t; }, "Simulated time [s].");
  add_value(
      "steps", [](const Simulation& of) { return of.steps(); }, "Number of steps of dt since the start.");
  add_value(
      "max_strain", [](const Simulation& of) { return of.record().max_strain; },
      "Largest strain of a stretch spring.");
  add_value(
      "notices", [](const Simulation& of) { return *of.notices().list(); },
      "What was reported since the start: a list of Notice.");
  add_value(
      "state_hash", [](const Simulation& of) { return state_hash(of.state()); },
      "Hash of the bits of time, positions and velocities.");
}

void bind_run(py::module_& module) {
  using Path = const std::filesystem::path&;
  using Self = const RunObject&;
  py::class_<RunObject, LaneObject>(
      module, "Run", R"(A run of one cloth by one method or several. A Run is also its first lane.

Run(scene=None, *, threads=..., **options): a Scene, or a path or options as for Scene, with more options on top. The bits are
those of `clothlab simulate` with the same options, for any number of threads. A blow-up is a state of the run, not an
exception: see blow_up. One thread at a time may use a run; others get RuntimeError.)")
      .def(py::init(&make_run), "scene"_a = py::none())
      .def("step", &step, "count"_a = 1,
           R"(Takes steps of dt for all lanes, without the GIL. Returns how many were done.
They are fewer if the only lane blew up, or all did. A lane that blows up while others continue stays at its last good
step. The only lane tries again at the next call. Ctrl-C raises KeyboardInterrupt between two steps.)")
      .def_property_readonly("lanes", &lanes_of, "All lanes in order.")
      .def(
          "add_lane",
          [](Self run, const py::kwargs& values) {
            return LaneObject{run.run, run.run->add_lane(run.id, options_of(values))};
          },
          "Adds a lane that continues from the present state of the first one, with these options of its "
          "method.")
      .def(
          "drag",
          [](Self run, std::uint32_t vertex, const Point& target) {
            run.run->drag(vertex, {target[0], target[1], target[2]});
          },
          "vertex"_a, "target"_a,
          R"(Pulls a vertex (its 0-based `v` line) towards the target [m] from the next step on, in all lanes.
Call it again to move the target. As with the mouse, a spring with limited force pulls, so that the method stays stable.)")
      .def(
          "release", [](Self run) { run.run->release(); }, "Ends a drag.")
      .def(
          "reset", [](Self run) { run.run->reset(); },
          "Returns all lanes to the start, with the current values.")
      .def(
          "save_checkpoint", [](Self run, Path path) { run.run->save_checkpoint(path); }, "path"_a,
          "Writes all lanes to a file from which the module and the program continue with the same bits.")
      .def_static("load_checkpoint", &continue_run, "path"_a,
                  R"(The run of a checkpoint, of the module or of the program, to continue from there.
load_checkpoint(path, *, mesh_folder=..., threads=...): the folder has moved mesh files.)")
      .def(
          "save_journal", [](Self run, Path path) { run.run->save_journal(path); }, "path"_a,
          "Writes everything that was done as a journal, which `clothlab replay` repeats with the same "
          "bits.")
      .def(
          "save_bundle", [](Self run, Path path) { run.run->save_bundle(path); }, "path"_a,
          "Writes scene, meshes, all lanes and the journal to one file, which opens on another machine.");
}

}  // namespace
}  // namespace clothlab

PYBIND11_MODULE(_clothlab, module) {
  using namespace clothlab;
  py::options docstrings;
  docstrings.disable_function_signatures();
  const py::object own_name = module.attr("__name__");
  module.attr("__name__") = "clothlab";  // the classes belong to the package
  module.attr("__version__") = CLOTHLAB_VERSION;
  module.attr("CLOTH_ITSELF") = kClothItself;
  py::list names;
  for (const IntegratorInfo& info : integrators()) names.append(std::string(info.id));
  module.attr("INTEGRATORS") = py::tuple(names);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const InputError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const SystemError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    }
  });
  bind_scene(module);
  bind_reports(module);
  bind_lane(module);
  bind_run(module);
  module.attr("__name__") = own_name;
}
