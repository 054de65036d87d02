//! Models, and what of them is attached to another one.
//!
//! An attached model is read by the settings and the default classes of its own file, under names
//! with its prefix, as MuJoCo 4.0 attaches it (*MuJoCo XML reference*, `attach`): `<option>` and
//! `settotalmass` of the robot's file count for all.

use super::attributes::Attributes;
use super::body::{Item, collect};
use super::compiler::{Compiler, disabled_groups, option};
use super::defaults::{Defaults, MAIN};
use super::include::Texts;
use super::orientation::pose;
use super::reader::Reader;
use super::schema;
use crate::description::{Description, Disabled};
use crate::error::ErrorCause;
use crate::report::{Outcome, Report, fault};
use crate::resolve::Resolver;
use crate::suggestion::similar;
use crate::xml::{Attribute, Element, shortened};
use featherline::spatial::Se3;
use std::rc::Rc;

/// The robot's own model, or one that is attached.
pub(super) struct Model<'a> {
    /// The elements of its root.
    pub(super) sections: Vec<Element<'a>>,
    compiler: Rc<Compiler>,
    defaults: Rc<Defaults<'a>>,
    resolver: Rc<Resolver<'a>>,
    /// The model that it is attached to, and the element that does so.
    outer: Option<(usize, Element<'a>)>,
    /// Elements that are kept, with their paths.
    unread: Vec<(Element<'a>, String)>,
}

impl<'a> Model<'a> {
    /// Reads the settings and the default classes of a model.
    pub(super) fn read(
        root: Element<'a>,
        texts: Texts<'a>,
        resolver: Resolver<'a>,
        outer: Option<(usize, Element<'a>)>,
        report: &mut Report<'_>,
    ) -> Outcome<Self> {
        let unread = schema::audit(root, texts, report)?;
        let sections = texts.children(root);
        Ok(Self {
            compiler: Rc::new(Compiler::read(&sections)?),
            defaults: Rc::new(Defaults::read(&sections, texts, report)?),
            resolver: Rc::new(resolver),
            outer,
            unread,
            sections,
        })
    }

    /// Its settings, its default classes, and what finds its files.
    pub(super) fn parts(&self) -> (Rc<Compiler>, Rc<Defaults<'a>>, Rc<Resolver<'a>>) {
        let (compiler, defaults) = (Rc::clone(&self.compiler), Rc::clone(&self.defaults));
        (compiler, defaults, Rc::clone(&self.resolver))
    }

    /// Elements that are kept, with their paths: of an attached model, those of sections that
    /// count.
    pub(super) fn kept(&self) -> Vec<(Element<'a>, String)> {
        let unread = self.unread.iter();
        let kept = unread.filter(|(_, path)| self.outer.is_none() || path.contains('/'));
        kept.cloned().collect()
    }
}

impl<'a> Reader<'a, '_, '_> {
    /// Reads what follows by the settings and the default classes of a model.
    pub(super) fn enter(&mut self, model: usize) {
        if model != self.model {
            self.model = model;
            (self.compiler, self.defaults, self.resolver) = self.models[model].parts();
        }
    }

    /// The elements in the sections of a name of a model.
    pub(super) fn elements(&self, model: usize, section: &str) -> Vec<Element<'a>> {
        let sections = self.models[model].sections.iter();
        let sections = sections.filter(|it| it.tag() == section);
        sections.flat_map(|it| self.texts.children(*it)).collect()
    }

    /// Whether a model is another one, or attached to it, or to one that is.
    pub(super) fn is_within(&self, model: usize, outer: usize) -> bool {
        let outer_of = |&it: &usize| self.models[it].outer.map(|(model, _)| model);
        std::iter::successors(Some(model), outer_of).any(|it| it == outer)
    }

    /// The model that an element attaches. It is opened once, however often a replicate attaches
    /// it.
    fn open(&mut self, element: Element<'a>) -> Outcome<Option<usize>> {
        let of_element = |it: &Model<'a>| {
            let outer = it.outer.as_ref();
            outer.is_some_and(|(_, by)| by.source() == element.source())
        };
        if let Some(known) = self.models.iter().position(of_element) {
            return Ok(Some(known));
        }
        let Some((root, text)) = self.texts.attached(element) else {
            return Ok(None);
        };
        if root.tag() != "mujoco" {
            let cause = ErrorCause::Include {
                file: shortened(element.attribute("model").map_or("", |it| it.value)),
                reason: format!("its root element is `<{}>`, and no `<mujoco>`", root.tag()),
            };
            return Err(fault(element.source(), cause));
        }
        let resolver = self.resolver.beside_file(text.path.as_deref());
        let outer = Some((self.model, element));
        let mut model = Model::read(root, self.texts, resolver, outer, self.report)?;
        self.warn_of_settings(&model, element)?;
        let compiler = Rc::make_mut(&mut model.compiler);
        compiler.prefix.clone_from(&text.prefix);
        self.models.push(model);
        let index = self.models.len() - 1;
        self.enter(index);
        self.begin()?;
        Ok(Some(index))
    }

    /// Warns of settings of a whole robot that an attached model has otherwise.
    fn warn_of_settings(&mut self, model: &Model<'a>, element: Element<'a>) -> Outcome<()> {
        let mut own = Description::new("");
        option(&model.sections, self.texts, &mut own, self.report)?;
        let has_option = model.sections.iter().any(|it| it.tag() == "option");
        let robot = &self.description;
        let has_flags = own.disabled != Disabled::default();
        let has_groups = !disabled_groups(&model.sections)?.is_empty();
        let has_time_step = own.time_step.is_some();
        let differs = [
            ("the gravity", has_option && own.gravity != robot.gravity),
            (
                "the time step",
                has_time_step && own.time_step != robot.time_step,
            ),
            ("the flags", has_flags && own.disabled != robot.disabled),
            ("`actuatorgroupdisable`", has_groups),
            ("`settotalmass`", model.compiler.total_mass.is_some()),
        ];
        for (what, _) in differs.into_iter().filter(|(_, differs)| *differs) {
            let what = format!("{what} of an attached model");
            self.simplified(element.source(), &what, "that of the robot's file counts");
        }
        Ok(())
    }
}

