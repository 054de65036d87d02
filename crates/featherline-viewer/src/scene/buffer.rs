//! The numbers of a scene.

use serde::Serialize;

/// Numbers, one range after another; each begins at a multiple of eight bytes.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
}

/// Where numbers are in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Range {
    /// The first byte.
    offset: usize,
    /// How many numbers there are.
    count: usize,
}

impl Buffer {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds numbers of any type by their bytes.
    pub(super) fn push<const N: usize>(
        &mut self,
        numbers: impl ExactSizeIterator<Item = [u8; N]>,
    ) -> Range {
        let aligned = self.bytes.len().next_multiple_of(size_of::<f64>());
        self.bytes.resize(aligned, 0);
        let count = numbers.len();
        self.bytes.reserve(count * N);
        numbers.for_each(|number| self.bytes.extend(number));
        Range {
            offset: aligned,
            count,
        }
    }
}
