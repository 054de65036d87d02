//! The edits of a text so far: made on the text as it is, kept by the text as it was.

use std::ops::Range;

/// A text, and what was replaced in it.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    text: String,
    /// In the order of the text; they do not overlap.
    changes: Vec<Change>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The piece of the text as it was.
    pub(super) range: Range<usize>,
    /// The text that replaces it.
    pub(super) text: String,
    /// The index of the repair that it belongs to.
    pub(super) repair: usize,
}

impl Ledger {
    pub(super) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            changes: Vec::new(),
        }
    }

    /// The text as it is.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// All changes, in the order of the text.
    pub(super) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The byte of the text as it was at a byte of the text as it is; inside a change, its
    /// beginning.
    pub(super) fn original(&self, offset: usize) -> usize {
        let mut shift = 0isize;
        for change in &self.changes {
            let start = change.range.start.saturating_add_signed(shift);
            if offset < start {
                break;
            }
            if offset < start + change.text.len() {
                return change.range.start;
            }
            shift += change.text.len() as isize - change.range.len() as isize;
        }
        offset.saturating_add_signed(-shift)
    }

    /// Replaces a piece of the text as it is. An edit that touches the inside of an earlier one
    /// becomes part of it.
    pub(super) fn replace(&mut self, range: Range<usize>, text: &str, repair: usize) {
        // The pieces of the text as it is that earlier changes made, and how much longer it is
        // before each of them.
        let (mut made, mut longer) = (Vec::with_capacity(self.changes.len()), vec![0]);
        let mut shift = 0isize;
        for change in &self.changes {
            let start = change.range.start.saturating_add_signed(shift);
            made.push(start..start + change.text.len());
            shift += change.text.len() as isize - change.range.len() as isize;
            longer.push(shift);
        }
        let first = made.partition_point(|it| it.end <= range.start);
        let last = made.partition_point(|it| it.start < range.end).max(first);
        let before = |offset: usize, changes: usize| offset.saturating_add_signed(-longer[changes]);
        let mut merged = Change {
            range: before(range.start, first)..before(range.end, last),
            text: text.to_owned(),
            repair,
        };
        if last > first {
            let (begin, end) = (&made[first], &made[last - 1]);
            let (outer, inner) = (&self.changes[first], &self.changes[last - 1]);
            merged.repair = outer.repair;
            if begin.start < range.start {
                merged.range.start = outer.range.start;
                let before = &self.text[begin.start..range.start];
                merged.text.insert_str(0, before);
            }
            if end.end > range.end {
                merged.range.end = inner.range.end;
                merged.text.push_str(&self.text[range.end..end.end]);
            }
        }
        self.changes.splice(first..last, [merged]);
        self.text.replace_range(range, text);
    }
}

#[cfg(test)]
mod tests {
    use super::Ledger;

    fn of_original(original: &str, ledger: &Ledger) -> String {
        let (mut text, mut here) = (String::new(), 0);
        for change in ledger.changes() {
            assert!(here <= change.range.start, "{:?}", ledger.changes());
            text += &original[here..change.range.start];
            text += &change.text;
            here = change.range.end;
        }
        text + &original[here..]
    }

    #[test]
    fn edits_of_edited_text_are_edits_of_the_original() {
        let original = "0123456789";
        let mut ledger = Ledger::new(original);
        ledger.replace(5..6, "five", 0);
        assert_eq!(ledger.text(), "01234five6789");
        ledger.replace(0..1, "", 1);
        ledger.replace(9..10, "-", 2);
        assert_eq!(ledger.text(), "1234five6-89");
        assert_eq!(ledger.original(9), 7);
        // Inside and around an earlier change.
        ledger.replace(3..6, "<>", 3);
        assert_eq!(ledger.text(), "123<>ve6-89");
        let repairs: Vec<usize> = ledger.changes().iter().map(|it| it.repair).collect();
        assert_eq!(repairs, [1, 0, 2]);
        // Two insertions at one place keep their order.
        ledger.replace(11..11, "a", 4);
        ledger.replace(12..12, "b", 5);
        assert_eq!(of_original(original, &ledger), "123<>ve6-89ab");
    }

    #[test]
    fn random_edits_give_the_same_text_both_ways() {
        let mut seed = 7u64;
        let mut random = |below: usize| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        let original: String = ('a'..='z').collect();
        for _ in 0..500 {
            let mut ledger = Ledger::new(&original);
            let mut expected = original.clone();
            for repair in 0..12 {
                let start = random(expected.len() + 1);
                let end = (start + random(5)).min(expected.len());
                let text = &"XYZW"[..random(5)];
                expected.replace_range(start..end, text);
                ledger.replace(start..end, text, repair);
                assert_eq!(ledger.text(), expected);
                assert_eq!(of_original(&original, &ledger), expected);
            }
        }
    }
}
