// Pinocchio as a contender in the side-by-side benchmark: a server on stdin and stdout, so that one harness can check its
// answers and interleave its timings with those of the other contenders. The protocol is described in bench/README.md.
//
// Header-only on purpose: the templates are instantiated here with this machine's instruction set, which the shipped
// libraries are not.

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <pinocchio/serialization.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/compute-all-terms.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using pinocchio::Convention;

struct State {
  Vector q, v, a, tau;
};

struct Robot {
  pinocchio::Model model;
  pinocchio::Data data;
  std::vector<State> states;
  Vector solution;

  explicit Robot(pinocchio::Model loaded)
      : model(std::move(loaded)), data(model), solution(Vector::Zero(model.nv)) {}
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

  const std::vector<double>& numbers() const { return numbers_; }

 private:
  std::vector<double> numbers_;
};

// One structure a call: `run` is what is timed, `answer` reads the result out of the data afterwards.

struct ForwardKinematics {
  static constexpr const char* name = "forward_kinematics";
  static void run(Robot& r, const State& s) { pinocchio::forwardKinematics(r.model, r.data, s.q); }
  static void answer(const Robot& r, Answer& out) {
    for (int joint = 1; joint < r.model.njoints; ++joint) {
      const auto& placement = r.data.oMi[static_cast<std::size_t>(joint)];
      out.matrix(placement.rotation());
      out.matrix(placement.translation());
    }
  }
};

struct JointJacobians {
  static constexpr const char* name = "joint_jacobians";
  static void run(Robot& r, const State& s) { pinocchio::computeJointJacobians(r.model, r.data, s.q); }
  static void answer(const Robot& r, Answer& out) { out.matrix(r.data.J); }
};

struct Rnea {
  static constexpr const char* name = "rnea";
  static void run(Robot& r, const State& s) { pinocchio::rnea(r.model, r.data, s.q, s.v, s.a); }
  static void answer(const Robot& r, Answer& out) { out.matrix(r.data.tau); }
};

struct Bias {
  static constexpr const char* name = "bias";
  static void run(Robot& r, const State& s) { pinocchio::nonLinearEffects(r.model, r.data, s.q, s.v); }
  static void answer(const Robot& r, Answer& out) { out.matrix(r.data.nle); }
};

struct Crba {
  static constexpr const char* name = "crba";
  static void run(Robot& r, const State& s) { pinocchio::crba(r.model, r.data, s.q, Convention::LOCAL); }
  static void answer(const Robot& r, Answer& out) { out.symmetric_from_upper(r.data.M); }
};

struct CrbaFactorSolve {
  static constexpr const char* name = "crba_factor_solve";
  static void run(Robot& r, const State& s) {
    pinocchio::crba(r.model, r.data, s.q, Convention::LOCAL);
    pinocchio::cholesky::decompose(r.model, r.data);
    r.solution = s.tau;
    pinocchio::cholesky::solve(r.model, r.data, r.solution);
  }
  static void answer(const Robot& r, Answer& out) { out.matrix(r.solution); }
};

struct Aba {
  static constexpr const char* name = "aba";
  static void run(Robot& r, const State& s) {
    pinocchio::aba(r.model, r.data, s.q, s.v, s.tau, Convention::LOCAL);
  }
  static void answer(const Robot& r, Answer& out) { out.matrix(r.data.ddq); }
};

struct MassMatrixInverse {
  static constexpr const char* name = "minverse";
  static void run(Robot& r, const State& s) { pinocchio::computeMinverse(r.model, r.data, s.q); }
  static void answer(const Robot& r, Answer& out) { out.symmetric_from_upper(r.data.Minv); }
};

struct CentroidalMap {
  static constexpr const char* name = "ccrba";
  static void run(Robot& r, const State& s) { pinocchio::ccrba(r.model, r.data, s.q, s.v); }
  static void answer(const Robot& r, Answer& out) {
    out.matrix(r.data.Ag);
    out.matrix(r.data.hg.toVector());
  }
};

