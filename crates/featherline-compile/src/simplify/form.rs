//! Graphs as sums of products.

use crate::graph::{Graph, Node, Value};
use std::collections::HashMap;

/// The number of an atom in its form.
pub(super) type Atom = u32;

/// A constant times a product of atoms. Factors are sorted; one that occurs twice is a square.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    pub coefficient: f64,
    pub factors: Vec<Atom>,
}

impl Term {
    pub fn of_atom(coefficient: f64, atom: Atom) -> Self {
        Self {
            coefficient,
            factors: vec![atom],
        }
    }

    /// Whether the coefficient costs no product.
    pub fn is_free(&self) -> bool {
        self.coefficient.abs() == 1.0
    }
}

/// The operation of an atom.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// An operation of the old graph that is neither sum nor product.
    Plain(Node),
    /// The sum of terms.
    Sum(Vec<Term>),
    /// One term.
    Product(Term),
    /// Part of what uses it.
    Inner,
}

/// A graph in which sums that only sums use, and products that only products or sums use, have no
/// place of their own.
///
/// The first atoms are the nodes of the graph; those that are made later follow.
pub(super) struct Form<'g> {
    graph: &'g Graph,
    pub shapes: Vec<Shape>,
    /// Sums that were made later, by their terms: the same one is made once.
    made: HashMap<Vec<(u64, Vec<Atom>)>, Atom>,
}

impl<'g> Form<'g> {
    /// Takes a graph apart.
    pub fn of(graph: &'g Graph) -> Self {
        let live = graph.live();
        let uses = Uses::of(graph, &live);
        let mut form = Self {
            graph,
            shapes: Vec::with_capacity(graph.len()),
            made: HashMap::new(),
        };
        for (i, &node) in graph.nodes().iter().enumerate() {
            #[expect(clippy::wildcard_enum_match_arm, reason = "the others are atoms")]
            let shape = match node {
                _ if !live[i] || uses.inner[i] => Shape::Inner,
                Node::Add(a, b) => form.gather_sum(&uses, a, b),
                Node::Sub(a, b) => form.gather_sum(&uses, a, -b),
                Node::Mul(..) => {
                    let term = form.gather_product(&uses, i as u32);
                    form.shape_of(vec![term])
                }
                node => Shape::Plain(node),
            };
            form.shapes.push(shape);
        }
        form
    }

    fn gather_sum(&self, uses: &Uses, a: Value, b: Value) -> Shape {
        let mut terms = Vec::new();
        let mut rest = vec![(1.0, b), (1.0, a)];
        while let Some((factor, value)) = rest.pop() {
            let factor = if value.is_negated() { -factor } else { factor };
            let i = value.index();
            #[expect(clippy::wildcard_enum_match_arm, reason = "the others are atoms")]
            match self.graph.nodes()[i] {
                Node::Constant(bits) => {
                    terms.push(Term {
                        coefficient: factor * f64::from_bits(bits),
                        factors: vec![],
                    });
                }
                Node::Add(a, b) if uses.inner[i] => rest.extend([(factor, b), (factor, a)]),
                Node::Sub(a, b) if uses.inner[i] => rest.extend([(factor, -b), (factor, a)]),
                Node::Mul(..) if uses.inner[i] => {
                    let mut term = self.gather_product(uses, i as u32);
                    term.coefficient *= factor;
                    terms.push(term);
                }
                _ => terms.push(Term::of_atom(factor, i as u32)),
            }
        }
        self.shape_of(collected(terms))
    }

    fn shape_of(&self, mut terms: Vec<Term>) -> Shape {
        match terms.len() {
            // A product that has lost its factors is a sum without variables.
            1 if !terms[0].factors.is_empty() => Shape::Product(terms.remove(0)),
            _ => Shape::Sum(terms),
        }
    }

