//! `[[body]]` and `[ground]`: free bodies, and what is fixed in the world.

use super::append::pose;
use super::table::Table;
use super::{SURFACE, Scene, surface};
use crate::description::{
    Form, Geometry, Inertial, Joint, Link, Material, MeshFile, Motion, OpenMesh, inertia_of_shapes,
    z_to,
};
use crate::digits::{SHOWN, rounded};
use crate::error::ErrorCause;
use crate::report::{Outcome, fault, not_allowed};
use crate::xml::{number, shortened};
use featherline::spatial::{Inertia, Mat3, Se3, Vec3};
use featherline_geometry::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Plane, Sphere};
use std::f64::consts::FRAC_PI_2;

const SHAPES: [&str; 7] = [
    "box",
    "sphere",
    "capsule",
    "cylinder",
    "cone",
    "ellipsoid",
    "mesh",
];

const OTHERS: &str = "name scale convex mass density fixed position rpy quaternion velocity colour \
                      repeat spacing";

/// The density of a body that gives neither mass nor density: that of water, in kg/m³.
const DENSITY: f64 = 1000.0;

/// The most links of a scene: `repeat` may ask for any number.
const MAX_BODIES: usize = 1 << 16;

impl Scene<'_> {
    /// Adds the plane of the ground.
    pub(super) fn ground(&mut self, table: Table<'_>) -> Outcome<()> {
        table.only(&["height slope slope_axis normal colour", SURFACE])?;
        let direction = |key: &'static str| -> Outcome<Option<Vec3<f64>>> {
            let Some(vector) = table.vector(key)? else {
                return Ok(None);
            };
            match vector.norm() > 0.0 {
                true => Ok(Some(vector.normalised())),
                false => Err(fault(table.source_of(key), ErrorCause::ZeroAxis)),
            }
        };
        let slope = table.number("slope")?;
        if let Some(angle) = slope.filter(|it| it.abs() > FRAC_PI_2) {
            let radians = number(rounded(angle.to_radians(), SHOWN));
            let angle = number(angle);
            let what = format!(
                "`slope` is {angle} rad, more than a right angle; {angle} degrees are {radians} rad"
            );
            let remedy = "give it in rad, or the `normal` of the plane";
            return Err(table.not_allowed("slope", what, remedy));
        }
        let rotation = match (direction("normal")?, slope) {
            (Some(_), Some(_)) => {
                let what = "both `normal` and `slope` are given";
                let remedy = "keep one";
                return Err(table.not_allowed("slope", what, remedy));
            }
            (Some(normal), None) => z_to(normal),
            (None, slope) => {
                let axis = direction("slope_axis")?.unwrap_or(Vec3::unit(1));
                Mat3::from_axis_angle(axis, slope.unwrap_or(0.0))
            }
        };
        let height = table.number("height")?.unwrap_or(0.0);
        let placement = Se3::new(rotation, Vec3::new(0.0, 0.0, height));
        let first = [self.description.links.len(), self.description.joints.len()];
        let link = self.add_link("ground", None, &placement, &table);
        let mut plane = Geometry::new(link, Se3::identity(), Form::Shape(Plane.into()));
        plane.name = "ground".to_owned();
        plane.source = table.source;
        plane.surface = surface(&table)?;
        plane.material = self.colour(&table)?;
        self.description.geometry.push(plane);
        self.claim("the ground", table.source, first)?;
        self.add_part("ground", vec![link], table.source)
    }

    /// Adds a body, or its copies.
    pub(super) fn body(&mut self, table: Table<'_>) -> Outcome<()> {
        table.only(&[&SHAPES[..], &[OTHERS, SURFACE]].concat())?;
        let name = table.text("name")?.ok_or_else(|| table.missing("name"))?;
        if name.trim().is_empty() {
            let cause = ErrorCause::EmptyName { attribute: "name" };
            return Err(fault(table.source_of("name"), cause));
        }
        let is_fixed = table.flag("fixed")?.unwrap_or(false);
        let placement = table.placement()?.unwrap_or_else(Se3::identity);
        let velocity = table.numbers::<6>("velocity")?;
        let mut geometry = Geometry::new(0, Se3::identity(), self.form(&table)?);
        geometry.source = table.source;
        geometry.surface = surface(&table)?;
        geometry.as_hull = table.flag("convex")?;
        geometry.material = self.colour(&table)?;
        if is_fixed {
            for key in ["mass", "density", "velocity"] {
                if table.get(key).is_some() {
                    let what = format!("the fixed body `{}` has a `{key}`", shortened(name));
                    let remedy = "leave it out, or let the body move by `fixed = false`";
                    return Err(table.not_allowed(key, what, remedy));
                }
            }
        }
        let mut inertial = None;
        if !is_fixed {
            let inertia = inertia(&table, &geometry)?;
            let at = Se3::from_translation(inertia.com);
            inertial = Some(Inertial::new(at, inertia.mass, inertia.rotational));
        }
        let (counts, spacing) = repeat(&table)?;
        if self.description.links.len() + counts.iter().product::<usize>() > MAX_BODIES {
            let (what, limit) = ("links of a scene", MAX_BODIES);
            let cause = ErrorCause::TooMany { what, limit };
            return Err(fault(table.source_of("repeat"), cause));
        }
        let first = [self.description.links.len(), self.description.joints.len()];
        let mut links = Vec::new();
        for (copy, offset) in offsets(counts, spacing).enumerate() {
            let own_name = match table.get("repeat") {
                Some(_) => format!("{name}_{copy}"),
                None => name.to_owned(),
            };
            let at = Se3::new(placement.rotation, placement.translation + offset);
            let link = self.add_link(&own_name, inertial, &at, &table);
            links.push(link);
            geometry.link = link;
            geometry.name.clone_from(&own_name);
            self.description.geometry.push(geometry.clone());
            if let (Some(velocity), false) = (velocity, is_fixed) {
                let joint = self.description.joints.len() - 1;
                let entries = in_own_axes(&at, velocity);
                self.start.velocities.push((joint, entries));
            }
        }
        let what = format!("the body `{}`", shortened(name));
        self.claim(&what, table.source, first)?;
        self.add_part(name, links, table.source_of("name"))
    }

    /// Adds a link in the world: on a free joint of its name if it has an inertia, and fixed
    /// otherwise.
    fn add_link(
        &mut self,
        name: &str,
        inertial: Option<Inertial>,
        placement: &Se3<f64>,
        table: &Table<'_>,
    ) -> usize {
        let mut link = Link::new(name);
        link.source = table.source;
        link.inertial = inertial.map(|mut it| {
            it.source = table.source;
            it
        });
        let link = self.description.add_link(link);
        let mut joint = match inertial {
            Some(_) => Joint::new(name, 0, link, Motion::Floating),
            None => Joint::new(format!("{name}_fixed"), 0, link, Motion::Fixed),
        };
        joint.source = table.source;
        if inertial.is_none() {
            joint.placement = *placement;
        }
        let joint = self.description.add_joint(joint);
        if inertial.is_some() {
            self.start.joints.push((joint, pose(placement)));
        }
        link
    }

    /// The shape of a body.
    fn form(&mut self, table: &Table<'_>) -> Outcome<Form> {
        let mut given = SHAPES.iter().filter(|key| table.get(key).is_some());
        let (Some(&key), None) = (given.next(), given.next()) else {
            let remedy = "give it one of box, sphere, capsule, cylinder, cone, ellipsoid and mesh";
            return Err(not_allowed(table.source, "a body has one shape", remedy));
        };
        for own in ["scale", "convex"] {
            if key != "mesh" && table.get(own).is_some() {
                let what = format!("the {key} has a `{own}`");
                let remedy = "leave it out: only a mesh has one";
                return Err(table.not_allowed(own, what, remedy));
            }
        }
        let sizes = |count: usize| -> Outcome<[f64; 3]> {
            // The key is there: these are its values.
            let mut sizes = [0.0; 3];
            match count {
                1 => sizes[0] = table.number(key)?.unwrap_or_default(),
                2 => sizes[..2].copy_from_slice(&table.numbers::<2>(key)?.unwrap_or_default()),
                _ => sizes = table.numbers::<3>(key)?.unwrap_or_default(),
            }
            if let Some(bad) = sizes[..count].iter().find(|it| **it <= 0.0) {
                let what = format!("the {key} has the size {bad}");
                let remedy = "give it a positive one, in m";
                return Err(table.not_allowed(key, what, remedy));
            }
            Ok(sizes)
        };
        let vector = |[x, y, z]: [f64; 3]| Vec3::new(x, y, z);
        let shape = match key {
            "box" => Cuboid::new(vector(sizes(3)?)).into(),
            "sphere" => Sphere::new(sizes(1)?[0]).into(),
            "ellipsoid" => Ellipsoid::new(vector(sizes(3)?)).into(),
            "mesh" => {
                let uri = table.text("mesh")?.unwrap_or_default();
                let mut file = MeshFile::new(uri, self.resolver.find(uri));
                if let Some(scale) = table.get("scale") {
                    file.scale = match super::table::number_or_list(scale, "scale")?[..] {
                        [factor] => Vec3::new(factor, factor, factor),
                        _ => table.vector("scale")?.unwrap_or(file.scale),
                    };
                }
                if file.path.is_none() {
                    let cause = self.resolver.missing(uri);
                    let source = table.source_of("mesh");
                    self.warnings.push((source, cause));
                }
                return Ok(Form::Mesh(file));
            }
            round => {
                let [radius, length, _] = sizes(2)?;
                match round {
                    "capsule" => Capsule::new(radius, length).into(),
                    "cylinder" => Cylinder::new(radius, length).into(),
                    _ => Cone::new(radius, length).into(),
                }
            }
        };
        Ok(Form::Shape(shape))
    }

    /// The material of `colour`: red, green and blue, with opacity if it is given.
    fn colour(&mut self, table: &Table<'_>) -> Outcome<Option<usize>> {
        let Some(list) = table.list("colour")? else {
            return Ok(None);
        };
        let colour = match list.len() {
            3 => table.numbers("colour")?.map(|[r, g, b]| [r, g, b, 1.0]),
            _ => table.numbers("colour")?,
        };
        let mut parts = colour.iter().flatten();
        if let Some(bad) = parts.find(|it| !(0.0..=1.0).contains(*it)) {
            let what = format!("`colour` has {bad}");
            let remedy = "give it red, green and blue from 0 to 1";
            return Err(table.not_allowed("colour", what, remedy));
        }
        let mut material = Material::new("");
        material.colour = colour;
        material.source = table.source_of("colour");
        self.description.materials.push(material);
        Ok(Some(self.description.materials.len() - 1))
    }
}

