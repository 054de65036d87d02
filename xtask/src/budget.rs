//! Sizes and counts of the project, beside their limits in `xtask/budget.toml`.
//!
//! Only sizes and counts, which do not vary from run to run.

use crate::metadata::{self, Package, Target};
use crate::{ci, first_minute, package, paths, python, rust_text};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

const FILE: &str = "xtask/budget.toml";

/// Figures by section and name.
type Figures = BTreeMap<String, BTreeMap<String, u64>>;

/// Releases, which take minutes to build: the checks compare debug builds.
pub const NPM: &str = "npm";
pub const RELEASED_WHEEL: &str = "released-wheel";
const RELEASED_PROGRAM: &str = "released-program";
const RELEASED: [&str; 3] = [NPM, RELEASED_WHEEL, RELEASED_PROGRAM];

/// Compares what the steps `first-minute` and `python` have left built, and what no step builds.
/// Needed: binutils.
pub fn check() -> Result<()> {
    let measured = Figures::from(
        [
            ("tested-program", program(&first_minute::program())?),
            ("tested-wheel", weight(&package::tested_library()?)?),
            ("packages", packages()?),
            ("tests", tests()?),
            ("page", page()?),
            ("lines", lines()?),
        ]
        .map(|(section, figures)| (section.to_owned(), figures)),
    );
    let mut budget = budget()?;
    budget.retain(|section, _| !RELEASED.contains(&section.as_str()));
    compare(&measured, &budget)
}

/// Builds the program as it is released, with default features, and compares it.
pub fn check_program() -> Result<()> {
    python::run(ci::cargo().args(["build", "--release"]))?;
    let built = paths::target().join("release/featherline");
    check_release(RELEASED_PROGRAM, program(&built)?)
}

/// Compares one section that a release measures.
pub fn check_release(section: &str, figures: BTreeMap<String, u64>) -> Result<()> {
    let mut budget = budget()?;
    budget.retain(|name, _| name == section);
    compare(&Figures::from([(section.to_owned(), figures)]), &budget)
}

fn budget() -> Result<Figures> {
    let text = fs::read_to_string(paths::root().join(FILE))
        .with_context(|| format!("cannot read {FILE}"))?;
    toml::from_str(&text).with_context(|| format!("{FILE} is not a table of numbers"))
}

