//! A compiled elimination, watched, with a general factorisation to fall back on.

use crate::diagnosis::is_singular;
use crate::error::SystemError;
use crate::program::{CheckedRunner, CompiledSolve};
use crate::system::{AssemblyMemory, System, check_size};
use crate::template::PlanError;
use featherline::Error;
use featherline::scalar::{Operations, Scalar};
use featherline_compile::{Function, Graph, Options, Port, Program, Trace};
use featherline_constraint::LoopWorkspace;
use featherline_sparse::{
    Elimination, EliminationOrder, GeneralError, GeneralLu, Symbol, Template,
};

/// How many states are solved and checked together.
const TOGETHER: usize = 64;

/// The condition number beyond which no digit of a solution can be trusted, unless it comes from
/// units alone: a link of a microgram has a regular matrix whose entries lie far apart. Ranks tell,
/// and each row's rest beside its own terms.
const SINGULAR: f64 = 1e14;

/// The bound of the condition number beyond which a state's rank is looked at: the bound may be far
/// below the number, and pivots that vanish but for rounding leave it near 10¹¹.
const SUSPECT: f64 = 1e9;

/// So far a pivot may shrink before ranks are looked at. The sine of a right angle is 10⁻¹⁶, what
/// fits the equations then fits any solution, and neither the rest nor the bound of the condition
/// number tells.
const SHRUNK: f64 = 1e12;

/// A [`CompiledSolve`] with a second program that tells how accurate each of its results is.
///
/// The compiled program exchanges no rows: a state can be met in which a pivot is small, factors
/// grow and digits are lost, or in which it vanishes. The second program puts the equations
/// together once more and multiplies them with what the first one found. Their rest against ‖D‖ ‖y‖
/// bounds the backward error (Higham 2002, section 7.1); where that is too large, [`GeneralLu`]
/// solves the state. For ‖D‖ the greatest row sum of constant entries is taken, a lower bound that
/// costs nothing and makes the check stricter.
///
/// All unknowns of the diagonal blocks that are computed have to be found for the check, whether
/// they are requested or not.
#[derive(Clone, Debug, PartialEq)]
pub struct GuardedProgram {
    pub(crate) solve: CompiledSolve,
    /// State and unknowns → the largest rest, unknown, and right-hand side.
    pub(crate) check: Program,
    /// Where the requested unknowns stand among those that are found.
    pub(crate) requested: Vec<usize>,
    /// A lower bound of the matrix' norm, the greatest row sum.
    pub(crate) norm: f64,
}

/// Who solved a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveStatus {
    /// The program, accurately.
    Accepted,
    /// The general factorisation, because the program's result was not accurate.
    FellBack,
    /// Nobody: the matrix is singular in this state, or so close to it that no digit would be
    /// right.
    Singular,
    /// Nobody: the solution, or what it follows from, exceeds the largest number;
    /// [`System::overflow`] tells where the state has its own largest.
    Overflow,
}

/// How the solution of one state went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// An upper bound of the backward error of what was found; infinite where nothing was.
    pub backward_error: f64,
    /// A lower bound of the matrix' condition number: ‖D‖ ‖y‖ / ‖b‖, infinite where nothing was
    /// found. Relative errors of the state and the inputs may be that many times larger in the
    /// result.
    pub condition: f64,
    /// Who solved it.
    pub status: SolveStatus,
}

impl GuardedProgram {
    /// Writes the solution in an order, and its check, down as programs.
    ///
    /// # Errors
    /// [`PlanError`] if the order is of no use for the system.
    pub fn new(
        system: &System,
        template: &Template,
        order: &EliminationOrder,
    ) -> Result<Self, PlanError> {
        let (whole, rows) = whole_blocks(template, order)?;
        let solve = CompiledSolve::watched(system, &whole, order)?;
        let found = solve.requested().iter().enumerate();
        let requested = found.filter(|&(_, &column)| template.requested()[column]);
        Ok(Self {
            requested: requested.map(|(position, _)| position).collect(),
            check: check(system, &rows, solve.requested())?,
            norm: constant_norm(template, &rows),
            solve,
        })
    }

    /// The program that solves. Its outputs are all unknowns that are found, requested or not, and
    /// how far pivots have shrunk: the largest quotient of a pivot's usual magnitude and its own,
    /// which grows where the state comes near a singular one.
    pub fn solve(&self) -> &CompiledSolve {
        &self.solve
    }

    /// The program that checks.
    pub fn check(&self) -> &Program {
        &self.check
    }

    /// Which unknowns are requested, as columns of the system.
    pub fn requested(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.requested
            .iter()
            .map(|&position| self.solve.requested()[position])
    }

    /// The operations of a solution and its check, everything included.
    pub fn count(&self) -> Operations {
        together(self.solve.program(), &self.check)
    }
}

