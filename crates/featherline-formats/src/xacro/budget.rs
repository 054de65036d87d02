//! How much an expansion may make: a text of a few lines could fill the memory.

/// The most elements, as many as a document may have.
const ELEMENTS: usize = 1 << 20;

/// The most bytes of texts: of files that are read, of values, and of what is written.
const BYTES: usize = 64 << 20;

/// The most steps of expressions: operations, and items of lists. An arm takes some ten thousand.
const STEPS: usize = 4_000_000;

/// The most macros, elements, properties and parts of an expression inside one another. The stack
/// of the thread has room for them.
const DEPTH: usize = 1000;

/// The rest of each.
#[derive(Debug)]
pub(super) struct Budget {
    elements: usize,
    bytes: usize,
    steps: usize,
    depth: usize,
}

/// Why an expansion ends. Where is known by who was asked to expand.
#[derive(Debug)]
pub(super) struct Refusal(pub(super) String);

pub(super) type Outcome<T> = Result<T, Refusal>;

/// Returns a refusal, whose text is formatted.
macro_rules! refuse {
    ($($text:tt)*) => {
        return Err(Refusal(format!($($text)*)))
    };
}
pub(super) use refuse;

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            elements: ELEMENTS,
            bytes: BYTES,
            steps: STEPS,
            depth: DEPTH,
        }
    }

    pub(super) fn element(&mut self) -> Outcome<()> {
        let what = || format!("it makes more than {ELEMENTS} elements");
        spend(&mut self.elements, 1, what)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Outcome<()> {
        let what = || format!("it makes more than {} MiB of text", BYTES >> 20);
        spend(&mut self.bytes, count, what)
    }

    pub(super) fn steps(&mut self, count: usize) -> Outcome<()> {
        let what = || format!("its expressions take more than {STEPS} steps");
        spend(&mut self.steps, count, what)
    }

    /// Enters something that is inside of something else; [`leave`](Self::leave) is called after
    /// it, unless it fails.
    pub(super) fn enter(&mut self) -> Outcome<()> {
        spend(&mut self.depth, 1, || {
            format!(
                "more than {DEPTH} macros, elements, properties and parts of an expression are \
                 inside one another"
            )
        })
    }

    pub(super) fn leave(&mut self) {
        self.depth += 1;
    }
}

fn spend(left: &mut usize, count: usize, what: impl Fn() -> String) -> Outcome<()> {
    let rest = left.checked_sub(count);
    *left = rest.ok_or_else(|| Refusal(format!("{}, the most that is accepted", what())))?;
    Ok(())
}