/// Prints all figures; fails if one is above its budget, or only on one side.
fn compare(measured: &Figures, budget: &Figures) -> Result<()> {
    let mut faults = Vec::new();
    let sections: BTreeSet<_> = measured.keys().chain(budget.keys()).collect();
    let none = BTreeMap::new();
    for section in sections {
        let found = measured.get(section).unwrap_or(&none);
        let allowed = budget.get(section).unwrap_or(&none);
        let names: BTreeSet<_> = found.keys().chain(allowed.keys()).collect();
        for name in names {
            let entry = format!("{section}.{name}");
            match (found.get(name), allowed.get(name)) {
                (Some(found), Some(allowed)) => {
                    println!("{entry:<34} {found:>10} of {allowed:>10}");
                    if found > allowed {
                        faults.push(format!("{entry} is {found}, above its {allowed}"));
                    }
                }
                (Some(found), None) => faults.push(format!("{entry} is {found}, and has no entry")),
                (None, _) => faults.push(format!("{entry} is not measured; remove its entry")),
            }
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    bail!(
        "{}\nMake it lighter, or raise {FILE} in the same commit, whose message gives the reason. \
         To measure again: cargo xtask ci --only first-minute python budget",
        faults.join("\n")
    );
}

/// Bytes of machine code, and of the whole file without symbols.
fn weight(file: &Path) -> Result<BTreeMap<String, u64>> {
    let sections = python::output(Command::new("size").args(["-A", "-d"]).arg(file))
        .context("the steps `first-minute` and `python` build what is measured")?;
    let text = sections
        .lines()
        .filter_map(|line| line.strip_prefix(".text "))
        .filter_map(|rest| rest.split_whitespace().next()?.parse().ok())
        .next()
        .with_context(|| format!("{} has no section .text", file.display()))?;
    let stripped = paths::target().join("stripped");
    python::run(Command::new("strip").arg("-o").arg(&stripped).arg(file))?;
    let bytes = fs::metadata(&stripped)?.len();
    fs::remove_file(&stripped)?;
    Ok(BTreeMap::from([
        ("text-bytes".to_owned(), text),
        ("stripped-bytes".to_owned(), bytes),
    ]))
}

/// The weight of a program, and how many kernels it has for each instruction set.
fn program(file: &Path) -> Result<BTreeMap<String, u64>> {
    let mut figures = weight(file)?;
    let symbols = python::output(Command::new("nm").arg(file))?;
    for (set, entry) in [
        ("avx512", "run_with_avx512"),
        ("avx2", "run_with_avx2"),
        ("baseline", "run_portably"),
    ] {
        let entries = symbols.lines().filter(|line| line.contains(entry));
        figures.insert(format!("kernels-{set}"), entries.count() as u64);
    }
    Ok(figures)
}

/// How many packages are compiled for the program with default features, and for the core alone.
fn packages() -> Result<BTreeMap<String, u64>> {
    let count = |package: &str| -> Result<u64> {
        let tree = ["tree", "--quiet", "--prefix", "none", "--format", "{p}"];
        let edges = ["--edges", "normal,build", "--package", package];
        let lines = python::output(ci::cargo().args(tree).args(edges))?;
        let packages: BTreeSet<_> = lines
            .lines()
            .map(|it| it.trim_end_matches(" (*)"))
            .collect();
        Ok(packages.len() as u64)
    };
    Ok(BTreeMap::from([
        ("default-program".to_owned(), count("featherline-cli")?),
        ("featherline".to_owned(), count("featherline")?),
    ]))
}

/// The links of `cargo test --workspace`: programs with a test harness, and examples.
fn tests() -> Result<BTreeMap<String, u64>> {
    let packages = metadata::packages()?;
    let count = |chosen: fn(&Target) -> bool| {
        let targets = packages.iter().flat_map(|package| &package.targets);
        targets.filter(|target| chosen(target)).count() as u64
    };
    Ok(BTreeMap::from([
        ("harnesses".to_owned(), count(|it| it.test)),
        ("examples".to_owned(), count(Target::is_example)),
    ]))
}

/// The page of the viewer, which the program has in it.
fn page() -> Result<BTreeMap<String, u64>> {
    let page = paths::root().join("crates/featherline-viewer/dist/index.html");
    let bytes = fs::metadata(&page).with_context(|| format!("cannot read {}", page.display()))?;
    Ok(BTreeMap::from([("bytes".to_owned(), bytes.len())]))
}

/// Lines of code of each crate's `src`, without comments, blank lines and tests.
fn lines() -> Result<BTreeMap<String, u64>> {
    let mut lines = BTreeMap::new();
    // Packages that users get, and not those that developers run.
    let is_product = |package: &Package| {
        let folder = package.manifest_path.parent().unwrap_or(Path::new(""));
        let own = folder.strip_prefix(paths::root()).unwrap_or(folder);
        let products = ["crates", "python", "robots", "viewer"];
        products.iter().any(|it| own.starts_with(it))
    };
    for package in metadata::packages()?.into_iter().filter(is_product) {
        let folder = package.manifest_path.with_file_name("src");
        let mut sum = 0;
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else {
                continue;
            };
            for entry in entries {
                let path = entry?.path();
                if path.file_stem().is_some_and(|name| name == "tests") {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    sum += code_lines(&fs::read_to_string(&path)?);
                }
            }
        }
        if sum > 0 {
            lines.insert(package.name, sum);
        }
    }
    ensure!(!lines.is_empty(), "no crate has sources");
    Ok(lines)
}

/// Lines with code that is not a test's.
fn code_lines(source: &str) -> u64 {
    let code = rust_text::without_tests(&rust_text::divide(source).code);
    code.lines().filter(|line| !line.trim().is_empty()).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(section: &str, name: &str, value: u64) -> Figures {
        let figures = BTreeMap::from([(name.to_owned(), value)]);
        Figures::from([(section.to_owned(), figures)])
    }

    #[test]
    fn what_is_above_its_budget_or_not_in_it_is_named() {
        let budget = figures("program", "text-bytes", 10);
        assert!(compare(&figures("program", "text-bytes", 10), &budget).is_ok());
        for (measured, fault) in [
            (
                figures("program", "text-bytes", 11),
                "program.text-bytes is 11, above its 10",
            ),
            (
                figures("program", "data", 1),
                "program.data is 1, and has no entry",
            ),
            (Figures::new(), "program.text-bytes is not measured"),
        ] {
            let error = compare(&measured, &budget).unwrap_err().to_string();
            assert!(error.contains(fault), "{error}");
        }
    }

    #[test]
    fn comments_blank_lines_and_tests_are_no_code() {
        let source =
            "//! Page.\n\nfn a() {} // says\n/* b\n*/\nfn c() {}\n#[cfg(test)]\nmod tests {}\n";
        assert_eq!(code_lines(source), 2);
    }

    #[test]
    fn the_budget_is_a_table_of_numbers() {
        let budget = budget().unwrap();
        assert!(RELEASED.iter().all(|it| budget.contains_key(*it)));
    }
}
