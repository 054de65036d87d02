//! Maximal coordinates on every embedded robot: beside the articulated-body algorithm, the
//! recursive Newton-Euler algorithm, and the whole system as one dense matrix.

use crate::dense;
use featherline::dynamics::DynamicsOptions;
use featherline::joint::JointKind;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointId, JointSpec, ModelBuilder};
use featherline::spatial::{Force, Inertia, Mat3, Motion, Quaternion, Se3, Vec3};
use featherline::{Model, Workspace, samples};
use featherline_constraint::LoopWorkspace;
use featherline_constraint::{assemble, project_velocity};
use featherline_formats::{LoadOptions, MimicJoints};
use featherline_robots as robots;
use featherline_sim::maximal::maximal_dynamics;
use featherline_sim::maximal::{BodyAccelerations, MaximalState, MaximalWorkspace};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Relative to the largest number among those compared, of forces in N and N·m alike. Rounding,
/// 1e-16, is amplified by the condition of the equations, which is 1e5 at most here: a hundredth of
/// the 1e-9 that is claimed.
const TOLERANCE: f64 = 1e-11;
/// Of each robot.
const STATES: u64 = 5;
/// Of a dense system, 11 unknowns each: more take minutes.
const MOST_BODIES: usize = 40;
/// How far the joints of linkages are turned or pushed from where they were drawn, in rad or m,
/// before the loops are closed.
const DISPLACEMENT: f64 = 0.15;

/// Every robot on every base that it may have, and with mimic joints coupled or free.
fn every_robot() -> Vec<Model> {
    let fixed = LoadOptions::default;
    let options = [
        fixed(),
        fixed().floating_base(true),
        fixed().mimic(MimicJoints::Free),
    ];
    let mut models = vec![samples::tapered_chain(30), gripper()];
    for name in robots::names() {
        for options in &options {
            let Ok(model) = robots::model(name, options) else {
                // Linkages are bound to the world.
                assert!(options.floating_base, "{name}");
                continue;
            };
            // A base without mass moves nothing, and can't float.
            if options.floating_base && model.joints()[1].inertia.mass == 0.0 {
                continue;
            }
            let hash = model.content_hash();
            if models.iter().all(|known| known.content_hash() != hash) {
                models.push(model);
            }
        }
    }
    models
}

/// A gripper on an arm of two joints, one sliding and geared, whose second finger mimics the first
/// one.
fn gripper() -> Model {
    let mut builder = ModelBuilder::new("gripper");
    let slide = JointSpec::new("slide", ModelBuilder::UNIVERSE, JointKind::prismatic_x());
    let slide = builder.add_joint(slide.armature(0.7));
    builder.add_body(slide, "carriage", Se3::identity(), cube(4.0, 0.2));
    let tilted = Mat3::from_roll_pitch_yaw(0.3, -0.4, 0.5);
    let wrist = JointSpec::new("wrist", slide, JointKind::revolute_x());
    let placement = Se3::new(tilted, Vec3::new(0.1, 0.2, 0.3));
    let wrist = builder.add_joint(wrist.placement(placement).armature(0.01));
    builder.add_body(wrist, "palm", Se3::identity(), cube(0.6, 0.08));
    let fingers = [("left", 0.03), ("right", -0.03)].map(|(name, y)| {
        let placement = Se3::from_translation(Vec3::new(0.02, y, 0.1));
        let finger = JointSpec::new(name, wrist, JointKind::prismatic_y()).placement(placement);
        let finger = builder.add_joint(finger);
        let tip = Se3::from_translation(Vec3::new(0.0, 0.0, 0.04));
        builder.add_body(finger, name, tip, cube(0.05, 0.02));
        finger
    });
    builder.mimic(fingers[1], fingers[0], -1.0, 0.002);
    builder.build().unwrap().model
}

fn cube(mass: f64, side: f64) -> Inertia<f64> {
    Inertia::cuboid(mass, Vec3::new(side, side, side))
}

/// A robot in motion under forces, and what maximal coordinates say of it.
struct Case<'m> {
    model: &'m Model,
    /// What is compared, for messages.
    name: String,
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    external: Vec<Force<f64>>,
    state: MaximalState,
    ws: Workspace<f64>,
    accelerations: Vec<Motion<f64>>,
    joint_forces: Vec<Force<f64>>,
    loop_forces: Vec<Force<f64>>,
}

