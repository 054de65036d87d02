//! Sensor readings of a step: forces of contacts, and inertial measurement.

use featherline::kinematics::{ReferenceFrame, Target};
use featherline::model::Model;
use featherline::spatial::{Force, Mat3, Se3, Vec3};
use featherline::{Error, Workspace};

/// Forces (in N) at points of the world as one force and moment (in N·m) in a frame: what a sensor
/// of force and torque there reads of contacts. The force of a contact is its impulse over the
/// step.
///
/// ```
/// use featherline::spatial::{Se3, Vec3};
/// use featherline_sim::contact::wrench_of_points;
///
/// let foot = Se3::from_translation(Vec3::new(1.0, 0.0, 0.0));
/// let points = [(Vec3::new(1.5, 0.0, 0.0), Vec3::new(0.0, 0.0, 10.0))];
/// let force = wrench_of_points(&foot, points);
/// assert_eq!(force.to_array(), [0.0, 0.0, 10.0, 0.0, -5.0, 0.0]);
/// ```
pub fn wrench_of_points(
    frame: &Se3<f64>,
    points: impl IntoIterator<Item = (Vec3<f64>, Vec3<f64>)>,
) -> Force<f64> {
    let (mut force, mut moment) = (Vec3::zero(), Vec3::zero());
    for (point, own) in points {
        // m = Σ (p − o) × f
        force += own;
        moment += (point - frame.translation).cross(own);
    }
    Force {
        linear: frame.rotation.tr_mul_vec(force),
        angular: frame.rotation.tr_mul_vec(moment),
    }
}

/// The reading of an inertial measurement unit, in its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuReading {
    /// The angular velocity at the end of the step, in rad/s.
    pub angular_velocity: Vec3<f64>,
    /// The acceleration without gravity, in m/s².
    pub acceleration: Vec3<f64>,
}

impl ImuReading {
    /// The reading at a frame after a step of `h` seconds from one state (q, v) to another:
    /// a = Rᵀ ((ṗ₁ − ṗ₀)/h − g), with the velocity ṗ of the frame's origin in the world, its
    /// orientation R after the step, and gravity g. Impacts count as their mean over the step.
    /// Cost O(n).
    ///
    /// # Errors
    /// Those of forward kinematics.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    /// use featherline_sim::contact::ImuReading;
    ///
    /// // At rest it reads minus gravity.
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::recursive(&model);
    /// let state = (&[0.0, 0.0][..], &[0.0, 0.0][..]);
    /// let elbow = model.joint_id("elbow")?.into();
    /// let reading = ImuReading::after_step(&model, &mut ws, elbow, state, state, 1e-3)?;
    /// assert!((reading.acceleration.z - 9.81).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn after_step(
        model: &Model,
        ws: &mut Workspace<f64>,
        frame: Target,
        before: (&[f64], &[f64]),
        after: (&[f64], &[f64]),
        h: f64,
    ) -> Result<Self, Error> {
        let mut moving = |(q, v): (&[f64], &[f64])| -> Result<(Mat3<f64>, _), Error> {
            let moved = model.forward_kinematics_velocities(ws, q, v)?;
            let velocity = moved.velocity(frame, ReferenceFrame::LocalWorldAligned);
            Ok((moved.placement(frame).rotation, velocity))
        };
        let (_, first) = moving(before)?;
        let (rotation, last) = moving(after)?;
        // a = Rᵀ ((ṗ₁ − ṗ₀)/h − g)
        let acceleration = (last.linear - first.linear) * h.recip() - model.gravity();
        Ok(Self {
            angular_velocity: rotation.tr_mul_vec(last.angular),
            acceleration: rotation.tr_mul_vec(acceleration),
        })
    }
}