/// The operations of two programs.
pub(crate) fn together(first: &Program, second: &Program) -> Operations {
    let (first, second) = (first.count(), second.count());
    Operations {
        additions: first.additions + second.additions,
        multiplications: first.multiplications + second.multiplications,
        divisions: first.divisions + second.divisions,
        square_roots: first.square_roots + second.square_roots,
        sin_cos: first.sin_cos + second.sin_cos,
        other: first.other + second.other,
    }
}

/// The same template that requests all of the diagonal blocks that are computed, in any order.
pub(crate) fn whole_blocks(
    template: &Template,
    order: &EliminationOrder,
) -> Result<(Template, Vec<usize>), PlanError> {
    let elimination = Elimination::new(template, order)?;
    let mut is_computed = vec![false; template.size()];
    let mut rows = Vec::new();
    for (row, column) in elimination.blocks().flatten() {
        is_computed[column] = true;
        rows.push(row);
    }
    Ok((template.clone().requesting(is_computed)?, rows))
}

/// The program that multiplies the equations with what was found.
fn check(system: &System, rows: &[usize], columns: &[usize]) -> Result<Program, SystemError> {
    let pattern = system.sparsity();
    let mut position = vec![0; pattern.columns()];
    for (at, &column) in columns.iter().enumerate() {
        position[column] = at;
    }
    let mut inputs = state_ports(system);
    let width = width(&inputs);
    let graph = Graph::try_record(width + columns.len(), |x| {
        let (state, found) = x.split_at(width);
        let (values, right) = system.traced(system.split(state))?;
        let (mut largest, mut side) = (Trace::zero(), Trace::zero());
        for &row in rows {
            let mut rest = right[row];
            side = larger(side, rest.abs());
            for slot in pattern.row_range(row) {
                // Unknowns behind an entry that is always zero need not be found.
                if !values[slot].is_zero() {
                    rest -= values[slot] * found[position[pattern.indices()[slot]]];
                }
            }
            largest = larger(largest, rest.abs());
        }
        let size = found.iter().map(|unknown| unknown.abs());
        Ok::<_, SystemError>(vec![largest, size.fold(Trace::zero(), larger), side])
    })?;
    inputs.push(Port::vector("unknowns", columns.len()));
    let outputs = ["rest", "size", "right"].map(|name| Port::vector(name, 1));
    Ok(program(system, "check", graph, inputs, outputs.to_vec()))
}

/// A simplified program of a system.
pub(crate) fn program(
    system: &System,
    what: &str,
    graph: Graph,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
) -> Program {
    let model = system.model();
    let function = Function {
        name: format!("{what} of {}", model.name()),
        traced: graph.count(),
        model_hash: model.content_hash(),
        inputs,
        outputs,
        graph,
    };
    Program::new(&function.simplified(), &Options::default())
}

/// How many numbers there are.
pub(crate) fn width(ports: &[Port]) -> usize {
    ports.iter().map(|port| port.rows).sum()
}

/// The ports of one state: configuration, velocity and the other inputs.
pub(crate) fn state_ports(system: &System) -> Vec<Port> {
    vec![
        Port::configuration(system.model()),
        Port::vector("v", system.model().nv()),
        Port::vector("inputs", system.input_count()),
    ]
}

pub(crate) fn larger(a: Trace, b: Trace) -> Trace {
    Trace::select(a.less(b), b, a)
}

/// The greatest sum of the magnitudes of a row's constant entries.
fn constant_norm(template: &Template, rows: &[usize]) -> f64 {
    let sum = |&row: &usize| -> f64 {
        let entries = &template.entries()[template.pattern().row_range(row)];
        let magnitude = |entry: &Symbol| match entry {
            Symbol::Constant(value) => value.abs(),
            Symbol::Variable => 0.0,
        };
        entries.iter().map(magnitude).sum()
    };
    rows.iter().map(sum).fold(0.0, f64::max)
}

/// The memory to run a [`GuardedProgram`], made once; one for each thread.
///
/// ```
/// use featherline::samples::tapered_chain;
/// use featherline_system::{Check, GuardedProgram, GuardedRun, Problem, System, Template, SolveStatus, order};
///
/// let system = System::new(Problem::forward_dynamics(tapered_chain(3)))?;
/// let columns = system.unknowns().joint_accelerations();
/// let requested = (0..system.unknowns().count()).map(|column| columns.contains(&column)).collect();
/// let template = system.template()?.requesting(requested)?;
/// let program = GuardedProgram::new(&system, &template, &order::aba(&system)?)?;
///
/// let state = [0.3, -0.2, 0.1, 0.4, 0.1, 0.2, 1.0, 2.0, 0.5]; // q, v, τ
/// let (mut accelerations, mut checks) = ([0.0; 3], [Check::default()]);
/// GuardedRun::new(&system, &program)?.run(&state, &mut accelerations, &mut checks)?;
/// assert_eq!(checks[0].status, SolveStatus::Accepted);
/// assert!(checks[0].backward_error < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GuardedRun<'p> {
    system: &'p System,
    program: &'p GuardedProgram,
    runner: CheckedRunner<'p>,
    limit: f64,
    general: General,
    loops: Option<LoopWorkspace>,
}

