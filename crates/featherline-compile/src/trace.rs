//! The scalar that writes down what is done with it.

use crate::graph::{Graph, Value};
use featherline::kernel::{Triangle, TripleComponents};
use featherline::scalar::{InstructionSet, Scalar, WideProof};
use std::cell::RefCell;
use std::fmt::{self, Debug, Formatter};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};
use std::sync::atomic::{AtomicU32, Ordering};

/// A number that is a constant, or a node of the graph that the thread is recording.
///
/// Any kernel that is generic over [`Scalar`] runs with it, and leaves its operations in the graph:
/// see [`Graph::record`]. What is symbolically zero is known to be ([`is_zero`](Self::is_zero)), so
/// that exact sparsity patterns come out of the same source. Constants belong to no graph and live
/// as long as they like.
///
/// A check at an entry point ([`Scalar::all`], [`Scalar::is_finite`]) is decided for constants, and
/// taken to hold for what is known only when the program runs: the program goes the way of valid
/// input. A fused multiply-add is recorded as a product and a sum.
///
/// # Panics
/// Operations panic on nodes outside of the recording that made them.
#[derive(Clone, Copy)]
pub struct Trace(
    /// The bits of a constant, or a node as the payload of a NaN. In one register, since a kernel
    /// that is traced is calls with such arguments alone.
    u64,
);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Content {
    Constant(f64),
    Node { recording: u32, value: Value },
}

/// The bits of a negative quiet NaN without a payload. Constants that are NaN are positive.
const NODE: u64 = 0xFFF8 << 48;

/// Recordings are numbered modulo this, so that a number fits above the value in a payload.
const RECORDINGS_APART: u32 = 1 << 19;

impl From<Content> for Trace {
    fn from(content: Content) -> Self {
        Self(match content {
            Content::Constant(constant) if constant.is_nan() => f64::NAN.abs().to_bits(),
            Content::Constant(constant) => constant.to_bits(),
            Content::Node { recording, value } => {
                NODE | u64::from(recording) << 32 | u64::from(value.bits())
            }
        })
    }
}

impl Trace {
    fn content(self) -> Content {
        if self.0 & NODE == NODE {
            return Content::Node {
                recording: (self.0 >> 32) as u32 % RECORDINGS_APART,
                value: Value::from_bits(self.0 as u32),
            };
        }
        Content::Constant(f64::from_bits(self.0))
    }
}

impl PartialEq for Trace {
    fn eq(&self, other: &Self) -> bool {
        self.content() == other.content()
    }
}

impl Debug for Trace {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.content().fmt(f)
    }
}

/// The outcome of a comparison between traces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceMask(Comparison);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Known(bool),
    Less(Trace, Trace),
}

struct Recording {
    number: u32,
    graph: Graph,
}

thread_local! {
    /// The recordings under way, the innermost last.
    static RECORDINGS: RefCell<Vec<Recording>> = const { RefCell::new(Vec::new()) };
}

static NEXT_RECORDING: AtomicU32 = AtomicU32::new(0);

/// Takes the innermost recording off the stack, also when the recorded work panics.
struct Ending;

impl Ending {
    fn take(self) -> Option<Recording> {
        std::mem::forget(self);
        RECORDINGS.with_borrow_mut(Vec::pop)
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        RECORDINGS.with_borrow_mut(Vec::pop);
    }
}

impl Graph {
    /// The graph of what `work` does with that many inputs; what it returns are the outputs.
    ///
    /// Recordings may be nested; a node of one has no place in the other.
    ///
    /// ```
    /// use featherline::scalar::Scalar;
    /// use featherline_compile::{Graph, Trace};
    ///
    /// fn hypotenuse<S: Scalar>(x: &[S]) -> S {
    ///     x[0].mul_add(x[0], x[1] * x[1]).sqrt()
    /// }
    ///
    /// let graph = Graph::record(2, |x: &[Trace]| vec![hypotenuse(x)]);
    /// assert_eq!(graph.len(), 2 + 4); // x₀, x₁; two squares, their sum, its root
    /// ```
    pub fn record(inputs: usize, work: impl FnOnce(&[Trace]) -> Vec<Trace>) -> Self {
        let result: Result<_, std::convert::Infallible> =
            Self::try_record(inputs, |inputs| Ok(work(inputs)));
        match result {
            Ok(graph) => graph,
            Err(never) => match never {},
        }
    }

