//! Files that a file includes.

use crate::document;
use crate::error::{Error, ErrorCause};
use crate::file::{Unreadable, read_text};
use crate::location::Source;
use crate::report::{Report, fault};
use crate::resolve::Bounds;
use crate::sources::{SourceText, Sources};
use crate::value::required;
use crate::xml::{Document, Element, shortened};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The greatest number of files of one robot.
const MAX_FILES: usize = 256;
/// The greatest number of files that include one another.
const MAX_NESTED: usize = 16;

/// The texts of a robot's files, and where one includes another.
pub(crate) struct Included {
    /// The main file's text, then those of the files that it includes.
    pub(crate) texts: Vec<SourceText>,
    /// The index of the text that is included at a place.
    pub(crate) at: HashMap<Source, usize>,
}

/// Reads the files that a text includes, and those that they include.
///
/// A file is looked for from the folder of the main file, then from that of the file that includes
/// it, as MuJoCo does. A text that was passed as a string includes nothing. Files that are in
/// `written` have the text there.
pub(crate) fn gather(
    main: SourceText,
    written: &HashMap<PathBuf, String>,
    bounds: &Bounds,
) -> Result<Included, Error> {
    let mut included = Included {
        texts: vec![main],
        at: HashMap::new(),
    };
    let main = included.texts[0].path.clone();
    let folder = main.as_deref().map(folder_of);
    let mut seen: HashSet<PathBuf> = main.iter().map(|path| canonical(path)).collect();
    let mut depths = vec![0];
    let mut index = 0;
    while index < included.texts.len() {
        let (found, failed) = includes(&included.texts[index], index)?;
        let mut failed = failed;
        for (source, name) in found {
            if failed.is_some() {
                break;
            }
            let nested = included.texts[index].path.as_deref().map(folder_of);
            let outcome = match depths[index] < MAX_NESTED && included.texts.len() < MAX_FILES {
                true => read(&name, [folder, nested], &mut seen, written, bounds),
                false => Err("too many files are included, or they are nested too deeply".into()),
            };
            match outcome {
                Ok(text) => {
                    included.at.insert(source, included.texts.len());
                    included.texts.push(text);
                    depths.push(depths[index] + 1);
                }
                Err(reason) => {
                    let file = shortened(&name);
                    failed = Some(fault(source, ErrorCause::Include { file, reason }));
                }
            }
        }
        if let Some(fault) = failed {
            let sources = Sources::new(included.texts);
            return Err(Report::new(&sources).error(*fault));
        }
        index += 1;
    }
    Ok(included)
}

type Found = (Vec<(Source, String)>, Option<Box<crate::report::Fault>>);

/// The places of a text that include files, and the names of those.
fn includes(text: &SourceText, index: usize) -> Result<Found, Error> {
    let document = document::parse(text)?;
    let mut found = Vec::new();
    let root = Element::root(&document, index);
    for element in root.descendants().filter(|it| it.tag() == "include") {
        match required(element, "file") {
            Ok(file) => found.push((element.source(), file.value.to_owned())),
            Err(fault) => return Ok((found, Some(fault))),
        }
    }
    Ok((found, None))
}

fn read(
    name: &str,
    folders: [Option<&Path>; 2],
    seen: &mut HashSet<PathBuf>,
    written: &HashMap<PathBuf, String>,
    bounds: &Bounds,
) -> Result<SourceText, String> {
    let [Some(_), _] = folders else {
        return Err(
            "a text that is passed as a string includes no files; load it from its file".into(),
        );
    };
    let mut candidates = folders.iter().flatten().map(|folder| folder.join(name));
    let path = candidates.find(|path| path.is_file());
    let path = path.ok_or("it was not found; its name is relative to the main file's folder")?;
    bounds.check(&path)?;
    if !seen.insert(canonical(&path)) {
        return Err("it already is part of the robot, and a file may be included once".into());
    }
    if let Some(text) = written.get(&path) {
        return Ok(SourceText::new(text, Some(&path)));
    }
    let text = read_text(&path).map_err(|unreadable: Unreadable| unreadable.to_string())?;
    Ok(SourceText::new(text, Some(&path)))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The documents of a robot's texts, with includes resolved.
#[derive(Clone, Copy)]
pub(crate) struct Texts<'a> {
    documents: &'a [Document<'a>],
    at: &'a HashMap<Source, usize>,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(documents: &'a [Document<'a>], at: &'a HashMap<Source, usize>) -> Self {
        Self { documents, at }
    }

    /// The elements directly inside another one, with those of a file where it is included.
    pub(super) fn children(self, element: Element<'a>) -> Vec<Element<'a>> {
        let mut children = Vec::new();
        self.collect(element, &mut children);
        children
    }

    fn collect(self, element: Element<'a>, children: &mut Vec<Element<'a>>) {
        for child in element.children() {
            match self.at.get(&child.source()) {
                Some(&text) => {
                    if let Some(document) = self.documents.get(text) {
                        self.collect(Element::root(document, text), children);
                    }
                }
                None => children.push(child),
            }
        }
    }
}
