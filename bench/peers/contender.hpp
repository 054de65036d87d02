// A contender's end of the protocol of bench/README.md, for libraries with a C++ interface: a server on stdin and stdout.
//
// A Robot has `static std::unique_ptr<Robot> load(model path, states path)`, `nq()`, `nv()` and a vector `states`. A call
// is a structure with a `name`, `run(Robot&, const State&)`, which is what is timed, and `answer(const Robot&, const
// State&)`, which reads the numbers of the result out of the robot afterwards.

#pragma once

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

namespace contender {

using Numbers = std::vector<double>;

/// One state as the file holds it.
struct FileState {
  Numbers q, v, a, tau;
};

template <typename T>
T read_number(std::istream& in, const std::string& path) {
  T value;
  if (!in.read(reinterpret_cast<char*>(&value), sizeof value)) throw std::runtime_error(path + ": file ends too early");
  return value;
}

inline Numbers read_numbers(std::istream& in, const std::string& path, std::size_t size) {
  Numbers numbers(size);
  for (double& x : numbers) x = read_number<double>(in, path);
  return numbers;
}

inline std::vector<FileState> read_states(const std::string& path, std::size_t nq, std::size_t nv) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": cannot be opened");
  const auto count = read_number<std::uint64_t>(in, path);
  const auto their_nq = read_number<std::uint64_t>(in, path);
  const auto their_nv = read_number<std::uint64_t>(in, path);
  if (their_nq != nq || their_nv != nv)
    throw std::runtime_error(path + ": holds states of nq " + std::to_string(their_nq) + " and nv " +
                             std::to_string(their_nv) + ", the model has " + std::to_string(nq) + " and " +
                             std::to_string(nv));
  if (count == 0) throw std::runtime_error(path + ": holds no state");
  std::vector<FileState> states;
  for (std::uint64_t i = 0; i < count; ++i) {
    // Braces evaluate from left to right, which is the order in the file.
    states.push_back(FileState{read_numbers(in, path, nq), read_numbers(in, path, nv), read_numbers(in, path, nv),
                               read_numbers(in, path, nv)});
  }
  if (in.peek() != std::ifstream::traits_type::eof()) throw std::runtime_error(path + ": has bytes after the last state");
  return states;
}

/// Makes the compiler believe that the robot's data is read here, so that no call is left out or moved.
template <typename Robot>
inline void keep(Robot& robot) {
  asm volatile("" : : "g"(&robot) : "memory");
}

/// Nanoseconds a call, averaged over one pass of all states.
template <typename Robot, typename Call>
double time_pass(Robot& robot) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (const auto& state : robot.states) {
    Call::run(robot, state);
    keep(robot);
  }
  const std::chrono::duration<double, std::nano> elapsed = Clock::now() - begin;
  return elapsed.count() / static_cast<double>(robot.states.size());
}

template <typename Robot, typename Call>
Numbers answer_of(Robot& robot, std::size_t index) {
  const auto& state = robot.states[index];
  Call::run(robot, state);
  keep(robot);
  return Call::answer(robot, state);
}

template <typename Robot>
struct Entry {
  std::string name;
  double (*time_pass)(Robot&);
  Numbers (*answer_of)(Robot&, std::size_t);
};

template <typename Robot, typename... Calls>
std::vector<Entry<Robot>> table() {
  return {Entry<Robot>{Calls::name, &time_pass<Robot, Calls>, &answer_of<Robot, Calls>}...};
}

template <typename T>
T argument(std::istream& request, const char* what) {
  T value;
  if (!(request >> value)) throw std::invalid_argument(std::string("missing or malformed ") + what);
  return value;
}

inline void print_numbers(const Numbers& numbers) {
  std::printf("ok %zu", numbers.size());
  for (const double x : numbers) std::printf(" %.17g", x);
  std::printf("\n");
}

template <typename Robot>
class Server {
 public:
  Server(std::string version, std::vector<Entry<Robot>> calls) : version_(std::move(version)), calls_(std::move(calls)) {}

  /// Serves requests until there is no more.
  void run() {
    std::string line;
    while (std::getline(std::cin, line)) {
      try {
        std::istringstream request(line);
        if (!serve(request)) break;
      } catch (const std::exception& error) {
        std::string reason = error.what();
        for (char& c : reason)
          if (c == '\n') c = ' ';
        std::printf("error %s\n", reason.c_str());
      }
      std::fflush(stdout);
    }
  }

 private:
  /// Serves one request; false when it is to be the last.
  bool serve(std::istream& request) {
    const auto verb = argument<std::string>(request, "verb");
    if (verb == "quit") return false;
    if (verb == "version") {
      std::printf("ok %s\n", version_.c_str());
    } else if (verb == "calls") {
      std::printf("ok");
      for (const auto& call : calls_) std::printf(" %s", call.name.c_str());
      std::printf("\n");
    } else if (verb == "load") {
      const auto model_path = argument<std::string>(request, "model path");
      const auto states_path = argument<std::string>(request, "states path");
      robot_ = Robot::load(model_path, states_path);
      std::printf("ok %zu %zu %zu\n", robot_->nq(), robot_->nv(), robot_->states.size());
    } else if (verb == "value") {
      const auto& call = find_call(argument<std::string>(request, "call"));
      const auto index = argument<std::size_t>(request, "state index");
      Robot& robot = loaded();
      if (index >= robot.states.size()) throw std::invalid_argument("state index beyond the last state");
      print_numbers(call.answer_of(robot, index));
    } else if (verb == "time") {
      const auto& call = find_call(argument<std::string>(request, "call"));
      const auto samples = argument<std::size_t>(request, "number of samples");
      Robot& robot = loaded();
      // Waking from a read of stdin leaves caches and branch predictors cold; this pass is not counted.
      call.time_pass(robot);
      Numbers nanoseconds(samples);
      for (double& sample : nanoseconds) sample = call.time_pass(robot);
      print_numbers(nanoseconds);
    } else {
      throw std::invalid_argument("unknown verb '" + verb + "'");
    }
    return true;
  }

  const Entry<Robot>& find_call(const std::string& name) const {
    for (const auto& entry : calls_)
      if (entry.name == name) return entry;
    throw std::invalid_argument("unknown call '" + name + "'");
  }

  Robot& loaded() {
    if (!robot_) throw std::invalid_argument("no robot is loaded");
    return *robot_;
  }

  std::string version_;
  std::vector<Entry<Robot>> calls_;
  std::unique_ptr<Robot> robot_;
};

}  // namespace contender
