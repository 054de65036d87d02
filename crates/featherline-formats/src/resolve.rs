//! Files that a description names, and the folders that they may be in.

use crate::options::LoadOptions;
use crate::warning::WarningCause;
use crate::xml::shortened;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Finds the files that a description names: relative to its own file, by `file://`, and by
/// `package://` (or `model://`) in the folders where packages may be.
pub(crate) struct Resolver<'a> {
    /// The folder of the description's file.
    folder: Option<&'a Path>,
    /// Where packages may be, besides the folders above the description's file.
    packages: Vec<PathBuf>,
    /// The folders that files may be in.
    bounds: Bounds,
    /// The folder that holds each package that was asked for.
    parents: HashMap<String, Option<PathBuf>>,
    /// The file of each name that was asked for: links name their shapes twice, to be seen and to
    /// touch.
    found: HashMap<String, Option<PathBuf>>,
}

impl<'a> Resolver<'a> {
    /// A resolver for the names in a file; the folders of the options come before those of the
    /// environment's `ROS_PACKAGE_PATH`.
    pub(crate) fn new(file: Option<&'a Path>, options: &LoadOptions) -> Self {
        Self {
            folder: file.map(|file| file.parent().unwrap_or(Path::new(""))),
            packages: package_folders(options),
            bounds: Bounds::new(file, options),
            parents: HashMap::new(),
            found: HashMap::new(),
        }
    }

    /// The same for the names in another file.
    pub(crate) fn beside_file(&self, file: Option<&'a Path>) -> Self {
        Self {
            folder: file.map(|file| file.parent().unwrap_or(Path::new(""))),
            packages: self.packages.clone(),
            bounds: self.bounds.clone(),
            parents: HashMap::new(),
            found: HashMap::new(),
        }
    }

    /// The folders that files may be in.
    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Whether the description has a file, so that what it names should be found.
    pub(crate) fn has_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// The file that a text names, if it is there.
    pub(crate) fn find(&mut self, uri: &str) -> Option<PathBuf> {
        if let Some(known) = self.found.get(uri) {
            return known.clone();
        }
        let path = match self.named(uri) {
            Some((path, package)) => self.accepted(path, package.as_deref()),
            None => None,
        };
        self.found.insert(uri.to_owned(), path.clone());
        path
    }

    /// The path that a text names, whether or not a file is there, and the folder of its package.
    fn named(&mut self, uri: &str) -> Option<(PathBuf, Option<PathBuf>)> {
        let schemes = ["package://", "model://"];
        if let Some(rest) = uri.strip_prefix("file://") {
            Some((PathBuf::from(rest), None))
        } else if let Some(rest) = schemes.iter().find_map(|it| uri.strip_prefix(it)) {
            let (package, name) = rest.trim_start_matches('/').split_once('/')?;
            let folder = self.package(package)?;
            Some((folder.join(name.trim_start_matches('/')), Some(folder)))
        } else if uri.contains("://") {
            None
        } else {
            Some((self.folder?.join(uri), None))
        }
    }

    /// The warning of a mesh that was not found by its name.
    pub(crate) fn missing(&mut self, uri: &str) -> WarningCause {
        let is_outside = match self.named(uri) {
            Some((path, None)) => self.is_outside(&path),
            // A name that leads out of a package is not found in it.
            Some((_, Some(_))) | None => false,
        };
        missing_mesh(uri, is_outside)
    }

    /// The same for a path from the folder of the description's file.
    pub(crate) fn missing_beside(&self, path: &Path, uri: &str) -> WarningCause {
        let path = self.folder.map(|folder| folder.join(path));
        missing_mesh(uri, path.is_some_and(|path| self.is_outside(&path)))
    }

    /// Whether a file is there that may not be read. Where an option bounds what is read, nobody
    /// learns which files there are outside.
    fn is_outside(&self, path: &Path) -> bool {
        self.bounds.is_default && path.is_file() && self.bounds.check(path).is_err()
    }

    /// The file at a path from the folder of the description's file, if it is there. A description
    /// passed as a string has no folder, and finds no file, not even by an absolute path.
    pub(crate) fn beside(&self, path: &Path) -> Option<PathBuf> {
        self.accepted(self.folder?.join(path), None)
    }

    /// A path, if a file is there that may be read; one of a package is in its folder.
    fn accepted(&self, path: PathBuf, package: Option<&Path>) -> Option<PathBuf> {
        let is_of_package = package.is_none_or(|it| is_within(&path, &roots_of_package(it)));
        let is_allowed = match package {
            Some(_) if self.bounds.is_default => true,
            _ => self.bounds.check(&path).is_ok(),
        };
        (is_of_package && is_allowed && path.is_file()).then_some(path)
    }

    /// The folder of a package.
    pub(crate) fn package(&mut self, name: &str) -> Option<PathBuf> {
        let parent = self.package_parent(name)?;
        Some(parent.join(name))
    }

    /// The folder that holds a package: one of those given, or one above the description's file.
    fn package_parent(&mut self, package: &str) -> Option<&Path> {
        if !self.parents.contains_key(package) {
            // A folder of packages, or the package itself.
            let given = self.packages.iter().find_map(|folder| {
                match folder.file_name().is_some_and(|name| name == package) {
                    true => folder.parent().map(Path::to_owned),
                    false => folder.join(package).is_dir().then(|| folder.clone()),
                }
            });
            let above = || {
                let folder = self.folder?.canonicalize().ok()?;
                let mut above = folder.ancestors();
                // A folder that merely has the name, such as `/etc`, is no package.
                let is_package = |above: &&Path| {
                    let named = above.join(package);
                    named.is_dir() && (folder.starts_with(&named) || named.join(MANIFEST).is_file())
                };
                above.find(is_package).map(Path::to_owned)
            };
            let parent = given.or_else(above);
            self.parents.insert(package.to_owned(), parent);
        }
        self.parents[package].as_deref()
    }
}

