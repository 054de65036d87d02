// MuJoCo as a contender in the side-by-side benchmark: its pipeline's stages, called one after the other as `mj_forward`
// and `mj_inverse` do, on a model without geometry, actuators, sensors, damping or limits. The protocol is described in
// bench/README.md.
//
// The library is the one that its package ships. MuJoCo's free joint has its linear velocity in world axes; states are
// turned to that when they are read, and answers are turned back, neither of which is timed.

#include <mujoco/mujoco.h>

#include "../contender.hpp"

#include <cmath>
#include <cstring>

namespace {

using contender::Numbers;

/// The length of a simulation step, in s.
constexpr double step_length = 1e-3;

struct State {
  Numbers qpos, qvel, qacc, force;
};

struct Robot {
  mjModel* model;
  mjData* data;
  std::vector<State> states;
  /// How many configuration coordinates each joint has in the file of states.
  std::vector<std::size_t> sizes;
  Numbers result, scratch, identity, matrix;

  explicit Robot(mjModel* loaded) : model(loaded), data(mj_makeData(loaded)) {
    const int id = mj_name2id(model, mjOBJ_NUMERIC, "nq");
    if (id < 0 || model->numeric_size[id] != model->njnt)
      throw std::runtime_error("the model does not tell the sizes of its joints");
    for (int joint = 0; joint < model->njnt; ++joint)
      sizes.push_back(static_cast<std::size_t>(model->numeric_data[model->numeric_adr[id] + joint]));
    const std::size_t n = nv();
    result.resize(n);
    scratch.resize(n);
    matrix.resize(n * n);
    identity.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) identity[i * n + i] = 1.0;
  }

  Robot(const Robot&) = delete;
  Robot& operator=(const Robot&) = delete;

  ~Robot() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }

  std::size_t nv() const { return static_cast<std::size_t>(model->nv); }

  std::size_t nq() const {
    std::size_t sum = 0;
    for (const std::size_t size : sizes) sum += size;
    return sum;
  }

  bool is_free(int joint) const { return model->jnt_type[joint] == mjJNT_FREE; }
  std::size_t first_velocity(int joint) const { return static_cast<std::size_t>(model->jnt_dofadr[joint]); }
  const mjtNum* quaternion(int joint, const State& s) const { return &s.qpos[static_cast<std::size_t>(model->jnt_qposadr[joint]) + 3]; }

  /// Turns the linear part of each free joint's entries from its own axes to the world's.
  void to_world(const State& s, double* vector) const {
    for (int joint = 0; joint < model->njnt; ++joint) {
      if (!is_free(joint)) continue;
      double* linear = vector + first_velocity(joint);
      const mjtNum local[3] = {linear[0], linear[1], linear[2]};
      mju_rotVecQuat(linear, local, quaternion(joint, s));
    }
  }

  /// The inverse of `to_world`.
  void to_local(const State& s, double* vector) const {
    for (int joint = 0; joint < model->njnt; ++joint) {
      if (!is_free(joint)) continue;
      double* linear = vector + first_velocity(joint);
      const mjtNum world[3] = {linear[0], linear[1], linear[2]};
      mjtNum back[4];
      mju_negQuat(back, quaternion(joint, s));
      mju_rotVecQuat(linear, world, back);
    }
  }

  /// Adds `sign` times ω × v, what the rate of a velocity in turning axes lacks, in a free joint's own axes.
  void add_turning(const State& s, double sign, double* acceleration) const {
    Numbers velocity = s.qvel;
    to_local(s, velocity.data());
    for (int joint = 0; joint < model->njnt; ++joint) {
      if (!is_free(joint)) continue;
      const double* v = &velocity[first_velocity(joint)];
      double* a = acceleration + first_velocity(joint);
      a[0] += sign * (v[4] * v[2] - v[5] * v[1]);
      a[1] += sign * (v[5] * v[0] - v[3] * v[2]);
      a[2] += sign * (v[3] * v[1] - v[4] * v[0]);
    }
  }

  State converted(const contender::FileState& file) const {
    State s{Numbers(static_cast<std::size_t>(model->nq)), file.v, file.a, file.tau};
    const double* q = file.q.data();
    for (int joint = 0; joint < model->njnt; ++joint) {
      const std::size_t size = sizes[static_cast<std::size_t>(joint)];
      mjtNum* qpos = &s.qpos[static_cast<std::size_t>(model->jnt_qposadr[joint])];
      if (is_free(joint)) {
        // The quaternion's scalar comes first in MuJoCo and last in the file.
        const double order[7] = {q[0], q[1], q[2], q[6], q[3], q[4], q[5]};
        std::memcpy(qpos, order, sizeof order);
      } else {
        *qpos = size == 2 ? std::atan2(q[1], q[0]) : q[0];
      }
      q += size;
    }
    to_world(s, s.qvel.data());
    add_turning(s, 1.0, s.qacc.data());
    to_world(s, s.qacc.data());
    to_world(s, s.force.data());
    return s;
  }

  static std::unique_ptr<Robot> load(const std::string& model_path, const std::string& states_path) {
    char error[1000] = "";
    mjModel* model = mj_loadXML(model_path.c_str(), nullptr, error, sizeof error);
    if (!model) throw std::runtime_error(error);
    model->opt.timestep = step_length;
    auto robot = std::make_unique<Robot>(model);
    for (const auto& state : contender::read_states(states_path, robot->nq(), robot->nv()))
      robot->states.push_back(robot->converted(state));
    return robot;
  }

  void set_position(const State& s) { mju_copy(data->qpos, s.qpos.data(), model->nq); }
  void set_velocity(const State& s) { mju_copy(data->qvel, s.qvel.data(), model->nv); }

  /// Placements, and inertias and axes about the centre of mass.
  void place(const State& s) {
    set_position(s);
    mj_kinematics(model, data);
    mj_comPos(model, data);
  }

  void move(const State& s) {
    set_velocity(s);
    mj_comVel(model, data);
  }

  void factorize(const State& s) {
    place(s);
    mj_makeM(model, data);
    mj_factorM(model, data);
  }
};

