//! An elimination written down as a program for one robot and one question.

use crate::elimination::{Elimination, PlanError, Template};
use crate::order::EliminationOrder;
use crate::system::{AssemblyMemory, System};
use featherline::scalar::Scalar;
use featherline_compile::{Graph, Interpreter, Options, Program, Trace};

/// Assembling, eliminating and solving a system as one straight-line program: the robot's constants folded, common
/// subexpressions shared, what nobody asks for left out.
///
/// The program's inputs are q, v and the system's inputs; its outputs are the wanted unknowns. It runs over blocks of states
/// without branching: a vanishing pivot gives infinite or undefined outputs, which [`run`](Self::run) reports.
#[derive(Clone, Debug)]
pub struct CompiledSolve {
    program: Program,
    wanted: Vec<usize>,
}

impl CompiledSolve {
    /// Writes the solution of a system in the given order down, for the unknowns that the template wants.
    ///
    /// # Errors
    /// [`PlanError`] if the order is of no use for the system.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{CompiledSolve, Problem, System, Template, order};
    ///
    /// let system = System::new(Problem::forward_dynamics(samples::double_pendulum()))?;
    /// let wanted = |column| system.unknowns().joint_accelerations().contains(&column);
    /// let template = Template::of_system(&system)?;
    /// let template = template.wanting((0..system.unknowns().count()).map(wanted).collect())?;
    /// let compiled = CompiledSolve::new(&system, &template, &order::aba(&system)?)?;
    ///
    /// let state = [0.3, -0.2, 0.1, 0.4, 1.0, 2.0]; // q, v, τ
    /// let mut accelerations = [0.0; 2];
    /// compiled.run(&state, &mut accelerations)?;
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
        let (nq, nv) = (system.model().nq(), system.model().nv());
        let columns = template.wanted().iter().enumerate();
        let wanted: Vec<usize> = columns
            .filter_map(|(column, wanted)| wanted.then_some(column))
            .collect();
        let pattern = system.sparsity();
        let graph = Graph::try_record(nq + nv + system.input_count(), |inputs| {
            let (q, rest) = inputs.split_at(nq);
            let (v, inputs) = rest.split_at(nv);
            let mut values = vec![Trace::zero(); pattern.entries()];
            let mut right = vec![Trace::zero(); pattern.rows()];
            let mut memory = AssemblyMemory::new(system);
            system.assemble(&mut memory, q, v, inputs, &mut values, &mut right)?;
            let mut factors = elimination.factors();
            let mut unknowns = vec![Trace::zero(); pattern.columns()];
            factors.factorize(&elimination, &values)?;
            factors.solve(&elimination, &right, &mut unknowns)?;
            Ok::<_, PlanError>(wanted.iter().map(|&column| unknowns[column]).collect())
        })?;
        Ok(Self {
            program: Program::of_graph(&graph.simplified(), &Options::default()),
            wanted,
        })
    }

    /// The program: to be counted, stored, or run many times with one
    /// [`Interpreter`](featherline_compile::Interpreter).
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Which unknowns the outputs are, as columns of the system.
    pub fn wanted(&self) -> &[usize] {
        &self.wanted
    }

    /// Solves for one or several states, one after the other in both slices. For repeated calls without allocation keep
    /// an interpreter of the [program](Self::program).
    ///
    /// # Errors
    /// [`featherline_compile::Error`] for slices of another length, and for a state without a finite solution.
    pub fn run(
        &self,
        states: &[f64],
        wanted: &mut [f64],
    ) -> Result<(), featherline_compile::Error> {
        Interpreter::new(&self.program).run(states, wanted)
    }
}
