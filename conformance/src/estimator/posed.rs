//! The reference's problem, posed to the estimator.
//!
//! BERDY has two sets of unknowns d and equations D d + b = 0, neither of which is ours:
//!
//! * *Fixed base* (`ORIGINAL_BERDY_FIXED_BASE`): the sum of all wrenches on a link is an unknown g
//!   of its own, with two equations, g = I a + v × I v and f = g − fˣ + Σ X f, of variances s and
//!   t. Nothing is assumed of g, so that it can be eliminated: what is left is our equation of f
//!   with the variance s + t, and g follows from its residual ρ as I a + v × I v + ρ s / (s + t).
//! * *Floating base* (`BERDY_FLOATING_BASE`): accelerations are classical, ours are spatial. The
//!   linear parts differ by ω × v, which the state gives: it is taken off the mean that is assumed
//!   of an acceleration, and added to the estimate. The base has no joint: ours has one, of whose
//!   acceleration, force and torques nothing is assumed, and whose torques are zero. Its three
//!   equations in a row have a third of the variance each that the base's balance of forces has.
//!   Joint torques are no unknowns there; ours follow exactly from the forces if nothing is assumed
//!   of them.
//!
//! Covariances of our unknowns and equations are diagonal in link frames, which are turned against
//! the frames of links but have their origins; so the reference gives linear components one
//! variance, and angular ones another.

use super::description::{Description, Kind, Measured, State};
use crate::record::Record;
use anyhow::{Context, Result, ensure};
use featherline::kernel;
use featherline::model::{FrameId, FrameKind, JointId};
use featherline::spatial::{Force, Motion, Se3, Vec3};
use featherline::{Model, Workspace, kinematics::ReferenceFrame};
use featherline_formats::LoadOptions;
use featherline_system::{
    AssemblyMemory, Components, Equations, Estimate, Estimator, EstimatorOptions, Known,
    KnownValue, Noise, Problem, Sensor, SensorId, SensorKind, SparseMatrix, System, WrenchBasis,
};
use std::ops::Range;

/// A problem that is ready for states.
pub struct Posed {
    /// As the reference describes it.
    pub description: Description,
    /// The robot.
    pub model: Model,
    /// The body of each link, by the joint that moves it.
    pub links: Vec<JointId>,
    /// Our joint for each of the reference's.
    pub joints: Vec<JointId>,
    /// Our joint for each of the reference's coordinates.
    pub dofs: Vec<JointId>,
    /// For each link, the variances s and s + t of linear and angular components: see the module.
    /// None on a floating base.
    pub net: Option<Vec<[[f64; 2]; 2]>>,
    estimator: Estimator,
    /// With exact equations.
    exact: Estimator,
    workspace: Workspace<f64>,
    sensors: Vec<(SensorId, Range<usize>)>,
    accelerations: Vec<Assumed>,
    q: Vec<f64>,
    v: Vec<f64>,
    inputs: Vec<f64>,
}

/// The assumption about a link's acceleration.
struct Assumed {
    columns: Range<usize>,
    joint: JointId,
    to_link: Se3<f64>,
    mean: Motion<f64>,
    variance: [f64; 2],
}

