//! Steps of the processor, by the numbers of registers.

/// Where an instruction takes its last operand from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Register(u8),
    /// A number of the block.
    Number(u32),
    /// A constant for all lanes.
    Constant(u32),
}

/// Which sign a product and what is added to it have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signs {
    /// a · b + c.
    MulAdd,
    /// a · b − c.
    MulSub,
    /// c − a · b.
    NegMulAdd,
}

/// The roles of a fused instruction's operands: `to` is overwritten, `a` and `b` are the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperandOrder {
    /// to · b + a.
    ToTimesB,
    /// to · a + b.
    ToTimesA,
    /// a · b + to.
    AddTo,
}

/// A step of the processor, by the numbers of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Move {
        to: u8,
        from: Source,
    },
    Store {
        number: u32,
        from: u8,
    },
    Binary {
        kind: BinaryKind,
        to: u8,
        a: u8,
        b: Source,
    },
    Sqrt {
        to: u8,
        b: Source,
    },
    Fused {
        signs: Signs,
        order: OperandOrder,
        to: u8,
        a: u8,
        b: Source,
    },
    /// Finds where a < b.
    Less {
        a: u8,
        b: Source,
    },
    /// `yes` where a was less than b, `no` elsewhere.
    Select {
        to: u8,
        no: u8,
        yes: Source,
    },
}

/// Instructions of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BinaryKind {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    /// Changes the bits that the second has.
    Xor,
    /// The second without the bits of the first.
    AndNot,
}
