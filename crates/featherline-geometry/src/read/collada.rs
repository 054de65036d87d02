//! COLLADA: the geometries of the visual scene, placed by its nodes, in the unit of the file.

use super::affine::Affine;
use super::error::{number, shortened};
use super::polygons::Polygons;
use super::{MeshError, MeshErrorKind, Place, Soup, collada_geometry, xml_guard};
use featherline::spatial::{Mat3, Vec3, exp3};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::HashMap;
use std::rc::Rc;

/// The greatest number of nodes of a scene, each counted as often as it is placed.
const MAX_PLACED: usize = 100_000;
/// The greatest number of nodes inside one another; a node that places itself has no end.
const MAX_DEPTH: usize = 256;

pub(super) type Element<'a> = Node<'a, 'a>;

/// Adds the polygons of a file; returns what rotates them so that z is up.
pub(super) fn read(bytes: &[u8], soup: &mut Soup) -> Result<Mat3<f64>, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    xml_guard::check(text).map_err(|e| e.at(Place::File))?;
    let options = ParsingOptions {
        nodes_limit: xml_guard::MAX_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        let place = Place::LineColumn(at.row as usize, at.col as usize);
        let what = format!("this is not well-formed XML: {error}; copy the file again");
        MeshErrorKind::Malformed(what).at(place)
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let what = "the root element is not `COLLADA`; check that the file is a DAE file";
        return Err(malformed(root, what.to_owned()));
    }
    let unit = unit(root)?;
    let mut scene = Scene {
        by_id: HashMap::new(),
        geometries: HashMap::new(),
        placed: 0,
    };
    for element in root.descendants().filter(Node::is_element) {
        if let Some(id) = element.attribute("id") {
            scene.by_id.entry(id).or_insert(element);
        }
    }
    let to_metres = Affine::scale(Vec3::new(unit, unit, unit));
    match scene.visual_scene(root)? {
        Some(visual_scene) => scene.place_nodes(visual_scene, to_metres, soup)?,
        // A library alone: each geometry as it is.
        None => {
            let is_geometry = |e: &Element| e.is_element() && e.tag_name().name() == "geometry";
            for element in root.descendants().filter(is_geometry) {
                scene.place(element, &to_metres, element, soup)?;
            }
        }
    }
    Ok(upright(root))
}

/// The length of the unit, in m.
fn unit(root: Element) -> Result<f64, MeshError> {
    let unit = child(root, "asset").and_then(|asset| child(asset, "unit"));
    let Some((unit, meter)) = unit.and_then(|unit| Some((unit, unit.attribute("meter")?))) else {
        return Ok(1.0);
    };
    let length = number(meter).map_err(|e| e.at(place(unit)))?;
    match length > 0.0 {
        true => Ok(length),
        false => {
            let what = format!("a unit of {length} m; it must be positive");
            Err(malformed(unit, what))
        }
    }
}

/// The rotation to z upwards. COLLADA's axes to the right, upwards and to the viewer are
/// x, z, −y for Z_UP, x, y, z for Y_UP, the default, and −y, x, z for X_UP.
fn upright(root: Element) -> Mat3<f64> {
    let axis = child(root, "asset").and_then(|asset| child(asset, "up_axis"));
    match axis.and_then(|axis| axis.text()).map(str::trim) {
        Some("Z_UP") => Mat3::identity(),
        Some("X_UP") => Mat3::from_rows([[0., -1., 0.], [0., 0., -1.], [1., 0., 0.]]),
        _ => Mat3::from_rows(Y_UP_ROWS),
    }
}

/// The rotation from y upwards to z upwards.
pub(super) const Y_UP_ROWS: [[f64; 3]; 3] = [[1., 0., 0.], [0., 0., -1.], [0., 1., 0.]];

/// The data of a file while its scene is walked through.
struct Scene<'a> {
    by_id: HashMap<&'a str, Element<'a>>,
    geometries: HashMap<roxmltree::NodeId, Rc<Polygons>>,
    placed: usize,
}