impl Posed {
    /// From the record of a problem.
    ///
    /// # Errors
    /// If the record is damaged, or names what the robot does not have.
    pub fn new(record: &Record) -> Result<Self> {
        let description: Description = serde_json::from_value(record.header.clone())?;
        let mut options = LoadOptions::default().floating_base(description.floating);
        options.kept_fixed_joints.clone_from(&description.kept);
        let model = featherline_formats::load_with(&description.file, &options)?.model;
        let (links, joints, dofs) = (
            found(&description.links, |name| {
                Ok(model
                    .frame(model.frame_id_of_kind(name, FrameKind::Body)?)
                    .joint)
            })?,
            found(&description.joints, |name| Ok(model.joint_id(name)?))?,
            found(&description.dofs, |name| Ok(model.joint_id(name)?))?,
        );
        for joint in model.joint_ids() {
            let origin = kernel::link_frame(&model, joint).translation;
            ensure!(
                origin == Vec3::zero(),
                "a link frame has another origin than its link"
            );
        }
        let mut problem = Problem::new(model.clone());
        for joint in model.joint_ids() {
            problem.choose_basis(joint, WrenchBasis::Link)?;
        }
        if description.floating {
            let joint = model.joint_id("root_joint")?;
            for degree in 0..6 {
                problem.know(Known::JointForce { joint, degree }, KnownValue::Zero)?;
            }
        }
        let mut sensors = Vec::new();
        for (number, measured) in description.sensors.iter().enumerate() {
            let size = measured.covariance.len().isqrt();
            let id = problem.add_sensor(sensor(number, measured, &model)?)?;
            sensors.push((id, measured.offset..measured.offset + size));
        }
        let system = System::new(problem)?;
        let inputs = vec![0.0; system.input_count()];
        let options = EstimatorOptions::default()
            .without_prior()
            .equation_variance(1e-6);
        let mut posed = Self {
            net: None,
            exact: Estimator::new(system.clone(), &EstimatorOptions::default())?,
            estimator: Estimator::new(system, &options)?,
            workspace: Workspace::new(&model),
            q: model.neutral_configuration(),
            v: vec![0.0; model.nv()],
            inputs,
            links,
            joints,
            dofs,
            sensors,
            accelerations: Vec::new(),
            description,
            model,
        };
        posed.assume(record)?;
        posed.weigh(record)?;
        Ok(posed)
    }

    /// Sets what is assumed of the unknowns.
    fn assume(&mut self, record: &Record) -> Result<()> {
        let unknowns = self.estimator.system().unknowns().clone();
        let (means, variances) = (
            record.values("mean acceleration")?.as_chunks::<6>().0,
            record.values("prior acceleration")?.as_chunks::<2>().0,
        );
        for ((&joint, &mean), &variance) in self.links.iter().zip(means).zip(variances) {
            self.accelerations.push(Assumed {
                columns: unknowns.acceleration(joint),
                joint,
                to_link: kernel::link_frame(&self.model, joint).inverse(),
                mean: Motion::from_array(mean),
                variance,
            });
        }
        for (name, joints) in [
            ("external_wrench", &self.links),
            ("joint_wrench", &self.joints),
        ] {
            let means = record.values(&format!("mean {name}"))?.as_chunks::<6>().0;
            let variances = record.values(&format!("prior {name}"))?.as_chunks::<2>().0;
            for ((&joint, &mean), variance) in joints.iter().zip(means).zip(variances) {
                let columns = match name {
                    "external_wrench" => unknowns.external_force(joint),
                    _ => unknowns.force(joint),
                };
                let to_link = kernel::link_frame(&self.model, joint).inverse();
                let mean = to_link.act_force(&Force::from_array(mean)).to_array();
                set_six(&mut self.estimator, columns, mean, variance)?;
            }
        }
        for name in ["joint_acceleration", "joint_torque"] {
            let columns = match name {
                "joint_acceleration" => unknowns.joint_accelerations(),
                _ if self.description.floating => continue,
                _ => unknowns.joint_forces(),
            };
            let means = record.values(&format!("mean {name}"))?;
            let variances = record.values(&format!("prior {name}"))?;
            for ((&joint, &mean), &variance) in self.dofs.iter().zip(means).zip(variances) {
                let column = columns.start + self.model.joint(joint).idx_v;
                self.estimator.set_prior(column, mean, Some(variance))?;
            }
        }
        self.shift_accelerations()
    }

