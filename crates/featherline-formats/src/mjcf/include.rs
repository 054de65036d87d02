//! Files that a file includes or attaches.

use super::schema::is_name;
use crate::document;
use crate::error::{Error, ErrorCause};
use crate::file::read_text;
use crate::location::Source;
use crate::report::{Fault, Outcome, Report, fault};
use crate::resolve::Bounds;
use crate::sources::{SourceText, Sources};
use crate::suggestion::similar;
use crate::value::required;
use crate::xml::{Document, Element, shortened};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The greatest number of files of one robot.
const MAX_FILES: usize = 256;
/// The greatest number of files that include one another.
const MAX_NESTED: usize = 16;

/// The texts of a robot's files, and where one includes or attaches another.
pub(crate) struct Included {
    /// The main file's text, then those of the files that it includes and attaches.
    pub(crate) texts: Vec<SourceText>,
    /// The index of the text that is included or attached at a place.
    pub(crate) at: HashMap<Source, usize>,
}

/// Reads the files that a text includes and attaches, and those that they include and attach.
///
/// A file that is included is looked for from the folder of its model's main file, then from that
/// of the file that includes it, as MuJoCo does. A text that was passed as a string includes
/// nothing. Files that are in `written` have the text there.
pub(crate) fn gather(
    main: SourceText,
    written: &HashMap<PathBuf, String>,
    bounds: &Bounds,
) -> Result<Included, Error> {
    let mut gathering = Gathering {
        texts: vec![main],
        depths: vec![0],
        at: HashMap::new(),
        models: vec![0],
        written,
        bounds,
    };
    let mut next = 0;
    while let Some(&model) = gathering.models.get(next) {
        if let Some(fault) = gathering.model(model)? {
            let sources = Sources::new(gathering.texts);
            return Err(Report::new(&sources).error(*fault));
        }
        next += 1;
    }
    Ok(Included {
        texts: gathering.texts,
        at: gathering.at,
    })
}

/// Files that are being gathered.
struct Gathering<'a> {
    texts: Vec<SourceText>,
    /// How many files lead to each text.
    depths: Vec<usize>,
    at: HashMap<Source, usize>,
    /// The texts that models begin with: the robot's file, and those that are attached.
    models: Vec<usize>,
    written: &'a HashMap<PathBuf, String>,
    bounds: &'a Bounds,
}

/// The fault that stops gathering; a text that is no XML is an error of its own.
type Stopped = Result<Option<Box<Fault>>, Error>;

impl Gathering<'_> {
    /// Reads the files that a model includes, then those that it attaches.
    fn model(&mut self, model: usize) -> Stopped {
        let main = self.texts[model].path.clone();
        let folder = main.as_deref().map(folder_of);
        let mut seen: HashSet<PathBuf> = main.iter().map(|path| canonical(path)).collect();
        let mut own = vec![model];
        let mut assets: HashMap<String, String> = HashMap::new();
        let mut attached = Vec::new();
        let mut next = 0;
        while let Some(&index) = own.get(next) {
            next += 1;
            let nested = self.texts[index].path.clone();
            let folders = [folder, nested.as_deref().map(folder_of)];
            for named in named(&self.texts[index], index)? {
                let (source, named) = match named {
                    Ok(named) => named,
                    Err(fault) => return Ok(Some(fault)),
                };
                match named {
                    NamedFile::Included(file) => {
                        let path = found_in(&file, folders);
                        let path = path.and_then(|path| match seen.insert(canonical(&path)) {
                            true => Ok(path),
                            false => Err(ONCE.into()),
                        });
                        match path.and_then(|path| self.read(&path, index)) {
                            Ok(text) => own.push(self.add(source, index, text)),
                            Err(reason) => return Ok(Some(not_read(source, &file, reason))),
                        }
                    }
                    NamedFile::Asset(name, file) => {
                        assets.insert(name.unwrap_or_else(|| self.name_of(&file, folder)), file);
                    }
                    NamedFile::Attached(model_name, prefix) => {
                        attached.push((index, source, model_name, prefix));
                    }
                }
            }
        }
        for (index, source, model_name, prefix) in attached {
            let Some(file) = assets.get(&model_name) else {
                let cause = ErrorCause::UnknownName {
                    what: "model",
                    name: shortened(&model_name),
                    suggestion: similar(&model_name, assets.keys().map(String::as_str)),
                };
                return Ok(Some(fault(source, cause)));
            };
            let path = found_in(file, [folder, None]);
            match path.and_then(|path| self.read(&path, index)) {
                Ok(mut text) => {
                    text.prefix = format!("{}{prefix}", self.texts[model].prefix);
                    let text = self.add(source, index, text);
                    self.models.push(text);
                }
                Err(reason) => return Ok(Some(not_read(source, file, reason))),
            }
        }
        Ok(None)
    }

    /// Adds the text that stands for an element of another one, and returns its index.
    fn add(&mut self, source: Source, within: usize, mut text: SourceText) -> usize {
        let index = self.texts.len();
        if text.prefix.is_empty() {
            text.prefix.clone_from(&self.texts[within].prefix);
        }
        self.at.insert(source, index);
        self.texts.push(text);
        self.depths.push(self.depths[within] + 1);
        index
    }

    /// The text of a file that another text names.
    fn read(&self, path: &Path, within: usize) -> Result<SourceText, String> {
        if self.depths[within] >= MAX_NESTED || self.texts.len() >= MAX_FILES {
            return Err("too many files are included, or they are nested too deeply".into());
        }
        self.bounds.check(path)?;
        if let Some(text) = self.written.get(path) {
            return Ok(SourceText::new(text, Some(path)));
        }
        let text = read_text(path).map_err(|it| it.to_string())?;
        Ok(SourceText::new(text, Some(path)))
    }

    /// The name that a model has in its own file; empty where that says none.
    fn name_of(&self, file: &str, folder: Option<&Path>) -> String {
        let path = found_in(file, [folder, None]);
        let text = path.and_then(|path| self.read(&path, 0));
        let name = text.ok().and_then(|text| {
            let document = Document::parse(&text.text).ok()?;
            let name = Element::root(&document, 0).attribute("model")?;
            Some(name.value.to_owned())
        });
        name.unwrap_or_default()
    }
}