/// A result with a free joint's entries as the file has them.
Numbers local(const Robot& r, const State& s, Numbers values) {
  r.to_local(s, values.data());
  return values;
}

/// A matrix with a free joint's rows and columns as the file has them.
Numbers local_matrix(const Robot& r, const State& s, Numbers matrix) {
  const std::size_t n = r.nv();
  const auto turn_and_transpose = [&] {
    Numbers transposed(n * n);
    for (std::size_t row = 0; row < n; ++row) {
      r.to_local(s, &matrix[row * n]);
      for (std::size_t column = 0; column < n; ++column) transposed[column * n + row] = matrix[row * n + column];
    }
    matrix = transposed;
  };
  turn_and_transpose();
  turn_and_transpose();
  return matrix;
}

struct ForwardKinematics {
  static constexpr const char* name = "forward_kinematics";
  static void run(Robot& r, const State& s) {
    r.set_position(s);
    mj_kinematics(r.model, r.data);
  }
  static Numbers answer(const Robot& r, const State&) {
    Numbers out;
    for (int body = 1; body < r.model->nbody; ++body) {
      out.insert(out.end(), r.data->xmat + 9 * body, r.data->xmat + 9 * body + 9);
      out.insert(out.end(), r.data->xpos + 3 * body, r.data->xpos + 3 * body + 3);
    }
    return out;
  }
};

struct Rnea {
  static constexpr const char* name = "rnea";
  static void run(Robot& r, const State& s) {
    r.place(s);
    r.move(s);
    mju_copy(r.data->qacc, s.qacc.data(), r.model->nv);
    mj_rne(r.model, r.data, 1, r.result.data());
  }
  static Numbers answer(const Robot& r, const State& s) { return local(r, s, r.result); }
};

