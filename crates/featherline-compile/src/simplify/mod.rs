//! Fewer operations for the same function.
//!
//! Rewriting beyond what a graph can do as it is made: its sums and products are taken apart into
//! terms and factors ([`form`]), whose like terms are collected ([`identities`]), from which common
//! factors are taken out ([`factoring`]) and whose common parts are named once ([`sharing`]); then
//! they are put together again. A result that costs more than what it was made of is dropped.

mod factoring;
mod form;
mod identities;
mod sharing;

use crate::graph::Graph;
use crate::quantity::Function;
use form::Form;

/// More rounds than any graph has been seen to gain from.
const MOST_ROUNDS: usize = 8;

impl Graph {
    /// A graph of the same function with at most as many operations: nothing that no output needs,
    /// like terms collected, constants merged through products and sums, sin² + cos² = 1 used,
    /// common factors taken out (a b + a c = a (b + c)), and sums and products reassociated so that
    /// common parts are computed once.
    ///
    /// Which parts are worth sharing is decided greedily: the pair of terms or factors that occurs
    /// most often is named, and so on (the usual heuristic; the best choice is NP-hard: M.
    /// Potkonjak, M. B. Srivastava and A. P. Chandrakasan, *Multiple constant multiplications*,
    /// 1996). Values change by rounding. Cost: O(n log n) for sums of bounded length, some
    /// microseconds an operation.
    ///
    /// A graph with a constant that is infinite or NaN stays as it is: such numbers obey none of
    /// these laws.
    ///
    /// ```
    /// use featherline::scalar::Scalar;
    /// use featherline_compile::Graph;
    ///
    /// let graph = Graph::record(3, |x| {
    ///     let (sin, cos) = x[0].sin_cos();
    ///     vec![x[1] * sin * sin + x[1] * (cos * cos), x[0] * x[1] + x[0] * x[2]]
    /// });
    /// let simplified = graph.simplified();
    /// // x₁ and x₀ (x₁ + x₂)
    /// assert_eq!(simplified.count().total(), 2);
    /// ```
    #[must_use]
    pub fn simplified(&self) -> Self {
        if !self.has_finite_constants() {
            return self.clone();
        }
        let mut best = Form::of(self).into_graph();
        if self.count().total() < best.count().total() {
            best = self.clone();
        }
        let mut cost = best.count().total();
        for _ in 0..MOST_ROUNDS {
            let mut form = Form::of(&best);
            form.apply_identities();
            form.take_out_factors();
            form.share_sums();
            form.share_products();
            let graph = form.into_graph();
            let found = graph.count().total();
            if found >= cost {
                break;
            }
            (best, cost) = (graph, found);
        }
        best
    }
}

impl Function {
    /// The same function with a [simplified](Graph::simplified) graph.
    #[must_use]
    pub fn simplified(&self) -> Self {
        Self {
            graph: self.graph.simplified(),
            ..self.clone()
        }
    }
}
