//! Phrases that are never right, and comments that are too wide: the list stands in `words.txt`.

use crate::rust_text::divide;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const WIDEST_COMMENT: usize = 100;

struct Phrase {
    words: String,
    legal: Vec<String>,
    replacement: String,
}

/// Lists every hit under `root`, with the line and the replacement.
pub fn check(root: &Path) -> Result<()> {
    let list =
        fs::read_to_string(root.join("xtask/words.txt")).context("cannot read xtask/words.txt")?;
    let phrases = read_phrases(&list)?;
    let mut files = Vec::new();
    text_files(root, &mut files)?;
    let mut hits_in: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for file in &files {
        let text =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let shown = file.strip_prefix(root).unwrap_or(file);
        let is_rust = file.extension().is_some_and(|e| e == "rs");
        let mut hits = if is_rust {
            wide_comments(&text)
        } else {
            Vec::new()
        };
        let prose = if is_rust { divide(&text).prose } else { text };
        hits.extend(search(&prose, &phrases));
        hits.sort();
        for (line, message) in &hits {
            println!("{}:{line}: {message}", shown.display());
        }
        if !hits.is_empty() {
            let inside = if shown.starts_with("crates") { 2 } else { 1 };
            *hits_in
                .entry(shown.iter().take(inside).collect())
                .or_default() += hits.len();
        }
    }
    for (folder, hits) in &hits_in {
        println!("{hits:>6} in {}", folder.display());
    }
    let total: usize = hits_in.values().sum();
    println!(
        "{} files, {} phrases, {total} hits",
        files.len(),
        phrases.len()
    );
    if total > 0 {
        bail!("{total} lines to mend: see above, and xtask/words.txt");
    }
    Ok(())
}

fn read_phrases(list: &str) -> Result<Vec<Phrase>> {
    let lines = list
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let phrases = lines.map(|line| {
        let (phrase, replacement) = line
            .split_once(" = ")
            .with_context(|| format!("words.txt: no ` = ` in `{line}`"))?;
        let (words, legal) = phrase.split_once(", but not ").unwrap_or((phrase, ""));
        Ok(Phrase {
            words: words.to_lowercase(),
            legal: legal
                .split(", ")
                .filter(|l| !l.is_empty())
                .map(str::to_lowercase)
                .collect(),
            replacement: replacement.to_owned(),
        })
    });
    phrases.collect()
}

fn text_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            let is_ours = name != "node_modules" && !name.starts_with("target");
            if is_ours && !name.starts_with('.') {
                text_files(&path, files)?;
            }
        } else if [".rs", ".md", ".toml"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}

fn wide_comments(source: &str) -> Vec<(usize, String)> {
    let mut is_code = false;
    let lines = (1..).zip(source.lines()).filter_map(|(number, line)| {
        let (comment, columns) = (line.trim_start(), line.chars().count());
        let text = comment.trim_start_matches(['/', '!']).trim_start();
        let is_doc = comment.starts_with("///") || comment.starts_with("//!");
        is_code = is_doc && is_code != text.starts_with("```");
        // Tables, addresses and code in examples cannot be broken.
        let is_free = is_code || text.starts_with('|') || text.contains("://");
        let too_wide = comment.starts_with("//") && columns > WIDEST_COMMENT && !is_free;
        too_wide.then(|| {
            (
                number,
                format!("a comment of {columns} columns; at most {WIDEST_COMMENT}"),
            )
        })
    });
    lines.collect()
}

/// The line and the message of each phrase; signs of comments and ends of lines count as one space.
fn search(prose: &str, phrases: &[Phrase]) -> Vec<(usize, String)> {
    let mut text = String::from(" ");
    let mut line_at = vec![1];
    for (number, line) in (1..).zip(prose.lines()) {
        let line = line.trim_start();
        let line = line
            .strip_prefix("///")
            .or(line.strip_prefix("//!"))
            .or(line.strip_prefix("//"))
            .unwrap_or(line);
        for word in line.split_whitespace() {
            text.push_str(&word.to_lowercase());
            text.push(' ');
            line_at.resize(text.len(), number);
        }
    }
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut hits = Vec::new();
    for phrase in phrases {
        for (at, found) in text.match_indices(&phrase.words) {
            let end = at + found.len();
            let is_part =
                is_letter(text[..at].chars().next_back()) || is_letter(text[end..].chars().next());
            if !is_part
                && !phrase
                    .legal
                    .iter()
                    .any(|legal| text[at..].starts_with(legal))
            {
                hits.push((
                    line_at[at],
                    format!("`{}`: write {}", phrase.words, phrase.replacement),
                ));
            }
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_across_lines_and_legal_ones_are_not() {
        let list = "# a comment\nby heart = from memory\nbeacon, but not beacon fire, beacon fires = light\n";
        let phrases = read_phrases(list).unwrap();
        let text = "/// It knows by\n/// Heart.\n// Beacon fires, a beacon fire,\n// a beacon; abeacon. by hearts\n";
        let hits = search(text, &phrases);
        let expected = [
            (1, String::from("`by heart`: write from memory")),
            (4, String::from("`beacon`: write light")),
        ];
        assert_eq!(hits, expected);
        assert!(read_phrases("no replacement\n").is_err());
    }

    #[test]
    fn comments_wider_than_a_hundred_columns_are_found() {
        let word = "a ".repeat(50);
        let source = format!(
            "// {word}\n{word}{word}\n/// | {word} |\n    /// {}\n",
            "a ".repeat(46)
        );
        let hits = wide_comments(&source);
        assert_eq!(
            hits,
            [(1, String::from("a comment of 103 columns; at most 100"))]
        );
    }
}
