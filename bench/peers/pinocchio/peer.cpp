// Pinocchio as a contender in the side-by-side benchmark: a server on stdin and stdout, so that one harness can check its
// answers and interleave its timings with those of the other contenders. The protocol is described in bench/README.md.
//
// Header-only on purpose: the templates are instantiated here with this machine's instruction set, which the shipped
// libraries are not.

// What is marked as bound to change is meant to be used here.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <pinocchio/serialization.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/compute-all-terms.hpp>
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/impulse-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/impulse-dynamics.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "../contender.hpp"

#include <filesystem>

namespace {

using Vector = Eigen::VectorXd;
using pinocchio::Convention;

struct State {
  Vector q, v, a, tau;
};

/// The balls that close loops of a tree.
struct Loops {
  std::vector<pinocchio::RigidConstraintModel> models;
  std::vector<pinocchio::RigidConstraintData> datas;
  // The two algorithms keep different things in it.
  pinocchio::Data tree;
  std::vector<pinocchio::RigidConstraintData> tree_datas;

  Loops(const std::string& path, const pinocchio::Model& model, pinocchio::Data& data) : tree(model) {
    std::ifstream in(path);
    std::size_t first, second;
    while (in >> first >> second) {
      const pinocchio::SE3 at_first = read_placement(in), at_second = read_placement(in);
      if (!in) throw std::runtime_error(path + ": malformed loop");
      models.emplace_back(pinocchio::CONTACT_3D, model, first, at_first, second, at_second, pinocchio::LOCAL);
    }
    for (const auto& loop : models) {
      datas.emplace_back(loop);
      tree_datas.emplace_back(loop);
    }
    pinocchio::initConstraintDynamics(model, data, models, datas);
    pinocchio::computeJointMinimalOrdering(model, tree, models);
  }

 private:
  static pinocchio::SE3 read_placement(std::istream& in) {
    Eigen::Matrix3d rotation;
    Eigen::Vector3d translation;
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) in >> rotation(row, column);
    for (int row = 0; row < 3; ++row) in >> translation[row];
    return {rotation, translation};
  }
};

/// Frames that are held to the world: a line for each, with the joint's name, the frame's origin in the joint's, and 3 or 6 rows.
struct Held {
  std::vector<pinocchio::RigidConstraintModel> models;
  std::vector<pinocchio::RigidConstraintData> datas;
  pinocchio::Data data;

  Held(const std::string& path, const pinocchio::Model& model) : data(model) {
    std::ifstream in(path);
    std::string joint;
    Eigen::Vector3d origin;
    int rows;
    while (in >> joint >> origin[0] >> origin[1] >> origin[2] >> rows) {
      if (!model.existJointName(joint)) throw std::runtime_error(path + ": no joint " + joint);
      const auto type = rows == 3 ? pinocchio::CONTACT_3D : pinocchio::CONTACT_6D;
      const pinocchio::SE3 frame(Eigen::Matrix3d::Identity(), origin);
      models.emplace_back(type, model, model.getJointId(joint), frame, pinocchio::LOCAL);
    }
    for (const auto& held : models) datas.emplace_back(held);
    pinocchio::initConstraintDynamics(model, data, models, datas);
  }
};

struct Robot {
  pinocchio::Model model;
  pinocchio::Data data;
  std::vector<State> states;
  Vector solution, configuration;
  /// Present if the robot has loops.
  std::unique_ptr<Loops> loops;
  /// Present if frames of the robot are held.
  std::unique_ptr<Held> held;
  /// In which the mass matrix of this robot is found faster: on long chains the world's frame, else the links'.
  Convention crba_convention = Convention::LOCAL;

  explicit Robot(pinocchio::Model loaded)
      : model(std::move(loaded)), data(model), solution(Vector::Zero(model.nv)), configuration(Vector::Zero(model.nq)) {}

  std::size_t nq() const { return static_cast<std::size_t>(model.nq); }
  std::size_t nv() const { return static_cast<std::size_t>(model.nv); }

