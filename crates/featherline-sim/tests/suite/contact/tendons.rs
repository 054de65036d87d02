//! Tendons, cranks and couplings beside motion by hand.

use super::G;
use featherline::Workspace;
use featherline::kernel::link_kinematics;
use featherline::model::{JointId, Length, LengthGradient, Piece, Wrap};
use featherline::samples;
use featherline::spatial::{Mat3, Se3, Vec3};
use featherline_constraint::nonsmooth::RobotRows;
use featherline_formats::load_str;
use featherline_sim::setup::Setup;
use featherline_sim::simulation::Simulation;

/// Two bodies of 1 and 3 kg that slide along x, without gravity.
const TWO: &str = "<option gravity='0 0 0' timestep='1e-4'/><worldbody>
    <body><joint name='a' type='slide' axis='1 0 0'/><geom size='.1' mass='1' contype='0'/></body>
    <body pos='0 1 0'><joint name='b' type='slide' axis='1 0 0'/><geom size='.1' mass='3' contype='0'/></body>
    </worldbody>";

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} for {expected}"
    );
}

/// A tendon x_a − x_b of them.
fn between(attributes: &str) -> String {
    format!(
        "<tendon><fixed name='t' {attributes}><joint joint='a' coef='1'/><joint joint='b' coef='-1'/></fixed></tendon>"
    )
}

/// The state after a time, from a key.
fn moved(text: &str, seconds: f64) -> (Vec<f64>, Vec<f64>) {
    let robot = load_str(&format!("<mujoco>{text}</mujoco>")).unwrap();
    let configuration = text.contains("'home'").then(|| "home".to_owned());
    let setup = Setup {
        configuration,
        ..Setup::default()
    };
    let start = setup.decide(&robot).unwrap();
    assert!(start.warnings.is_empty(), "{:?}", start.warnings);
    assert_eq!(start.decision().method, "time-stepping");
    let mut simulation: Simulation<'_> = start.simulation().unwrap();
    simulation.run(seconds, seconds, &mut ()).unwrap();
    assert!(
        simulation.warnings().is_empty(),
        "{:?}",
        simulation.warnings()
    );
    let (q, v) = (simulation.configuration(), simulation.velocity());
    (q.to_vec(), v.to_vec())
}

/// The distance swings with ω² = k/μ, μ = 3/4 kg, and the centre of mass stays. The method of first
/// order loses the part h ω²/2 of the amplitude in a second.
#[test]
fn a_spring_between_two_slides_swings_as_by_hand() {
    let text = TWO.to_owned()
        + &between("stiffness='12' springlength='.5'")
        + "<keyframe><key name='home' qpos='0.9 0'/></keyframe>";
    let (q, _) = moved(&text, 0.3);
    let exact = 0.5 + 0.4 * (4.0_f64 * 0.3).cos();
    assert_near(q[0] - q[1], exact, 1e-3);
    assert_near(q[0] + 3.0 * q[1], 0.9, 1e-12);
}

/// Within the rest of the spring nothing acts; the damper takes the relative speed by e^(−d t/μ).
#[test]
fn a_damper_takes_speed_and_a_slack_spring_none() {
    let slack = TWO.to_owned()
        + &between("stiffness='12' springlength='-1 1' armature='1e-9'")
        + "<keyframe><key name='home' qpos='0 0' qvel='1 0'/></keyframe>";
    let (_, v) = moved(&slack, 0.5);
    assert_near(v[0], 1.0, 1e-6);
    let damped = TWO.to_owned()
        + &between("damping='1.5'")
        + "<keyframe><key name='home' qpos='0 0' qvel='1 0'/></keyframe>";
    let (_, v) = moved(&damped, 0.5);
    assert_near(v[0] - v[1], (-1.0_f64).exp(), 1e-4);
}

/// A motor of 2 N along the tendon beside inertia of 0.5 kg of it: l̈ = f/(μ + a). Its dry
/// friction of 3 N would hold it.
#[test]
fn motors_pull_tendons_against_inertia_and_friction() {
    let motor = "<actuator><motor tendon='t' gear='2'/></actuator>
        <keyframe><key name='home' qpos='0 0' ctrl='1'/></keyframe>";
    let (_, v) = moved(&(TWO.to_owned() + &between("armature='.5'") + motor), 0.5);
    assert_near(v[0] - v[1], 0.5 * 2.0 / (0.75 + 0.5) * 0.75 / 0.75, 1e-9);
    let (q, _) = moved(
        &(TWO.to_owned() + &between("frictionloss='3'") + motor),
        0.5,
    );
    assert!(q[0].abs() < 1e-9, "{q:?}");
    // 2 N less 1.2 N of friction
    let (_, v) = moved(
        &(TWO.to_owned() + &between("frictionloss='1.2'") + motor),
        0.5,
    );
    assert_near(v[0] - v[1], 0.5 * 0.8 / 0.75, 1e-9);
}

