//! A program and the one that checks it, run one after the other.

use featherline_compile::{Program, Runner};

/// Runs a program, and a second one on the states and on all outputs of the first but its last.
#[derive(Debug)]
pub(crate) struct CheckedRunner<'p> {
    solve: Runner<'p>,
    check: Runner<'p>,
    checked: Vec<f64>,
    /// The numbers of one state: inputs and outputs of the first program, outputs of the second.
    counts: [usize; 3],
    /// The outputs of the first program, state by state.
    pub found: Vec<f64>,
    /// Those of the second.
    pub rests: Vec<f64>,
}

impl<'p> CheckedRunner<'p> {
    /// Memory for so many states together.
    pub fn new(solve: &'p Program, check: &'p Program, together: usize) -> Self {
        let counts = [
            solve.input_count(),
            solve.output_count(),
            check.output_count(),
        ];
        Self {
            solve: Runner::new(solve),
            check: Runner::new(check),
            checked: Vec::with_capacity(together * check.input_count()),
            counts,
            found: Vec::with_capacity(together * counts[1]),
            rests: Vec::with_capacity(together * counts[2]),
        }
    }

    /// Runs both for `count` states. What is not finite shows in the outputs of the second.
    pub fn run(&mut self, states: &[f64], count: usize) {
        let [width, height, rests] = self.counts;
        self.found.resize(count * height, 0.0);
        self.rests.resize(count * rests, 0.0);
        // Fails for sizes alone.
        let _ = self.solve.evaluate(states, &mut self.found);
        self.checked.clear();
        for k in 0..count {
            let state = &states[k * width..(k + 1) * width];
            self.checked.extend_from_slice(state);
            let found = &self.found[k * height..][..height - 1];
            self.checked.extend_from_slice(found);
        }
        let _ = self.check.evaluate(&self.checked, &mut self.rests);
    }
}