  static std::unique_ptr<Robot> load(const std::string& model_path, const std::string& states_path) {
    pinocchio::Model model;
    model.loadFromBinary(model_path);
    auto robot = std::make_unique<Robot>(std::move(model));
    const auto loops = std::filesystem::path(model_path).replace_extension("loops");
    if (std::filesystem::exists(loops)) robot->loops = std::make_unique<Loops>(loops, robot->model, robot->data);
    const auto held = std::filesystem::path(model_path).replace_extension("held");
    if (std::filesystem::exists(held)) robot->held = std::make_unique<Held>(held, robot->model);
    const auto vector = [](const contender::Numbers& numbers) {
      return Vector(Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size())));
    };
    for (const auto& state : contender::read_states(states_path, robot->nq(), robot->nv()))
      robot->states.push_back(State{vector(state.q), vector(state.v), vector(state.a), vector(state.tau)});
    if (!robot->loops) robot->choose_crba_convention();
    return robot;
  }

 private:
  void choose_crba_convention() {
    using Clock = std::chrono::steady_clock;
    const auto pass = [this](Convention convention) {
      const auto begin = Clock::now();
      for (const State& s : states) pinocchio::crba(model, data, s.q, convention);
      return Clock::now() - begin;
    };
    Clock::duration links = Clock::duration::max(), world = links;
    for (int turn = 0; turn < 10; ++turn) {
      links = std::min(links, pass(Convention::LOCAL));
      world = std::min(world, pass(Convention::WORLD));
    }
    if (world < links) crba_convention = Convention::WORLD;
    data = pinocchio::Data(model);
  }
};

/// The numbers of one answer, in the order in which they are printed.
class Answer {
 public:
  void scalar(double x) { numbers_.push_back(x); }

  template <typename Derived>
  void matrix(const Eigen::MatrixBase<Derived>& m) {
    for (Eigen::Index row = 0; row < m.rows(); ++row)
      for (Eigen::Index column = 0; column < m.cols(); ++column) scalar(m(row, column));
  }

  /// A symmetric matrix of which Pinocchio fills the upper triangle only.
  template <typename Derived>
  void symmetric_from_upper(const Eigen::MatrixBase<Derived>& m) {
    for (Eigen::Index row = 0; row < m.rows(); ++row)
      for (Eigen::Index column = 0; column < m.cols(); ++column)
        scalar(row <= column ? m(row, column) : m(column, row));
  }

  operator contender::Numbers() && { return std::move(numbers_); }

 private:
  contender::Numbers numbers_;
};

// One structure a call.

struct ForwardKinematics {
  static constexpr const char* name = "forward_kinematics";
  static void run(Robot& r, const State& s) { pinocchio::forwardKinematics(r.model, r.data, s.q); }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    for (int joint = 1; joint < r.model.njoints; ++joint) {
      const auto& placement = r.data.oMi[static_cast<std::size_t>(joint)];
      out.matrix(placement.rotation());
      out.matrix(placement.translation());
    }
    return std::move(out);
  }
};

struct JointJacobians {
  static constexpr const char* name = "joint_jacobians";
  static void run(Robot& r, const State& s) { pinocchio::computeJointJacobians(r.model, r.data, s.q); }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.data.J);
    return std::move(out);
  }
};

struct Rnea {
  static constexpr const char* name = "rnea";
  static void run(Robot& r, const State& s) { pinocchio::rnea(r.model, r.data, s.q, s.v, s.a); }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.data.tau);
    return std::move(out);
  }
};

struct Bias {
  static constexpr const char* name = "bias";
  static void run(Robot& r, const State& s) { pinocchio::nonLinearEffects(r.model, r.data, s.q, s.v); }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.data.nle);
    return std::move(out);
  }
};

struct Crba {
  static constexpr const char* name = "crba";
  static void run(Robot& r, const State& s) { pinocchio::crba(r.model, r.data, s.q, r.crba_convention); }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.symmetric_from_upper(r.data.M);
    return std::move(out);
  }
};

// The same call: it writes no other elements than those of coordinates on a common path to the root.
struct CrbaPacked {
  static constexpr const char* name = "crba_packed";
  static void run(Robot& r, const State& s) { Crba::run(r, s); }
  static contender::Numbers answer(const Robot& r, const State&) {
    std::vector<double> out;
    for (int k = 0; k < r.model.nv; ++k) {
      for (int i = 0; i <= k; ++i) {
        bool on_path = false;
        for (int a = k; a >= 0; a = r.data.parents_fromRow[a]) on_path = on_path || a == i;
        if (on_path) out.push_back(r.data.M(i, k));
      }
    }
    return out;
  }
};

