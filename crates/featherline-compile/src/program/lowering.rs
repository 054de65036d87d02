//! From a graph to instructions over as many slots as there are values.
//!
//! A graph has signs on uses, a machine has none: each node's slot holds the node or its negative.
//! Sums, differences and products with a constant can be had with either sign at no cost, so that
//! almost no negation is left.

use super::instruction::{Instruction, Slot};
use crate::graph::{Graph, Node, Value};
use std::collections::HashMap;

/// Instructions in static single assignment: each slot is written once, the constants' by none.
#[derive(Debug, Default)]
pub(super) struct Lowered {
    pub constants: Vec<f64>,
    /// Which slot holds each constant.
    pub constant_slots: Vec<Slot>,
    pub instructions: Vec<Instruction>,
    pub slots: u32,
}

/// Instructions for a graph's outputs in its nodes' order; products fused if asked for.
pub(super) fn lower(graph: &Graph, fuse: bool) -> Lowered {
    let live = graph.live();
    let mut lowering = Lowering {
        graph,
        held: vec![None; graph.len()],
        wanted: wanted_signs(graph, &live),
        negated: HashMap::new(),
        constants: HashMap::new(),
        result: Lowered::default(),
    };
    let fused = if fuse {
        fused_products(graph, &live)
    } else {
        vec![false; graph.len()]
    };
    for i in 0..graph.len() {
        if live[i] && !fused[i] {
            lowering.node(i, &fused);
        }
    }
    for (output, &value) in graph.outputs().iter().enumerate() {
        let from = lowering.exact(value);
        let output = output as u32;
        lowering
            .result
            .instructions
            .push(Instruction::Store { output, from });
    }
    lowering.result
}

/// Products that are used once, by a sum, each of which takes at most one in.
fn fused_products(graph: &Graph, live: &[bool]) -> Vec<bool> {
    let mut uses = vec![0_u32; graph.len()];
    for output in graph.outputs() {
        uses[output.index()] += 1;
    }
    for i in (0..graph.len()).filter(|&i| live[i]) {
        for operand in graph.nodes()[i].operands() {
            uses[operand.index()] += 1;
        }
    }
    let mut fused = vec![false; graph.len()];
    for i in (0..graph.len()).filter(|&i| live[i]) {
        if let Node::Add(a, b) | Node::Sub(a, b) = graph.nodes()[i] {
            // The later one: the earlier is more likely to be at hand already.
            let product = [b, a].into_iter().map(Value::index).find(|&operand| {
                uses[operand] == 1 && matches!(graph.nodes()[operand], Node::Mul(..))
            });
            if let Some(product) = product {
                fused[product] = true;
            }
        }
    }
    fused
}

/// Whether each node would best be held negated: where outputs ask for that alone.
fn wanted_signs(graph: &Graph, live: &[bool]) -> Vec<bool> {
    let (mut plus, mut minus) = (vec![false; graph.len()], vec![false; graph.len()]);
    let mut want = |value: Value| {
        let side = if value.is_negated() {
            &mut minus
        } else {
            &mut plus
        };
        side[value.index()] = true;
    };
    graph.outputs().iter().for_each(|&output| want(output));
    for i in (0..graph.len()).filter(|&i| live[i]) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others take either sign")]
        match graph.nodes()[i] {
            Node::Sqrt(a) => want(a),
            Node::Atan2(a, b) | Node::Min(a, b) | Node::Max(a, b) => {
                want(a);
                want(b);
            }
            Node::Select(operands) => operands.into_iter().for_each(&mut want),
            _ => {}
        }
    }
    plus.iter()
        .zip(&minus)
        .map(|(&plus, &minus)| minus && !plus)
        .collect()
}

/// A slot, and whether it holds the negative of what is asked for.
#[derive(Clone, Copy)]
struct SignedSlot {
    slot: Slot,
    negative: bool,
}

