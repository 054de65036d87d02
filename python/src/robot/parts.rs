//! The parts of a description as named tuples of `featherline.robot_files`. Parts refer to others
//! by name.

use crate::array::Answer;
use crate::spatial::{Inertia, SE3};
use featherline::spatial::Vec3;
use featherline_formats::description::{
    Actuator, ContactPair, Description, EndEffector, Form, Frame, Geometry, Group, GroupState,
    Joint, KeptElement, Link, Material, Owner, Sensor, Setting, Target, Tendon, TendonPath,
    TendonPoint, Transmission,
};
use featherline_geometry::Shape;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A named tuple of `featherline.robot_files`.
pub fn made<'py>(py: Python<'py>, class: &str, fields: impl PyCallArgs<'py>) -> Answer<'py> {
    let module = py.import("featherline.robot_files")?;
    module.getattr(class)?.call1(fields)
}

/// Parts of a description, each made by a function of it.
pub fn all<'py, T>(
    py: Python<'py>,
    parts: &[T],
    make: impl Fn(Python<'py>, &T) -> Answer<'py>,
) -> PyResult<Bound<'py, PyTuple>> {
    let made = parts.iter().map(|part| make(py, part));
    PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)
}

type Object<'py> = Answer<'py>;

fn vector(v: Vec3<f64>) -> (f64, f64, f64) {
    (v.x, v.y, v.z)
}

fn settings<'py>(py: Python<'py>, settings: &[Setting]) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for setting in settings {
        all.set_item(&setting.name, &setting.value)?;
    }
    Ok(all)
}

/// Names of the parts of a description.
#[derive(Clone, Copy)]
pub struct Parts<'d>(pub &'d Description);