struct CrbaFactorSolve {
  static constexpr const char* name = "crba_factor_solve";
  static void run(Robot& r, const State& s) {
    pinocchio::crba(r.model, r.data, s.q, r.crba_convention);
    pinocchio::cholesky::decompose(r.model, r.data);
    r.solution = s.tau;
    pinocchio::cholesky::solve(r.model, r.data, r.solution);
  }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.solution);
    return std::move(out);
  }
};

struct Aba {
  static constexpr const char* name = "aba";
  static void run(Robot& r, const State& s) {
    pinocchio::aba(r.model, r.data, s.q, s.v, s.tau, Convention::LOCAL);
  }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.data.ddq);
    return std::move(out);
  }
};

struct MassMatrixInverse {
  static constexpr const char* name = "minverse";
  static void run(Robot& r, const State& s) { pinocchio::computeMinverse(r.model, r.data, s.q); }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.symmetric_from_upper(r.data.Minv);
    return std::move(out);
  }
};

struct CentroidalMap {
  static constexpr const char* name = "ccrba";
  static void run(Robot& r, const State& s) { pinocchio::ccrba(r.model, r.data, s.q, s.v); }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.data.Ag);
    out.matrix(r.data.hg.toVector());
    return std::move(out);
  }
};

struct CentreOfMass {
  static constexpr const char* name = "com";
  // Without the centres of mass of the subtrees: the least work that gives the whole robot's.
  static void run(Robot& r, const State& s) { pinocchio::centerOfMass(r.model, r.data, s.q, false); }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.data.com[0]);
    return std::move(out);
  }
};

struct AllTerms {
  static constexpr const char* name = "all_terms";
  static void run(Robot& r, const State& s) { pinocchio::computeAllTerms(r.model, r.data, s.q, s.v); }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.symmetric_from_upper(r.data.M);
    out.matrix(r.data.nle);
    out.matrix(r.data.g);
    out.matrix(r.data.Ag);
    out.matrix(r.data.hg.toVector());
    out.matrix(r.data.com[0]);
    out.scalar(r.data.kinetic_energy);
    out.scalar(r.data.potential_energy);
    return std::move(out);
  }
};

struct RneaDerivatives {
  static constexpr const char* name = "rnea_derivatives";
  static void run(Robot& r, const State& s) {
    pinocchio::computeRNEADerivatives(r.model, r.data, s.q, s.v, s.a);
  }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.data.dtau_dq);
    out.matrix(r.data.dtau_dv);
    out.symmetric_from_upper(r.data.M);
    return std::move(out);
  }
};

struct AbaDerivatives {
  static constexpr const char* name = "aba_derivatives";
  static void run(Robot& r, const State& s) {
    pinocchio::computeABADerivatives(r.model, r.data, s.q, s.v, s.tau);
  }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.data.ddq_dq);
    out.matrix(r.data.ddq_dv);
    out.symmetric_from_upper(r.data.Minv);
    return std::move(out);
  }
};

struct Regressor {
  static constexpr const char* name = "regressor";
  static void run(Robot& r, const State& s) {
    pinocchio::computeJointTorqueRegressor(r.model, r.data, s.q, s.v, s.a);
  }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.data.jointTorqueRegressor);
    return std::move(out);
  }
};

/// One step of the symplectic Euler method, as a user of Pinocchio writes it.
struct EulerStep {
  static constexpr const char* name = "euler_step";
  static constexpr double length = 1e-3;
  static void run(Robot& r, const State& s) {
    pinocchio::aba(r.model, r.data, s.q, s.v, s.tau, Convention::LOCAL);
    r.solution = s.v + length * r.data.ddq;
    r.data.ddq = length * r.solution;
    pinocchio::integrate(r.model, s.q, r.data.ddq, r.configuration);
  }
  static contender::Numbers answer(const Robot& r, const State& s) {
    Answer out;
    out.matrix((r.solution - s.v) / length);
    for (std::size_t index = 1; index < r.model.joints.size(); ++index) {
      const auto& joint = r.model.joints[index];
      if (joint.nv() == 1) out.matrix(r.configuration.segment(joint.idx_q(), joint.nq()));
    }
    return std::move(out);
  }
};

