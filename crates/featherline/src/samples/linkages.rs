//! Robots with closed loops.
//!
//! Each is drawn closed: every loop closes where all joints are at zero, unless the sample says
//! otherwise. Lengths, where no source is named for them, were chosen here; members are round bars
//! of 1 kg/m and 20 mm.

use crate::joint::JointKind;
use crate::model::{JointHandle, JointSpec, Limits, Model, ModelBuilder};
use crate::spatial::{Inertia, Mat3, Se3, Vec3};

/// Mass per length of a bar, in kg/m.
const LINE_DENSITY: f64 = 1.0;
/// Radius of a bar, in m.
const RADIUS: f64 = 0.01;

const GROUND: JointHandle = ModelBuilder::UNIVERSE;

/// A planar four-bar linkage, hinged about y in the xz plane: a crank-rocker. Crank 0.1 m, coupler
/// 0.35 m, rocker 0.3 m, ground 0.4 m, with the crank upright.
///
/// The sum of its shortest and longest link is less than that of the others, so that the crank
/// turns fully (F. Grashof, *Theoretische Maschinenlehre*, 1883). One degree of freedom is left of
/// three; three of the five constraints repeat what the hinges hold anyway.
///
/// ```
/// let model = featherline::samples::four_bar();
/// assert_eq!((model.nv(), model.loop_joints().len()), (3, 1));
/// ```
pub fn four_bar() -> Model {
    let (a, b, d) = (plane(0.0, 0.0), plane(0.0, 0.1), plane(0.4, 0.0));
    let c = meeting(b, 0.35, d, 0.3);
    let mut linkage = Linkage::new("four_bar");
    linkage.loop_of_bars(a, b, c, d);
    linkage.finish()
}

/// A parallelogram: cranks of 0.2 m, coupler and ground of 0.4 m, with the cranks upright. Where
/// all bars lie along one line, the coupler may as well turn the other way, and the linkage has two
/// degrees of freedom at that instant.
pub fn parallelogram() -> Model {
    let (a, b) = (plane(0.0, 0.0), plane(0.0, 0.2));
    let (c, d) = (plane(0.4, 0.2), plane(0.4, 0.0));
    let mut linkage = Linkage::new("parallelogram");
    linkage.loop_of_bars(a, b, c, d);
    linkage.finish()
}

/// A planar six-bar linkage after Watt: the rocker of the [four-bar](four_bar), prolonged, drives a
/// second four-bar, so that two loops share it. (J. M. McCarthy, G. S. Soh, *Geometric Design of
/// Linkages*, Springer 2010, section 1.2.)
pub fn six_bar() -> Model {
    let (a, b, d) = (plane(0.0, 0.0), plane(0.0, 0.1), plane(0.4, 0.0));
    let c = meeting(b, 0.35, d, 0.3);
    let (e, g) = (plane(0.5, 0.25), plane(0.9, 0.0));
    let f = meeting(e, 0.4, g, 0.3);
    let mut linkage = Linkage::new("six_bar");
    let rocker = linkage.loop_of_bars(a, b, c, d);
    linkage.bar(rocker, "prolongation", d, d, e);
    let link = linkage.hinge("link", rocker, d, e);
    linkage.bar(link, "link_bar", e, e, f);
    let output = linkage.hinge("output", GROUND, Vec3::zero(), g);
    linkage.bar(output, "output_bar", g, g, f);
    let ends = [(link, f - e), (output, f - g)];
    linkage.close("second_loop", JointKind::revolute_y(), ends);
    linkage.finish()
}

/// Bennett's linkage: four hinges in space, opposite bars equal, with a / sin α = b / sin β between
/// length and twist of neighbours (G. T. Bennett, "A new mechanism", *Engineering* 76, 1903). It
/// moves although six constraints on five freedoms say that it should not.
///
/// Bars of 0.3 m twisted by 30° and of 0.6 m twisted by 90°. It closes at the reference
/// configuration `closed`.
pub fn bennett() -> Model {
    let (short, twist) = (0.3, std::f64::consts::FRAC_PI_6);
    let (long, right) = (0.6, std::f64::consts::FRAC_PI_2);
    // Denavit and Hartenberg: a turn about z, then along x and a twist about x.
    let step = |length: f64, twist: f64| {
        let rotation = Mat3::from_axis_angle(Vec3::unit(0), twist);
        Se3::new(rotation, Vec3::new(length, 0.0, 0.0))
    };
    let mut linkage = Linkage::new("bennett");
    let mut above = GROUND;
    let mut placement = Se3::identity();
    for (name, length, twist) in [
        ("first", short, twist),
        ("second", long, right),
        ("third", short, twist),
    ] {
        let hinge = JointSpec::new(name, above, JointKind::revolute_z()).placement(placement);
        above = linkage.builder.add_joint(hinge);
        let end = Vec3::new(length, 0.0, 0.0);
        linkage.bar(
            above,
            &format!("{name}_bar"),
            Vec3::zero(),
            Vec3::zero(),
            end,
        );
        placement = step(length, twist);
    }
    let ground = step(long, right).inverse();
    let kind = JointKind::revolute_z();
    linkage
        .builder
        .close_loop("fourth", kind, (above, placement), (GROUND, ground));
    // tan(θ₁/2) tan(θ₂/2) = sin((β + α)/2) / sin((β − α)/2), and opposite angles sum up to a turn.
    let first: f64 = 1.2;
    let ratio = (0.5 * (right + twist)).sin() / (0.5 * (right - twist)).sin();
    let second = 2.0 * (ratio / (0.5 * first).tan()).atan();
    let closed = vec![first, second, -first];
    linkage.builder.reference_configuration("closed", closed);
    linkage.finish()
}

