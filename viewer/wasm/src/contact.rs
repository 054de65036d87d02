//! Motion with contact: the ground, other links, limits, friction and drives, in exact steps.

use crate::matrix::Thrown;
use crate::robot::Robot;
use crate::simulation::Springs;
use featherline::Workspace;
use featherline::dynamics::DynamicsOptions;
use featherline::kernel::check_size;
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Mat3, Se3, Vec3};
use featherline_constraint::nonsmooth::{Contact, FrictionLaw, SolverOptions};
use featherline_constraint::{LoopWorkspace, assemble, project_velocity};
use featherline_geometry::{
    Capsule, CollisionModel, CollisionShape, Cone, Cuboid, Cylinder, Ellipsoid, Plane, Polytope,
    Shape, Sphere,
};
use featherline_sim::contact::{
    CollisionContacts, ContactImpulse, ContactSource, Drives, Surface, TimeStepping,
};
use std::collections::HashMap;
use std::sync::Arc;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// What pictures need of a solution: errors of µm/s, and an end of the search before the next
/// picture is due.
const OPTIONS: SolverOptions = SolverOptions {
    tolerance: 1e-6,
    in_motion: 1e-6,
    acceptable: 1e-5,
    most_factorisations: 12,
    law: FrictionLaw::Exact,
};

/// A motion that is faster at its end than so many times its beginning and so many rad/s or m/s
/// more is made again, in half the steps, at most so often: near gimbal lock light links need short
/// ones.
const GROWTH: f64 = 2.0;
const JUMP: f64 = 20.0;
const MOST_HALVINGS: u32 = 4;

/// What a robot touches with.
#[derive(Default)]
pub struct Contacts {
    /// The shapes of the scene; none for those that can't touch.
    shapes: Vec<Option<CollisionShape>>,
    /// The hulls of meshes, by their indices.
    hulls: HashMap<usize, Option<Shape>>,
    pairs: Vec<([usize; 2], Surface)>,
    /// The shapes that touch the ground.
    on_ground: Vec<(usize, Surface)>,
    source: Option<CollisionContacts>,
}

/// A source that is lent to the stepping of a call.
struct Lent<'a>(&'a mut Option<CollisionContacts>);

impl ContactSource for Lent<'_> {
    fn find(
        &mut self,
        placements: &[Se3<f64>],
        range: f64,
        out: &mut Vec<Contact>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        match self.0 {
            Some(source) => source.find(placements, range, out),
            None => Ok(()),
        }
    }
}

#[wasm_bindgen]
impl Robot {
    /// Adds the next shape of the scene: its kind, its sizes as the scene has them, the index of
    /// its joint, and its placement there (16 entries). False if it touches nothing.
    #[wasm_bindgen(js_name = addShape)]
    pub fn add_shape(
        &mut self,
        kind: &str,
        sizes: &[f64],
        joint: usize,
        placement: &[f64],
    ) -> bool {
        let shape: Option<Shape> = match (kind, sizes) {
            ("box", &[x, y, z]) => Some(Cuboid::new(Vec3::new(x, y, z)).into()),
            ("sphere", &[radius]) => Some(Sphere::new(radius).into()),
            ("cylinder", &[radius, length]) => Some(Cylinder::new(radius, length).into()),
            ("capsule", &[radius, length]) => Some(Capsule::new(radius, length).into()),
            ("cone", &[radius, length]) => Some(Cone::new(radius, length).into()),
            ("ellipsoid", &[x, y, z]) => Some(Ellipsoid::new(Vec3::new(x, y, z)).into()),
            ("plane", _) => Some(Plane.into()),
            _ => None,
        };
        self.push_shape(shape, joint, placement)
    }