impl Default for Check {
    /// Nothing was solved yet.
    fn default() -> Self {
        Self {
            backward_error: f64::INFINITY,
            condition: f64::INFINITY,
            status: SolveStatus::Singular,
        }
    }
}

impl Check {
    /// Nothing could be found, for numbers were too large.
    fn overflow() -> Self {
        Self {
            status: SolveStatus::Overflow,
            ..Self::default()
        }
    }

    /// Of a solution with a rest: sizes are greatest entries, the norm is a row's sum.
    fn of(rest: f64, norm: f64, unknowns: f64, right: f64, status: SolveStatus) -> Self {
        let ratio = |part: f64, whole: f64| if part == 0.0 { 0.0 } else { part / whole };
        // In this order nothing overflows that need not.
        let condition = norm * ratio(unknowns, right);
        if condition.is_finite() {
            Self {
                backward_error: ratio(ratio(rest, norm), unknowns),
                condition,
                status,
            }
        } else {
            Self {
                condition,
                ..Self::default()
            }
        }
    }
}

impl<'p> GuardedRun<'p> {
    /// The largest backward error that is accepted unless another is chosen: some hundred
    /// roundings.
    pub const LIMIT: f64 = 1e-13;

    /// Memory for a program of a system. Results are accepted up to a backward error of
    /// [`LIMIT`](Self::LIMIT).
    ///
    /// # Errors
    /// [`GeneralError`] if there is no memory for the general factorisation.
    pub fn new(system: &'p System, program: &'p GuardedProgram) -> Result<Self, GeneralError> {
        Ok(Self {
            runner: CheckedRunner::new(program.solve.program(), &program.check, TOGETHER),
            limit: Self::LIMIT,
            general: General::new(system)?,
            loops: system.loop_workspace(),
            system,
            program,
        })
    }

    /// The same with another limit on the backward error.
    pub fn with_limit(mut self, limit: f64) -> Self {
        self.limit = limit;
        self
    }

    /// Solves for one or several states.
    ///
    /// A state is q, v and the system's inputs; `requested` receives the requested unknowns of
    /// each, NaN where there is no solution or it overflows, and `checks` how it went. Nothing is
    /// allocated unless a state falls back or is close to singular.
    ///
    /// # Errors
    /// [`SystemError::Size`] unless `checks` has one entry a state, and the others as many numbers;
    /// [`SystemError::OpenLoops`] for a state that does not fit the robot's loops; what else keeps
    /// a state from being assembled, such as a number that is not finite.
    pub fn run(
        &mut self,
        states: &[f64],
        requested: &mut [f64],
        checks: &mut [Check],
    ) -> Result<(), SystemError> {
        let width = self.program.solve.program().input_count();
        let height = self.program.requested.len();
        check_size("the states", checks.len() * width, states.len())?;
        check_size(
            "the requested unknowns",
            checks.len() * height,
            requested.len(),
        )?;
        for (block, checks) in checks.chunks_mut(TOGETHER).enumerate() {
            let (first, count) = (block * TOGETHER, checks.len());
            self.run_block(
                &states[first * width..(first + count) * width],
                &mut requested[first * height..(first + count) * height],
                checks,
            )?;
        }
        Ok(())
    }