/// Where constraints repeat others, as in a plane, the least regularisation is needed; where none do, it costs one iteration.
struct ConstraintDynamics {
  static constexpr const char* name = "constraint_dynamics";
  static void run(Robot& r, const State& s) {
    pinocchio::ProximalSettings settings(1e-10, 1e-12, 10);
    pinocchio::constraintDynamics(r.model, r.data, s.q, s.v, s.tau, r.loops->models, r.loops->datas, settings);
  }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.data.ddq);
    return std::move(out);
  }
};

/// It loses about 10⁻¹⁶/μ to rounding: of the powers of ten, this is the least μ with which accelerations agree.
struct LoopConstrainedAba {
  static constexpr const char* name = "loop_constrained_aba";
  static void run(Robot& r, const State& s) {
    pinocchio::ProximalSettings settings(1e-10, 1e-4, 20);
    pinocchio::lcaba(r.model, r.loops->tree, s.q, s.v, s.tau, r.loops->models, r.loops->tree_datas, settings);
  }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.loops->tree.ddq);
    return std::move(out);
  }
};

/// Rows are independent: no regularisation and one iteration are exact.
pinocchio::ProximalSettings exact() { return pinocchio::ProximalSettings(1e-12, 0.0, 1); }

struct ConstrainedDynamics {
  static constexpr const char* name = "constrained_dynamics";
  static void run(Robot& r, const State& s) {
    auto settings = exact();
    pinocchio::constraintDynamics(r.model, r.held->data, s.q, s.v, s.tau, r.held->models, r.held->datas, settings);
  }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.held->data.ddq);
    out.matrix(r.held->data.lambda_c);
    return std::move(out);
  }
};

/// With the dynamics that they belong to.
struct ConstrainedDynamicsDerivatives {
  static constexpr const char* name = "constrained_dynamics_derivatives";
  static void run(Robot& r, const State& s) {
    auto settings = exact();
    pinocchio::constraintDynamics(r.model, r.held->data, s.q, s.v, s.tau, r.held->models, r.held->datas, settings);
    pinocchio::computeConstraintDynamicsDerivatives(r.model, r.held->data, r.held->models, r.held->datas, settings);
  }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.held->data.ddq_dq);
    out.matrix(r.held->data.ddq_dv);
    out.matrix(r.held->data.ddq_dtau);
    out.matrix(r.held->data.dlambda_dq);
    out.matrix(r.held->data.dlambda_dv);
    out.matrix(r.held->data.dlambda_dtau);
    return std::move(out);
  }
};

struct ImpulseDynamics {
  static constexpr const char* name = "impulse_dynamics";
  static void run(Robot& r, const State& s) {
    pinocchio::impulseDynamics(r.model, r.held->data, s.q, s.v, r.held->models, r.held->datas, 0.3, exact());
  }
  static contender::Numbers answer(const Robot& r, const State&) {
    Answer out;
    out.matrix(r.held->data.dq_after);
    out.matrix(r.held->data.impulse_c);
    return std::move(out);
  }
};

std::string version() {
  std::ostringstream text;
  text << "Pinocchio " << PINOCCHIO_VERSION << ", Eigen " << EIGEN_WORLD_VERSION << '.' << EIGEN_MAJOR_VERSION << '.'
       << EIGEN_MINOR_VERSION << ", " << __VERSION__;
  return text.str();
}

}  // namespace

int main() {
  contender::Server<Robot>(
      version(),
      contender::table<Robot, ForwardKinematics, JointJacobians, Rnea, Bias, Crba, CrbaPacked, CrbaFactorSolve, Aba, MassMatrixInverse,
                       CentroidalMap, CentreOfMass, AllTerms, RneaDerivatives, AbaDerivatives, Regressor, EulerStep,
                       ConstraintDynamics, LoopConstrainedAba, ConstrainedDynamics, ConstrainedDynamicsDerivatives,
                       ImpulseDynamics>())
      .run();
}