impl<'a> Scene<'a> {
    /// The scene that is shown: the one that is named, or the first.
    fn visual_scene(&self, root: Element<'a>) -> Result<Option<Element<'a>>, MeshError> {
        let named = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
        if let Some(instance) = named {
            return self.target(instance, "url").map(Some);
        }
        let library = child(root, "library_visual_scenes");
        Ok(library.and_then(|library| child(library, "visual_scene")))
    }

    /// The element that an attribute such as `url="#part"` names.
    fn target(&self, element: Element<'a>, attribute: &str) -> Result<Element<'a>, MeshError> {
        target(&self.by_id, element, attribute)
    }

    /// Places everything in a scene: depth first, with a stack of its own.
    fn place_nodes(
        &mut self,
        scene: Element<'a>,
        map: Affine,
        soup: &mut Soup,
    ) -> Result<(), MeshError> {
        let mut waiting = vec![(scene, map, 0)];
        while let Some((parent, map, depth)) = waiting.pop() {
            self.placed += 1;
            if self.placed > MAX_PLACED || depth > MAX_DEPTH {
                let (what, limit) = match depth > MAX_DEPTH {
                    true => ("nodes inside one another", MAX_DEPTH),
                    false => ("nodes in the scene", MAX_PLACED),
                };
                return Err(MeshErrorKind::TooMany { what, limit }.at(place(parent)));
            }
            // Transformations apply to all that the node holds, wherever they stand.
            let mut map = map;
            let steps = parent.children().filter(Node::is_element);
            for step in steps.clone() {
                if let Some(step) = transformation(step)? {
                    map = map.after(&step);
                }
            }
            for element in steps {
                match element.tag_name().name() {
                    "node" => waiting.push((element, map, depth + 1)),
                    "instance_node" => {
                        waiting.push((self.target(element, "url")?, map, depth + 1));
                    }
                    "instance_geometry" => {
                        let geometry = self.target(element, "url")?;
                        self.place(geometry, &map, element, soup)?;
                    }
                    "instance_controller" => {
                        let controller = self.target(element, "url")?;
                        let Some(skin) = child(controller, "skin") else {
                            continue;
                        };
                        let geometry = self.target(skin, "source")?;
                        self.place(geometry, &map, element, soup)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Places a geometry, which is read once.
    fn place(
        &mut self,
        geometry: Element<'a>,
        map: &Affine,
        from: Element<'a>,
        soup: &mut Soup,
    ) -> Result<(), MeshError> {
        let polygons = match self.geometries.get(&geometry.id()) {
            Some(polygons) => Rc::clone(polygons),
            None => {
                let polygons = Rc::new(collada_geometry::read(geometry, &self.by_id, soup)?);
                self.geometries.insert(geometry.id(), Rc::clone(&polygons));
                polygons
            }
        };
        polygons.place(map, soup).map_err(|e| e.at(place(from)))
    }
}

/// The map of an element, if it is a transformation.
fn transformation(element: Element) -> Result<Option<Affine>, MeshError> {
    let numbers = |count: usize| -> Result<Vec<f64>, MeshError> {
        let text = content(element);
        let words = text.split_ascii_whitespace().take(count + 1);
        let numbers: Result<Vec<f64>, _> = words.map(number).collect();
        let numbers = numbers.map_err(|e| e.at(place(element)))?;
        match numbers.len() == count {
            true => Ok(numbers),
            false => {
                let tag = element.tag_name().name();
                let what = format!("`{tag}` needs {count} numbers and has {}", numbers.len());
                Err(malformed(element, what))
            }
        }
    };
    let three = |n: &[f64]| Vec3::new(n[0], n[1], n[2]);
    Ok(Some(match element.tag_name().name() {
        "translate" => Affine::translation(three(&numbers(3)?)),
        "scale" => Affine::scale(three(&numbers(3)?)),
        "rotate" => {
            let n = numbers(4)?;
            let axis = three(&n);
            let length = axis.norm();
            match length > 0.0 {
                true => Affine::linear(exp3(axis * (n[3].to_radians() / length))),
                false => return Ok(None),
            }
        }
        "matrix" => {
            let n = numbers(16)?;
            let row = |i: usize| [n[4 * i], n[4 * i + 1], n[4 * i + 2], n[4 * i + 3]];
            Affine::from_rows([row(0), row(1), row(2)])
        }
        tag @ ("skew" | "lookat") => {
            let what = format!("the transformation `{tag}`");
            let kind = MeshErrorKind::unsupported(what, "with its transformations as matrices");
            return Err(kind.at(place(element)));
        }
        _ => return Ok(None),
    }))
}

/// The first element of a name directly inside.
pub(super) fn child<'a>(element: Element<'a>, name: &str) -> Option<Element<'a>> {
    let mut children = element.children();
    children.find(|e| e.is_element() && e.tag_name().name() == name)
}

/// All text directly inside.
pub(super) fn content(element: Element) -> String {
    let texts = element.children().filter(Node::is_text);
    texts.filter_map(|node| node.text()).collect()
}

/// The element that an attribute such as `url="#part"` names.
pub(super) fn target<'a>(
    by_id: &HashMap<&'a str, Element<'a>>,
    element: Element<'a>,
    attribute: &str,
) -> Result<Element<'a>, MeshError> {
    let url = element.attribute(attribute).unwrap_or_default();
    let found = url.strip_prefix('#').and_then(|id| by_id.get(id));
    found.copied().ok_or_else(|| {
        let what = format!(
            "`{attribute}=\"{}\"` names no element of this file; name its id as in `#part`",
            shortened(url)
        );
        malformed(element, what)
    })
}

/// Where an element begins.
pub(super) fn place(element: Element) -> Place {
    let at = element.document().text_pos_at(element.range().start);
    Place::LineColumn(at.row as usize, at.col as usize)
}

pub(super) fn malformed(element: Element, what: String) -> MeshError {
    MeshErrorKind::Malformed(what).at(place(element))
}
