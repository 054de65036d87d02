//! Which module may use which: the order stands in `layers.toml`.

use crate::rust_text::{divide, without_tests};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The entry of a crate in `layers.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layers {
    uses: Vec<String>,
    floors: Vec<String>,
}

#[derive(Deserialize)]
struct Manifest {
    package: Package,
    #[serde(default)]
    dependencies: BTreeMap<String, toml::Value>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

/// Checks the crates of the repository at `root`. The names of crates without layers are printed.
pub fn check(root: &Path) -> Result<()> {
    let file = root.join("xtask/layers.toml");
    let text =
        fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let layers: BTreeMap<String, Layers> =
        toml::from_str(&text).with_context(|| format!("{} is not as expected", file.display()))?;
    let mut folders: Vec<PathBuf> = fs::read_dir(root.join("crates"))?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<std::io::Result<_>>()?;
    folders.extend(["python", "robots"].map(|folder| root.join(folder)));
    folders.sort();
    let (mut violations, mut modules) = (Vec::new(), 0);
    let mut seen = Vec::new();
    for folder in folders.iter().filter(|f| f.join("Cargo.toml").is_file()) {
        let manifest: Manifest = toml::from_str(&fs::read_to_string(folder.join("Cargo.toml"))?)
            .with_context(|| format!("in {}", folder.display()))?;
        let name = manifest.package.name;
        let Some(layers) = layers.get(&name) else {
            let message = format!("{name} has no layers in xtask/layers.toml");
            println!("{message}");
            violations.push(message);
            continue;
        };
        let in_house = manifest
            .dependencies
            .keys()
            .filter(|d| d.starts_with("featherline"));
        for dependency in in_house.filter(|d| !layers.uses.contains(d)) {
            let allowed = layers.uses.join(", ");
            violations.push(format!(
                "{}/Cargo.toml: {name} -> {dependency}; allowed: {name} -> {{{allowed}}}",
                shown(folder, root)
            ));
        }
        modules += check_crate(folder, &layers.floors, root, &mut violations)?;
        seen.push(name);
    }
    if let Some(absent) = layers.keys().find(|name| !seen.contains(name)) {
        violations.push(format!("xtask/layers.toml: there is no crate {absent}"));
    }
    violations.dedup();
    if violations.is_empty() {
        println!(
            "{} crates, {modules} modules: every arrow points down",
            seen.len()
        );
        return Ok(());
    }
    bail!(
        "{}\n{} arrows are not allowed",
        violations.join("\n"),
        violations.len()
    )
}

/// Adds to `violations`; gives the number of modules at the top of the crate.
fn check_crate(
    folder: &Path,
    floors: &[String],
    root: &Path,
    violations: &mut Vec<String>,
) -> Result<usize> {
    let source = folder.join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files)?;
    let floor_of = |module: &str| {
        floors
            .iter()
            .position(|floor| floor.split(' ').any(|m| m == module))
    };
    // The root's re-exports, by the module that has them: `crate::Model` is `crate::model`.
    let root_file = fs::read_to_string(source.join("lib.rs")).unwrap_or_default();
    let exports = paths(
        &without_tests(&divide(&root_file).code).replace("pub use ", "pub use crate::"),
        &[],
    );
    let mut modules = 0;
    for file in files {
        let inside = module_path(&file, &source);
        let Some(user) = inside
            .first()
            .filter(|_| file.parent() != Some(&source) || !is_root(&file))
        else {
            continue;
        };
        modules += usize::from(inside.len() == 1);
        let Some(from) = floor_of(user) else {
            let name = shown(folder, root);
            violations.push(format!("{name}: module `{user}` is on no floor"));
            continue;
        };
        let text = fs::read_to_string(&file)?;
        for (line, path) in paths(&without_tests(&divide(&text).code), &inside) {
            let export = exports
                .iter()
                .find(|(_, e)| e.len() > 1 && e.last() == path.first());
            let Some(used) = export.map_or(path.first(), |(_, e)| e.first()) else {
                continue;
            };
            // A name that is no module is a macro or an item of lib.rs.
            if let Some(to) = floor_of(used).filter(|to| *to >= from && used != user) {
                let place = if to == from { "beside" } else { "above" };
                violations.push(format!(
                    "{}:{line}: {user} -> {used}, which is {place} it; allowed: {used} -> {user}",
                    shown(&file, root)
                ));
            }
        }
    }
    Ok(modules)
}

fn is_root(file: &Path) -> bool {
    file.ends_with("lib.rs") || file.ends_with("main.rs")
}

fn shown<'a>(file: &'a Path, root: &Path) -> std::path::Display<'a> {
    file.strip_prefix(root).unwrap_or(file).display()
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut entries: Vec<PathBuf> = entries
        .map(|e| e.map(|e| e.path()))
        .collect::<std::io::Result<_>>()?;
    entries.sort();
    for path in entries {
        // Files of tests may use anything.
        if path.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        if path.is_dir() {
            rust_files(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// `src/a/b.rs` and `src/a/b/mod.rs` are `[a, b]`.
fn module_path(file: &Path, source: &Path) -> Vec<String> {
    let inside = file.strip_prefix(source).unwrap_or(file).with_extension("");
    let names = inside
        .iter()
        .map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name != "mod").collect()
}

/// The line and the names, from the root of the crate, of each path that begins with `crate` or
/// `super`; those of a group count one by one. What a macro names by `$crate` is used where the
/// macro is, and does not count.
fn paths(code: &str, inside: &[String]) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for word in ["crate::", "super::"] {
        for (at, _) in code.match_indices(word) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || "_:$".contains(c)) {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            let mut rest = &code[at..];
            let mut prefix: &[String] = if word == "crate::" { &[] } else { inside };
            while let Some(after) = rest.strip_prefix("super::") {
                prefix = &prefix[..prefix.len().saturating_sub(1)];
                rest = after;
            }
            expand(
                rest.strip_prefix("crate::").unwrap_or(rest),
                prefix,
                line,
                &mut found,
            );
        }
    }
    found
}

/// Reads the path, or each path of the group in braces, at the beginning of `rest`; gives what
/// follows.
fn expand<'a>(
    rest: &'a str,
    prefix: &[String],
    line: usize,
    found: &mut Vec<(usize, Vec<String>)>,
) -> &'a str {
    let rest = rest.trim_start();
    if let Some(mut group) = rest.strip_prefix('{') {
        loop {
            let line = line
                + rest[..rest.len() - group.trim_start().len()]
                    .matches('\n')
                    .count();
            group = expand(group, prefix, line, found).trim_start();
            match group.strip_prefix(',') {
                Some(next) if !next.trim_start().starts_with('}') => group = next,
                Some(next) => return next.trim_start().strip_prefix('}').unwrap_or(next),
                None => return group.strip_prefix('}').unwrap_or(group),
            }
        }
    }
    let end = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    let mut path = prefix.to_vec();
    path.push(name.to_owned());
    if let Some(inner) = after
        .strip_prefix("::")
        .filter(|i| i.starts_with(|c: char| c == '{' || c.is_alphabetic()))
    {
        return expand(inner, &path, line, found);
    }
    if !name.is_empty() {
        found.push((line, path));
    }
    // `name as other`
    match after.trim_start().strip_prefix("as ") {
        Some(alias) => alias
            .trim_start()
            .trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
        None => after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYERS: &str = "[a]\nuses = []\nfloors = [\"low\", \"left right\", \"high\"]\n";

    /// A repository of one crate, with these files in its `src`.
    fn outcome(name: &str, dependencies: &str, files: &[(&str, &str)]) -> Result<(), String> {
        let root =
            std::env::temp_dir().join(format!("featherline-layers-{}-{name}", std::process::id()));
        let write = |path: &str, text: &str| {
            let file = root.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write("xtask/layers.toml", LAYERS);
        write(
            "crates/a/Cargo.toml",
            &format!("[package]\nname = \"a\"\n[dependencies]\n{dependencies}"),
        );
        write(
            "crates/a/src/lib.rs",
            "mod low; mod left; mod right; mod high;\npub use high::Tower;\n",
        );
        for (path, text) in files {
            write(&format!("crates/a/src/{path}"), text);
        }
        let outcome = check(&root).map_err(|error| error.to_string());
        fs::remove_dir_all(&root).unwrap();
        outcome
    }

    #[test]
    fn arrows_that_point_down_pass() {
        let files = [
            (
                "low.rs",
                "// use crate::high;\n#[cfg(test)]\nmod tests { use crate::high::B; }\npub struct A;\n\
                 macro_rules! m { () => { $crate::high::B }; }\n",
            ),
            ("high/mod.rs", "mod inner;\nuse crate::{left::L, low};\n"),
            (
                "high/inner.rs",
                "use super::inner;\nuse super::super::right;\nfn f() { crate::low::g() }\n",
            ),
        ];
        assert_eq!(outcome("down", "", &files), Ok(()));
    }

    #[test]
    fn arrows_that_point_up_or_aside_fail_with_their_lines() {
        let up = outcome(
            "up",
            "",
            &[(
                "low.rs",
                "pub struct A;\nuse crate::{\n    low::A,\n    high::B as C,\n};\n",
            )],
        );
        assert!(up.unwrap_err().starts_with(
            "crates/a/src/low.rs:4: low -> high, which is above it; allowed: high -> low"
        ));
        let export = outcome(
            "export",
            "",
            &[("low/deep.rs", "fn f(_: &crate::Tower) {}\n")],
        );
        assert!(
            export
                .unwrap_err()
                .starts_with("crates/a/src/low/deep.rs:1: low -> high")
        );
        let aside = outcome("aside", "", &[("left.rs", "use super::right::R;\n")]);
        assert!(
            aside
                .unwrap_err()
                .contains("left -> right, which is beside it")
        );
        let unknown = outcome("unknown", "", &[("attic.rs", "")]);
        assert!(unknown.unwrap_err().contains("`attic` is on no floor"));
    }

    #[test]
    fn dependencies_that_are_not_allowed_fail() {
        let dependency = outcome(
            "dependency",
            "featherline-cli = \"1\"\nserde = \"1\"\n",
            &[],
        );
        assert!(
            dependency
                .unwrap_err()
                .starts_with("crates/a/Cargo.toml: a -> featherline-cli")
        );
    }
}
