//! Exact counts of operations.

use super::{Instruction, Program};
use crate::graph::{Graph, Node};
use featherline::scalar::Operations;

impl Graph {
    /// The operations that the outputs take, counted as [`OpCount`](featherline::scalar::OpCount)
    /// counts: signs and comparisons are free, sine and cosine of one angle are one operation,
    /// `min`, `max`, selections, absolute values and angles of vectors are `other`.
    pub fn count(&self) -> Operations {
        let mut count = Operations::default();
        let live = self.live();
        for (i, node) in self.nodes().iter().enumerate() {
            if !live[i] {
                continue;
            }
            match *node {
                Node::Input(_) | Node::Constant(_) => {}
                Node::Add(..) | Node::Sub(..) => count.additions += 1,
                Node::Mul(..) => count.multiplications += 1,
                Node::Div(..) => count.divisions += 1,
                Node::Sqrt(_) => count.square_roots += 1,
                Node::Sin(_) => count.sin_cos += 1,
                Node::Cos(angle) => {
                    let sine = self.find(Node::Sin(angle));
                    count.sin_cos += u64::from(!sine.is_some_and(|sine| live[sine]));
                }
                Node::Atan2(..)
                | Node::Abs(_)
                | Node::Min(..)
                | Node::Max(..)
                | Node::Select(_) => {
                    count.other += 1;
                }
            }
        }
        count
    }
}

impl Program {
    /// The operations of one run for one state. A fused multiply-add is a multiplication and an
    /// addition; negations, loads and stores are free. [`Program::instruction_count`] counts
    /// everything.
    pub fn count(&self) -> Operations {
        let mut count = Operations::default();
        for instruction in &self.instructions {
            match instruction {
                Instruction::Load { .. } | Instruction::Store { .. } | Instruction::Neg { .. } => {}
                Instruction::Add { .. } | Instruction::Sub { .. } => count.additions += 1,
                Instruction::Mul { .. } => count.multiplications += 1,
                Instruction::MulAdd { .. }
                | Instruction::MulSub { .. }
                | Instruction::NegMulAdd { .. } => {
                    count.additions += 1;
                    count.multiplications += 1;
                }
                Instruction::Div { .. } => count.divisions += 1,
                Instruction::Sqrt { .. } => count.square_roots += 1,
                Instruction::SinCos { .. } => count.sin_cos += 1,
                Instruction::Atan2 { .. }
                | Instruction::Abs { .. }
                | Instruction::Min { .. }
                | Instruction::Max { .. }
                | Instruction::Select { .. } => count.other += 1,
            }
        }
        count
    }
}
