//! Compiled programs beside the algorithms that they were made from: operations, and nanoseconds a
//! state in double precision on one core: one state at a time for the kernel and for the program in
//! machine code; all states at once for `batch::Batch`, for the program's interpreter and for the
//! program in machine code.
//!
//! `cargo run --release -p featherline-tools --bin compiled_programs -- [--write PAGE]
//! [ROBOT...]`, where a robot is an embedded one or a URDF on a floating base, prints a table, or
//! puts it between the marks of a page. All answers are compared before anything is timed, and
//! nobody may allocate.

use anyhow::{Context, Result, bail, ensure};
use featherline::batch::{Batch, BatchStatus};
use featherline::quantity::Parameters;
use featherline::{Model, Workspace};
use featherline_bench::{affinity, machine, robots, states, statistics};
use featherline_bench_protocol::states::State;
use featherline_compile::{Interpreter, MachineCode, Options, Program, Quantity};
use featherline_formats::{LoadOptions, load_with};
use featherline_tools::page::replace_table;
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// As many as the batch and the interpreter divide by, and few enough that all fit in the second
/// cache.
const STATES: usize = 256;

/// Robots of the page.
const ROBOTS: [&str; 3] = ["ur5", "panda", "humanoid"];

/// The compared quantities, and the textbook's formula for n revolute joints: multiplications and
/// additions.
const QUESTIONS: [(&str, &str, Option<[i64; 4]>); 3] = [
    ("rnea", "inverse dynamics", Some([93, -108, 81, -100])),
    ("aba", "forward dynamics", Some([224, -259, 205, -248])),
    ("crba", "mass matrix", None),
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    let page = arguments
        .next_if(|first| first == "--write")
        .map(|_| arguments.next().context("--write needs a page"))
        .transpose()?;
    let mut names: Vec<String> = arguments.collect();
    if names.is_empty() {
        names = ROBOTS.map(str::to_owned).to_vec();
    }
    affinity::pin(None)?;
    let machine = machine::description();
    // Without the operating system.
    let processor = machine.split(';').next().unwrap_or(&machine);
    let mut table = format!("On one core of {processor}:\n\n");
    table += "| | textbook | kernel, traced | program | kernel | machine code | batch | interpreter, batch | machine code, batch |\n|---|---|---|---|---|---|---|---|---|\n";
    for name in &names {
        let (title, model) = robot(name)?;
        let draws = states::draw(&model, STATES, 1);
        for (quantity, question, textbook) in QUESTIONS {
            let row = Row::of(&model, quantity, &draws)
                .with_context(|| format!("{question} of {title}"))?;
            let revolute = model.joint_ids().all(|joint| model.joint(joint).nv == 1);
            let textbook = textbook.filter(|_| revolute);
            writeln!(
                table,
                "| {title}, {question} | {} |",
                row.cells(&model, textbook)
            )?;
        }
    }
    match page {
        Some(page) => replace_table(Path::new(&page), "programs", &table),
        None => {
            print!("{table}");
            Ok(())
        }
    }
}

fn robot(name: &str) -> Result<(String, Model)> {
    if !name.ends_with(".urdf") {
        return Ok((name.to_owned(), robots::embedded(name)?));
    }
    let loaded = load_with(name, &LoadOptions::default().floating_base(true))?;
    Ok((loaded.model.name().to_owned(), loaded.model))
}

/// The cost of one question for one robot.
struct Row {
    traced: [u64; 2],
    program: [u64; 2],
    /// Of the contestants.
    nanoseconds: [f64; 5],
}

impl Row {
    fn of(model: &Model, name: &'static str, states: &[State]) -> Result<Self> {
        let quantity = Quantity::named(name, &Parameters::NONE).context("a quantity")??;
        let kernel = quantity.trace(model)?.graph.count();
        let lean = quantity.trace_lean(model)?.simplified();
        let count = Program::new(&lean, &Options::default()).count();
        let program = Program::new(&lean, &Options { fuse: true });
        let mut contest = Contest::new(model, name, states, &program)?;
        contest.check()?;
        Ok(Self {
            traced: [kernel.multiplications, kernel.additions],
            program: [count.multiplications, count.additions],
            nanoseconds: contest.times()?,
        })
    }

    fn cells(&self, model: &Model, textbook: Option<[i64; 4]>) -> String {
        let n = model.nv() as i64;
        let formula = textbook.map_or_else(String::new, |[a, b, c, d]| {
            format!("{} + {}", a * n + b, c * n + d)
        });
        let pair = |[products, sums]: [u64; 2]| format!("{products} + {sums}");
        let times = self.nanoseconds.map(|time| format!("{time:.0} ns"));
        format!(
            "{formula} | {} | {} | {}",
            pair(self.traced),
            pair(self.program),
            times.join(" | "),
        )
    }
}

/// Five ways to answer a question, and room for the answers.
struct Contest<'a> {
    model: &'a Model,
    quantity: &'static str,
    workspace: Workspace<f64>,
    batch: Batch<f64>,
    status: Vec<BatchStatus>,
    interpreter: Interpreter<'a>,
    code_for_one: MachineCode<f64>,
    code: MachineCode<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    /// a or τ, whichever is asked for.
    u: Vec<f64>,
    /// How many of these three the program has.
    inputs: usize,
    /// The rows that the interpreter reads.
    rows: Vec<f64>,
    /// One for each contestant.
    answers: [Vec<f64>; 5],
}

impl<'a> Contest<'a> {
    /// Those that answer the question, in the order of the table.
    const CONTESTANTS: [fn(&mut Self) -> Result<()>; 5] = [
        Self::kernel,
        Self::code_for_one,
        Self::batch,
        Self::interpreter,
        Self::code,
    ];