    /// [`record`](Self::record) for work that may fail.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn try_record<E>(
        inputs: usize,
        work: impl FnOnce(&[Trace]) -> Result<Vec<Trace>, E>,
    ) -> Result<Self, E> {
        let number = NEXT_RECORDING.fetch_add(1, Ordering::Relaxed) % RECORDINGS_APART;
        let mut graph = Self::new();
        let node = |value| {
            Trace::from(Content::Node {
                recording: number,
                value,
            })
        };
        let inputs: Vec<Trace> = (0..inputs).map(|_| node(graph.input())).collect();
        RECORDINGS.with_borrow_mut(|all| all.push(Recording { number, graph }));
        let ending = Ending;
        let outputs = work(&inputs)?;
        let outputs = outputs
            .into_iter()
            .map(|output| output.apply(|_, value| value))
            .collect();
        // Pushed above; inner recordings took their own off.
        let mut graph = ending
            .take()
            .map(|recording| recording.graph)
            .unwrap_or_default();
        graph.set_outputs(outputs);
        Ok(graph)
    }
}

/// Runs `work` on the innermost recording.
fn recording<R>(work: impl FnOnce(&mut Recording) -> R) -> R {
    RECORDINGS.with_borrow_mut(|all| match all.last_mut() {
        Some(recording) => work(recording),
        None => foreign(),
    })
}

#[cold]
fn foreign() -> ! {
    panic!("a trace was used outside of the recording that made it")
}

impl Recording {
    fn value(&mut self, trace: Trace) -> Value {
        match trace.content() {
            Content::Constant(constant) => self.graph.constant(constant),
            Content::Node { recording, value } if recording == self.number => value,
            Content::Node { .. } => foreign(),
        }
    }

    fn trace(&self, value: Value) -> Trace {
        Trace::from(match self.graph.constant_value(value) {
            Some(constant) => Content::Constant(constant),
            None => Content::Node {
                recording: self.number,
                value,
            },
        })
    }
}

impl Trace {
    /// The constant, if this is one.
    pub fn constant_value(self) -> Option<f64> {
        match self.content() {
            Content::Constant(constant) => Some(constant),
            Content::Node { .. } => None,
        }
    }

    /// Whether this is zero whatever the inputs are.
    pub fn is_zero(self) -> bool {
        self.constant_value() == Some(0.0)
    }

    /// The smaller one of two; `other` where one of them is NaN.
    pub fn min(self, other: Self) -> Self {
        Self::select(self.less(other), self, other)
    }

    /// The larger one of two; `other` where one of them is NaN.
    pub fn max(self, other: Self) -> Self {
        Self::select(other.less(self), self, other)
    }

    fn folded(constant: f64) -> Self {
        Self::from(Content::Constant(constant))
    }

    fn apply<R>(self, work: impl FnOnce(&mut Graph, Value) -> R) -> R {
        recording(|r| {
            let value = r.value(self);
            work(&mut r.graph, value)
        })
    }

    fn unary(
        self,
        constant: impl FnOnce(f64) -> f64,
        node: impl FnOnce(&mut Graph, Value) -> Value,
    ) -> Self {
        if let Some(x) = self.constant_value() {
            return Self::folded(constant(x));
        }
        recording(|r| {
            let operand = r.value(self);
            let value = node(&mut r.graph, operand);
            r.trace(value)
        })
    }