    fn run_block(
        &mut self,
        states: &[f64],
        requested: &mut [f64],
        checks: &mut [Check],
    ) -> Result<(), SystemError> {
        let count = checks.len();
        let width = states.len() / count;
        if let Some(ws) = &mut self.loops {
            let (nq, nv) = (self.system.model().nq(), self.system.model().nv());
            for state in states.chunks_exact(width) {
                self.system
                    .check_loops(ws, &state[..nq], &state[nq..nq + nv])?;
            }
        }
        let (found, height) = (
            self.program.solve.requested().len(),
            requested.len() / count,
        );
        // Behind the unknowns stands how far pivots have shrunk.
        let outputs = found + 1;
        self.runner.run(states, count);
        for (k, check) in checks.iter_mut().enumerate() {
            let (unknowns, shrinkage) = self.runner.found[k * outputs..].split_at(found);
            let shrinkage = shrinkage[0];
            let [rest, size, right] = [0, 1, 2].map(|entry| self.runner.rests[3 * k + entry]);
            let state = &states[k * width..(k + 1) * width];
            // A number that no unknown depends on, too: an angle about the vertical.
            let is_finite = state
                .iter()
                .chain(unknowns)
                .all(|number| number.is_finite());
            let requested = &mut requested[k * height..(k + 1) * height];
            if is_finite && rest <= self.limit * self.program.norm * size {
                *check = Check::of(rest, self.program.norm, size, right, SolveStatus::Accepted);
                for (value, &position) in requested.iter_mut().zip(&self.program.requested) {
                    *value = unknowns[position];
                }
            } else {
                *check = self.general.solve(self.system, state)?;
                for (value, column) in requested.iter_mut().zip(self.program.requested()) {
                    *value = self.general.unknowns[column];
                }
            }
            let is_solved = matches!(check.status, SolveStatus::Accepted | SolveStatus::FellBack);
            let is_regular = check.status == SolveStatus::Accepted
                && shrinkage < SHRUNK
                && check.condition <= SUSPECT;
            let q = &state[..self.system.model().nq()];
            if is_solved && !is_regular && is_singular(self.system, q)? {
                *check = Check::default();
            }
            if check.condition > SINGULAR && is_solved && check.status != SolveStatus::Singular {
                *check = self.general.solve(self.system, state)?;
                // Beside unknowns as large as these, the rest of a row says something only beside
                // the row's own terms.
                if check.status == SolveStatus::FellBack && self.general.row_error > self.limit {
                    *check = Check::default();
                }
                for (value, column) in requested.iter_mut().zip(self.program.requested()) {
                    *value = self.general.unknowns[column];
                }
            }
            if !requested.iter().all(|value| value.is_finite())
                && check.status != SolveStatus::Singular
            {
                *check = Check::overflow();
            }
            if matches!(check.status, SolveStatus::Singular | SolveStatus::Overflow) {
                requested.fill(f64::NAN);
            }
        }
        Ok(())
    }
}

/// The general method, for states that fell back.
struct General {
    factors: GeneralLu,
    memory: AssemblyMemory<f64>,
    values: Vec<f64>,
    right: Vec<f64>,
    unknowns: Vec<f64>,
    /// The largest rest of a row beside its own terms (Oettli and Prager 1964).
    row_error: f64,
}

impl General {
    fn new(system: &System) -> Result<Self, GeneralError> {
        let pattern = system.sparsity();
        Ok(Self {
            factors: GeneralLu::new(pattern.clone())?,
            memory: AssemblyMemory::new(system),
            values: vec![0.0; pattern.entries()],
            right: vec![0.0; pattern.rows()],
            unknowns: vec![0.0; pattern.columns()],
            row_error: f64::INFINITY,
        })
    }

    fn solve(&mut self, system: &System, state: &[f64]) -> Result<Check, SystemError> {
        let [q, v, inputs] = system.split(state);
        let (values, right) = (&mut self.values, &mut self.right);
        match system.assemble_closed(&mut self.memory, q, v, inputs, values, right) {
            Err(SystemError::Dynamics(Error::Overflow { .. })) => return Ok(Check::overflow()),
            assembled => assembled?,
        }
        let largest = |values: &[f64]| values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        // Solved for a smaller right-hand side, by a power of two that changes no digit: whether
        // there is a solution does not depend on whether it can be written down.
        let scale = 2.0_f64.powi(largest(right).log2().floor().max(0.0) as i32);
        right.iter_mut().for_each(|x| *x /= scale);
        let solved = self.factors.solve(values, right, &mut self.unknowns);
        if solved.is_err() {
            // Factors of numbers whose squares overflow tell nothing.
            let is_overflow = !largest(values).powi(2).is_finite();
            return Ok(if is_overflow {
                Check::overflow()
            } else {
                Check::default()
            });
        }
        let pattern = system.sparsity();
        let (mut rest, mut norm) = (0.0_f64, 0.0_f64);
        self.row_error = 0.0;
        for row in 0..pattern.rows() {
            let (mut sum, mut magnitude) = (right[row], 0.0);
            let mut terms = right[row].abs();
            for slot in pattern.row_range(row) {
                let term = values[slot] * self.unknowns[pattern.indices()[slot]];
                sum -= term;
                terms += term.abs();
                magnitude += values[slot].abs();
            }
            if sum != 0.0 {
                self.row_error = self.row_error.max(sum.abs() / terms);
            }
            (rest, norm) = (rest.max(sum.abs()), norm.max(magnitude));
        }
        let check = Check::of(
            rest,
            norm,
            largest(&self.unknowns),
            largest(right),
            SolveStatus::FellBack,
        );
        self.unknowns.iter_mut().for_each(|x| *x *= scale);
        Ok(check)
    }
}
