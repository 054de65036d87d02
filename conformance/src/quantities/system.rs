//! Joint forces and accelerations from the dynamics as one sparse system (`featherline-system`),
//! eliminated in the orders of the recursive algorithms.

use super::Case;
use super::dynamics::residual_of_accelerations;
use crate::agreement::{Family, Sensitivity};
use anyhow::{Context, Result, anyhow};
use featherline::Model;
use featherline_system::{
    AssemblyMemory, Elimination, EliminationOrder, Factors, Known, KnownValue, OrderError, Problem,
    System, order,
};

/// A robot's systems: inverse, forward and hybrid dynamics.
pub struct Systems {
    inverse: Solver,
    /// There is none for a robot whose mass matrix is singular.
    forward: Result<Solver>,
    hybrid: Result<Solver>,
}

/// One system, ready for states.
struct Solver {
    system: System,
    memory: AssemblyMemory<f64>,
    elimination: Elimination,
    factors: Factors<f64>,
    values: Vec<f64>,
    right: Vec<f64>,
    unknowns: Vec<f64>,
}

/// Whether hybrid dynamics knows the acceleration of a coordinate, or its force.
pub(super) fn accelerates_as_known(coordinate: usize) -> bool {
    coordinate.is_multiple_of(2)
}

impl Systems {
    /// The systems of a robot, with their orders of elimination.
    ///
    /// # Errors
    /// If inverse dynamics has no system.
    pub fn new(model: &Model) -> Result<Self> {
        let inverse = Problem::inverse_dynamics(model.clone());
        let forward = Problem::forward_dynamics(model.clone());
        Ok(Self {
            inverse: Solver::new(inverse, order::rnea)?,
            forward: Solver::new(forward, order::aba),
            hybrid: hybrid(model).and_then(|problem| Solver::new(problem, order::aba)),
        })
    }
}

/// Every other acceleration is known, and the force along the others.
fn hybrid(model: &Model) -> Result<Problem> {
    let mut problem = Problem::new(model.clone()).external_forces(KnownValue::Zero);
    let degrees = |joint| (0..model.joint(joint).nv).map(move |degree| (joint, degree));
    let mut coordinates: Vec<_> = model.joint_ids().flat_map(degrees).collect();
    coordinates.sort_by_key(|&(joint, degree)| model.joint(joint).idx_v + degree);
    for (coordinate, (joint, degree)) in coordinates.into_iter().enumerate() {
        let known = if accelerates_as_known(coordinate) {
            Known::JointAcceleration { joint, degree }
        } else {
            Known::JointForce { joint, degree }
        };
        problem.know(known, KnownValue::Input)?;
    }
    Ok(problem)
}

impl Solver {
    fn new(
        problem: Problem,
        order: fn(&System) -> Result<EliminationOrder, OrderError>,
    ) -> Result<Self> {
        let system = System::new(problem)?;
        let elimination = Elimination::new(&system.template()?, &order(&system)?)?;
        Ok(Self {
            memory: AssemblyMemory::new(&system),
            values: vec![0.0; system.sparsity().entries()],
            right: vec![0.0; system.sparsity().rows()],
            unknowns: vec![0.0; system.unknowns().count()],
            factors: elimination.factors(),
            elimination,
            system,
        })
    }

    /// The joint accelerations and forces of a state.
    fn solve(&mut self, case: &Case<'_>, inputs: &[f64]) -> Result<[Vec<f64>; 2]> {
        let (x, layout) = (case.input, case.layout);
        self.system.assemble(
            &mut self.memory,
            &x.q,
            &x.v,
            inputs,
            &mut self.values,
            &mut self.right,
        )?;
        self.factors.factorize(&self.elimination, &self.values)?;
        self.factors
            .solve(&self.elimination, &self.right, &mut self.unknowns)?;
        let solution = self.system.solution(&self.unknowns)?;
        Ok([
            layout.their_v(solution.joint_accelerations()),
            layout.their_v(solution.joint_forces()),
        ])
    }
}

/// Compares what the systems' solutions are with the reference's numbers.
pub(super) fn compare(case: &mut Case<'_>, systems: &mut Systems) -> Result<()> {
    let conditioned = Sensitivity::Conditioned;
    if case.has("tau") {
        let [_, tau] = systems.inverse.solve(case, &case.input.a)?;
        let (quantity, family) = ("τ (sparse system)", Family::JointForce);
        case.pair(quantity, "tau", family, Sensitivity::Rounding, tau);
    }
    if !case.has("qdd_aba") {
        return Ok(());
    }
    let forward = systems.forward.as_mut().map_err(|e| anyhow!("{e:#}"))?;
    let [qdd, _] = forward.solve(case, &case.input.tau)?;
    residual_of_accelerations(case, "M q̈ + b − τ (sparse system)", &qdd);
    let family = Family::JointAcceleration;
    case.pair("q̈ (sparse system)", "qdd_aba", family, conditioned, qdd);

    let Some(tau) = case.state.values("tau") else {
        return Ok(());
    };
    let tau = case.layout.our_v(tau);
    let known = case.input.a.iter().zip(&tau).enumerate();
    let known = known.map(|(k, (&a, &tau))| if accelerates_as_known(k) { a } else { tau });
    let known: Vec<f64> = known.collect();
    let hybrid = systems.hybrid.as_mut().map_err(|e| anyhow!("{e:#}"))?;
    let solved = hybrid.solve(case, &known);
    let [a, tau] = solved.context("hybrid dynamics")?;
    let family = Family::HybridAcceleration;
    case.pair("q̈ (sparse system, hybrid)", "a", family, conditioned, a);
    let (quantity, family) = ("τ (sparse system, hybrid)", Family::JointForce);
    case.pair(quantity, "tau", family, conditioned, tau);
    Ok(())
}