    /// Adds the next shape of the scene, a mesh: its convex hull, which is found once for each
    /// mesh.
    #[wasm_bindgen(js_name = addMesh)]
    pub fn add_mesh(
        &mut self,
        mesh: usize,
        vertices: &[f32],
        joint: usize,
        placement: &[f64],
    ) -> bool {
        let known = self.contacts.hulls.entry(mesh).or_insert_with(|| {
            let points = vertices.chunks_exact(3);
            let points = points.map(|p| Vec3::new(p[0].into(), p[1].into(), p[2].into()));
            let hull = Polytope::from_points(points).ok()?;
            Some(Shape::Polytope(Arc::new(hull)))
        });
        let shape = known.clone();
        self.push_shape(shape, joint, placement)
    }

    /// Says which shapes touch: two indices for each pair, friction and restitution of each; then
    /// the shapes that touch the ground, with theirs.
    #[wasm_bindgen(js_name = setPairs)]
    pub fn set_pairs(
        &mut self,
        pairs: &[u32],
        surfaces: &[f64],
        on_ground: &[u32],
        on_ground_surfaces: &[f64],
    ) {
        let surface = |it: &[f64]| Surface {
            friction: it[0],
            restitution: it[1],
        };
        let pairs = pairs
            .chunks_exact(2)
            .map(|it| [it[0] as usize, it[1] as usize]);
        let surfaces = surfaces.chunks_exact(2).map(surface);
        self.contacts.pairs = pairs.zip(surfaces).collect();
        let surfaces = on_ground_surfaces.chunks_exact(2).map(surface);
        let shapes = on_ground.iter().map(|it| *it as usize);
        self.contacts.on_ground = shapes.zip(surfaces).collect();
    }

    /// Prepares a motion with contact, over a ground at a height, if there is one (in m). Returns
    /// how many pairs of shapes touch.
    #[wasm_bindgen(js_name = beginContact)]
    pub fn begin_contact(&mut self, ground: Option<f64>) -> Thrown<usize> {
        let model = &self.model;
        let contacts = &mut self.contacts;
        contacts.source = None;
        // Shapes with their own numbers: without those that touch nothing.
        let mut own = vec![None; contacts.shapes.len()];
        let mut shapes = Vec::new();
        for (k, shape) in contacts.shapes.iter().enumerate() {
            if let Some(shape) = shape {
                own[k] = Some(shapes.len());
                shapes.push(shape.clone());
            }
        }
        let number = |k: usize| own.get(k).copied().flatten();
        let mut pairs: Vec<([usize; 2], Surface)> = Vec::new();
        for ([i, j], surface) in &contacts.pairs {
            if let (Some(i), Some(j)) = (number(*i), number(*j)) {
                pairs.push(([i, j], *surface));
            }
        }
        if let Some(height) = ground {
            let floor = shapes.len();
            for (k, surface) in &contacts.on_ground {
                if let Some(k) = number(*k) {
                    pairs.push(([k, floor], *surface));
                }
            }
            let place = Se3::from_translation(Vec3::new(0.0, 0.0, height));
            shapes.push(CollisionShape::new(
                "ground",
                JointId::UNIVERSE,
                place,
                Plane,
            ));
        }
        let count = pairs.len();
        if count > 0 {
            pairs.sort_by_key(|(pair, _)| *pair);
            let indices = pairs.iter().map(|it| it.0).collect();
            let collision = CollisionModel::with_pairs(model, shapes, indices)?;
            let surfaces = pairs.iter().map(|it| it.1).collect();
            contacts.source = Some(CollisionContacts::new(collision, surfaces));
        }
        Ok(count)
    }