    fn gather_product(&self, uses: &Uses, product: u32) -> Term {
        let mut term = Term {
            coefficient: 1.0,
            factors: Vec::new(),
        };
        let mut rest = vec![Value::of_node(product)];
        let mut outermost = true;
        while let Some(value) = rest.pop() {
            if value.is_negated() {
                term.coefficient = -term.coefficient;
            }
            let i = value.index();
            #[expect(clippy::wildcard_enum_match_arm, reason = "the others are atoms")]
            match self.graph.nodes()[i] {
                Node::Constant(bits) => term.coefficient *= f64::from_bits(bits),
                Node::Mul(a, b) if outermost || uses.inner[i] => rest.extend([b, a]),
                _ => term.factors.push(i as u32),
            }
            outermost = false;
        }
        term.factors.sort_unstable();
        term
    }

    /// The node of the old graph that an atom is, if it is one of those that are not taken apart.
    pub fn plain(&self, atom: Atom) -> Option<Node> {
        match self.shapes[atom as usize] {
            Shape::Plain(node) => Some(node),
            Shape::Sum(_) | Shape::Product(_) | Shape::Inner => None,
        }
    }

    /// A new atom for an expression.
    pub fn push(&mut self, shape: Shape) -> Atom {
        self.shapes.push(shape);
        self.shapes.len() as u32 - 1
    }

    /// A multiple of an atom for a sum; sums that are multiples of each other share the atom.
    pub fn named_sum(&mut self, mut terms: Vec<Term>) -> (f64, Atom) {
        terms.sort_by(|a, b| a.factors.cmp(&b.factors));
        // Where a coefficient is free, scaling would make it cost a product.
        let is_free = |t: &Term| t.is_free() || t.factors.is_empty();
        let scale = match terms.iter().any(is_free) {
            true => terms[0].coefficient.signum(),
            false => terms[0].coefficient,
        };
        for term in &mut terms {
            term.coefficient /= scale;
        }
        let key: Vec<_> = terms
            .iter()
            .map(|t| (t.coefficient.to_bits(), t.factors.clone()))
            .collect();
        if let Some(&atom) = self.made.get(&key) {
            return (scale, atom);
        }
        let atom = self.push(Shape::Sum(terms));
        self.made.insert(key, atom);
        (scale, atom)
    }

    /// Puts the graph together again.
    pub fn into_graph(self) -> Graph {
        let mut graph = Graph::new();
        for _ in 0..self.graph.input_count() {
            graph.input();
        }
        let mut values: Vec<Option<Value>> = vec![None; self.shapes.len()];
        // In the order of the old graph, which the kernel's author chose: a schedule will begin
        // with it.
        for root in 0..self.graph.len() as u32 {
            if !matches!(self.shapes[root as usize], Shape::Inner) {
                self.build_with_operands(&mut graph, root, &mut values);
            }
        }
        let outputs = self.graph.outputs().iter();
        let outputs = outputs.map(|o| built(&values, o.index() as u32).negated_if(o.is_negated()));
        graph.set_outputs(outputs.collect());
        graph
    }

    fn build_with_operands(&self, graph: &mut Graph, root: Atom, values: &mut [Option<Value>]) {
        let mut stack = vec![root];
        while let Some(&atom) = stack.last() {
            if values[atom as usize].is_some() {
                stack.pop();
                continue;
            }
            let needed = self.needed(atom);
            let before = stack.len();
            stack.extend(
                needed
                    .iter()
                    .rev()
                    .filter(|&&a| values[a as usize].is_none()),
            );
            if stack.len() == before {
                values[atom as usize] = Some(self.build(graph, atom, values));
                stack.pop();
            }
        }
    }

    fn needed(&self, atom: Atom) -> Vec<Atom> {
        match &self.shapes[atom as usize] {
            Shape::Plain(node) => node.operands().map(|o| o.index() as u32).collect(),
            Shape::Sum(terms) => terms
                .iter()
                .flat_map(|t| t.factors.iter().copied())
                .collect(),
            Shape::Product(term) => term.factors.clone(),
            Shape::Inner => Vec::new(),
        }
    }

