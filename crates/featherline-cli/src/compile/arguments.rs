//! The arguments of `compile`.

use crate::file;
use crate::robot::RobotArguments;
use clap::Args;
use std::path::PathBuf;

pub const HELP: &str = "\
Quantities, with their inputs and outputs, and the other names that are accepted:
  tau                  q, v, a -> tau
                       inverse dynamics (rnea, inverse_dynamics, joint-forces)
  bias                 q, v -> bias (nonlinear_effects)
  gravity              q -> gravity (gravity_torque, g)
  qdd                  q, v, tau -> qdd
                       forward dynamics by articulated bodies (aba, qdd_aba,
                       forward_dynamics, joint-accelerations)
  qdd_crba             q, v, tau -> qdd
                       forward dynamics by the mass matrix
                       (forward_dynamics_crba)
  mass_matrix          q -> mass_matrix (crba, M)
  mass_matrix_inverse  q -> mass_matrix_inverse
  centroidal_map       q -> centroidal_map, 6 x nv
  placements           q -> placement:LINK, 3 x 4, for every link
                       (forward_kinematics)
  com                  q -> com (center_of_mass)
  joint_placements     q -> joint_placements, 3 x 4 for every joint, one below
                       the other
  joint_jacobians      q -> joint_jacobians, 6 x nv, in the world
  mass_matrix_packed   q -> mass_matrix, each row from the root on, without
                       structural zeros (crba_packed)
  mass_matrix_solve    q, tau -> qdd at rest, without gravity
  centroidal_momentum  q, v -> centroidal_map, centroidal_momentum
  all_terms            q, v -> mass_matrix, bias, gravity, centroidal_map,
                       centroidal_momentum, centroidal_drift, com, energies
  tau_derivatives      q, v, a -> tau, dtau_dq, dtau_dv, dtau_da
                       (rnea_derivatives)
  qdd_derivatives      q, v, tau -> qdd, dqdd_dq, dqdd_dv, dqdd_dtau
                       (aba_derivatives)
  regressor            q, v, a -> regressor, nv x 10 for every joint
                       (joint_torque_regressor)
  jacobian:LINK:FRAME  q -> jacobian, 6 x nv; FRAME is local, world or aligned

None of them includes passive forces.

The table has the operations (multiplications, additions, …) of one state: of the textbook, if it \
has a formula for such a robot (chains of single joints on a fixed base; Featherstone 2008, table \
10.1; without sines and cosines); of the library's kernel, traced with the robot's constants; and \
of the program. `featherline run FILE` describes a program.

Examples:
  featherline compile panda --quantity tau --output panda.tau
  featherline compile my_robot.urdf --quantity qdd --fma --output robot.qdd";

#[derive(Debug, Args)]
pub struct CompileArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// What to compute
    #[arg(long, value_name = "NAME")]
    pub quantity: String,

    /// The file of the program
    #[arg(long, short, value_name = "FILE", value_parser = file::written())]
    pub output: PathBuf,

    /// Fuse products into sums: fewer instructions, and other last digits
    #[arg(long)]
    pub fma: bool,
}
