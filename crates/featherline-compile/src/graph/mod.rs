//! Expressions as a graph in which nothing is said twice.

mod evaluate;
mod fold;
mod node;
mod value;

pub(crate) use node::Node;
pub use value::Value;

use std::collections::HashMap;

/// A directed acyclic graph of scalar operations: static single assignment, each node one
/// operation.
///
/// Nodes are *hash-consed* (J. Goto, *Monocopy and associative algorithms in an extended Lisp*,
/// 1974): asking for an operation that exists gives the existing node, so that common
/// subexpressions are shared from the start. Negation is no operation but a sign on each use of a
/// node ([`Value`]), which costs nothing and lets a − b and b − a be one node.
///
/// Every method that makes a node first simplifies:
///
/// * an operation on constants is done at once;
/// * sums with 0, products with 0, 1 and −1, quotients by 1 and −1, x − x and double negations
///   vanish;
/// * a product with 0 is 0, and 0 divided by anything is 0, whatever the other operand would be;
/// * operands of sums and products are put in one order, and signs are moved out of products,
///   quotients and odd functions;
/// * c₁ · (c₂ · x) becomes (c₁ c₂) · x, and x / c becomes x · (1/c).
///
/// Values equal those of the operations as they were asked for, but for rounding (where constants
/// are merged) and the sign of zeros.
///
/// ```
/// use featherline_compile::Graph;
///
/// let mut graph = Graph::new();
/// let (x, y) = (graph.input(), graph.input());
/// let (forth, back) = (graph.sub(x, y), graph.sub(y, x));
/// assert_eq!(forth, -back);
/// let zero = graph.add(forth, back);
/// assert_eq!(graph.constant_value(zero), Some(0.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    known: HashMap<Node, u32>,
    inputs: Vec<u32>,
    outputs: Vec<Value>,
}

impl Graph {
    /// A graph without inputs and outputs.
    pub fn new() -> Self {
        Self::default()
    }

    /// A further input: its number is how many there were before.
    pub fn input(&mut self) -> Value {
        let number = self.inputs.len() as u32;
        let value = self.intern(Node::Input(number));
        self.inputs.push(value.node());
        value
    }

    /// The input of this number.
    pub(crate) fn input_value(&self, number: u32) -> Value {
        Value::of_node(self.inputs[number as usize])
    }

    /// How many inputs there are.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// How many nodes there are: inputs, constants, and operations whether or not an output depends
    /// on them.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The outputs of the graph, in order.
    pub fn outputs(&self) -> &[Value] {
        &self.outputs
    }

    /// Says what the graph shall compute.
    pub fn set_outputs(&mut self, outputs: Vec<Value>) {
        self.outputs = outputs;
    }

    /// The constant that a value is, if it is one.
    pub fn constant_value(&self, value: Value) -> Option<f64> {
        let Node::Constant(bits) = self.nodes[value.index()] else {
            return None;
        };
        let constant = f64::from_bits(bits);
        Some(if value.is_negated() {
            -constant
        } else {
            constant
        })
    }

    /// The operations, operands before what uses them.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Where an operation stands, if it does.
    pub(crate) fn find(&self, node: Node) -> Option<usize> {
        self.known.get(&node).map(|&index| index as usize)
    }

    /// Whether all constants that the outputs depend on are numbers.
    pub(crate) fn has_finite_constants(&self) -> bool {
        let live = self.live();
        let mut nodes = self.nodes.iter().zip(live);
        nodes.all(|(node, is_live)| {
            if let Node::Constant(bits) = node {
                !is_live || f64::from_bits(*bits).is_finite()
            } else {
                true
            }
        })
    }

    /// Which nodes the outputs depend on.
    pub(crate) fn live(&self) -> Vec<bool> {
        let mut live = vec![false; self.nodes.len()];
        for output in &self.outputs {
            live[output.index()] = true;
        }
        // Operands stand before what uses them.
        for i in (0..self.nodes.len()).rev() {
            if live[i] {
                for operand in self.nodes[i].operands() {
                    live[operand.index()] = true;
                }
            }
        }
        live
    }

    /// The node for an operation that needs no simplification.
    fn intern(&mut self, node: Node) -> Value {
        let next = self.nodes.len() as u32;
        let index = *self.known.entry(node).or_insert(next);
        if index == next {
            self.nodes.push(node);
        }
        Value::of_node(index)
    }
}