/// Lists what an element attaches: the world of a model, or the body or frame that it names.
pub(super) fn attached<'a>(
    reader: &mut Reader<'a, '_, '_>,
    own: &Attributes<'a>,
    frame: Se3<f64>,
    suffix: &Rc<str>,
    items: &mut Vec<Item<'a>>,
) -> Outcome<()> {
    let element = own.element();
    let outer = reader.model;
    let Some(model) = reader.open(element)? else {
        return Ok(());
    };
    reader.enter(model);
    match element.attribute("body").or(element.attribute("frame")) {
        None => {
            let worlds = reader.models[model].sections.clone();
            for world in worlds.iter().filter(|it| it.tag() == "worldbody") {
                collect(reader, *world, frame, MAIN, suffix, items)?;
            }
        }
        Some(named) => {
            let (found, class) = part(reader, model, named)?;
            match found.tag() {
                "body" => items.push(Item::new(reader, found, frame, class, suffix)),
                _ => {
                    let it = Attributes::alone(found);
                    let within = frame.compose(&pose(&it, &reader.compiler)?);
                    collect(reader, found, within, class, suffix, items)?;
                }
            }
        }
    }
    reader.enter(outer);
    Ok(())
}

/// The body or the frame of a model that an attribute names, and the class of what is in it.
fn part<'a>(
    reader: &Reader<'a, '_, '_>,
    model: usize,
    named: Attribute<'a>,
) -> Outcome<(Element<'a>, usize)> {
    let what = if named.name == "body" {
        "body"
    } else {
        "frame"
    };
    let name = format!("{}{}", reader.compiler.prefix, named.value);
    let worlds = reader.models[model].sections.iter();
    let worlds = worlds.filter(|it| it.tag() == "worldbody");
    let mut open: Vec<(Element<'a>, usize)> = worlds.map(|it| (*it, MAIN)).collect();
    let mut names = Vec::new();
    while let Some((element, class)) = open.pop() {
        let is_frame = element.tag() == "frame";
        let own = reader.defaults.child_class(element, class)?;
        if element.tag() == what
            && let Some(known) = element.attribute("name")
        {
            if known.value == name {
                return Ok((element, if is_frame { own } else { class }));
            }
            names.push(known.value);
        }
        let inside = reader.texts.children(element).into_iter();
        let inside = inside.filter(|it| matches!(it.tag(), "body" | "frame"));
        open.extend(inside.map(|it| (it, own)));
    }
    let cause = ErrorCause::UnknownName {
        what,
        name: shortened(named.value),
        suggestion: similar(&name, names.into_iter()),
    };
    Err(fault(named.source, cause))
}
