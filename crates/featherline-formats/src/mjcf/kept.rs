//! Elements that are kept, so that their text stands for itself: with the defaults of its class,
//! with rotations as quaternions, and with the paths of its files.

use super::attributes::Attributes;
use super::body::Item;
use super::defaults::MAIN;
use super::orientation::{WAYS, pose, rotation};
use super::reader::Reader;
use super::schema::{FORMAT, has, path_below};
use super::settings::stated;
use crate::description::{KeptElement, Owner, Setting};
use crate::error::ErrorCause;
use crate::report::{Outcome, fault};
use crate::resolve::full;
use crate::xml::{Element, Text, XmlRefusal, numbers};
use featherline::spatial::{Mat3, Quaternion, Se3, Vec3};

/// The greatest number of elements inside one another.
const MAX_DEPTH: usize = 256;

impl<'a> Reader<'a, '_, '_> {
    /// Keeps an element of the robot, by its path; one with a mistake is left out.
    pub(super) fn keep(&mut self, element: Element<'a>, path: &str) {
        let stated = self.stated(element, path, MAIN);
        let kept = stated.and_then(|it| self.text(element, path, &it));
        self.add_kept(element, Owner::Robot, kept);
    }

    /// Keeps an element with other attributes than it states.
    pub(super) fn keep_as(&mut self, element: Element<'a>, path: &str, stated: &[Setting]) {
        let kept = self.text(element, path, stated);
        self.add_kept(element, Owner::Robot, kept);
    }

    /// Keeps an element of a link; one with a mistake is left out.
    pub(super) fn keep_in(&mut self, item: &Item<'a>, link: usize) {
        let kept = self.text_in(item);
        self.add_kept(item.element, Owner::Link(link), kept);
    }

    fn add_kept(&mut self, element: Element<'a>, owner: Owner, text: Outcome<String>) {
        match text {
            Ok(text) => self.description.kept.push(KeptElement {
                format: FORMAT,
                owner,
                tag: element.tag().to_owned(),
                text,
                source: element.source(),
            }),
            Err(fault) => self.report.left_out("the element", *fault),
        }
    }

    /// The attributes of an element, with those of its class.
    pub(super) fn stated(
        &self,
        element: Element<'a>,
        path: &str,
        class: usize,
    ) -> Outcome<Vec<Setting>> {
        let attributes = self.with_defaults(element, path, class)?;
        let mut stated = stated(&attributes);
        for it in stated.iter_mut().filter(|it| it.name.starts_with("file")) {
            let folder = match path {
                "asset/texture" => &self.compiler.texture_folder,
                _ => &self.compiler.mesh_folder,
            };
            let named = self.compiler.path(folder, &it.value);
            let found = self.resolver.beside(&named);
            let path = found.map_or(named, |found| full(&found));
            it.value = path.to_string_lossy().into_owned();
        }
        let is_turned = |it: &Setting| it.name != "quat" && WAYS.contains(&it.name.as_str());
        if has(path, "quat") && stated.iter().any(is_turned) {
            let rotation = rotation(&attributes, &self.compiler)?.unwrap_or_else(Mat3::identity);
            set(&mut stated, "quat", quaternion(&rotation));
            stated.retain(|it| !is_turned(it));
        }
        Ok(stated)
    }

    fn with_defaults(
        &self,
        element: Element<'a>,
        path: &str,
        class: usize,
    ) -> Outcome<Attributes<'a>> {
        let kind = match path {
            "body/camera" => "camera",
            "body/light" => "light",
            "asset/mesh" => "mesh",
            "asset/texture" => "texture",
            _ if path.starts_with("equality/") => "equality",
            _ => return Ok(Attributes::alone(element)),
        };
        self.attributes(element, kind, class)
    }

    /// The text of an element in a body, whose frame is that of the body.
    fn text_in(&self, item: &Item<'a>) -> Outcome<String> {
        let element = item.element;
        let path = path_below("body", element.tag());
        let mut stated = self.stated(element, &path, item.class)?;
        let frame = &item.frame;
        if !item.element.name().is_empty() {
            set(&mut stated, "name", item.name());
        }
        if *frame == Se3::identity() {
            return self.text(element, &path, &stated);
        }
        let own = self.with_defaults(element, &path, item.class)?;
        let place = |stated: &mut Vec<Setting>, placement: &Se3<f64>| {
            set(stated, "pos", numbers(&placement.translation.to_array()));
            set(stated, "quat", quaternion(&placement.rotation));
        };
        match element.tag() {
            "camera" => place(&mut stated, &frame.compose(&pose(&own, &self.compiler)?)),
            "light" => {
                let at = own.vector("pos")?.unwrap_or_else(Vec3::zero);
                let along = own.vector("dir")?.unwrap_or(-Vec3::unit(2));
                let along = frame.rotation.mul_vec(along);
                set(&mut stated, "pos", numbers(&frame.act_point(at).to_array()));
                set(&mut stated, "dir", numbers(&along.to_array()));
            }
            _ => {
                let mut around = Vec::new();
                place(&mut around, frame);
                let mut out = Text::default();
                out.open("frame", &attributes(&around));
                self.write(&mut out, element, &path, &stated, 0)?;
                out.close("frame");
                return Ok(out.text.trim_end().to_owned());
            }
        }
        self.text(element, &path, &stated)
    }

    /// The text of an element with attributes, and with all that is in it.
    fn text(&self, element: Element<'a>, path: &str, stated: &[Setting]) -> Outcome<String> {
        let mut out = Text::default();
        self.write(&mut out, element, path, stated, 0)?;
        Ok(out.text.trim_end().to_owned())
    }

    fn write(
        &self,
        out: &mut Text,
        element: Element<'a>,
        path: &str,
        stated: &[Setting],
        depth: usize,
    ) -> Outcome<()> {
        if depth > MAX_DEPTH {
            let why = XmlRefusal::TooDeep { limit: MAX_DEPTH };
            return Err(fault(element.source(), ErrorCause::Xml(why)));
        }
        out.open(element.tag(), &attributes(stated));
        for child in self.texts.children(element) {
            let below = path_below(path, child.tag());
            let stated = self.stated(child, &below, MAIN)?;
            self.write(out, child, &below, &stated, depth + 1)?;
        }
        out.close(element.tag());
        Ok(())
    }
}

fn attributes(settings: &[Setting]) -> Vec<(&str, String)> {
    let settings = settings.iter();
    let pairs = settings.map(|it| (it.name.as_str(), it.value.clone()));
    pairs.collect()
}

/// Sets a value, after all others if it is new.
pub(super) fn set(settings: &mut Vec<Setting>, name: &str, value: String) {
    match settings.iter_mut().find(|it| it.name == name) {
        Some(known) => known.value = value,
        None => settings.push(Setting::new(name, value)),
    }
}

fn quaternion(rotation: &Mat3<f64>) -> String {
    let [x, y, z, w] = Quaternion::from_rotation(rotation).to_array();
    numbers(&[w, x, y, z])
}