    fn build(&self, graph: &mut Graph, atom: Atom, values: &[Option<Value>]) -> Value {
        match &self.shapes[atom as usize] {
            Shape::Plain(node) => {
                let of = |o: Value| built(values, o.index() as u32).negated_if(o.is_negated());
                plain(graph, *node, of)
            }
            Shape::Product(term) => product(graph, term, values),
            Shape::Sum(terms) => {
                let mut sum = None;
                for term in terms {
                    let term = product(graph, term, values);
                    sum = Some(match sum {
                        None => term,
                        Some(sum) => graph.add(sum, term),
                    });
                }
                sum.unwrap_or_else(|| graph.constant(0.0))
            }
            // Only what uses it could need it, and that contains it.
            Shape::Inner => unreachable!("an inner node has no place of its own"),
        }
    }
}

fn built(values: &[Option<Value>], atom: Atom) -> Value {
    // The stack in `build_with_operands` builds what is needed first.
    values[atom as usize].expect("operands are built before what uses them")
}

fn product(graph: &mut Graph, term: &Term, values: &[Option<Value>]) -> Value {
    let mut product = None;
    for &factor in &term.factors {
        let factor = built(values, factor);
        product = Some(match product {
            None => factor,
            Some(product) => graph.mul(product, factor),
        });
    }
    let coefficient = graph.constant(term.coefficient);
    match product {
        None => coefficient,
        Some(product) => graph.mul(coefficient, product),
    }
}

fn plain(graph: &mut Graph, node: Node, of: impl Fn(Value) -> Value) -> Value {
    match node {
        Node::Input(number) => graph.input_value(number),
        Node::Constant(bits) => graph.constant(f64::from_bits(bits)),
        Node::Add(a, b) => graph.add(of(a), of(b)),
        Node::Sub(a, b) => graph.sub(of(a), of(b)),
        Node::Mul(a, b) => graph.mul(of(a), of(b)),
        Node::Div(a, b) => graph.div(of(a), of(b)),
        Node::Sqrt(a) => graph.sqrt(of(a)),
        Node::Sin(a) => graph.sin_cos(of(a)).0,
        Node::Cos(a) => graph.sin_cos(of(a)).1,
        Node::Atan2(a, b) => graph.atan2(of(a), of(b)),
        Node::Abs(a) => graph.abs(of(a)),
        Node::Min(a, b) => graph.min(of(a), of(b)),
        Node::Max(a, b) => graph.max(of(a), of(b)),
        Node::Select([a, b, yes, no]) => graph.select_less(of(a), of(b), of(yes), of(no)),
    }
}

/// Terms with the same factors added up, in the order in which they came first; zeros left out.
pub(super) fn collected(terms: Vec<Term>) -> Vec<Term> {
    let mut found: HashMap<Vec<Atom>, usize> = HashMap::new();
    let mut result: Vec<Term> = Vec::with_capacity(terms.len());
    for term in terms {
        match found.get(&term.factors) {
            Some(&at) => result[at].coefficient += term.coefficient,
            None => {
                found.insert(term.factors.clone(), result.len());
                result.push(term);
            }
        }
    }
    result.retain(|term| term.coefficient != 0.0);
    result
}

/// Which nodes are part of the one that uses them.
struct Uses {
    inner: Vec<bool>,
}

impl Uses {
    fn of(graph: &Graph, live: &[bool]) -> Self {
        let mut count = vec![0_u32; graph.len()];
        let mut user = vec![None; graph.len()];
        for output in graph.outputs() {
            // Outputs have a place of their own.
            count[output.index()] += 2;
        }
        for (i, node) in graph.nodes().iter().enumerate().filter(|&(i, _)| live[i]) {
            for operand in node.operands() {
                count[operand.index()] += 1;
                user[operand.index()] = Some(graph.nodes()[i]);
            }
        }
        let inner = |i: usize| {
            let in_sum = matches!(user[i], Some(Node::Add(..) | Node::Sub(..)));
            let in_product = matches!(user[i], Some(Node::Mul(..)));
            let node = graph.nodes()[i];
            let is_sum = matches!(node, Node::Add(..) | Node::Sub(..));
            let is_product = matches!(node, Node::Mul(..));
            count[i] == 1 && (is_sum && in_sum || is_product && (in_sum || in_product))
        };
        Self {
            inner: (0..graph.len()).map(inner).collect(),
        }
    }
}