/// The inertia of a solid body of a mass or a density. A mesh that is not closed counts as its
/// hull.
fn inertia(table: &Table<'_>, geometry: &Geometry) -> Outcome<Inertia<f64>> {
    let remedy = "give it a positive number, or `fixed = true` for a body that does not move";
    let mass = table.number_in("mass", |it| it > 0.0, remedy)?;
    let density = table.number_in("density", |it| it > 0.0, remedy)?;
    if mass.is_some() && density.is_some() {
        let what = "both `mass` and `density` are given";
        let remedy = "keep one";
        return Err(table.not_allowed("density", what, remedy));
    }
    let of_density = |density: f64| {
        let shapes = std::iter::once(geometry);
        let inertia = inertia_of_shapes(shapes, OpenMesh::Hull, density).map_err(|no_volume| {
            let what = format!("the body has no inertia: {}", no_volume.reason);
            not_allowed(
                table.source,
                what,
                "give it another shape, or `fixed = true`",
            )
        })?;
        Ok(inertia.unwrap_or_else(Inertia::zero))
    };
    match mass {
        None => of_density(density.unwrap_or(DENSITY)),
        // ρ = m / V, with V the mass at ρ = 1.
        Some(mass) => of_density(mass / of_density(1.0)?.mass),
    }
}