    /// The state after some seconds of a motion that was [prepared](Self::begin_contact), in equal
    /// steps of at most `step` seconds: q, v, the joint forces of the last step, then nine numbers
    /// for each contact that pushes: its point, its normal and its force, in the world.
    ///
    /// What acts is as in [`simulate`](Self::simulate), but that limits, dry friction and contacts
    /// are exact, and drives without limits of their effort hold single coordinates. Steps are
    /// halved where speeds jump.
    #[wasm_bindgen(js_name = simulateContact)]
    pub fn simulate_contact(
        &mut self,
        q: &[f64],
        v: &[f64],
        seconds: f64,
        step: f64,
        held: &[u8],
        reference: &[f64],
    ) -> Thrown<Vec<f64>> {
        let model = &self.model;
        check_size("q", model.nq(), q.len())?;
        check_size("v", model.nv(), v.len())?;
        check_size("reference", model.nq(), reference.len())?;
        if !(seconds > 0.0 && step > 0.0 && seconds / step < 1e5) {
            return Err(JsError::new(
                "seconds and step are above zero, for at most 1e5 steps",
            ));
        }
        let fastest = |v: &[f64]| v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let most = GROWTH * fastest(v) + JUMP;
        let steps = (seconds / step).ceil();
        let mut halvings = 0;
        loop {
            let count = steps * f64::from(1_u32 << halvings);
            let found = self.run_contact(q, v, seconds / count, count, held, reference);
            let nq = self.model.nq();
            let is_sound = found
                .as_ref()
                .is_ok_and(|state| fastest(&state[nq..nq + v.len()]) <= most);
            if is_sound || halvings == MOST_HALVINGS {
                return found;
            }
            halvings += 1;
        }
    }
}

impl Robot {
    /// So many steps of h seconds.
    fn run_contact(
        &mut self,
        q: &[f64],
        v: &[f64],
        h: f64,
        count: f64,
        held: &[u8],
        reference: &[f64],
    ) -> Thrown<Vec<f64>> {
        let model = &self.model;
        let is_held = |k: usize| held.get(k).is_some_and(|it| *it != 0);
        let drives = Drives::holding(model, reference)?;
        let drives = drives.only(is_held).without_effort_limits();
        let is_single = |k: usize| {
            let mut joints = model.joints().iter().skip(1);
            joints.any(|it| it.idx_v == k && it.nq == 1 && it.nv == 1 && it.mimic.is_none())
        };
        let springs = Springs::new(model, held, reference)?;
        let walls = with_walls(model, &springs.implicit_damping(), is_single)?;
        let springs = springs.beside_drives(is_single);
        let stepping = TimeStepping::with(&walls, springs, Lent(&mut self.contacts.source))?;
        let mut stepping = stepping.with_drives(drives).with_options(OPTIONS);
        let (mut q, mut v) = (q.to_vec(), v.to_vec());
        let mut loops = match model.loop_joints().is_empty() {
            true => None,
            false => Some(LoopWorkspace::new(model)?),
        };
        let (mut from, mut before) = (q.clone(), v.clone());
        for _ in 0..count as usize {
            from.copy_from_slice(&q);
            before.copy_from_slice(&v);
            stepping.step(0.0, &mut q, &mut v, h)?;
            if let Some(loops) = &mut loops {
                assemble(model, loops, &mut q)?;
                project_velocity(model, loops, &q, &mut v)?;
            }
        }
        model.normalise(&mut q)?;
        let contacts = stepping.contacts().iter().copied();
        let contacts: Vec<ContactImpulse> =
            contacts.filter(|it| it.normal_impulse() > 0.0).collect();
        let acceleration: Vec<f64> = v.iter().zip(&before).map(|(v, u)| (v - u) / h).collect();
        let tau = joint_forces(
            model,
            &mut self.ws,
            (&from, &before),
            &acceleration,
            &contacts,
            h,
        )?;
        q.extend(v);
        q.extend(tau);
        for it in &contacts {
            q.extend(it.contact.point.to_array());
            q.extend(it.contact.normal.to_array());
            q.extend((it.impulse * h.recip()).to_array());
        }
        Ok(q)
    }
}

impl Robot {
    fn push_shape(&mut self, shape: Option<Shape>, joint: usize, placement: &[f64]) -> bool {
        let bodies = std::iter::once(JointId::UNIVERSE).chain(self.model.joint_ids());
        let body = bodies.into_iter().find(|id| id.index() == joint);
        let made = match (shape, body, placement) {
            (Some(shape), Some(body), &[a, b, c, _, d, e, f, _, g, h, i, _, x, y, z, _]) => {
                let rotation = Mat3::from_rows([[a, d, g], [b, e, h], [c, f, i]]);
                let placement = Se3::new(rotation, Vec3::new(x, y, z));
                let shape = CollisionShape::new("", body, placement, shape);
                // One without a size can't be placed.
                CollisionModel::with_pairs(&self.model, vec![shape.clone()], Vec::new())
                    .ok()
                    .map(|_| shape)
            }
            _ => None,
        };
        let touches = made.is_some();
        self.contacts.shapes.push(made);
        touches
    }
}

