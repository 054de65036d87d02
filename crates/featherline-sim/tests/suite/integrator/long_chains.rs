//! Long chains with one loop: what hangs on a loop must not make its steps dearer.

use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_constraint::LoopWorkspace;
use featherline_constraint::project_velocity;
use featherline_sim::integrator::MaximalVariationalIntegrator;

/// Where on the chain the loop is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Base,
    Middle,
    Tip,
}

/// A chain that hangs, of links of 10 cm and 100 g on hinges of two axes in turn or of one. A crank
/// beside one of its links and three links make a four-bar linkage in the plane of these, whose
/// hinge repeats three constraints.
fn chain(links: usize, place: Place, turns: bool) -> Model {
    let mut builder = ModelBuilder::new("chain");
    let at = |x: f64, z: f64| Se3::from_translation(Vec3::new(x, 0.0, z));
    let rod = Inertia::cuboid(0.1, Vec3::new(0.02, 0.02, 0.1));
    let first = match place {
        Place::Base => 0,
        Place::Middle => (links - 4) / 2,
        Place::Tip => links - 4,
    };
    let mut chain = vec![ModelBuilder::UNIVERSE];
    for k in 0..links {
        let in_loop = (first + 1..first + 4).contains(&k);
        let axis = if turns && !in_loop && k % 2 == 0 {
            0
        } else {
            1
        };
        let hinge = JointKind::revolute(Vec3::unit(axis));
        let placement = at(0.0, if k == 0 { 0.0 } else { -0.1 });
        let parent = chain[k];
        let joint = JointSpec::new(format!("link_{k}"), parent, hinge).placement(placement);
        let joint = builder.add_joint(joint);
        builder.add_body(joint, format!("rod_{k}"), at(0.0, -0.05), rod);
        chain.push(joint);
    }
    let (base, end) = (chain[first + 1], chain[first + 3]);
    let crank = JointSpec::new("crank", base, JointKind::revolute_y());
    let crank = builder.add_joint(crank.placement(at(0.1, -0.1)));
    builder.add_body(crank, "crank_rod", at(0.0, -0.05), rod);
    let ends = ((crank, at(-0.1, -0.2)), (end, at(0.0, -0.1)));
    builder.close_loop("pin", JointKind::revolute_y(), ends.0, ends.1);
    builder.build().unwrap().model
}

/// The most iterations of a step, from rest or with the crank turning, and the largest gap.
fn iterations(model: &Model, speed: f64) -> (usize, f64) {
    let q = model.neutral_configuration();
    let mut v = vec![0.0; model.nv()];
    v[model.joint(model.joint_id("crank").unwrap()).idx_v] = speed;
    let mut ws = LoopWorkspace::new(model).unwrap();
    project_velocity(model, &mut ws, &q, &mut v).unwrap();
    let mut motion = MaximalVariationalIntegrator::new(model).unwrap();
    motion.start(0.0, &q, &v).unwrap();
    let (mut most, mut gap) = (0, 0.0_f64);
    for _ in 0..12 {
        motion.step(1e-3).unwrap();
        most = most.max(motion.iterations());
        gap = gap.max(motion.gap());
    }
    (most, gap)
}

/// A step moves the loop and the links around it alike, however many hang on them, and so do
/// corrections: what constraints yield too much is a part of what hangs on them, and leaves 10⁻⁶ of
/// an error at a thousand links. Two iterations more are granted for rounding: places of 100 m have
/// a hundred times that of 1 m, and where it stops corrections, two alike have to show it.
#[test]
fn iterations_do_not_grow_with_what_hangs_on_a_loop() {
    for place in [Place::Base, Place::Middle, Place::Tip] {
        for (speed, turns) in [(0.0, false), (0.5, false), (0.0, true), (0.5, true)] {
            let of = |links| iterations(&chain(links, place, turns), speed);
            // Some short chains need but two.
            let most = of(10).0.max(4) + 2;
            for links in [100, 1000] {
                let (found, gap) = of(links);
                let case = format!("{place:?} of {links} links, {speed} rad/s, {turns}");
                assert!(found <= most, "{case}: {found} iterations");
                // Rounding of places, a thousand times over.
                assert!(gap < 1e-16 * 1e3 * links as f64, "{case}: {gap:e}");
            }
        }
    }
}
