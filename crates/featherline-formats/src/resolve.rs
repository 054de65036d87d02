//! Files that a description names.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Finds the files that a description names: relative to its own file, by `file://`, and by
/// `package://` (or `model://`) in the folders where packages may be.
pub(crate) struct Resolver<'a> {
    /// The folder of the description's file.
    folder: Option<&'a Path>,
    /// Where packages may be, besides the folders above the description's file.
    packages: Vec<PathBuf>,
    /// The folders that all files must be in; without any, they may be anywhere.
    roots: &'a [PathBuf],
    /// The folder that holds each package that was asked for.
    parents: HashMap<String, Option<PathBuf>>,
    /// The file of each name that was asked for: links name their shapes twice, to be seen and to
    /// touch.
    found: HashMap<String, Option<PathBuf>>,
}

impl<'a> Resolver<'a> {
    /// A resolver for the names in a file; `folders` come before those of the environment's
    /// `ROS_PACKAGE_PATH`.
    pub(crate) fn new(file: Option<&'a Path>, folders: &[PathBuf], roots: &'a [PathBuf]) -> Self {
        let mut packages = folders.to_vec();
        // In a browser there is neither the variable nor a way to split it.
        if let Some(environment) = std::env::var_os("ROS_PACKAGE_PATH") {
            packages.extend(std::env::split_paths(&environment));
        }
        Self {
            folder: file.map(|file| file.parent().unwrap_or(Path::new(""))),
            packages,
            roots,
            parents: HashMap::new(),
            found: HashMap::new(),
        }
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
        let path = self.named(uri).and_then(|path| self.accepted(path));
        self.found.insert(uri.to_owned(), path.clone());
        path
    }

    /// The path that a text names, whether or not a file is there.
    fn named(&mut self, uri: &str) -> Option<PathBuf> {
        let path = if let Some(rest) = uri.strip_prefix("file://") {
            PathBuf::from(rest)
        } else if let Some(rest) = ["package://", "model://"]
            .iter()
            .find_map(|scheme| uri.strip_prefix(scheme))
        {
            let rest = rest.trim_start_matches('/');
            let (package, _) = rest.split_once('/')?;
            self.package_parent(package)?.join(rest)
        } else if uri.contains("://") {
            return None;
        } else {
            self.folder?.join(uri)
        };
        Some(path)
    }

    /// The file at a path from the folder of the description's file, if it is there. What was
    /// passed as a string has no folder, and finds no file, not even by an absolute path.
    pub(crate) fn beside(&self, path: &Path) -> Option<PathBuf> {
        self.accepted(self.folder?.join(path))
    }

    /// A path, if a file is there that may be read.
    fn accepted(&self, path: PathBuf) -> Option<PathBuf> {
        (is_within(&path, self.roots) && path.is_file()).then_some(path)
    }

    /// The folder of a package.
    #[cfg(feature = "xacro")]
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
                let parent = above.find(|above| above.join(package).is_dir())?;
                Some(parent.to_owned())
            };
            let parent = given.or_else(above);
            self.parents.insert(package.to_owned(), parent);
        }
        self.parents[package].as_deref()
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

/// Whether a file is in one of the folders, links followed; without folders, whether it may be
/// anywhere.
pub(crate) fn is_within(path: &Path, roots: &[PathBuf]) -> bool {
    if roots.is_empty() {
        return true;
    }
    let Ok(path) = path.canonicalize() else {
        return false;
    };
    let mut roots = roots.iter().filter_map(|root| root.canonicalize().ok());
    roots.any(|root| path.starts_with(root))
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