/// MuJoCo's bias is that at rest of its own velocities, so the base's turning is left in it; see `answer`.
struct Bias {
  static constexpr const char* name = "bias";
  static void run(Robot& r, const State& s) {
    r.place(s);
    r.move(s);
    mj_rne(r.model, r.data, 0, r.result.data());
  }
  static Numbers answer(const Robot& r, const State& s) {
    // With the acceleration that the file's zero is in MuJoCo's coordinates.
    Numbers turning(r.nv(), 0.0), bias(r.nv());
    r.add_turning(s, 1.0, turning.data());
    r.to_world(s, turning.data());
    mju_copy(r.data->qacc, turning.data(), r.model->nv);
    mj_rne(r.model, r.data, 1, bias.data());
    return local(r, s, bias);
  }
};

struct Crba {
  static constexpr const char* name = "crba";
  static void run(Robot& r, const State& s) {
    r.place(s);
    mj_makeM(r.model, r.data);
  }
  static Numbers answer(const Robot& r, const State& s) {
    Numbers full(r.nv() * r.nv());
    mj_fullM(r.model, r.data, full.data());
    return local_matrix(r, s, full);
  }
};

struct CrbaFactorSolve {
  static constexpr const char* name = "crba_factor_solve";
  static void run(Robot& r, const State& s) {
    r.factorize(s);
    mj_solveM(r.model, r.data, r.result.data(), s.force.data(), 1);
  }
  static Numbers answer(const Robot& r, const State& s) { return local(r, s, r.result); }
};

/// Forward dynamics: MuJoCo's way is by the factorised mass matrix.
struct ForwardDynamics {
  static constexpr const char* name = "aba";
  static void run(Robot& r, const State& s) {
    r.factorize(s);
    r.move(s);
    mj_rne(r.model, r.data, 0, r.scratch.data());
    mju_sub(r.scratch.data(), s.force.data(), r.scratch.data(), r.model->nv);
    mj_solveM(r.model, r.data, r.result.data(), r.scratch.data(), 1);
  }
  static Numbers answer(const Robot& r, const State& s) {
    Numbers acceleration = local(r, s, r.result);
    r.add_turning(s, -1.0, acceleration.data());
    return acceleration;
  }
};

struct MassMatrixInverse {
  static constexpr const char* name = "minverse";
  static void run(Robot& r, const State& s) {
    r.factorize(s);
    mj_solveM(r.model, r.data, r.matrix.data(), r.identity.data(), r.model->nv);
  }
  static Numbers answer(const Robot& r, const State& s) { return local_matrix(r, s, r.matrix); }
};

/// One step of the simulation: MuJoCo's integrator `Euler`, which is the symplectic one where nothing is damped.
struct EulerStep {
  static constexpr const char* name = "euler_step";
  static void run(Robot& r, const State& s) {
    r.set_position(s);
    r.set_velocity(s);
    mju_copy(r.data->qfrc_applied, s.force.data(), r.model->nv);
    mj_step(r.model, r.data);
  }
  static Numbers answer(const Robot& r, const State& s) {
    Numbers change(r.data->qvel, r.data->qvel + r.nv());
    for (std::size_t k = 0; k < change.size(); ++k) change[k] = (change[k] - s.qvel[k]) / step_length;
    Numbers out = local(r, s, change);
    r.add_turning(s, -1.0, out.data());
    for (int joint = 0; joint < r.model->njnt; ++joint) {
      if (r.is_free(joint)) continue;
      const double position = r.data->qpos[r.model->jnt_qposadr[joint]];
      if (r.sizes[static_cast<std::size_t>(joint)] == 2) {
        out.insert(out.end(), {std::cos(position), std::sin(position)});
      } else {
        out.push_back(position);
      }
    }
    return out;
  }
};

}  // namespace

int main() {
  contender::Server<Robot>(std::string("MuJoCo ") + mj_versionString(),
                           contender::table<Robot, ForwardKinematics, Rnea, Bias, Crba, CrbaFactorSolve, ForwardDynamics,
                                            MassMatrixInverse, EulerStep>())
      .run();
}
