//! Elements, expanded.

use super::budget::{Budget, Outcome, Refusal, refuse};
use super::scope::{Entry, Table};
use super::tree::{MadeElement, Node, Out, Place, Tag};
use super::value::Value;
use super::yaml::FILE;
use crate::document;
use crate::file::{folder_of, read_text};
use crate::options::LoadOptions;
use crate::resolve::Resolver;
use crate::sources::SourceText;
use crate::xml::{Element, shortened};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The state of an expansion.
pub(super) struct Expansion<'a> {
    pub(super) budget: Budget,
    pub(super) resolver: Resolver<'a>,
    /// Whether an option bounds what is read.
    pub(super) is_bounded: bool,
    /// The texts that were read: the first is that to expand.
    pub(super) files: Vec<SourceText>,
    pub(super) arguments: HashMap<String, Rc<str>>,
    /// The tables of names: the first is the file's, the others are of macros that are being
    /// expanded, and of namespaces.
    pub(super) tables: Vec<Table>,
    /// The part that is being expanded; after an error, where it is.
    pub(super) here: Place,
    /// The names of the macros that are being expanded.
    pub(super) macros: Vec<String>,
    /// Whether an error names its expression already.
    pub(super) has_failed: bool,
    /// Prefixes that texts declare, and what they stand for.
    prefixes: Vec<(String, String)>,
}

/// The content of an element that is being made.
#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) nodes: Vec<Out>,
    /// Attributes that `xacro:attribute` gives the element.
    attributes: Vec<(String, Rc<str>)>,
}

impl<'a> Expansion<'a> {
    pub(super) fn new(text: &str, path: Option<&'a Path>, options: &'a LoadOptions) -> Self {
        let arguments = options.xacro_arguments.iter();
        let arguments = arguments.map(|(name, value)| (name.clone(), value.as_str().into()));
        Self {
            budget: Budget::new(),
            resolver: Resolver::new(path, options),
            is_bounded: !options.root_folders.is_empty(),
            files: vec![SourceText::new(text, path)],
            arguments: arguments.collect(),
            tables: vec![Table::default()],
            here: Place::default(),
            macros: Vec::new(),
            has_failed: false,
            prefixes: Vec::new(),
        }
    }

    /// The text that the first file expands to.
    pub(super) fn run(&mut self) -> Outcome<String> {
        let root = self.tree(0)?;
        let mut inner = Inner::default();
        self.element(&root, 0, &mut inner)?;
        let [Out::Element(made)] = &inner.nodes[..] else {
            refuse!("the root element is not one of a robot");
        };
        let declared = self.prefixes.iter();
        let declared = declared.map(|(name, uri)| (format!("xmlns:{name}"), uri.as_str().into()));
        let attributes = made.attributes.iter().cloned().chain(declared).collect();
        let made = MadeElement::new(made.name.clone(), attributes, made.inner.clone())?;
        let mut text = "<?xml version=\"1.0\"?>\n".to_owned();
        made.write(&mut text, 0, &mut self.budget)?;
        Ok(text)
    }

    /// The elements of a file that was read.
    fn tree(&mut self, file: usize) -> Outcome<Rc<Tag>> {
        let source = &self.files[file];
        let document = document::parse(source).map_err(|error| Refusal(error.to_string()))?;
        let root = Element::root(&document, file);
        let own: Vec<String> = super::prefixes(root).collect();
        for element in root.descendants() {
            for (name, uri) in element.prefixes() {
                let is_known = self.prefixes.iter().any(|(known, _)| *known == name);
                if !is_known && !own.contains(&format!("{name}:")) {
                    self.prefixes.push((name, uri));
                }
            }
        }
        Ok(Rc::new(Tag::new(root, file, &source.text, &own)))
    }

    /// The folder of the file that is being expanded.
    pub(super) fn folder(&self) -> &Path {
        let path = self.files[self.here.file].path.as_deref();
        path.map_or(Path::new("."), folder_of)
    }

    /// The text of a file that a text names, within the folders that files may be in.
    pub(super) fn read(&mut self, path: &Path) -> Outcome<String> {
        let shown = shortened(&path.display().to_string());
        let refused = |reason: String| Refusal(format!("`{shown}` can't be read: {reason}"));
        if !self.is_bounded && !path.is_file() {
            return Err(refused("there is no such file".to_owned()));
        }
        self.resolver.bounds().check(path).map_err(refused)?;
        let text = read_text(path).map_err(|unreadable| refused(unreadable.to_string()))?;
        self.budget.bytes(text.len())?;
        Ok(text)
    }

    pub(super) fn children(
        &mut self,
        children: &[Node],
        table: usize,
        into: &mut Inner,
    ) -> Outcome<()> {
        for child in children {
            self.budget.steps(1)?;
            match child {
                Node::Element(tag) => self.element(tag, table, into)?,
                Node::Text(text, place) => {
                    let text = match text.contains('$') {
                        true => self.evaluated_text(text, *place, table)?,
                        false => Rc::clone(text),
                    };
                    into.nodes.push(Out::Text(text));
                }
                Node::Kept(text) => into.nodes.push(Out::Kept(Rc::clone(text))),
            }
        }
        Ok(())
    }