    /// Sets the variances of the equations.
    fn weigh(&mut self, record: &Record) -> Result<()> {
        let equations = self.estimator.system().equations().clone();
        let pairs = |name: &str| -> Result<Vec<[f64; 2]>> {
            let values = record.values(&format!("equation {name}"))?;
            Ok(values.as_chunks::<2>().0.to_vec())
        };
        let motions = pairs("motion")?;
        let owners = if self.description.floating {
            &self.joints
        } else {
            &self.links
        };
        for (&joint, variance) in owners.iter().zip(&motions) {
            set_rows(&mut self.estimator, equations.motion(joint), variance)?;
        }
        if self.description.floating {
            return self.weigh_floating(&equations, &pairs("force")?);
        }
        let (net, wrench) = (pairs("net")?, pairs("wrench")?);
        let sums = net
            .iter()
            .zip(&wrench)
            .map(|(s, t)| [*s, [s[0] + t[0], s[1] + t[1]]]);
        let sums: Vec<[[f64; 2]; 2]> = sums.collect();
        for (&joint, [_, sum]) in self.links.iter().zip(&sums) {
            set_rows(&mut self.estimator, equations.force(joint), sum)?;
        }
        self.net = Some(sums);
        let torques = record.values("equation torque")?;
        for (&joint, &variance) in self.links.iter().zip(torques) {
            let row = equations.joint_forces().start + self.model.joint(joint).idx_v;
            self.estimator.set_variance(row, variance)?;
        }
        Ok(())
    }

    fn weigh_floating(&mut self, equations: &Equations, forces: &[[f64; 2]]) -> Result<()> {
        for (&joint, variance) in self.links.iter().zip(forces) {
            let rows = equations.force(joint);
            if self.model.joint(joint).name != "root_joint" {
                set_rows(&mut self.estimator, rows, variance)?;
                continue;
            }
            let third = variance.map(|variance| variance / 3.0);
            let torques = equations.joint_forces().start + self.model.joint(joint).idx_v;
            // The six zero torques are the first rows behind the dynamics.
            for first in [rows.start, torques, equations.dynamics().end] {
                set_rows(&mut self.estimator, first..first + 6, &third)?;
            }
        }
        Ok(())
    }

    /// Takes ω × v off the means of accelerations where the reference's are classical.
    fn shift_accelerations(&mut self) -> Result<()> {
        let kinematics =
            self.model
                .forward_kinematics_velocities(&mut self.workspace, &self.q, &self.v)?;
        for assumed in &self.accelerations {
            let mut mean = assumed.mean;
            if self.description.floating {
                let velocity = kinematics.velocity(assumed.joint, ReferenceFrame::Local);
                mean.linear -= velocity.angular.cross(velocity.linear);
            }
            let mean = assumed.to_link.act_motion(&mean).to_array();
            let columns = assumed.columns.clone();
            set_six(&mut self.estimator, columns, mean, &assumed.variance)?;
        }
        Ok(())
    }