/// The model with dampers of joints whose coordinates have no drives, such as those of a base: they
/// are implicit, and stable however light the base is.
fn with_walls(model: &Model, damping: &[f64], is_single: impl Fn(usize) -> bool) -> Thrown<Model> {
    let mut walls = model.clone();
    for id in model.joint_ids() {
        let joint = model.joint(id);
        let own = joint.idx_v..joint.idx_v + joint.nv;
        if joint.mimic.is_some() || own.clone().all(|k| is_single(k) || damping[k] == 0.0) {
            continue;
        }
        let mut drive = joint.drive.clone();
        for (own, added) in drive.damping.iter_mut().zip(&damping[own]) {
            *own += added;
        }
        walls = walls.with_drive(id, drive)?;
    }
    Ok(walls)
}

/// The forces in the joints of a step: inverse dynamics of its motion under its contact forces.
fn joint_forces(
    model: &Model,
    ws: &mut Workspace<f64>,
    (q, v): (&[f64], &[f64]),
    acceleration: &[f64],
    contacts: &[ContactImpulse],
    h: f64,
) -> Thrown<Vec<f64>> {
    let mut forces = vec![Force::zero(); model.joints().len()];
    let mut joints = vec![Se3::identity(); model.joints().len()];
    model
        .forward_kinematics(ws, q)?
        .joint_placements_into(&mut joints)?;
    for found in contacts {
        let force = found.impulse * h.recip();
        for (body, force) in found.contact.bodies.into_iter().zip([-force, force]) {
            let place = &joints[body.index()];
            let arm = found.contact.point - place.translation;
            let own = &mut forces[body.index()];
            own.linear += place.rotation.tr_mul_vec(force);
            own.angular += place.rotation.tr_mul_vec(arm.cross(force));
        }
    }
    let options = DynamicsOptions::default().without_passive_forces();
    let options = options.with_forces(&forces);
    Ok(model
        .inverse_dynamics(ws, q, v, acceleration, options)?
        .to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_falls_on_the_ground_which_carries_it() {
        let text = "<robot name='r'><link name='earth'/><link name='box'><inertial><mass value='2'/>
            <inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>
            <joint name='free' type='floating'><parent link='earth'/><child link='box'/></joint></robot>";
        let Ok(mut robot) = Robot::new(text, false, None) else {
            panic!("the robot is read");
        };
        let mut place = [0.0; 16];
        (place[0], place[5], place[10], place[15]) = (1.0, 1.0, 1.0, 1.0);
        assert!(robot.add_shape("box", &[0.1, 0.1, 0.1], 1, &place));
        assert!(!robot.add_shape("", &[], 0, &place));
        robot.set_pairs(&[], &[], &[0], &[0.8, 0.0]);
        let q = [0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 1.0];
        let Ok(1) = robot.begin_contact(Some(-0.1)) else {
            panic!("the ground is touched");
        };
        let Ok(state) = robot.simulate_contact(&q, &[0.0; 6], 1.0, 1e-3, &[], &q) else {
            panic!("the motion is found");
        };
        assert!((state[2] + 0.05).abs() < 1e-6, "{state:?}");
        // Nothing drives the box: the contacts carry it.
        assert!(state[13..19].iter().all(|x| x.abs() < 1e-3), "{state:?}");
        let contacts: Vec<&[f64]> = state[19..].chunks(9).collect();
        assert_eq!(contacts.len(), 4);
        let sum: f64 = contacts.iter().map(|it| it[8]).sum();
        assert!((sum - 2.0 * 9.81).abs() < 1e-3, "{sum}");
        assert!(contacts.iter().all(|it| it[3..6] == [0.0, 0.0, 1.0]));
    }
}