    fn element(&mut self, tag: &Rc<Tag>, table: usize, into: &mut Inner) -> Outcome<()> {
        self.budget.enter()?;
        let before = std::mem::replace(&mut self.here, tag.place);
        match tag.directive.as_deref() {
            None => {
                let made = self.made(tag, tag.name.clone(), None, table)?;
                into.nodes.push(Out::Element(Rc::new(made)));
            }
            Some("element") => {
                let name = self.required(tag, "xacro:name", table)?;
                let made = self.made(tag, name.to_string(), Some("xacro:name"), table)?;
                into.nodes.push(Out::Element(Rc::new(made)));
            }
            Some("attribute") => {
                let name = self.required(tag, "name", table)?.to_string();
                let value = self.required(tag, "value", table)?;
                into.attributes.retain(|(own, _)| *own != name);
                into.attributes.push((name, value));
            }
            Some("property") => self.define_property(tag, table)?,
            Some("macro") => self.define_macro(tag, table)?,
            Some("arg") => {
                let name = self.required(tag, "name", table)?.to_string();
                // One without a default needs a value where it is used.
                if !self.arguments.contains_key(&name)
                    && let Some(default) = self.optional(tag, "default", table)?
                {
                    self.arguments.insert(name, default);
                }
            }
            Some(word @ ("if" | "unless")) => self.choice(tag, word == "if", table, into)?,
            Some("include") => self.include(tag, table, into)?,
            Some("insert_block") => self.insert(tag, table, into)?,
            Some("call") => {
                let name = self.required(tag, "macro", table)?;
                self.call(tag, &name, table, into)?;
            }
            Some(name) => self.call(tag, name, table, into)?,
        }
        self.here = before;
        self.budget.leave();
        Ok(())
    }

    /// An element that is not of the language, of a name, without one of its attributes.
    fn made(
        &mut self,
        tag: &Tag,
        name: String,
        without: Option<&str>,
        table: usize,
    ) -> Outcome<MadeElement> {
        self.budget.element()?;
        self.budget.bytes(name.len())?;
        let mut attributes = Vec::with_capacity(tag.attributes.len());
        for (name, value, place) in &tag.attributes {
            if Some(name.as_str()) == without || name.starts_with("xacro:") {
                continue;
            }
            let value = match value.contains('$') {
                true => self.evaluated_text(value, *place, table)?,
                false => Rc::clone(value),
            };
            attributes.push((name.clone(), value));
        }
        let mut inner = Inner::default();
        self.children(&tag.children, table, &mut inner)?;
        for (name, value) in inner.attributes {
            match attributes.iter_mut().find(|(own, _)| *own == name) {
                Some((_, own)) => *own = value,
                None => attributes.push((name, value)),
            }
        }
        MadeElement::new(name, attributes, inner.nodes)
    }

    /// The text of an attribute, evaluated.
    fn optional(&mut self, tag: &Tag, name: &str, table: usize) -> Outcome<Option<Rc<str>>> {
        let stated = tag.attribute(name);
        let text = stated.map(|(value, place)| self.evaluated_text(value, place, table));
        text.transpose()
    }

    fn required(&mut self, tag: &Tag, name: &str, table: usize) -> Outcome<Rc<str>> {
        let value = self.optional(tag, name, table)?;
        let tag = &tag.name;
        value.ok_or_else(|| Refusal(format!("`<{tag}>` needs the attribute `{name}`")))
    }

    fn define_property(&mut self, tag: &Rc<Tag>, table: usize) -> Outcome<()> {
        let known = ["name", "value", "default", "scope", "lazy_eval"];
        let mut attributes = tag.attributes.iter();
        if let Some((name, ..)) = attributes.find(|it| !known.contains(&it.0.as_str())) {
            let name = shortened(name);
            refuse!("`{name}` of `<{}>` is not expanded", tag.name);
        }
        let name = self.required(tag, "name", table)?.to_string();
        let is_lazy = match self.optional(tag, "lazy_eval", table)? {
            Some(text) => truth(&Value::Text(text))?,
            None => true,
        };
        let to = match self.optional(tag, "scope", table)?.as_deref() {
            None => table,
            Some("global") => 0,
            Some("parent") => {
                let mut to = self.tables[table].parent.unwrap_or(table);
                // The names of a macro are inside those of its call.
                while self.tables[to].is_space && !self.tables[table].is_space {
                    to = self.tables[to].parent.unwrap_or(0);
                }
                to
            }
            Some(other) => {
                refuse!(
                    "the scope of a property is `parent` or `global`, not `{}`",
                    shortened(other)
                );
            }
        };
        let given = match (tag.attribute("value"), tag.attribute("default")) {
            (Some(value), _) => Some(value),
            (None, Some(_)) if self.holder(&name, to).is_some() => return Ok(()),
            (None, default) => default,
        };
        let Some((text, place)) = given else {
            let name = format!("**{name}");
            let content = Entry::Content(Rc::clone(tag));
            self.tables[to].entries.insert(name, content);
            return Ok(());
        };
        let entry = match text.contains('$') {
            false => Entry::Value(Self::typed(Value::Text(Rc::clone(text)))),
            true if is_lazy && to == table => Entry::Lazy(Rc::clone(text), place),
            true => Entry::Value(Self::typed(self.evaluated(text, place, table)?)),
        };
        self.tables[to].entries.insert(name, entry);
        Ok(())
    }

