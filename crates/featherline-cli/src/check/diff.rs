//! Differences of texts, as `diff -u` shows them.

use similar::ChangeTag;
use similar::algorithms::{Capture, Replace, myers};
use std::convert::Infallible;
use std::fmt::Write;

/// Lines around a difference.
const CONTEXT: usize = 3;

/// How a text differs from the one that it was; empty if it does not. `printed` makes lines fit to
/// be shown.
pub fn unified(file: &str, old: &str, new: &str, printed: impl Fn(&str, char) -> String) -> String {
    let (line, old, new) = window(old, new);
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    // One algorithm, of lines: `TextDiff` brings all of them, 0.5 MB.
    let mut changes = Replace::new(Capture::new());
    let lines = (0..old.len(), 0..new.len());
    let Ok(()): Result<(), Infallible> =
        myers::diff(&mut changes, &old[..], lines.0, &new[..], lines.1);
    let mut text = String::new();
    for group in changes.into_inner().into_grouped_ops(CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        if text.is_empty() {
            text += &printed(&format!("--- {file}\n"), ' ');
            text += &printed(&format!("+++ {file}\n"), ' ');
        }
        let range = |start: usize, end: usize| {
            // Of nothing, the line before it.
            let (first, count) = (line + start, end - start);
            match count {
                0 => format!("{first},0"),
                1 => format!("{}", first + 1),
                _ => format!("{},{count}", first + 1),
            }
        };
        let before = range(first.old_range().start, last.old_range().end);
        let after = range(first.new_range().start, last.new_range().end);
        text += &printed(&format!("@@ -{before} +{after} @@\n"), '@');
        for op in &group {
            for change in op.iter_changes(&old[..], &new[..]) {
                let sign = match change.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                };
                let value = change.value();
                text += &printed(&format!("{sign}{value}"), sign);
                if !value.ends_with('\n') {
                    // Writing to a string does not fail.
                    let _ = writeln!(text, "\n\\ No newline at end of file");
                }
            }
        }
    }
    text
}

/// The lines of two texts that differ, with context, and how many lines are before them: a text may
/// be long, and the difference is not.
fn window<'a>(old: &'a str, new: &'a str) -> (usize, &'a str, &'a str) {
    let same = |a: u8, b: u8| a == b;
    let pairs = old.bytes().zip(new.bytes());
    let prefix = pairs.take_while(|(a, b)| same(*a, *b)).count();
    let shortest = old.len().min(new.len());
    let ends = old.bytes().rev().zip(new.bytes().rev());
    let suffix = ends.take_while(|(a, b)| same(*a, *b)).count();
    let suffix = suffix.min(shortest - prefix);
    let mut start = prefix;
    for _ in 0..=CONTEXT + 1 {
        start = old.as_bytes()[..start]
            .iter()
            .rposition(|it| *it == b'\n')
            .unwrap_or(0);
    }
    let start = match start {
        0 => 0,
        newline => newline + 1,
    };
    let tail = &old.as_bytes()[old.len() - suffix..];
    let mut kept = 0;
    for _ in 0..=CONTEXT + 1 {
        let next = tail[kept..].iter().position(|it| *it == b'\n');
        kept = next.map_or(tail.len(), |at| kept + at + 1);
    }
    let (old_end, new_end) = (old.len() - suffix + kept, new.len() - suffix + kept);
    let line = old.as_bytes()[..start]
        .iter()
        .filter(|it| **it == b'\n')
        .count();
    (line, &old[start..old_end], &new[start..new_end])
}

#[cfg(test)]
mod tests {
    use super::unified;

    fn plain(old: &str, new: &str) -> String {
        unified("f", old, new, |line, _| line.to_owned())
    }

    #[test]
    fn differences_have_their_lines_and_three_around_them() {
        let old: String = (1..=30).map(|k| format!("line {k}\n")).collect();
        let new = old.replace("line 15\n", "LINE 15\nand more\n");
        let expected = "--- f\n+++ f\n@@ -12,7 +12,8 @@\n line 12\n line 13\n line 14\n-line 15\n+LINE 15\n\
                        +and more\n line 16\n line 17\n line 18\n";
        assert_eq!(plain(&old, &new), expected);
        assert_eq!(plain(&old, &old), "");
        // At both ends.
        let first = plain(&old, &old.replacen("line 1\n", "", 1));
        assert!(
            first.starts_with("--- f\n+++ f\n@@ -1,4 +1,3 @@\n-line 1\n line 2\n"),
            "{first}"
        );
        let last = plain("a\nb", "a\nc");
        let expected = "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\n\\ No newline at end of file\n+c\n\n\\ No newline";
        assert!(last.starts_with(&expected.replace("\n\n", "\n")), "{last}");
    }

    #[test]
    fn multibyte_characters_that_begin_alike_are_not_cut() {
        // é and è have the same first byte.
        let shown = plain("a é\n", "a è\n");
        assert!(shown.ends_with("-a é\n+a è\n"), "{shown}");
    }
}