/// A servo of a tendon, k = 100 N/m and 30 N·s/m, at most 1 N: at its bound first, v = f t/μ, and
/// at its target in the end.
#[test]
fn servos_of_tendons_keep_their_force_range_and_reach_their_target() {
    let text = TWO.to_owned()
        + &between("")
        + "<actuator><position tendon='t' kp='100' kv='30' forcerange='-1 1'/></actuator>
           <keyframe><key name='home' qpos='0 0' ctrl='.2'/></keyframe>";
    let (_, v) = moved(&text, 0.1);
    assert_near(v[0] - v[1], 0.1 / 0.75, 1e-9);
    let (q, _) = moved(&text, 4.0);
    assert_near(q[0] - q[1], 0.2, 1e-4);
}

/// Force ranges of two ends: v = f t/μ at either, and a cable that only pulls does not push.
#[test]
fn force_ranges_of_tendons_have_two_ends() {
    for (range, control, force) in [("-2 5", -9.0, -2.0), ("-2 5", 9.0, 5.0), ("-1 0", 9.0, 0.0)] {
        for kind in ["position tendon='t' kp='100'", "motor tendon='t'"] {
            let text = TWO.to_owned()
                + &between("")
                + &format!(
                    "<actuator><{kind} forcerange='{range}'/></actuator>
                     <keyframe><key name='home' qpos='0 0' ctrl='{control}'/></keyframe>"
                );
            let (_, v) = moved(&text, 0.01);
            assert_near(v[0] - v[1], 0.01 * force / 0.75, 1e-9);
        }
    }
    // The tendon's own range, of which one end is the nearer one.
    let text = TWO.to_owned()
        + &between("actuatorfrcrange='-1 3'")
        + "<actuator><position tendon='t' kp='100'/></actuator>
           <keyframe><key name='home' qpos='0 0' ctrl='-9'/></keyframe>";
    let (_, v) = moved(&text, 0.01);
    assert_near(v[0] - v[1], -0.01 / 0.75, 1e-9);
}

/// Bounds and motions that actuators along lengths do not know of, and a start beyond a range.
#[test]
fn what_lengths_do_not_know_of_is_a_warning() {
    let says = |text: &str, words: &str| {
        let robot = load_str(&format!("<mujoco>{text}</mujoco>")).unwrap();
        let start = Setup::default().decide(&robot).unwrap();
        let warnings = start.decision().warnings.join("; ");
        assert!(warnings.contains(words), "{words}: {warnings}");
    };
    let bounded = TWO.replace("name='a'", "name='a' actuatorfrcrange='-1 1'");
    let motor = "<actuator><motor tendon='t'/></actuator>";
    says(&(bounded + &between("") + motor), "do not bound it");
    let two = "<actuator><motor tendon='t'/><motor tendon='t'/></actuator>";
    says(
        &(TWO.to_owned() + &between("actuatorfrcrange='-3 3'") + two),
        "not their sum",
    );
    says(
        &(TWO.to_owned() + &between("range='1 2'")),
        "beyond its range",
    );
    let moved = "<worldbody><body name='h' mocap='true'><site name='o'/></body>
        <body><joint type='slide'/><geom size='.1'/><site name='s'/></body></worldbody>
        <tendon><spatial stiffness='9'><site site='o'/><site site='s'/></spatial></tendon>";
    says(moved, "where the file puts it");
}

/// Atwood's machine: a cable over a pulley at two points, at its greatest length: the bodies of 1
/// and 3 kg go with g (3 − 1)/(3 + 1). Behind a pulley of three, an end counts a third.
#[test]
fn a_cable_over_a_pulley_carries_two_weights() {
    let machine = |more: &str, range: f64| {
        format!(
            "<option timestep='1e-3'/><worldbody><site name='p' pos='0 0 2'/><site name='r' pos='1 0 2'/>
             <body><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1' contype='0'/><site name='s'/></body>
             <body pos='1 0 0'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='3' contype='0'/><site name='u'/></body>
             </worldbody><tendon><spatial range='0 {range}'><site site='s'/><site site='p'/>{more}<site site='r'/>
             <site site='u'/></spatial></tendon>"
        )
    };
    let (_, v) = moved(&machine("", 5.0), 0.25);
    assert_near(v[0], 0.25 * G * 0.5, 1e-9);
    assert_near(v[1], -v[0], 1e-9);
    // l = (2 − z_a) + (2 − z_b)/3: T = 3 T', a_a = −a_b/3, with 3 (g − a) = T/3, g + a/3 = T
    let (_, v) = moved(&machine("<pulley divisor='3'/>", 2.0 + 2.0 / 3.0), 0.25);
    let acceleration = (3.0 - 1.0 / 3.0) / (3.0 + 1.0 / 9.0) * G;
    assert_near(v[1], -0.25 * acceleration, 1e-9);
    assert_near(v[0], 0.25 * acceleration / 3.0, 1e-9);
}