/// How many copies of a body there are along each axis, and how far apart.
fn repeat(table: &Table<'_>) -> Outcome<([usize; 3], Vec3<f64>)> {
    let (counts, spacing) = (table.numbers::<3>("repeat")?, table.vector("spacing")?);
    let Some(counts) = counts else {
        return match spacing {
            None => Ok(([1; 3], Vec3::zero())),
            Some(_) => Err(table.missing("repeat")),
        };
    };
    let spacing = spacing.ok_or_else(|| table.missing("spacing"))?;
    let is_count = |it: &f64| *it >= 1.0 && it.fract() == 0.0;
    if let Some(bad) = counts.iter().find(|it| !is_count(it)) {
        let what = format!("`repeat` has {bad}");
        let remedy = "give it three whole numbers from one on";
        return Err(table.not_allowed("repeat", what, remedy));
    }
    if counts.iter().product::<f64>() > MAX_BODIES as f64 {
        let (what, limit) = ("copies of a body", MAX_BODIES);
        let cause = ErrorCause::TooMany { what, limit };
        return Err(fault(table.source_of("repeat"), cause));
    }
    Ok((counts.map(|it| it as usize), spacing))
}

/// The offsets of copies, x first.
fn offsets([x, y, z]: [usize; 3], spacing: Vec3<f64>) -> impl Iterator<Item = Vec3<f64>> {
    (0..x * y * z).map(move |copy| {
        let (i, j, k) = (copy % x, copy / x % y, copy / (x * y));
        let [dx, dy, dz] = spacing.to_array();
        Vec3::new(i as f64 * dx, j as f64 * dy, k as f64 * dz)
    })
}

/// The entries of v of a free joint: a linear and an angular velocity along the axes of the world,
/// along those of the body.
pub(super) fn in_own_axes(placement: &Se3<f64>, [a, b, c, d, e, f]: [f64; 6]) -> Vec<f64> {
    let own = |v| placement.rotation.tr_mul_vec(v).to_array();
    [own(Vec3::new(a, b, c)), own(Vec3::new(d, e, f))].concat()
}