struct Lowering<'g> {
    graph: &'g Graph,
    held: Vec<Option<SignedSlot>>,
    wanted: Vec<bool>,
    /// Slots with the negatives of others.
    negated: HashMap<Slot, Slot>,
    /// Slots of constants, by their bits.
    constants: HashMap<u64, Slot>,
    result: Lowered,
}

impl Lowering<'_> {
    fn fresh(&mut self) -> Slot {
        self.result.slots += 1;
        self.result.slots - 1
    }

    fn constant(&mut self, constant: f64) -> Slot {
        if let Some(&slot) = self.constants.get(&constant.to_bits()) {
            return slot;
        }
        let slot = self.fresh();
        self.constants.insert(constant.to_bits(), slot);
        self.result.constants.push(constant);
        self.result.constant_slots.push(slot);
        slot
    }

    /// The value up to its sign.
    fn signed(&mut self, value: Value) -> SignedSlot {
        if let Some(constant) = self.graph.constant_value(value) {
            return SignedSlot {
                slot: self.constant(constant),
                negative: false,
            };
        }
        let held = self.held[value.index()];
        // Nodes are lowered in order, operands first; fused products are lowered by who uses them.
        let SignedSlot { slot, negative } = held.expect("operands stand before what uses them");
        SignedSlot {
            slot,
            negative: negative != value.is_negated(),
        }
    }

    /// A slot with the value itself.
    fn exact(&mut self, value: Value) -> Slot {
        let SignedSlot { slot, negative } = self.signed(value);
        if !negative {
            return slot;
        }
        if let Some(&opposite) = self.negated.get(&slot) {
            return opposite;
        }
        let to = self.fresh();
        self.result
            .instructions
            .push(Instruction::Neg { to, a: slot });
        self.negated.insert(slot, to);
        to
    }

    fn node(&mut self, i: usize, fused: &[bool]) {
        // The cosine comes with the sine.
        if self.held[i].is_some() {
            return;
        }
        let held = match self.graph.nodes()[i] {
            Node::Constant(_) => return,
            Node::Input(input) => self.emit(false, |to| Instruction::Load { to, input }),
            Node::Add(a, b) => self.sum(i, a, b, fused),
            Node::Sub(a, b) => self.sum(i, a, -b, fused),
            Node::Mul(a, b) => {
                let (a, b, negative) = self.factors(i, a, b);
                self.emit(negative, |to| Instruction::Mul { to, a, b })
            }
            Node::Div(a, b) => {
                let (a, b, negative) = self.factors(i, a, b);
                self.emit(negative, |to| Instruction::Div { to, a, b })
            }
            Node::Sqrt(a) => {
                let a = self.exact(a);
                self.emit(false, |to| Instruction::Sqrt { to, a })
            }
            Node::Sin(angle) | Node::Cos(angle) => return self.sin_cos(angle),
            Node::Atan2(y, x) => {
                let (y, b) = (self.signed(y), self.exact(x));
                self.emit(y.negative, |to| Instruction::Atan2 { to, a: y.slot, b })
            }
            Node::Abs(a) => {
                let a = self.signed(a).slot;
                self.emit(false, |to| Instruction::Abs { to, a })
            }
            Node::Min(a, b) => self.extreme(a, b, true),
            Node::Max(a, b) => self.extreme(a, b, false),
            Node::Select([a, b, yes, no]) => self.select(a, b, yes, no),
        };
        self.held[i] = Some(held);
    }

    fn emit(
        &mut self,
        negative: bool,
        instruction: impl FnOnce(Slot) -> Instruction,
    ) -> SignedSlot {
        let slot = self.fresh();
        self.result.instructions.push(instruction(slot));
        SignedSlot { slot, negative }
    }

    /// The operands of a product or quotient, and whether the result will be the negative.
    fn factors(&mut self, i: usize, a: Value, b: Value) -> (Slot, Slot, bool) {
        let (left, right) = (self.signed(a), self.signed(b));
        let negative = left.negative != right.negative;
        if negative == self.wanted[i] {
            return (left.slot, right.slot, negative);
        }
        if let Some(constant) = self.graph.constant_value(a) {
            return (self.constant(-constant), right.slot, !negative);
        }
        if let Some(constant) = self.graph.constant_value(b) {
            return (left.slot, self.constant(-constant), !negative);
        }
        (left.slot, right.slot, negative)
    }

    fn sum(&mut self, i: usize, a: Value, b: Value, fused: &[bool]) -> SignedSlot {
        for (product, addend) in [(b, a), (a, b)] {
            if fused[product.index()]
                && let Node::Mul(x, y) = self.graph.nodes()[product.index()]
            {
                return self.fused(x, y.negated_if(product.is_negated()), addend);
            }
        }
        let (a, b) = (self.signed(a), self.signed(b));
        match (a.negative, b.negative) {
            (negative, other) if negative == other => self.emit(negative, |to| Instruction::Add {
                to,
                a: a.slot,
                b: b.slot,
            }),
            _ => {
                // One is to be subtracted from the other, in the order that gives the wanted sign.
                let (plus, minus) = if a.negative { (b, a) } else { (a, b) };
                let negative = self.wanted[i];
                let (a, b) = if negative {
                    (minus.slot, plus.slot)
                } else {
                    (plus.slot, minus.slot)
                };
                self.emit(negative, |to| Instruction::Sub { to, a, b })
            }
        }
    }

    fn fused(&mut self, x: Value, y: Value, addend: Value) -> SignedSlot {
        let (x, y, addend) = (self.signed(x), self.signed(y), self.signed(addend));
        let (a, b, c) = (x.slot, y.slot, addend.slot);
        match (x.negative != y.negative, addend.negative) {
            (false, false) => self.emit(false, |to| Instruction::MulAdd { to, a, b, c }),
            (false, true) => self.emit(false, |to| Instruction::MulSub { to, a, b, c }),
            (true, false) => self.emit(false, |to| Instruction::NegMulAdd { to, a, b, c }),
            (true, true) => self.emit(true, |to| Instruction::MulAdd { to, a, b, c }),
        }
    }

    fn sin_cos(&mut self, angle: Value) {
        let SignedSlot { slot: a, negative } = self.signed(angle);
        let (sin, cos) = (self.fresh(), self.fresh());
        self.result
            .instructions
            .push(Instruction::SinCos { sin, cos, a });
        if let Some(i) = self.graph.find(Node::Sin(angle)) {
            self.held[i] = Some(SignedSlot {
                slot: sin,
                negative,
            });
        }
        if let Some(i) = self.graph.find(Node::Cos(angle)) {
            self.held[i] = Some(SignedSlot {
                slot: cos,
                negative: false,
            });
        }
    }

    /// The smaller or the larger one; of two negatives it is the negative of the other.
    fn extreme(&mut self, a: Value, b: Value, smaller: bool) -> SignedSlot {
        let (x, y) = (self.signed(a), self.signed(b));
        let negative = x.negative && y.negative;
        let (a, b) = if negative {
            (x.slot, y.slot)
        } else {
            (self.exact(a), self.exact(b))
        };
        if smaller != negative {
            self.emit(negative, |to| Instruction::Min { to, a, b })
        } else {
            self.emit(negative, |to| Instruction::Max { to, a, b })
        }
    }

    fn select(&mut self, a: Value, b: Value, yes: Value, no: Value) -> SignedSlot {
        let (x, y) = (self.signed(a), self.signed(b));
        let (a, b) = if x.negative && y.negative {
            (y.slot, x.slot)
        } else {
            (self.exact(a), self.exact(b))
        };
        let (taken, other) = (self.signed(yes), self.signed(no));
        let negative = taken.negative && other.negative;
        let (yes, no) = if negative {
            (taken.slot, other.slot)
        } else {
            (self.exact(yes), self.exact(no))
        };
        self.emit(negative, |to| Instruction::Select { to, a, b, yes, no })
    }
}