fn missing_mesh(uri: &str, is_outside: bool) -> WarningCause {
    let (uri, count) = (shortened(uri), 1);
    match is_outside {
        true => WarningCause::MeshOutside { first: uri, count },
        false => WarningCause::MissingMesh { uri },
    }
}

/// A path from the root, without links; as it is where that is not known.
pub(crate) fn full(path: &Path) -> PathBuf {
    // The folder of a file that is named without one.
    let path = match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    };
    path.canonicalize()
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// A path from a folder, its steps up taken.
pub(crate) fn joined(folder: &Path, name: &str) -> PathBuf {
    let mut path = folder.to_owned();
    for component in Path::new(name).components() {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are added")]
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

/// The name of a file in a file of a folder: with steps up where it is not below the folder. From
/// the root, if they have but that in common.
pub(crate) fn name_from(path: &Path, folder: &Path) -> PathBuf {
    let own: Vec<_> = path.components().collect();
    let around: Vec<_> = folder.components().collect();
    let common = own.iter().zip(&around).take_while(|(a, b)| a == b).count();
    let is_more_than_root = own[..common]
        .iter()
        .any(|it| matches!(it, Component::Normal(_)));
    if !is_more_than_root {
        return path.to_owned();
    }
    let up = around[common..].iter().map(|_| Component::ParentDir);
    up.chain(own[common..].iter().copied()).collect()
}

/// The file in the folder of a package of ROS.
const MANIFEST: &str = "package.xml";

/// The folders that the files which a description names may be in: those of the option
/// `root_folder`, else that of the file's package and those of packages.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    folders: Vec<PathBuf>,
    /// Whether they follow from where the file is.
    is_default: bool,
}

impl Bounds {
    /// The folders for a file. A text that was passed as a string has none of its own.
    pub(crate) fn new(file: Option<&Path>, options: &LoadOptions) -> Self {
        if !options.root_folders.is_empty() {
            return Self {
                folders: options.root_folders.clone(),
                is_default: false,
            };
        }
        let own = match &options.folders_around {
            Some(folders) => folders.clone(),
            None => file.map(own_folders).unwrap_or_default(),
        };
        Self {
            folders: [own, package_folders(options)].concat(),
            is_default: true,
        }
    }

    /// The folders.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Fails with a reason if a path leads outside, links followed. One that does not exist does
    /// so, too.
    pub(crate) fn check(&self, path: &Path) -> Result<(), String> {
        if is_within(path, &self.folders) {
            return Ok(());
        }
        let first = self.folders.first();
        let named = first.map_or_else(String::new, |it| format!(", such as {}", it.display()));
        let (missing, remedy) = match self.is_default {
            true => (
                "",
                "if you trust the file, name a folder that holds all that it names by the option \
                 `root_folder` (`--root-folder`)",
            ),
            false => (
                "not there, or ",
                "the option `root_folder` (`--root-folder`) names them",
            ),
        };
        Err(format!(
            "it is {missing}outside the folders that files may be in{named}; {remedy}"
        ))
    }
}

/// The folders of packages that the options and the environment name.
fn package_folders(options: &LoadOptions) -> Vec<PathBuf> {
    let mut folders = options.package_folders.clone();
    // In a browser there is neither the variable nor a way to split it.
    if let Some(environment) = std::env::var_os("ROS_PACKAGE_PATH") {
        folders.extend(std::env::split_paths(&environment));
    }
    folders
}

/// The folder of the package that a file is in, else that around its own: beside `urdf/` are
/// `meshes/`. Where the file is a link, also that of what it leads to.
fn own_folders(file: &Path) -> Vec<PathBuf> {
    let own = |file: &Path| {
        let folder = full(file.parent().unwrap_or(Path::new("")));
        let mut above = folder.ancestors().filter(|it| it.parent().is_some());
        let package = above.find(|it| it.join(MANIFEST).is_file());
        // Never all folders of the machine.
        let around = folder.parent().filter(|it| it.parent().is_some());
        package.or(around).unwrap_or(&folder).to_owned()
    };
    let target = file.canonicalize();
    let target = target.as_deref().unwrap_or(file);
    let mut folders = vec![own(file), own(target)];
    folders.dedup();
    folders
}

/// The folders that the files of a package are in: its own, and that which its manifest is a link
/// into.
fn roots_of_package(folder: &Path) -> Vec<PathBuf> {
    let manifest = folder.join(MANIFEST).canonicalize().ok();
    let linked = manifest.and_then(|it| it.parent().map(Path::to_owned));
    std::iter::once(folder.to_owned()).chain(linked).collect()
}

/// Whether a file is in one of the folders, links followed.
fn is_within(path: &Path, folders: &[PathBuf]) -> bool {
    let Ok(path) = path.canonicalize() else {
        return false;
    };
    let mut folders = folders.iter().filter_map(|it| it.canonicalize().ok());
    folders.any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::name_from;
    use std::path::Path;

    #[test]
    fn names_of_files_from_a_folder() {
        let name = |path: &str, folder: &str| name_from(Path::new(path), Path::new(folder));
        assert_eq!(name("/a/r/m.stl", "/a/r"), Path::new("m.stl"));
        assert_eq!(
            name("/a/r/meshes/m.stl", "/a/r/urdf"),
            Path::new("../meshes/m.stl")
        );
        assert_eq!(name("/a/m.stl", "/a/r/x"), Path::new("../../m.stl"));
        assert_eq!(name("/b/m.stl", "/a/r"), Path::new("/b/m.stl"));
    }
}