/// y = x² and a joint that is held: the bead follows, and what is held stays.
#[test]
fn polynomials_couple_joints_and_tendons() {
    let start = "<keyframe><key name='home' qpos='1 1' qvel='1 2'/></keyframe>";
    let square = "<equality><joint joint1='b' joint2='a' polycoef='0 0 1 0 0'/></equality>";
    let (q, v) = moved(&(TWO.to_owned() + square + start), 0.5);
    assert_near(q[1], q[0] * q[0], 1e-4);
    // Without friction, the energy stays: (1 + 3 · 4) / 2.
    assert_near(v[0] * v[0] + 3.0 * v[1] * v[1], 13.0, 0.05);
    assert!(q[0] > 1.2);
    let held = "<equality><joint joint1='b' polycoef='.3 0 0 0 0'/></equality>";
    let (q, _) = moved(
        &(TWO.to_owned() + held + "<keyframe><key name='home' qpos='0 .3' qvel='1 0'/></keyframe>"),
        0.5,
    );
    assert_near(q[1], 0.3, 1e-9);
    assert_near(q[0], 0.5, 1e-9);
    let tendons = "<tendon><fixed name='t'><joint joint='a' coef='2'/></fixed>
        <fixed name='u'><joint joint='b' coef='1'/></fixed></tendon>
        <equality><tendon tendon1='u' tendon2='t' polycoef='0 .5 0 0 0'/></equality>
        <keyframe><key name='home' qpos='0 0' qvel='1 1'/></keyframe>";
    let (q, _) = moved(&(TWO.to_owned() + tendons), 0.5);
    assert_near(q[1], q[0], 1e-9);
}

/// A file whose reference violates it begins where it holds.
#[test]
fn equalities_hold_from_the_start() {
    let text = "<mujoco><worldbody>
        <body><joint name='c' axis='0 1 0'/><geom type='box' size='.1 .02 .1' mass='1'/></body>
        <body pos='1 0 0'><joint name='s' type='slide' axis='0 0 1'/><geom size='.1' mass='.5'/></body>
        </worldbody><equality><joint joint1='s' joint2='c' polycoef='.1 .2 .3 0 0'/></equality></mujoco>";
    let robot = load_str(text).unwrap();
    let start = Setup::default().decide(&robot).unwrap();
    assert_eq!(start.q, [0.0, 0.1]);
    let mut simulation = start.simulation().unwrap();
    simulation.run(0.5, 0.5, &mut ()).unwrap();
    let [c, s] = simulation.configuration()[..] else {
        panic!("two")
    };
    assert_near(s, 0.1 + 0.2 * c + 0.3 * c * c, 1e-4);
    assert!(
        simulation.warnings().is_empty(),
        "{:?}",
        simulation.warnings()
    );
}

/// The length of a belt from a point to another one around a shape at the origin, of radius 1.
fn belt(points: [[f64; 3]; 2], is_cylinder: bool, side: Option<[f64; 3]>) -> f64 {
    let world = JointId::UNIVERSE;
    let mut piece = Piece::straight([world; 2], points.map(Vec3::from), 1.0);
    piece.around = Some(Box::new(Wrap {
        shape: (world, Se3::identity()),
        radius: 1.0,
        is_cylinder,
        side: side.map(|it| (world, Vec3::from(it))),
    }));
    let length = Length::Path(vec![piece]);
    length.evaluate(&[], &[Se3::identity()], &mut LengthGradient::default())
}

