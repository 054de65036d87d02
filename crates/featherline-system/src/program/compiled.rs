//! An elimination written down as a program for one robot and one question.

use crate::error::SystemError;
use crate::program::{program, state_ports, width};
use crate::system::{System, check_size};
use crate::template::PlanError;
use featherline::scalar::Scalar;
use featherline_compile::{Graph, Interpreter, Port, Program, Trace};
use featherline_sparse::{Elimination, EliminationOrder, Template};

/// Assembling, eliminating and solving a system as one straight-line program: the robot's constants
/// folded, common subexpressions shared, what nobody asks for left out.
///
/// The program's inputs are q, v and the system's inputs; its outputs are the requested unknowns.
/// It runs over blocks of states without branching: a vanishing pivot gives infinite or undefined
/// outputs, which [`run`](Self::run) reports. A small one loses accuracy silently: a
/// [`GuardedProgram`](crate::GuardedProgram) checks each result.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledSolve {
    pub(crate) program: Program,
    pub(crate) requested: Vec<usize>,
}

impl CompiledSolve {
    /// Writes the solution of a system in the given order down, for the unknowns that the template
    /// wants.
    ///
    /// # Errors
    /// [`PlanError`] if the order is of no use for the system.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{CompiledSolve, Problem, System, Template, order};
    ///
    /// let system = System::new(Problem::forward_dynamics(samples::double_pendulum()))?;
    /// let requested = |column| system.unknowns().joint_accelerations().contains(&column);
    /// let template = system.template()?;
    /// let template = template.requesting((0..system.unknowns().count()).map(requested).collect())?;
    /// let compiled = CompiledSolve::new(&system, &template, &order::aba(&system)?)?;
    ///
    /// let state = [0.3, -0.2, 0.1, 0.4, 1.0, 2.0]; // q, v, τ
    /// let mut accelerations = [0.0; 2];
    /// compiled.run(&system, &state, &mut accelerations)?;
    /// # let mut ws = featherline::Workspace::new(system.model());
    /// # let expected = system.model().aba(&mut ws, &state[..2], &state[2..4], &state[4..])?;
    /// # assert!((accelerations[1] - expected[1]).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        system: &System,
        template: &Template,
        order: &EliminationOrder,
    ) -> Result<Self, PlanError> {
        let elimination = Elimination::new(template, order)?;
        Self::of(system, template, &elimination, None)
    }

    /// The same with one output more: how far pivots have shrunk below the sampled states'.
    pub(crate) fn watched(
        system: &System,
        template: &Template,
        order: &EliminationOrder,
    ) -> Result<Self, PlanError> {
        let elimination = Elimination::new(template, order)?;
        let mut factors = elimination.factors();
        let mut usual: Vec<f64> = Vec::new();
        for sample in template.samples() {
            factors.factorize(&elimination, sample)?;
            let magnitudes = factors.magnitudes(&elimination);
            usual.resize(magnitudes.len(), 0.0);
            for (usual, magnitude) in usual.iter_mut().zip(magnitudes) {
                *usual = usual.max(magnitude);
            }
        }
        Self::of(system, template, &elimination, Some(&usual))
    }

    fn of(
        system: &System,
        template: &Template,
        elimination: &Elimination,
        usual: Option<&[f64]>,
    ) -> Result<Self, PlanError> {
        let columns = template.requested().iter().enumerate();
        let requested: Vec<usize> = columns
            .filter_map(|(column, requested)| requested.then_some(column))
            .collect();
        let inputs = state_ports(system);
        let graph = Graph::try_record(width(&inputs), |state| {
            let (values, right) = system.traced(system.split(state))?;
            let mut factors = elimination.factors();
            let mut unknowns = vec![Trace::zero(); right.len()];
            factors.factorize(elimination, &values)?;
            factors.solve(elimination, &right, &mut unknowns)?;
            let shrinkage = usual.map(|usual| factors.shrinkage(elimination, usual));
            let found = requested.iter().map(|&column| unknowns[column]);
            Ok::<_, PlanError>(found.chain(shrinkage).collect())
        })?;
        let found = Port::vector("unknowns", requested.len());
        let watch = usual.map(|_| Port::vector("shrinkage", 1));
        let outputs = [found].into_iter().chain(watch).collect();
        Ok(Self {
            program: program(system, "solution", graph, inputs, outputs),
            requested,
        })
    }

    /// The program: to be counted, stored, or run many times with one
    /// [`Runner`](featherline_compile::Runner).
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Which unknowns the outputs are, as columns of the system.
    pub fn requested(&self) -> &[usize] {
        &self.requested
    }

    /// Solves for one or several states, one after the other in both slices. `system` is what the
    /// solution was compiled of. For repeated calls without allocation keep a
    /// [`Runner`](featherline_compile::Runner) or a [`GuardedRun`](crate::GuardedRun): a bare
    /// program takes a state as it is, and [`System::check_loops`] tells whether it fits the
    /// robot's loops.
    ///
    /// # Errors
    /// [`SystemError::Size`] for a system of other states; [`SystemError::OpenLoops`] for a state
    /// that does not fit the loops; [`SystemError::Program`] for slices of another length, and for
    /// a state without a finite solution.
    pub fn run(
        &self,
        system: &System,
        states: &[f64],
        requested: &mut [f64],
    ) -> Result<(), SystemError> {
        let width = self.program.input_count();
        let (nq, nv) = (system.model().nq(), system.model().nv());
        check_size("a state", nq + nv + system.input_count(), width)?;
        if let Some(mut ws) = system.loop_workspace() {
            for state in states.chunks_exact(width) {
                system.check_loops(&mut ws, &state[..nq], &state[nq..nq + nv])?;
            }
        }
        Ok(Interpreter::new(&self.program).run(states, requested)?)
    }
}
