//! The numbers that a graph stands for.

use super::{Graph, Node, Value};
use crate::error::{ProgramError, check_size};
use featherline::scalar::Scalar;

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