impl<'d> Parts<'d> {
    fn link_name(self, index: usize) -> &'d str {
        self.0.links.get(index).map_or("", |it| &it.name)
    }

    fn joint_name(self, index: usize) -> &'d str {
        self.0.joints.get(index).map_or("", |it| &it.name)
    }

    fn frame_name(self, index: usize) -> &'d str {
        self.0.frames.get(index).map_or("", |it| &it.name)
    }

    /// The kind, name and index of a part.
    fn part<'py>(self, py: Python<'py>, target: Target) -> Object<'py> {
        let description = self.0;
        let (kind, index, name) = match target {
            Target::Link(i) => ("link", i, self.link_name(i)),
            Target::Subtree(i) => ("subtree", i, self.link_name(i)),
            Target::Joint(i) => ("joint", i, self.joint_name(i)),
            Target::Frame(i) => ("frame", i, self.frame_name(i)),
            Target::Geometry(i) => {
                let geometry = description.geometry.get(i);
                ("geometry", i, geometry.map_or("", |it| &it.name))
            }
            Target::Tendon(i) => {
                let tendon = description.tendons.get(i);
                ("tendon", i, tendon.map_or("", |it| &it.name))
            }
            Target::Actuator(i) => {
                let actuator = description.actuators.get(i);
                ("actuator", i, actuator.map_or("", |it| &it.name))
            }
        };
        made(py, "Part", (kind, name, index))
    }

    fn parts<'py>(self, py: Python<'py>, targets: &[Target]) -> PyResult<Bound<'py, PyTuple>> {
        all(py, targets, |py, &target| self.part(py, target))
    }

    pub fn link<'py>(self, py: Python<'py>, link: &Link) -> Object<'py> {
        let inertia = link.inertial.map(|it| Inertia::from_value(&it.inertia()));
        made(py, "Link", (&link.name, inertia))
    }

    pub fn joint<'py>(self, py: Python<'py>, joint: &Joint) -> Object<'py> {
        let fields = (
            &joint.name,
            joint.motion.name(),
            self.link_name(joint.parent),
            self.link_name(joint.child),
            SE3::from_value(&joint.placement),
            SE3::from_value(&joint.child_placement),
            joint.mimic.as_ref().map(|it| self.joint_name(it.joint)),
        );
        made(py, "DescribedJoint", fields)
    }

    pub fn frame<'py>(self, py: Python<'py>, frame: &Frame) -> Object<'py> {
        let placement = SE3::from_value(&frame.placement);
        let kind = frame.kind.name();
        let fields = (&frame.name, kind, self.link_name(frame.link), placement);
        made(py, "DescribedFrame", fields)
    }

    pub fn geometry<'py>(self, py: Python<'py>, geometry: &Geometry) -> Object<'py> {
        let (shape, sizes) = match &geometry.form {
            Form::Shape(shape) => kind_and_sizes(shape),
            Form::Mesh(_) => ("mesh", Vec::new()),
            Form::Other { kind } => (kind.as_str(), Vec::new()),
        };
        let mesh = match &geometry.form {
            Form::Mesh(file) => {
                let path = file.path.as_ref().map(|it| it.display().to_string());
                Some(made(py, "MeshFile", (&file.uri, path, vector(file.scale)))?)
            }
            Form::Shape(_) | Form::Other { .. } => None,
        };
        let material = geometry.material.and_then(|it| self.0.materials.get(it));
        let colour = material.and_then(|it| it.colour).map(Into::into);
        let colour: Option<(f64, f64, f64, f64)> = colour;
        let fields = (
            &geometry.name,
            self.link_name(geometry.link),
            SE3::from_value(&geometry.placement),
            shape,
            PyTuple::new(py, sizes)?,
            mesh,
            geometry.is_visual,
            geometry.is_collision,
            colour,
            material.map(|it| &it.name),
        );
        made(py, "Geometry", fields)
    }

    pub fn material<'py>(self, py: Python<'py>, material: &Material) -> Object<'py> {
        let colour = material.colour.map(Into::into);
        let colour: Option<(f64, f64, f64, f64)> = colour;
        made(py, "Material", (&material.name, colour, &material.texture))
    }

    pub fn actuator<'py>(self, py: Python<'py>, actuator: &Actuator) -> Object<'py> {
        let (how, targets) = match actuator.transmission {
            Transmission::Joint(i) => ("joint", vec![Target::Joint(i)]),
            Transmission::JointInParent(i) => ("joint_in_parent", vec![Target::Joint(i)]),
            Transmission::Tendon(i) => ("tendon", vec![Target::Tendon(i)]),
            Transmission::Frame { frame, reference } => {
                let frames = std::iter::once(frame).chain(reference);
                ("frame", frames.map(Target::Frame).collect())
            }
            Transmission::SliderCrank { crank, slider, .. } => {
                let frames = vec![Target::Frame(crank), Target::Frame(slider)];
                ("slider_crank", frames)
            }
            Transmission::Link(i) => ("link", vec![Target::Link(i)]),
        };
        let range = |range: Option<[f64; 2]>| range.map(|[lower, upper]| (lower, upper));
        let [a, b, c, d, e, f] = actuator.gear;
        let fields = (
            &actuator.name,
            &actuator.kind,
            how,
            self.parts(py, &targets)?,
            (a, b, c, d, e, f),
            range(actuator.control_range),
            range(actuator.force_range),
            settings(py, &actuator.settings)?,
        );
        made(py, "Actuator", fields)
    }

    pub fn tendon<'py>(self, py: Python<'py>, tendon: &Tendon) -> Object<'py> {
        let (joints, points): (&[(usize, f64)], &[TendonPoint]) = match &tendon.path {
            TendonPath::Fixed(joints) => (joints, &[]),
            TendonPath::Spatial(points) => (&[], points),
        };
        let joints = joints.iter().map(|&(i, c)| (self.joint_name(i), c));
        let joints: Vec<(&str, f64)> = joints.collect();
        let points = all(py, points, |py, &point| self.tendon_point(py, point))?;
        let range = |range: Option<[f64; 2]>| range.map(|[lower, upper]| (lower, upper));
        let fields = (
            &tendon.name,
            PyTuple::new(py, joints)?,
            points,
            tendon.stiffness,
            tendon.damping,
            tendon.friction,
            tendon.armature,
            range(tendon.rest_length),
            range(tendon.range),
            settings(py, &tendon.settings)?,
        );
        made(py, "Tendon", fields)
    }

    fn tendon_point<'py>(self, py: Python<'py>, point: TendonPoint) -> Object<'py> {
        let (on, side, divisor) = match point {
            TendonPoint::Frame(i) => (Some(Target::Frame(i)), None, None),
            TendonPoint::Wrap { geometry, side } => (Some(Target::Geometry(geometry)), side, None),
            TendonPoint::Pulley { divisor } => (None, None, Some(divisor)),
        };
        let on = on.map(|target| self.part(py, target)).transpose()?;
        made(
            py,
            "TendonPoint",
            (on, side.map(|it| self.frame_name(it)), divisor),
        )
    }

    pub fn sensor<'py>(self, py: Python<'py>, sensor: &Sensor) -> Object<'py> {
        let fields = (
            &sensor.name,
            &sensor.kind,
            self.parts(py, &sensor.targets)?,
            settings(py, &sensor.settings)?,
        );
        made(py, "DescribedSensor", fields)
    }

    pub fn contact_pair<'py>(self, py: Python<'py>, pair: &ContactPair) -> Object<'py> {
        let geometry = self.parts(py, &pair.geometry.map(Target::Geometry))?;
        let fields = (&pair.name, geometry, settings(py, &pair.settings)?);
        made(py, "ContactPair", fields)
    }

    /// The names of two links.
    pub fn link_pair(self, links: [usize; 2]) -> (&'d str, &'d str) {
        (self.link_name(links[0]), self.link_name(links[1]))
    }

    fn group_name(self, index: usize) -> &'d str {
        let group = self.0.semantics.groups.get(index);
        group.map_or("", |it| &it.name)
    }

    pub fn group<'py>(self, py: Python<'py>, group: &Group) -> Object<'py> {
        let joints = group.joints.iter().map(|&it| self.joint_name(it));
        let links = group.links.iter().map(|&it| self.link_name(it));
        let chains = group.chains.iter().map(|&it| self.link_pair(it));
        let subgroups = group.subgroups.iter().map(|&it| self.group_name(it));
        let fields = (
            &group.name,
            PyTuple::new(py, joints.collect::<Vec<_>>())?,
            PyTuple::new(py, links.collect::<Vec<_>>())?,
            PyTuple::new(py, chains.collect::<Vec<_>>())?,
            PyTuple::new(py, subgroups.collect::<Vec<_>>())?,
            group.has_root,
        );
        made(py, "Group", fields)
    }

    pub fn group_state<'py>(self, py: Python<'py>, state: &GroupState) -> Object<'py> {
        let group = state.group.map(|it| self.group_name(it));
        made(py, "GroupState", (&state.name, group, &state.configuration))
    }

    pub fn end_effector<'py>(self, py: Python<'py>, end: &EndEffector) -> Object<'py> {
        let fields = (
            &end.name,
            self.link_name(end.parent),
            end.group.map(|it| self.group_name(it)),
            end.parent_group.map(|it| self.group_name(it)),
        );
        made(py, "EndEffector", fields)
    }

    pub fn kept<'py>(self, py: Python<'py>, kept: &KeptElement) -> Object<'py> {
        let owner = match kept.owner {
            Owner::Link(i) => Some(self.part(py, Target::Link(i))?),
            Owner::Joint(i) => Some(self.part(py, Target::Joint(i))?),
            Owner::Robot => None,
        };
        made(py, "Kept", (kept.format, owner, &kept.tag, &kept.text))
    }
}

/// The word for a shape, and its sizes in the order of URDF.
pub fn kind_and_sizes(shape: &Shape) -> (&'static str, Vec<f64>) {
    match shape {
        Shape::Sphere(it) => ("sphere", vec![it.radius]),
        Shape::Capsule(it) => ("capsule", vec![it.radius, it.length]),
        Shape::Cuboid(it) => ("box", it.sides.to_array().to_vec()),
        Shape::Cylinder(it) => ("cylinder", vec![it.radius, it.length]),
        Shape::Cone(it) => ("cone", vec![it.radius, it.length]),
        Shape::Ellipsoid(it) => ("ellipsoid", it.semi_axes.to_array().to_vec()),
        Shape::Plane(_) => ("plane", Vec::new()),
        Shape::Polytope(_) => ("convex", Vec::new()),
        Shape::Mesh(_) => ("mesh", Vec::new()),
    }
}
