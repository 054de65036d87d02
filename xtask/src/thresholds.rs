//! The page of the book that lists the thresholds of the source: every named `f64` with its value
//! and its documentation.

use crate::paths;
use anyhow::{Context, Result, bail};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const PAGE: &str = "book/src/design/thresholds.md";
const BEGIN: &str = "<!-- thresholds -->\n";

/// Writes the page's tables.
pub fn run() -> Result<()> {
    let (root, page) = (paths::root(), paths::root().join(PAGE));
    let text = fs::read_to_string(&page).with_context(|| format!("cannot read {PAGE}"))?;
    fs::write(&page, with_tables(&text, root)?).with_context(|| format!("cannot write {PAGE}"))
}

/// The page with the tables of the source as it is now.
fn with_tables(page: &str, root: &Path) -> Result<String> {
    let begin = page.find(BEGIN).context("the page has no mark")? + BEGIN.len();
    let mut text = page[..begin].to_owned();
    let mut crates: Vec<PathBuf> = fs::read_dir(root.join("crates"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    crates.sort();
    for folder in crates {
        let mut rows = String::new();
        write_rows(&folder.join("src"), &folder.join("src"), &mut rows)?;
        if !rows.is_empty() {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            write!(
                text,
                "\n## {name}\n\n| threshold | value | what it decides |\n|---|---|---|\n{rows}"
            )?;
        }
    }
    Ok(text)
}

/// A row for each threshold of the files below `folder`.
fn write_rows(src: &Path, folder: &Path, rows: &mut String) -> Result<()> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if !path.ends_with("samples") {
                write_rows(src, &path, rows)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            let file = path.strip_prefix(src)?.display();
            for threshold in thresholds(&fs::read_to_string(&path)?) {
                if threshold.decides.is_empty() {
                    bail!("{file}: say in a comment what `{}` decides", threshold.name);
                }
                let Threshold {
                    name,
                    value,
                    decides,
                } = threshold;
                writeln!(rows, "| `{name}`<br>{file} | {value} | {decides} |")?;
            }
        }
    }
    Ok(())
}

#[derive(Debug, PartialEq)]
struct Threshold {
    name: String,
    value: String,
    decides: String,
}

/// The constants of type `f64` that stand outside functions, with the first paragraph of their
/// documentation; a constant without one shares that of the line before.
fn thresholds(source: &str) -> Vec<Threshold> {
    let mut found: Vec<Threshold> = Vec::new();
    let (mut paragraph, mut shared) = (String::new(), String::new());
    let (mut is_complete, mut follows) = (false, false);
    for line in source.lines() {
        if line == "mod tests {" {
            break;
        }
        // An item that is indented and not public belongs to a function, or to a trait of numbers.
        let line = match line.trim_start() {
            inner if inner.starts_with("///") || inner.starts_with("pub ") => inner,
            _ => line,
        };
        if line.starts_with("#[") {
            continue;
        }
        if let Some(documentation) = line.strip_prefix("///") {
            let words = documentation.trim();
            is_complete |= words.is_empty();
            if !is_complete {
                let space = if paragraph.is_empty() { "" } else { " " };
                paragraph.push_str(space);
                paragraph.push_str(words);
            }
            continue;
        }
        let constant = line
            .split_once("const ")
            .filter(|(visibility, _)| visibility.is_empty() || visibility.starts_with("pub"))
            .map(|(_, constant)| constant);
        if paragraph.is_empty() && follows {
            paragraph.clone_from(&shared);
        }
        if let Some((name, value)) = constant.and_then(|rest| rest.split_once(": f64 = ")) {
            let value = value.split_once(';').map_or(value, |(value, _)| value);
            found.push(Threshold {
                name: name.to_owned(),
                value: without_links(value),
                decides: without_links(&paragraph),
            });
        }
        follows = constant.is_some();
        (shared, paragraph, is_complete) = (paragraph, String::new(), false);
    }
    found
}

/// Text of a table's cell: links of rustdoc show their words only.
fn without_links(text: &str) -> String {
    let mut rest = text.replace('|', "\\|").replace('_', "\\_");
    while let Some((before, link)) = rest.split_once("](") {
        let after = link.split_once(')').map_or("", |(_, after)| after);
        rest = format!("{before}]{after}");
    }
    rest.replace("[`", "`")
        .replace("`]", "`")
        .replace(['[', ']'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_thresholds_is_that_of_the_source() {
        let page = fs::read_to_string(paths::root().join(PAGE)).unwrap();
        let now = with_tables(&page, paths::root()).unwrap();
        assert!(page == now, "run `cargo xtask thresholds`");
    }

    #[test]
    fn a_threshold_has_its_value_and_the_first_paragraph_of_its_documentation() {
        let source = "/// Closed, in m, see [`assemble`](crate::assemble).\n///\n/// Why.\npub const \
                      CLOSED: f64 = 1e-9;\nconst OPEN: f64 = 1.0;\nfn f() { let x: f64 = 2.0; }\n";
        let rows = thresholds(source);
        let row = |name: &str, value: &str| Threshold {
            name: name.into(),
            value: value.into(),
            decides: "Closed, in m, see `assemble`.".into(),
        };
        assert_eq!(rows, [row("CLOSED", "1e-9"), row("OPEN", "1.0")]);
    }
}
