//! Surfaces that yield.

use super::{G, at_height, bodies, corners, on_plane};
use featherline::model::JointId;
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_constraint::nonsmooth::Contact;
use featherline_sim::contact::{ContactSource, Softness, TimeStepping};

/// A cube on a mat.
struct Mat {
    body: JointId,
    half: f64,
    friction: f64,
    softness: Softness,
}

impl ContactSource for Mat {
    fn find(
        &mut self,
        placements: &[Se3<f64>],
        range: f64,
        out: &mut Vec<Contact>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let half = Vec3::new(self.half, self.half, self.half);
        for (k, corner) in corners(half).into_iter().enumerate().take(4) {
            let point = placements[self.body.index()].act_point(corner);
            if point.z < range {
                out.push(on_plane(self.body, point, self.friction, k as u64));
            }
        }
        Ok(())
    }

    fn softness(&self, _: &Contact) -> Option<Softness> {
        Some(self.softness)
    }
}

/// A cube on four springs sinks by m g/(4 k), whatever the stiffness, and neither creeps nor slides
/// on an incline below the angle of friction; above it, it slides as on rigid ground.
#[test]
fn a_cube_sinks_by_its_weight_over_the_stiffness() {
    let (mass, half, mu, h) = (2.0, 0.1, 0.6, 1e-3);
    let side = 2.0 * half;
    let inertia = Inertia::cuboid(mass, Vec3::new(side, side, side));
    for stiffness in [1e3, 1e5, 1e8] {
        for ratio in [0.0, 0.9, 1.2] {
            let angle = f64::atan(mu * ratio);
            let model = bodies(&[inertia], angle);
            let body = model.joint_id("root_0").unwrap();
            let softness = Softness {
                stiffness,
                // As much as for the cube on its four corners without oscillation, and more.
                damping: (stiffness * mass).sqrt(),
            };
            let mat = Mat {
                body,
                half,
                friction: mu,
                softness,
            };
            let mut stepping = TimeStepping::with(&model, (), mat).unwrap();
            let (mut q, mut v) = (at_height(half), [0.0; 6]);
            let mut middle = 0.0;
            for k in 0..3000 {
                if k == 2000 {
                    middle = q[0];
                }
                let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
                assert!(
                    report.outcome.has_converged,
                    "{stiffness}, {ratio}: {report:?}"
                );
            }
            // At the middle of the four corners: friction at the bottom tilts the cube.
            let depth = mass * G * angle.cos() / (4.0 * stiffness);
            let upright = 1.0 - 2.0 * (q[3] * q[3] + q[4] * q[4]);
            let found = half * upright - q[2];
            assert!(
                (found - depth).abs() < 1e-12 + 1e-6 * depth,
                "{stiffness}, {ratio}: {found} {depth}"
            );
            let moved = (q[0] - middle).abs();
            if ratio < 1.0 {
                assert!(moved < 1e-9, "{stiffness}, {ratio}: {moved}");
            } else {
                let speed = G * (angle.sin() - mu * angle.cos()) * 3000.0 * h;
                assert!(
                    (v[0] / speed - 1.0).abs() < 0.05,
                    "{stiffness}: {v:?} {speed}"
                );
            }
        }
    }
}

/// Without damping a ball falls on a spring, m z̈ = −k z − m g, and comes up again after half a
/// period: implicit steps take some of the energy, in proportion to the step.
#[test]
fn a_soft_ground_gives_back_what_damping_leaves() {
    let (mass, half, stiffness) = (1.0, 0.05, 2e3);
    let model = bodies(&[Inertia::cuboid(mass, Vec3::new(0.1, 0.1, 0.1))], 0.0);
    let body = model.joint_id("root_0").unwrap();
    let losses = [2e-4, 1e-4].map(|h| {
        let softness = Softness {
            stiffness,
            damping: 0.0,
        };
        let mat = Mat {
            body,
            half,
            friction: 0.5,
            softness,
        };
        let mut stepping = TimeStepping::with(&model, (), mat).unwrap();
        let (mut q, mut v) = (at_height(half), [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
        while q[2] < half + 1e-9 {
            stepping.step(0.0, &mut q, &mut v, h).unwrap();
        }
        1.0 - v[2]
    });
    println!("{losses:?}");
    assert!(losses[0] > 0.0 && losses[0] < 0.1, "{losses:?}");
    assert!((losses[1] / losses[0] - 0.5).abs() < 0.2, "{losses:?}");
}