struct CentreOfMass {
  static constexpr const char* name = "com";
  // Without the centres of mass of the subtrees: the least work that gives the whole robot's.
  static void run(Robot& r, const State& s) { pinocchio::centerOfMass(r.model, r.data, s.q, false); }
  static void answer(const Robot& r, Answer& out) { out.matrix(r.data.com[0]); }
};

struct AllTerms {
  static constexpr const char* name = "all_terms";
  static void run(Robot& r, const State& s) { pinocchio::computeAllTerms(r.model, r.data, s.q, s.v); }
  static void answer(const Robot& r, Answer& out) {
    out.symmetric_from_upper(r.data.M);
    out.matrix(r.data.nle);
    out.matrix(r.data.g);
    out.matrix(r.data.J);
    out.matrix(r.data.dJ);
    out.matrix(r.data.Ag);
    out.matrix(r.data.dAg);
    out.matrix(r.data.Jcom);
    out.matrix(r.data.com[0]);
    out.matrix(r.data.vcom[0]);
    out.scalar(r.data.kinetic_energy);
    out.scalar(r.data.potential_energy);
  }
};

struct RneaDerivatives {
  static constexpr const char* name = "rnea_derivatives";
  static void run(Robot& r, const State& s) {
    pinocchio::computeRNEADerivatives(r.model, r.data, s.q, s.v, s.a);
  }
  static void answer(const Robot& r, Answer& out) {
    out.matrix(r.data.dtau_dq);
    out.matrix(r.data.dtau_dv);
    out.symmetric_from_upper(r.data.M);
  }
};

struct AbaDerivatives {
  static constexpr const char* name = "aba_derivatives";
  static void run(Robot& r, const State& s) {
    pinocchio::computeABADerivatives(r.model, r.data, s.q, s.v, s.tau);
  }
  static void answer(const Robot& r, Answer& out) {
    out.matrix(r.data.ddq_dq);
    out.matrix(r.data.ddq_dv);
    out.symmetric_from_upper(r.data.Minv);
  }
};

struct Regressor {
  static constexpr const char* name = "regressor";
  static void run(Robot& r, const State& s) {
    pinocchio::computeJointTorqueRegressor(r.model, r.data, s.q, s.v, s.a);
  }
  static void answer(const Robot& r, Answer& out) { out.matrix(r.data.jointTorqueRegressor); }
};

/// Makes the compiler believe that the robot's data is read here, so that no call is left out or moved.
inline void keep(Robot& robot) { asm volatile("" : : "g"(&robot) : "memory"); }

/// Nanoseconds a call, averaged over one pass of all states.
template <typename Call>
double time_pass(Robot& robot) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (const State& state : robot.states) {
    Call::run(robot, state);
    keep(robot);
  }
  const std::chrono::duration<double, std::nano> elapsed = Clock::now() - begin;
  return elapsed.count() / static_cast<double>(robot.states.size());
}

template <typename Call>
Answer answer_of(Robot& robot, const State& state) {
  Call::run(robot, state);
  keep(robot);
  Answer out;
  Call::answer(robot, out);
  return out;
}

struct Entry {
  std::string name;
  double (*time_pass)(Robot&);
  Answer (*answer_of)(Robot&, const State&);
};

template <typename... Calls>
std::vector<Entry> table() {
  return {Entry{Calls::name, &time_pass<Calls>, &answer_of<Calls>}...};
}

const std::vector<Entry>& calls() {
  static const auto entries =
      table<ForwardKinematics, JointJacobians, Rnea, Bias, Crba, CrbaFactorSolve, Aba, MassMatrixInverse, CentroidalMap,
            CentreOfMass, AllTerms, RneaDerivatives, AbaDerivatives, Regressor>();
  return entries;
}

const Entry& find_call(const std::string& name) {
  for (const Entry& entry : calls())
    if (entry.name == name) return entry;
  throw std::invalid_argument("unknown call '" + name + "'");
}

template <typename T>
T read_number(std::istream& in, const std::string& path) {
  T value;
  if (!in.read(reinterpret_cast<char*>(&value), sizeof value)) throw std::runtime_error(path + ": file ends too early");
  return value;
}