/// Two tangents of √3, which touch at 60° from the points, and the arc between; the helix on the
/// unrolled cylinder; the long way where a side asks for it; straight where nothing is in the way.
#[test]
fn belts_around_shapes_have_tangents_and_an_arc() {
    let arc = std::f64::consts::PI - 2.0 * std::f64::consts::FRAC_PI_3;
    let round = 2.0 * 3.0_f64.sqrt() + arc;
    let ends = [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    assert_near(belt(ends, false, None), round, 1e-12);
    assert_near(belt(ends, true, Some([0.0, -3.0, 0.0])), round, 1e-12);
    let rising = [[-2.0, 0.0, -0.7], [2.0, 0.0, 0.8]];
    assert_near(belt(rising, true, None), round.hypot(1.5), 1e-12);
    // Points on a great circle that is tilted.
    let tilted = [[-1.2, -1.6, 0.0], [0.0, 0.0, 2.0]];
    let angle = std::f64::consts::FRAC_PI_2 - 2.0 * std::f64::consts::FRAC_PI_3;
    assert!(angle < 0.0, "free");
    assert_near(belt(tilted, false, None), 8.0_f64.sqrt(), 1e-12);
    // Beside it, the side decides: the tangents go around the far side.
    let beside = [[-2.0, 1.5, 0.0], [2.0, 1.5, 0.0]];
    assert_near(belt(beside, true, None), 4.0, 1e-12);
    assert_near(belt(beside, true, Some([0.0, 9.0, 0.0])), 4.0, 1e-12);
    let far = (1.0_f64 / 2.5).acos();
    let own = std::f64::consts::PI + 2.0 * (1.5_f64 / 2.0).atan() - 2.0 * far;
    let whole = 2.0 * 5.25_f64.sqrt() + own;
    assert_near(belt(beside, true, Some([0.0, -9.0, 0.0])), whole, 1e-12);
}

/// Gradients beside differences of the length itself.
#[test]
fn gradients_of_lengths_are_their_differences() {
    let model = samples::double_pendulum();
    let [shoulder, elbow] = ["shoulder", "elbow"].map(|name| model.joint_id(name).unwrap());
    let turned = |a: f64| Mat3::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), a);
    let frame = Se3::new(turned(0.7), Vec3::new(0.1, 0.2, -0.3));
    let other = Se3::new(turned(-0.4), Vec3::new(-0.2, 0.1, 0.5));
    let lengths = [
        Length::Path(vec![Piece::straight(
            [shoulder, elbow],
            [frame.translation, other.translation],
            2.0,
        )]),
        Length::Path(vec![Piece::straight(
            [JointId::UNIVERSE, elbow],
            [frame.translation, other.translation],
            1.0,
        )]),
        Length::Path(vec![Piece {
            around: Some(Box::new(Wrap {
                shape: (shoulder, other),
                radius: 0.4,
                is_cylinder: true,
                side: None,
            })),
            ..Piece::straight(
                [JointId::UNIVERSE, elbow],
                [Vec3::new(0.0, 1.5, 0.2), Vec3::new(0.1, -1.2, -0.9)],
                1.0,
            )
        }]),
        Length::Path(vec![Piece {
            around: Some(Box::new(Wrap {
                shape: (shoulder, other),
                radius: 0.4,
                is_cylinder: false,
                side: Some((shoulder, Vec3::new(1.0, 2.0, 3.0))),
            })),
            ..Piece::straight(
                [JointId::UNIVERSE, elbow],
                [Vec3::new(0.0, 1.5, 0.2), Vec3::new(0.1, -1.2, -0.9)],
                1.0,
            )
        }]),
        Length::Frame {
            frame: (elbow, frame),
            reference: Some((JointId::UNIVERSE, other)),
            gear: [1.0, -2.0, 0.5, 0.0, 0.0, 0.0],
        },
        Length::Frame {
            frame: (elbow, frame),
            reference: Some((shoulder, other)),
            gear: [1.0, -2.0, 0.5, 0.0, 0.0, 0.0],
        },
        Length::SliderCrank {
            crank: (elbow, frame.translation),
            slider: (shoulder, other),
            rod: 3.0,
        },
        Length::SliderCrank {
            crank: (elbow, frame.translation),
            slider: (JointId::UNIVERSE, other),
            rod: 4.0,
        },
    ];
    let mut ws = Workspace::new(&model);
    let mut robot = RobotRows::new(&model);
    let mut gradient = LengthGradient::default();
    let (q, zero) = ([0.4, -0.9], [0.0; 2]);
    for length in lengths {
        let mut at = |q: &[f64], row: &mut Vec<(usize, f64)>| {
            robot.place(&model, &link_kinematics(&model, &mut ws, q, &zero).unwrap());
            let value = length.evaluate(q, robot.placements(), &mut gradient);
            robot.length_row(&model, &gradient, row);
            value
        };
        let mut row = Vec::new();
        at(&q, &mut row);
        for k in 0..2 {
            let mut step = [0.0; 2];
            step[k] = 1e-6;
            let ends = [1.0, -1.0].map(|sign| [0, 1].map(|i| q[i] + sign * step[i]));
            let [ahead, behind] = ends.map(|it: [f64; 2]| at(&it, &mut Vec::new()));
            let own: f64 = row.iter().filter(|it| it.0 == k).map(|it| it.1).sum();
            assert_near(own, (ahead - behind) / 2e-6, 1e-8);
        }
    }
}
