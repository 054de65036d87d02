//! The numbers that a graph stands for.

use super::{Graph, Node, Value};
use crate::error::{ProgramError, check_size};
use featherline::scalar::{Dual, Scalar};
use nalgebra::DMatrix;
use std::ops::Range;

/// How many directions are followed together.
const TOGETHER: usize = 8;

impl Graph {
    /// The outputs for the given inputs, one node after the other.
    ///
    /// With [`OpCount`](featherline::scalar::OpCount) it counts, with
    /// [`Dual`](featherline::scalar::Dual) it derives, with [`Trace`](crate::Trace) it copies the
    /// graph into a recording. To compute many states quickly, compile a program. Cost O(nodes),
    /// with allocation.
    ///
    /// # Errors
    /// [`ProgramError::Size`].
    ///
    /// ```
    /// use featherline_compile::Graph;
    ///
    /// let mut graph = Graph::new();
    /// let (x, y) = (graph.input(), graph.input());
    /// let product = graph.mul(x, y);
    /// graph.set_outputs(vec![product, -x]);
    /// assert_eq!(graph.evaluate(&[2.0, 3.0])?, [6.0, -2.0]);
    /// # Ok::<(), featherline_compile::ProgramError>(())
    /// ```
    pub fn evaluate<S: Scalar>(&self, inputs: &[S]) -> Result<Vec<S>, ProgramError> {
        check_size("the inputs", self.inputs.len(), inputs.len())?;
        let live = self.live();
        let mut numbers = vec![S::zero(); self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            if live[i] {
                numbers[i] = number(node, inputs, &numbers);
            }
        }
        Ok(self
            .outputs
            .iter()
            .map(|&output| signed(&numbers, output))
            .collect())
    }

    /// The derivatives of the outputs, one row each, by some of the inputs, one column each: in
    /// dual numbers, eight directions at a time, through the nodes that depend on them (Griewank
    /// and Walther 2008, *Evaluating derivatives*, section 3.1). Allocates.
    ///
    /// # Errors
    /// [`ProgramError::Size`].
    ///
    /// # Panics
    /// If the range exceeds the inputs.
    ///
    /// ```
    /// use featherline_compile::Graph;
    ///
    /// let mut graph = Graph::new();
    /// let (x, y) = (graph.input(), graph.input());
    /// let product = graph.mul(x, y);
    /// graph.set_outputs(vec![product, -x]);
    /// let by_both = graph.jacobian(&[2.0, 3.0], 0..2)?;
    /// assert_eq!(by_both.as_slice(), [3.0, -1.0, 2.0, 0.0]);
    /// # Ok::<(), featherline_compile::ProgramError>(())
    /// ```
    pub fn jacobian(
        &self,
        inputs: &[f64],
        columns: Range<usize>,
    ) -> Result<DMatrix<f64>, ProgramError> {
        check_size("the inputs", self.inputs.len(), inputs.len())?;
        let block = |column: usize| column / TOGETHER % u64::BITS as usize;
        let (mut varied, mut numbers) = (Vec::new(), Vec::new());
        let constants: Vec<_> = inputs.iter().copied().map(Dual::constant).collect();
        for (node, is_live) in self.nodes.iter().zip(self.live()) {
            // A bit for each block of directions, shared out anew behind the last bit.
            let mut blocks = node.operands().fold(0, |all, a| all | varied[a.index()]);
            if let Node::Input(k) = *node
                && let Some(column) = (k as usize).checked_sub(columns.start)
                && column < columns.len()
            {
                blocks = 1_u64 << block(column);
            }
            varied.push(if is_live { blocks } else { 0 });
            numbers.push(if is_live {
                number(node, &constants, &numbers)
            } else {
                Dual::zero()
            });
        }
        let mut jacobian = DMatrix::zeros(self.outputs.len(), columns.len());
        let mut duals = constants;
        for first in (0..columns.len()).step_by(TOGETHER) {
            let count = TOGETHER.min(columns.len() - first);
            let own = columns.start + first..columns.start + first + count;
            for (k, input) in own.clone().enumerate() {
                duals[input] = Dual::variable(inputs[input], k);
            }
            let depends = |i: &usize| varied[*i] >> block(first) & 1 == 1;
            for i in (0..self.nodes.len()).filter(depends) {
                numbers[i] = number(&self.nodes[i], &duals, &numbers);
            }
            for (row, &output) in self.outputs.iter().enumerate() {
                let tangent = signed(&numbers, output).tangent;
                for k in 0..count {
                    jacobian[(row, first + k)] = tangent[k];
                }
            }
            for input in own {
                duals[input] = Dual::constant(inputs[input]);
            }
            for i in (0..self.nodes.len()).filter(depends) {
                numbers[i] = Dual::<f64, TOGETHER>::constant(numbers[i].value);
            }
        }
        Ok(jacobian)
    }
}

fn signed<S: Scalar>(numbers: &[S], value: Value) -> S {
    let number = numbers[value.index()];
    if value.is_negated() { -number } else { number }
}

fn number<S: Scalar>(node: &Node, inputs: &[S], numbers: &[S]) -> S {
    let of = |value| signed(numbers, value);
    match *node {
        Node::Input(k) => inputs[k as usize],
        Node::Constant(bits) => S::constant(f64::from_bits(bits)),
        Node::Add(a, b) => of(a) + of(b),
        Node::Sub(a, b) => of(a) - of(b),
        Node::Mul(a, b) => of(a) * of(b),
        Node::Div(a, b) => of(a) / of(b),
        Node::Sqrt(a) => of(a).sqrt(),
        Node::Sin(a) => of(a).sin_cos().0,
        Node::Cos(a) => of(a).sin_cos().1,
        Node::Atan2(a, b) => of(a).atan2(of(b)),
        Node::Abs(a) => of(a).abs(),
        Node::Min(a, b) => S::select(of(a).less(of(b)), of(a), of(b)),
        Node::Max(a, b) => S::select(of(b).less(of(a)), of(a), of(b)),
        Node::Select([a, b, yes, no]) => S::select(of(a).less(of(b)), of(yes), of(no)),
    }
}