Vector read_vector(std::istream& in, const std::string& path, Eigen::Index size) {
  Vector vector(size);
  for (Eigen::Index i = 0; i < size; ++i) vector[i] = read_number<double>(in, path);
  return vector;
}

std::vector<State> read_states(const std::string& path, const pinocchio::Model& model) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": cannot be opened");
  const auto count = read_number<std::uint64_t>(in, path);
  const auto nq = static_cast<int>(read_number<std::uint64_t>(in, path));
  const auto nv = static_cast<int>(read_number<std::uint64_t>(in, path));
  if (nq != model.nq || nv != model.nv)
    throw std::runtime_error(path + ": holds states of nq " + std::to_string(nq) + " and nv " + std::to_string(nv) +
                             ", the model has " + std::to_string(model.nq) + " and " + std::to_string(model.nv));
  if (count == 0) throw std::runtime_error(path + ": holds no state");
  std::vector<State> states;
  for (std::uint64_t i = 0; i < count; ++i) {
    // Braces evaluate from left to right, which is the order in the file.
    states.push_back(
        State{read_vector(in, path, nq), read_vector(in, path, nv), read_vector(in, path, nv), read_vector(in, path, nv)});
  }
  if (in.peek() != std::ifstream::traits_type::eof()) throw std::runtime_error(path + ": has bytes after the last state");
  return states;
}

std::unique_ptr<Robot> load(const std::string& model_path, const std::string& states_path) {
  pinocchio::Model model;
  model.loadFromBinary(model_path);
  auto robot = std::make_unique<Robot>(std::move(model));
  robot->states = read_states(states_path, robot->model);
  return robot;
}

void print_numbers(const std::vector<double>& numbers) {
  std::printf("ok %zu", numbers.size());
  for (const double x : numbers) std::printf(" %.17g", x);
  std::printf("\n");
}

template <typename T>
T argument(std::istream& request, const char* what) {
  T value;
  if (!(request >> value)) throw std::invalid_argument(std::string("missing or malformed ") + what);
  return value;
}

Robot& loaded(const std::unique_ptr<Robot>& robot) {
  if (!robot) throw std::invalid_argument("no robot is loaded");
  return *robot;
}

/// Serves one request; false when it is to be the last.
bool serve(std::istream& request, std::unique_ptr<Robot>& robot) {
  const auto verb = argument<std::string>(request, "verb");
  if (verb == "quit") return false;
  if (verb == "version") {
    std::printf("ok Pinocchio %s, Eigen %d.%d.%d, %s\n", PINOCCHIO_VERSION, EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                EIGEN_MINOR_VERSION, __VERSION__);
  } else if (verb == "load") {
    const auto model_path = argument<std::string>(request, "model path");
    const auto states_path = argument<std::string>(request, "states path");
    robot = load(model_path, states_path);
    std::printf("ok %d %d %zu\n", robot->model.nq, robot->model.nv, robot->states.size());
  } else if (verb == "value") {
    const Entry& call = find_call(argument<std::string>(request, "call"));
    const auto index = argument<std::size_t>(request, "state index");
    Robot& r = loaded(robot);
    if (index >= r.states.size()) throw std::invalid_argument("state index beyond the last state");
    print_numbers(call.answer_of(r, r.states[index]).numbers());
  } else if (verb == "time") {
    const Entry& call = find_call(argument<std::string>(request, "call"));
    const auto samples = argument<std::size_t>(request, "number of samples");
    Robot& r = loaded(robot);
    // Waking from a read of stdin leaves caches and branch predictors cold; this pass is not counted.
    call.time_pass(r);
    std::vector<double> nanoseconds(samples);
    for (double& sample : nanoseconds) sample = call.time_pass(r);
    print_numbers(nanoseconds);
  } else {
    throw std::invalid_argument("unknown verb '" + verb + "'");
  }
  return true;
}

}  // namespace

int main() {
  std::unique_ptr<Robot> robot;
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      std::istringstream request(line);
      if (!serve(request, robot)) break;
    } catch (const std::exception& error) {
      std::printf("error %s\n", error.what());
    }
    std::fflush(stdout);
  }
}