    /// The estimate in a state: everything that has to be done for it, as it is timed.
    ///
    /// # Errors
    /// Those of the estimator.
    pub fn update(&mut self, state: &State) -> Result<Estimate<'_>> {
        self.take_over(state);
        if self.description.floating {
            self.shift_accelerations()?;
        }
        Ok(self.estimator.update(&self.q, &self.v, &self.inputs)?)
    }

    /// The estimate from the same readings with equations that hold exactly, and the prior that the
    /// library makes.
    ///
    /// # Errors
    /// Those of the estimator.
    pub fn update_exactly(&mut self, state: &State) -> Result<Estimate<'_>> {
        self.take_over(state);
        Ok(self.exact.update(&self.q, &self.v, &self.inputs)?)
    }

    fn take_over(&mut self, state: &State) {
        for (k, &joint) in self.dofs.iter().enumerate() {
            let joint = self.model.joint(joint);
            self.q[joint.idx_q] = state.q[k];
            self.v[joint.idx_v] = state.v[k];
        }
        for &(id, ref range) in &self.sensors {
            let inputs = self.estimator.system().sensor_inputs(id);
            self.inputs[inputs].copy_from_slice(&state.readings[range.clone()]);
        }
        if self.description.floating {
            // The linear velocity of the base is not observable, and no estimate depends on it.
            self.v[..6].copy_from_slice(&[0.3, -0.2, 0.1, 0.0, 0.0, 0.0]);
            self.v[3..6].copy_from_slice(&state.omega);
        }
    }

    /// The velocities of all links in the last state, in their own frames.
    ///
    /// # Errors
    /// If the state has no finite kinematics.
    pub fn velocities(&mut self) -> Result<Vec<Motion<f64>>> {
        let kinematics =
            self.model
                .forward_kinematics_velocities(&mut self.workspace, &self.q, &self.v)?;
        let links = self.links.iter();
        Ok(links
            .map(|&joint| kinematics.velocity(joint, ReferenceFrame::Local))
            .collect())
    }

    /// The values of D, in the order of its pattern, and b in the last state.
    ///
    /// # Errors
    /// If the state has no finite kinematics.
    pub fn assembled(&self) -> Result<(Vec<f64>, Vec<f64>)> {
        let system = self.estimator.system();
        let mut values = vec![0.0; system.sparsity().entries()];
        let mut right = vec![0.0; system.sparsity().rows()];
        let mut memory = AssemblyMemory::new(system);
        system.assemble(
            &mut memory,
            &self.q,
            &self.v,
            &self.inputs,
            &mut values,
            &mut right,
        )?;
        Ok((values, right))
    }

    /// b − D y of all rows in the last state.
    ///
    /// # Errors
    /// If the state has no finite kinematics.
    pub fn residuals(&self, x: &[f64]) -> Result<Vec<f64>> {
        let (values, right) = self.assembled()?;
        let pattern = self.estimator.system().sparsity().clone();
        let product = SparseMatrix::new(pattern, values)?.times(x);
        Ok(right.iter().zip(product).map(|(r, ax)| r - ax).collect())
    }

    /// The estimator.
    pub fn estimator(&self) -> &Estimator {
        &self.estimator
    }

    /// How many unknowns we have.
    pub fn unknowns(&self) -> usize {
        self.estimator.system().unknowns().count()
    }
}

/// The first three numbers of a six-vector have the one variance, the last three the other.
fn set_six(
    estimator: &mut Estimator,
    columns: Range<usize>,
    mean: [f64; 6],
    variance: &[f64; 2],
) -> Result<()> {
    for (k, (column, mean)) in columns.zip(mean).enumerate() {
        estimator.set_prior(column, mean, Some(variance[k / 3]))?;
    }
    Ok(())
}

fn set_rows(estimator: &mut Estimator, rows: Range<usize>, variance: &[f64; 2]) -> Result<()> {
    for (k, row) in rows.enumerate() {
        estimator.set_variance(row, variance[k / 3])?;
    }
    Ok(())
}

fn found<T>(names: &[String], find: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
    names
        .iter()
        .map(|name| find(name).with_context(|| format!("the robot has no `{name}`")))
        .collect()
}

fn sensor(number: usize, measured: &Measured, model: &Model) -> Result<Sensor> {
    let place = measured.place.as_str();
    let frame = || -> Result<FrameId> { Ok(model.frame_id_of_kind(place, FrameKind::Body)?) };
    let kind = match measured.kind {
        Kind::ForceTorque => SensorKind::ForceTorque {
            frame: frame()?,
            reaction: measured.reaction,
        },
        Kind::Accelerometer => SensorKind::Accelerometer { frame: frame()? },
        Kind::Gyroscope => SensorKind::Gyroscope { frame: frame()? },
        Kind::JointAcceleration => SensorKind::JointAcceleration {
            joint: model.joint_id(place)?,
        },
        Kind::JointTorque => SensorKind::JointForce {
            joint: model.joint_id(place)?,
        },
        Kind::ExternalWrench => SensorKind::ExternalForce {
            frame: frame()?,
            components: Components::ALL,
        },
    };
    let noise = Noise::Covariance(measured.covariance.clone());
    Ok(Sensor::new(format!("{number} at {place}"), kind, noise))
}

/// ω × v of a body.
pub fn centripetal(velocity: &Motion<f64>) -> Vec3<f64> {
    velocity.angular.cross(velocity.linear)
}