/// A file or a model that an element of a text names.
enum NamedFile {
    Included(String),
    /// A model by its name, which may be that in its own file, and the file.
    Asset(Option<String>, String),
    /// A model that is attached, by its name, and the prefix of its parts.
    Attached(String, String),
}

/// The elements of a text that name files or models, in its order.
fn named(text: &SourceText, index: usize) -> Result<Vec<Outcome<(Source, NamedFile)>>, Error> {
    let document = document::parse(text)?;
    let elements = Element::root(&document, index).descendants();
    let value = |element, name| required(element, name).map(|it| it.value.to_owned());
    let named = elements.filter_map(|element| {
        let named = match element.tag() {
            "include" => value(element, "file").map(NamedFile::Included),
            "model" => value(element, "file").map(|file| {
                let name = element.attribute("name").map(|it| it.value.to_owned());
                NamedFile::Asset(name, file)
            }),
            "attach" => value(element, "model").and_then(|model_name| {
                let prefix = value(element, "prefix")?;
                Ok(NamedFile::Attached(model_name, prefix))
            }),
            _ => return None,
        };
        Some(named.map(|it| (element.source(), it)))
    });
    Ok(named.collect())
}

/// The path of a file in the first of the folders that has it.
fn found_in(name: &str, folders: [Option<&Path>; 2]) -> Result<PathBuf, String> {
    let [Some(_), _] = folders else {
        return Err(
            "a text that is passed as a string includes no files; load it from its file".into(),
        );
    };
    let mut candidates = folders.iter().flatten().map(|folder| folder.join(name));
    let path = candidates.find(|path| path.is_file());
    path.ok_or_else(|| "it was not found; its name is relative to the main file's folder".into())
}

/// Why a file is not included again.
const ONCE: &str = "it already is part of the robot, and a file may be included once";

fn not_read(source: Source, file: &str, reason: String) -> Box<Fault> {
    let file = shortened(file);
    fault(source, ErrorCause::Include { file, reason })
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The documents of texts, in which the names of an attached model have its prefix.
pub(crate) fn documents(texts: &[SourceText]) -> Result<Vec<Document<'_>>, Error> {
    let documents = texts.iter().map(|text| {
        let mut document = document::parse(text)?;
        if !text.prefix.is_empty() {
            document.prefix_values(&text.prefix, is_name);
        }
        Ok(document)
    });
    documents.collect()
}

/// The documents of a robot's texts, with includes resolved.
#[derive(Clone, Copy)]
pub(crate) struct Texts<'a> {
    texts: &'a [SourceText],
    documents: &'a [Document<'a>],
    at: &'a HashMap<Source, usize>,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(
        texts: &'a [SourceText],
        documents: &'a [Document<'a>],
        at: &'a HashMap<Source, usize>,
    ) -> Self {
        Self {
            texts,
            documents,
            at,
        }
    }

    /// The root element of the model that an element attaches, and its text.
    pub(super) fn attached(self, element: Element<'a>) -> Option<(Element<'a>, &'a SourceText)> {
        let &text = self.at.get(&element.source())?;
        let root = Element::root(self.documents.get(text)?, text);
        Some((root, self.texts.get(text)?))
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
                Some(&text) if child.tag() == "include" => {
                    if let Some(document) = self.documents.get(text) {
                        self.collect(Element::root(document, text), children);
                    }
                }
                Some(_) | None => children.push(child),
            }
        }
    }
}