/// A platform on six legs, each a universal joint, a slider and a ball: six degrees of freedom (V.
/// E. Gough, S. G. Whitehall 1962; D. Stewart, "A platform with six degrees of freedom", Proc.
/// IMechE 180, 1965).
///
/// The legs stand in pairs on circles of 0.5 m below and 0.3 m above, the platform, a disc of 3 kg,
/// is 0.6 m high. The tree has the platform as a free body (its joint comes first in q) and the
/// legs, which six balls join to it. Sliders have strokes of 0.15 m either way.
pub fn stewart() -> Model {
    let (below, above, height, spread) = (0.5, 0.3, 0.6, 0.2);
    let around =
        |radius: f64, angle: f64, z: f64| Vec3::new(radius * angle.cos(), radius * angle.sin(), z);
    let mut linkage = Linkage::new("stewart");
    let centre = Vec3::new(0.0, 0.0, height);
    let platform = linkage.platform(centre, Inertia::cylinder(3.0, above, 0.02));
    for leg in 0..6 {
        // Pairs below face outward at 0°, 120°, 240°, pairs above in between.
        let (pair, side) = (f64::from(leg / 2), f64::from(leg % 2) * 2.0 - 1.0);
        let middle = pair * std::f64::consts::TAU / 3.0;
        let foot = around(below, middle + side * spread, 0.0);
        let turn = std::f64::consts::FRAC_PI_3 - spread;
        let head = around(above, middle + side * turn, height);
        let along = frame_along(foot, head);
        let length = (head - foot).norm();
        let kind = JointKind::universal(Vec3::unit(0), Vec3::unit(1));
        let lower = JointSpec::new(format!("foot_{leg}"), GROUND, kind).placement(along);
        let lower = linkage.builder.add_joint(lower);
        let half = Vec3::new(0.0, 0.0, 0.5 * length);
        let zero = Vec3::zero();
        linkage.bar(lower, &format!("cylinder_{leg}"), zero, zero, half);
        let slider = JointSpec::new(format!("slider_{leg}"), lower, JointKind::prismatic_z());
        let slider = slider.limits(range(-0.15, 0.15));
        let rod = linkage
            .builder
            .add_joint(slider.placement(Se3::from_translation(half)));
        linkage.bar(rod, &format!("rod_{leg}"), zero, zero, half);
        let ends = [(rod, half), (platform, head - centre)];
        linkage.close(&format!("ball_{leg}"), JointKind::Spherical, ends);
    }
    linkage.finish()
}

/// A delta robot: three driven arms and three pairs of rods that hold the platform upright, so that
/// it moves in three directions and does not turn (R. Clavel, "DELTA, a fast robot with parallel
/// geometry", ISIR 1988).
///
/// Arms of 0.3 m turn about tangents of a circle of 0.2 m; rods of 0.6 m, 0.1 m apart, lead to a
/// platform of 0.5 kg with a radius of 60 mm. The arms are level at zero. The tree has the platform
/// as a free body (its joint comes first in q), the arms, and the rods on universal joints, which
/// six balls join to it. Arms turn from 0.6 rad above level to 1.2 rad below.
pub fn delta() -> Model {
    let (base, arm, rod, radius, apart) = (0.2, 0.3, 0.6_f64, 0.06, 0.05);
    let out = base + arm - radius;
    let depth = (rod * rod - out * out).sqrt();
    let centre = Vec3::new(0.0, 0.0, -depth);
    let mut linkage = Linkage::new("delta");
    let platform = linkage.platform(centre, Inertia::cylinder(0.5, radius, 0.01));
    for k in 0..3 {
        let angle = f64::from(k) * std::f64::consts::TAU / 3.0;
        let turned = Mat3::from_axis_angle(Vec3::unit(2), angle);
        let shoulder = Se3::new(turned, turned * Vec3::new(base, 0.0, 0.0));
        let hinge = JointSpec::new(format!("arm_{k}"), GROUND, JointKind::revolute_y());
        let hinge = hinge.placement(shoulder).limits(range(-0.6, 1.2));
        let upper = linkage.builder.add_joint(hinge);
        let zero = Vec3::zero();
        let elbow = Vec3::new(arm, 0.0, 0.0);
        linkage.bar(upper, &format!("upper_arm_{k}"), zero, zero, elbow);
        for (side, offset) in [("left", apart), ("right", -apart)] {
            let from = Vec3::new(arm, offset, 0.0);
            let to = Vec3::new(radius - base, offset, -depth);
            let kind = JointKind::universal(Vec3::unit(0), Vec3::unit(1));
            let name = format!("elbow_{k}_{side}");
            let joint = JointSpec::new(name, upper, kind).placement(frame_along(from, to));
            let forearm = linkage.builder.add_joint(joint);
            let end = Vec3::new(0.0, 0.0, rod);
            linkage.bar(forearm, &format!("rod_{k}_{side}"), zero, zero, end);
            let held = turned * Vec3::new(radius, offset, 0.0);
            let ends = [(forearm, end), (platform, held)];
            linkage.close(&format!("ball_{k}_{side}"), JointKind::Spherical, ends);
        }
    }
    linkage.finish()
}