    fn binary(
        self,
        other: Self,
        constant: impl FnOnce(f64, f64) -> f64,
        node: impl FnOnce(&mut Graph, Value, Value) -> Value,
    ) -> Self {
        if let (Some(x), Some(y)) = (self.constant_value(), other.constant_value()) {
            return Self::folded(constant(x, y));
        }
        recording(|r| {
            let (a, b) = (r.value(self), r.value(other));
            let value = node(&mut r.graph, a, b);
            r.trace(value)
        })
    }
}

impl Default for Trace {
    fn default() -> Self {
        Self::folded(0.0)
    }
}

// Operations stay calls: inlined into every kernel they would double the time to compile them.

impl Add for Trace {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        self.binary(other, |x, y| x + y, Graph::add)
    }
}

impl Sub for Trace {
    type Output = Self;
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        self.binary(other, |x, y| x - y, Graph::sub)
    }
}

impl Mul for Trace {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        self.binary(other, |x, y| x * y, Graph::mul)
    }
}

impl Div for Trace {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        self.binary(other, |x, y| x / y, Graph::div)
    }
}

impl Neg for Trace {
    type Output = Self;
    #[inline(never)]
    fn neg(self) -> Self {
        Self::from(match self.content() {
            Content::Constant(constant) => Content::Constant(-constant),
            Content::Node { recording, value } => Content::Node {
                recording,
                value: -value,
            },
        })
    }
}

impl AddAssign for Trace {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Trace {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Scalar for Trace {
    type Mask = TraceMask;
    type Triple = TripleComponents<Self>;
    type Symmetric = Triangle<Self>;
    type Wide<P: WideProof> = Self;
    type Unfused = Self;

    const EPSILON: f64 = f64::EPSILON;
    const IS_COMPACT: bool = true;
    // A recording is the same on all of them.
    const INSTRUCTION_SET: Option<InstructionSet> = Some(InstructionSet::Baseline);

    fn constant(value: f64) -> Self {
        Self::folded(value)
    }

    #[inline(never)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        self * factor + addend
    }

    #[inline(never)]
    fn sqrt(self) -> Self {
        self.unary(f64::sqrt, Graph::sqrt)
    }

    #[inline(never)]
    fn sin_cos(self) -> (Self, Self) {
        if let Some(x) = self.constant_value() {
            let (sin, cos) = Scalar::sin_cos(x);
            return (Self::folded(sin), Self::folded(cos));
        }
        recording(|r| {
            let angle = r.value(self);
            let (sin, cos) = r.graph.sin_cos(angle);
            (r.trace(sin), r.trace(cos))
        })
    }

    #[inline(never)]
    fn atan2(self, x: Self) -> Self {
        self.binary(x, f64::atan2, Graph::atan2)
    }

    #[inline(never)]
    fn abs(self) -> Self {
        self.unary(f64::abs, Graph::abs)
    }

    #[inline(never)]
    fn less(self, other: Self) -> TraceMask {
        TraceMask(match (self.constant_value(), other.constant_value()) {
            (Some(x), Some(y)) => Comparison::Known(x < y),
            _ => Comparison::Less(self, other),
        })
    }

    #[inline(never)]
    fn select(mask: TraceMask, yes: Self, no: Self) -> Self {
        match mask.0 {
            Comparison::Known(true) => yes,
            Comparison::Known(false) => no,
            Comparison::Less(a, b) => recording(|r| {
                let [a, b, yes, no] = [a, b, yes, no].map(|trace| r.value(trace));
                let value = r.graph.select_less(a, b, yes, no);
                r.trace(value)
            }),
        }
    }

    fn all(mask: TraceMask) -> bool {
        match mask.0 {
            Comparison::Known(holds) => holds,
            Comparison::Less(..) => true,
        }
    }

    fn is_finite(self) -> bool {
        self.constant_value().is_none_or(f64::is_finite)
    }
}