impl<'m> Case<'m> {
    fn draw(model: &'m Model, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = |count: usize| -> Vec<f64> {
            (0..count).map(|_| rng.random_range(-1.0..1.0)).collect()
        };
        let (mut v, tau) = (uniform(model.nv()), uniform(model.nv()));
        let forces = uniform(6 * model.joints().len());
        let external: Vec<_> = forces
            .chunks_exact(6)
            .map(|six| Force::from_array(std::array::from_fn(|k| six[k])))
            .collect();
        let q = if model.loop_joints().is_empty() {
            model.random_configuration(&mut rng)
        } else {
            let mut loops = LoopWorkspace::new(model).unwrap();
            let drawn = model.reference_configurations().get("closed");
            let drawn = drawn.map_or_else(|| model.neutral_configuration(), Clone::clone);
            let steps = uniform(model.nv()).into_iter().map(|x| DISPLACEMENT * x);
            let mut q = model.integrate(&drawn, &steps.collect::<Vec<_>>()).unwrap();
            assemble(model, &mut loops, &mut q).unwrap();
            project_velocity(model, &mut loops, &q, &mut v).unwrap();
            q
        };
        let mut ws = Workspace::new(model);
        let state = MaximalState::from_joints(model, &mut ws, &q, &v).unwrap();
        let mut kkt = MaximalWorkspace::new(model).unwrap();
        let BodyAccelerations {
            accelerations,
            joint_forces,
            loop_forces,
            residual,
        } = maximal_dynamics(model, &mut kkt, &state, &tau, &external).unwrap();
        let name = format!("{} of nv {}, state {seed}", model.name(), model.nv());
        let size = largest(&six(accelerations));
        assert!(residual <= TOLERANCE * size, "{name}: residual {residual}");
        Self {
            model,
            accelerations: accelerations.to_vec(),
            joint_forces: joint_forces.to_vec(),
            loop_forces: loop_forces.to_vec(),
            name,
            q,
            v,
            tau,
            external,
            state,
            ws,
        }
    }

    fn agree(&self, what: &str, found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        let size = largest(expected);
        for (k, (own, other)) in found.iter().zip(expected).enumerate() {
            let error = (own - other).abs() / size;
            let name = &self.name;
            assert!(
                error <= TOLERANCE,
                "{name}: {what} {k}: {own}, not {other}, of {size}"
            );
        }
    }

    /// The external forces, with those of the loop joints on the bodies at their ends.
    fn all_external(&self) -> Vec<Force<f64>> {
        let mut all = self.external.clone();
        for (closing, force) in self.model.loop_joints().iter().zip(&self.loop_forces) {
            let [predecessor, successor] =
                [closing.predecessor, closing.successor].map(|body| self.pose(body));
            let output = successor.compose(&closing.successor_placement);
            all[closing.successor.index()] += closing.successor_placement.act_force(force);
            all[closing.predecessor.index()] +=
                predecessor.inverse_compose(&output).act_force(force) * -1.0;
        }
        all
    }

    fn pose(&self, body: JointId) -> Se3<f64> {
        match body {
            JointId::UNIVERSE => Se3::identity(),
            body => self.state.poses[body.index()].placement(),
        }
    }

    /// The forces that joints pass on for accelerations of the bodies: those that drive the robot
    /// when it is cut at every joint and each body moves freely relative to the one before, by the
    /// recursive Newton-Euler algorithm.
    fn reactions(&self, accelerations: &[Motion<f64>]) -> Vec<Force<f64>> {
        let free = cut(self.model);
        let (mut q, mut v, mut a) = (vec![], vec![], vec![]);
        for id in self.model.joint_ids() {
            let (joint, i) = (self.model.joint(id), id.index());
            let above = self.pose(joint.parent);
            let apart = self.pose(id).inverse_compose(&above);
            let [v_above, a_above] = match joint.parent {
                JointId::UNIVERSE => [Motion::zero(); 2],
                parent => [
                    self.state.velocities[parent.index()],
                    accelerations[parent.index()],
                ],
            };
            let speed = self.state.velocities[i] - apart.act_motion(&v_above);
            let change = accelerations[i]
                - apart.act_motion(&a_above)
                - self.state.velocities[i].cross(&speed);
            let place = above
                .compose(&joint.placement)
                .inverse_compose(&self.pose(id));
            let turn = Quaternion::from_rotation(&place.rotation);
            q.extend(place.translation.to_array());
            q.extend([turn.x, turn.y, turn.z, turn.w]);
            v.extend(speed.to_array());
            a.extend(change.to_array());
        }
        let mut ws = Workspace::recursive(&free);
        let external = self.all_external();
        let found = free.inverse_dynamics(
            &mut ws,
            &q,
            &v,
            &a,
            DynamicsOptions::default()
                .without_passive_forces()
                .with_forces(&external),
        );
        let found = found.unwrap().chunks_exact(6);
        let found = found.map(|six| Force::from_array(std::array::from_fn(|k| six[k])));
        std::iter::once(Force::zero()).chain(found).collect()
    }
}