/// A point of the plane in which planar linkages are drawn.
fn plane(x: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, 0.0, z)
}

/// The upper one of the points at given distances from two others in the plane.
fn meeting(a: Vec3<f64>, from_a: f64, b: Vec3<f64>, from_b: f64) -> Vec3<f64> {
    let between = b - a;
    let distance = between.norm();
    let along = (distance * distance + from_a * from_a - from_b * from_b) / (2.0 * distance);
    let aside = (from_a * from_a - along * along).sqrt();
    let unit = between * (1.0 / distance);
    a + unit * along + Vec3::new(-unit.z, 0.0, unit.x) * aside
}

/// A frame at one point whose z axis leads to another.
fn frame_along(from: Vec3<f64>, to: Vec3<f64>) -> Se3<f64> {
    let z = (to - from).normalised();
    // Bars that stand nearly upright have x nearly along the world's y.
    let across = if z.x.abs() < 0.9 {
        Vec3::unit(0)
    } else {
        Vec3::unit(1)
    };
    let y = z.cross(across).normalised();
    Se3::new(Mat3::from_columns(y.cross(z), y, z), from)
}

/// Bounds of a joint with one coordinate.
fn range(lower: f64, upper: f64) -> Limits {
    Limits {
        lower: vec![lower],
        upper: vec![upper],
        ..Limits::unbounded(1, 1)
    }
}

/// A linkage that is being drawn.
struct Linkage {
    builder: ModelBuilder,
}

impl Linkage {
    fn new(name: &str) -> Self {
        Self {
            builder: ModelBuilder::new(name),
        }
    }

    /// A hinge about y at a point of the plane. The parent's frame, parallel to the world's, is at
    /// another.
    fn hinge(
        &mut self,
        name: &str,
        parent: JointHandle,
        parent_at: Vec3<f64>,
        at: Vec3<f64>,
    ) -> JointHandle {
        let placement = Se3::from_translation(at - parent_at);
        let hinge = JointSpec::new(name, parent, JointKind::revolute_y());
        self.builder.add_joint(hinge.placement(placement))
    }

    /// A bar between two points, of the body whose frame is at `origin`.
    fn bar(
        &mut self,
        joint: JointHandle,
        name: &str,
        origin: Vec3<f64>,
        from: Vec3<f64>,
        to: Vec3<f64>,
    ) {
        let length = (to - from).norm();
        let mut placement = frame_along(from - origin, to - origin);
        placement.translation = (from + to) * 0.5 - origin;
        let bar = Inertia::cylinder(LINE_DENSITY * length, RADIUS, length);
        self.builder.add_body(joint, name, placement, bar);
    }

    /// A crank, a coupler, a rocker, and the loop that closes at c. Returns the rocker.
    fn loop_of_bars(
        &mut self,
        a: Vec3<f64>,
        b: Vec3<f64>,
        c: Vec3<f64>,
        d: Vec3<f64>,
    ) -> JointHandle {
        let crank = self.hinge("crank", GROUND, Vec3::zero(), a);
        self.bar(crank, "crank_bar", a, a, b);
        let coupler = self.hinge("coupler", crank, a, b);
        self.bar(coupler, "coupler_bar", b, b, c);
        let rocker = self.hinge("rocker", GROUND, Vec3::zero(), d);
        self.bar(rocker, "rocker_bar", d, d, c);
        let ends = [(coupler, c - b), (rocker, c - d)];
        self.close("loop", JointKind::revolute_y(), ends);
        rocker
    }

    /// A joint that closes a loop between points of two bodies.
    fn close(&mut self, name: &str, kind: JointKind, ends: [(JointHandle, Vec3<f64>); 2]) {
        let [first, second] = ends.map(|(joint, at)| (joint, Se3::from_translation(at)));
        self.builder.close_loop(name, kind, first, second);
    }

    /// A free body at a point.
    fn platform(&mut self, centre: Vec3<f64>, inertia: Inertia<f64>) -> JointHandle {
        let joint = JointSpec::new("platform", GROUND, JointKind::FreeFlyer);
        let placement = Se3::from_translation(centre);
        let joint = self.builder.add_joint(joint.placement(placement));
        self.builder
            .add_body(joint, "platform_disc", Se3::identity(), inertia);
        joint
    }

    fn finish(self) -> Model {
        // The figures above are physically sound, and every name is used once.
        let built = self.builder.build().expect("the sample is a valid model");
        built.model
    }
}