    fn choice(&mut self, tag: &Tag, expected: bool, table: usize, into: &mut Inner) -> Outcome<()> {
        let Some((text, place)) = tag.attribute("value") else {
            let tag = &tag.name;
            refuse!("`<{tag}>` needs the attribute `value`");
        };
        let value = self.evaluated(text, place, table)?;
        if truth(&value)? == expected {
            self.children(&tag.children, table, into)?;
        }
        Ok(())
    }

    fn insert(&mut self, tag: &Tag, table: usize, into: &mut Inner) -> Outcome<()> {
        let name = self.required(tag, "name", table)?;
        let entry = ["**", "*"].iter().find_map(|stars| {
            let name = format!("{stars}{name}");
            let holder = self.holder(&name, table)?;
            self.tables[holder].entries.get(&name).cloned()
        });
        match entry {
            Some(Entry::Block(nodes)) => {
                self.budget.steps(nodes.len())?;
                into.nodes.extend(nodes);
                Ok(())
            }
            Some(Entry::Content(content)) => self.children(&content.children, table, into),
            Some(Entry::Value(_) | Entry::Lazy(..) | Entry::Active) | None => {
                let name = shortened(&name);
                Err(Refusal(format!("there is no block `{name}`")))
            }
        }
    }

    fn include(&mut self, tag: &Tag, table: usize, into: &mut Inner) -> Outcome<()> {
        let name = self.required(tag, "filename", table)?;
        let space = self.optional(tag, "ns", table)?;
        let is_optional = match self.optional(tag, "optional", table)? {
            Some(text) => truth(&Value::Text(text))?,
            None => false,
        };
        let table = match space {
            Some(name) => {
                let space = self.inner_table(table);
                self.tables[space].is_space = true;
                self.tables[table].spaces.insert(name.to_string(), space);
                space
            }
            None => table,
        };
        for path in self.named(&name)? {
            if is_optional && !path.is_file() {
                continue;
            }
            self.budget.steps(FILE)?;
            let text = self.read(&path)?;
            self.files.push(SourceText::new(text, Some(&path)));
            let root = self.tree(self.files.len() - 1)?;
            let before = std::mem::replace(&mut self.here, root.place);
            self.children(&root.children, table, into)?;
            self.here = before;
        }
        Ok(())
    }

    /// The files of a name, in which `*` and `?` stand for others.
    fn named(&mut self, name: &str) -> Outcome<Vec<PathBuf>> {
        let path = self.folder().join(name);
        let pattern = path.file_name().map(|it| it.to_string_lossy().into_owned());
        let Some(pattern) = pattern.filter(|it| it.contains(['*', '?'])) else {
            return Ok(vec![path]);
        };
        let folder = folder_of(&path).to_owned();
        self.resolver.bounds().check(&folder).map_err(Refusal)?;
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            self.budget.steps(1 + name.len() * pattern.len())?;
            if matches(name.as_bytes(), pattern.as_bytes()) {
                names.push(folder.join(name));
            }
        }
        names.sort();
        Ok(names)
    }
}

/// Whether a value that decides is true.
pub(super) fn truth(value: &Value) -> Outcome<bool> {
    let Value::Text(text) = value else {
        return Ok(value.is_true());
    };
    match &**text {
        "true" | "True" => Ok(true),
        "false" | "False" => Ok(false),
        _ => text.trim().parse::<i64>().map(|it| it != 0).map_err(|_| {
            let text = shortened(text);
            Refusal(format!("`{text}` is neither true nor false"))
        }),
    }
}

/// Whether a name is one of a pattern.
fn matches(name: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut next) = (0, 0);
    // Where the last `*` is, and what it stands for up to.
    let mut star = None;
    while at < name.len() {
        match pattern.get(next) {
            Some(b'*') => {
                star = Some((next, at));
                next += 1;
            }
            Some(&byte) if byte == b'?' || byte == name[at] => (at, next) = (at + 1, next + 1),
            _ => match star {
                Some((index, end)) => {
                    (at, next) = (end + 1, index + 1);
                    star = Some((index, end + 1));
                }
                None => return false,
            },
        }
    }
    pattern[next..].iter().all(|&byte| byte == b'*')
}