/// The same bodies, each on a joint that moves freely.
fn cut(model: &Model) -> Model {
    let mut builder = ModelBuilder::new(model.name());
    builder.gravity(model.gravity());
    let mut handles = vec![ModelBuilder::UNIVERSE];
    for joint in &model.joints()[1..] {
        let parent = handles[joint.parent.index()];
        let free = JointSpec::new(&joint.name, parent, JointKind::FreeFlyer);
        handles.push(builder.add_joint(free.placement(joint.placement)));
        let handle = handles[handles.len() - 1];
        builder.add_body(handle, &joint.name, Se3::identity(), joint.inertia);
    }
    let free = builder.build().unwrap().model;
    for (own, cut) in model.joints().iter().zip(free.joints()).skip(1) {
        assert_eq!((&own.name, own.parent), (&cut.name, cut.parent));
    }
    free
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most, x| most.max(x.abs()))
}

fn six(motions: &[Motion<f64>]) -> Vec<f64> {
    motions[1..].iter().flat_map(|m| m.to_array()).collect()
}

fn six_forces(forces: &[Force<f64>]) -> Vec<f64> {
    forces[1..].iter().flat_map(|f| f.to_array()).collect()
}

#[test]
fn trees_accelerate_as_the_articulated_body_algorithm_has_it_and_joints_bear_what_newton_and_euler_need()
 {
    let models = every_robot();
    let trees: Vec<_> = models
        .iter()
        .filter(|model| model.loop_joints().is_empty())
        .collect();
    // Two made here, six of files, of which five also float, the hand without mimic joints, the
    // snake, the humanoid with hands.
    assert!(trees.len() >= 17, "{}", trees.len());
    assert!(
        trees
            .iter()
            .filter(|model| model.has_mimic_joints())
            .count()
            >= 3
    );
    for model in trees {
        for seed in 0..STATES {
            let mut case = Case::draw(model, seed);
            let Case {
                q,
                v,
                tau,
                external,
                ws,
                ..
            } = &mut case;
            let a = model.forward_dynamics(
                ws,
                q,
                v,
                tau,
                DynamicsOptions::default()
                    .without_passive_forces()
                    .with_forces(external),
            );
            let a = a.unwrap().to_vec();
            let moving = model.forward_kinematics_accelerations(ws, q, v, &a);
            let moving = moving.unwrap();
            let mut expected = vec![Motion::zero()];
            let local = |id| moving.acceleration(id, ReferenceFrame::Local);
            expected.extend(model.joint_ids().map(local));
            case.agree("acceleration", &six(&case.accelerations), &six(&expected));

            // Those that the articulated-body algorithm's accelerations need: λ, and what the
            // drives do.
            let reactions = case.reactions(&expected);
            let found = six_forces(&case.joint_forces);
            case.agree("joint force", &found, &six_forces(&reactions));
        }
    }
}

#[test]
fn robots_with_loops_and_without_move_as_the_dense_system_has_it() {
    let mut looped = 0;
    for model in every_robot() {
        // The dense system has constraints between two bodies only.
        if model.has_mimic_joints() || model.joints().len() > MOST_BODIES {
            continue;
        }
        let is_looped = !model.loop_joints().is_empty();
        looped += usize::from(is_looped);
        for seed in 0..if is_looped { STATES } else { 1 } {
            let case = Case::draw(&model, seed);
            let (accelerations, forces) = dense::solve(
                &model,
                &case.state,
                &case.q,
                &case.v,
                &case.tau,
                &case.external,
            );
            case.agree(
                "acceleration",
                &six(&case.accelerations),
                &six(&accelerations),
            );
            let found = six_forces(&case.joint_forces);
            if is_looped {
                // Forces are not unique where constraints are redundant. Their sum on each body is.
                let reactions = case.reactions(&case.accelerations);
                case.agree("joint force", &found, &six_forces(&reactions));
            } else {
                case.agree("joint force", &found, &six_forces(&forces));
            }
        }
    }
    let embedded = robots::names().filter(|name| {
        let model = robots::model(name, &LoadOptions::default()).unwrap();
        !model.loop_joints().is_empty()
    });
    assert_eq!(looped, embedded.count());
    assert!(looped >= 6);
}