    fn new(
        model: &'a Model,
        quantity: &'static str,
        states: &[State],
        program: &'a Program,
    ) -> Result<Self> {
        let flat = |part: fn(&State) -> &[f64]| -> Vec<f64> {
            states.iter().flat_map(part).copied().collect()
        };
        let forces: fn(&State) -> &[f64] = if quantity == "aba" {
            |state| &state.tau
        } else {
            |state| &state.a
        };
        let inputs = program.inputs().len();
        let mut rows = Vec::new();
        for state in states {
            rows.extend(&state.q);
            if inputs == 3 {
                rows.extend(&state.v);
                rows.extend(forces(state));
            }
        }
        let answer = vec![f64::NAN; states.len() * program.output_count()];
        Ok(Self {
            model,
            quantity,
            workspace: Workspace::new(model),
            batch: Batch::new(model, 1)?,
            status: vec![BatchStatus::default(); states.len()],
            interpreter: Interpreter::new(program),
            code_for_one: MachineCode::for_one_state(program)?,
            code: MachineCode::new(program)?,
            q: flat(|state| &state.q),
            v: flat(|state| &state.v),
            u: flat(forces),
            inputs,
            rows,
            answers: [(); 5].map(|()| answer.clone()),
        })
    }

    fn kernel(&mut self) -> Result<()> {
        let (nq, nv) = (self.model.nq(), self.model.nv());
        let height = self.answers[0].len() / self.status.len();
        for (k, answer) in self.answers[0].chunks_exact_mut(height).enumerate() {
            let q = &self.q[k * nq..(k + 1) * nq];
            let (v, u) = (&self.v[k * nv..(k + 1) * nv], &self.u[k * nv..(k + 1) * nv]);
            match self.quantity {
                "rnea" => {
                    answer.copy_from_slice(self.model.rnea(&mut self.workspace, q, v, u)?);
                }
                "aba" => {
                    answer.copy_from_slice(self.model.aba(&mut self.workspace, q, v, u)?);
                }
                // Symmetric: columns are rows.
                _ => answer.copy_from_slice(self.model.crba(&mut self.workspace, q)?.as_slice()),
            }
        }
        Ok(())
    }

    fn batch(&mut self) -> Result<()> {
        let (answer, status) = (&mut self.answers[2], &mut self.status);
        let failed = match self.quantity {
            "rnea" => self.batch.rnea(&self.q, &self.v, &self.u, answer, status)?,
            "aba" => self.batch.aba(&self.q, &self.v, &self.u, answer, status)?,
            _ => self.batch.crba(&self.q, answer, status)?,
        };
        ensure!(failed == 0, "{failed} states of the batch have no result");
        Ok(())
    }

    fn interpreter(&mut self) -> Result<()> {
        Ok(self.interpreter.run(&self.rows, &mut self.answers[3])?)
    }

    fn code_for_one(&mut self) -> Result<()> {
        let (nq, nv) = (self.model.nq(), self.model.nv());
        let height = self.answers[1].len() / self.status.len();
        let answers = self.answers[1].chunks_exact_mut(height);
        let mut failed = 0;
        for (k, (answer, status)) in answers.zip(self.status.chunks_mut(1)).enumerate() {
            let q = &self.q[k * nq..(k + 1) * nq];
            let (v, u) = (&self.v[k * nv..(k + 1) * nv], &self.u[k * nv..(k + 1) * nv]);
            let inputs = [q, v, u];
            let inputs = &inputs[..self.inputs];
            failed += self.code_for_one.run(inputs, &mut [answer], status)?;
        }
        ensure!(
            failed == 0,
            "{failed} states of the machine code have no result"
        );
        Ok(())
    }

    fn code(&mut self) -> Result<()> {
        let inputs: [&[f64]; 3] = [&self.q, &self.v, &self.u];
        let inputs = &inputs[..self.inputs];
        let failed = self
            .code
            .run(inputs, &mut [&mut self.answers[4]], &mut self.status)?;
        ensure!(
            failed == 0,
            "{failed} states of the machine code have no result"
        );
        Ok(())
    }

    /// Fails unless all agree within 10⁻⁹ of each state's greatest entry: κ(M) of a humanoid leaves
    /// no more of sixteen digits, and a wrong algorithm none.
    fn check(&mut self) -> Result<()> {
        for run in Self::CONTESTANTS {
            run(self)?;
        }
        let height = self.answers[0].len() / self.status.len();
        let [kernel, others @ ..] = &self.answers;
        for other in others {
            for (one, two) in kernel.chunks_exact(height).zip(other.chunks_exact(height)) {
                let largest = one.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
                let agree = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-9 * largest;
                if !one.iter().zip(two).all(agree) {
                    bail!("answers differ: {one:?} and {two:?}");
                }
            }
        }
        Ok(())
    }

    /// The medians of passes in turns, in ns a state.
    fn times(&mut self) -> Result<[f64; 5]> {
        const PASSES: usize = 200;
        let mut outcome = Ok(());
        let mut times = [const { Vec::new() }; 5];
        let counted = allocation_counter::measure(|| {
            outcome = Self::CONTESTANTS.iter().try_for_each(|run| run(self));
        });
        outcome?;
        ensure!(
            counted.count_total == 0,
            "{} allocations",
            counted.count_total
        );
        for _ in 0..PASSES {
            for (run, times) in Self::CONTESTANTS.iter().zip(&mut times) {
                let start = Instant::now();
                run(black_box(self))?;
                times.push(start.elapsed().as_nanos() as f64 / STATES as f64);
            }
        }
        Ok(times.map(|times| statistics::median(&times)))
    }
}
