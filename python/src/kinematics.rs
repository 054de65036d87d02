//! Kinematics of frames as methods of a model, and of a joint by itself.

use crate::argument::{FrameName, names};
use crate::array::{Answer, Shape, Value};
use crate::error;
use crate::evaluate::evaluate;
use crate::model::{Joint, Model};
use crate::quantities::quantity_methods;
use crate::states::for_each_named;
use featherline::batch::Precision;
use featherline::kinematics::Target;
use featherline::model::FrameId;
use featherline::quantity::{AnyAlgorithm, Lanes};
use featherline::spatial::Se3;
use featherline::{Error, Workspace};
use pyo3::prelude::*;

quantity_methods! {
    /// The velocity of a frame (6,): [linear; angular].
    ///
    /// reference: "local" (the frame's axes, at its origin), "local_world_aligned" (the world's
    /// axes, at the frame's origin) or "world" (the world's axes, at its origin).
    ///
    /// >>> np.allclose(panda.velocity(q, v, "panda_link8"), panda.jacobian(q, "panda_link8") @ v)
    /// True
    velocity(q, v; frame) -> Velocity, "($self, q, v, frame, reference='local', *, out=None)";
    /// The spatial acceleration of a frame (6,): [linear; angular].
    ///
    /// >>> a_hand = panda.acceleration(q, v, a, "panda_link8")
    /// >>> J, dJ = panda.jacobian(q, "panda_link8"), panda.jacobian_rate(q, v, "panda_link8")
    /// >>> np.allclose(a_hand, J @ a + dJ @ v)
    /// True
    acceleration(q, v, a; frame) -> Acceleration, "($self, q, v, a, frame, reference='local', *, out=None)";
    /// The classical acceleration of a frame (6,), which an accelerometer without gravity has.
    classical_acceleration(q, v, a; frame) -> ClassicalAcceleration, "($self, q, v, a, frame, reference='local', *, out=None)";
    /// The spatial acceleration (6,) that a frame has while all q̈ are zero.
    bias_acceleration(q, v; frame) -> BiasAcceleration, "($self, q, v, frame, reference='local', *, out=None)";
    /// The classical acceleration (6,) that a frame has while all q̈ are zero: J̇ v in
    /// "local_world_aligned", which a controller subtracts from the one that it wants.
    classical_bias_acceleration(q, v; frame) -> ClassicalBiasAcceleration, "($self, q, v, frame, reference='local', *, out=None)";
    /// The Jacobian of a frame (6, nv): its velocity is J v.
    ///
    /// >>> panda.jacobian(q, "panda_link8", "world").shape
    /// (6, 7)
    jacobian(q; frame) -> Jacobian, "($self, q, frame, reference='local', *, out=None)";
    /// The rate of a frame's Jacobian (6, nv).
    jacobian_rate(q, v; frame) -> JacobianRate, "($self, q, v, frame, reference='local', *, out=None)";
    /// The derivatives of a frame's Jacobian along each coordinate (nv, 6, nv).
    ///
    /// >>> panda.hessian(q, "panda_link8").shape
    /// (7, 6, 7)
    hessian(q; frame) -> Hessian, "($self, q, frame, reference='local', *, out=None)";
    /// The derivatives of a frame's `velocity` by q and v: dq and dv (6, nv), which is the
    /// Jacobian. Each is that of the components which `velocity` returns for the same reference.
    ///
    /// >>> d = panda.velocity_derivatives(q, v, "panda_link8")
    /// >>> np.allclose(d.dv, panda.jacobian(q, "panda_link8"))
    /// True
    velocity_derivatives(q, v; frame) -> VelocityDerivatives as "VelocityDerivatives", "($self, q, v, frame, reference='local', *, out=None)";
    /// The derivatives of a frame's spatial `acceleration` by q, v and a: dq, dv and da (6, nv),
    /// which is the Jacobian.
    ///
    /// >>> d = panda.acceleration_derivatives(q, v, a, "panda_link8", "world")
    /// >>> np.allclose(d.da, panda.jacobian(q, "panda_link8", "world"))
    /// True
    acceleration_derivatives(q, v, a; frame) -> AccelerationDerivatives as "AccelerationDerivatives", "($self, q, v, a, frame, reference='local', *, out=None)";
    /// The derivatives of a frame's `classical_acceleration` by q, v and a: dq, dv and da (6, nv),
    /// which is the Jacobian.
    ///
    /// >>> spatial = panda.acceleration_derivatives(q, 0 * v, a, "panda_link8")
    /// >>> classical = panda.classical_acceleration_derivatives(q, 0 * v, a, "panda_link8")
    /// >>> np.allclose(spatial.dq, classical.dq)     # at rest
    /// True
    classical_acceleration_derivatives(q, v, a; frame) -> ClassicalAccelerationDerivatives as "AccelerationDerivatives", "($self, q, v, a, frame, reference='local', *, out=None)";
}

#[pymethods]
impl Model {
    /// The placement of a joint or frame in the world, as a homogeneous matrix (4, 4).
    ///
    /// >>> panda.placement(q, "panda_link8")[3]
    /// array([0., 0., 0., 1.])
    #[pyo3(signature = (q, frame, *, out=None))]
    fn placement<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        frame: FrameName<'_>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let targets = vec![self.target(frame.0)?];
        let (placements, arguments) = (Placements { targets }, [self.q("q", q)]);
        evaluate(self, py, &placements, &arguments, Shape::Matrix(4, 4), out)
    }

    /// The placements of frames in the world, as homogeneous matrices (frames, 4, 4); without a
    /// list, those of all frames in the order of `frames`.
    ///
    /// >>> panda.placements(q, ["panda_link4", "panda_link8"]).shape
    /// (2, 4, 4)
    #[pyo3(signature = (q, frames=None, *, out=None))]
    fn placements<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        frames: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let frames = frames.map(|frames| names("frames", frames)).transpose()?;
        let targets: Vec<Target> = match frames {
            Some(names) => (names.iter().map(|name| self.target(name))).collect::<PyResult<_>>()?,
            None => self.named_frames().into_iter().map(Target::Frame).collect(),
        };
        let shape = Shape::Matrices(targets.len(), 4, 4);
        let (placements, arguments) = (Placements { targets }, [self.q("q", q)]);
        evaluate(self, py, &placements, &arguments, shape, out)
    }
}

/// Writes a placement as a homogeneous matrix, column by column.
pub fn write_homogeneous(placement: &Se3<f64>, out: &mut [f64]) {
    let rows = placement.to_homogeneous();
    for (k, x) in out.iter_mut().enumerate() {
        *x = rows[k % 4][k / 4];
    }
}

/// The placements of frames, as rows of homogeneous matrices.
pub struct Placements {
    pub targets: Vec<Target>,
}

impl Placements {
    /// Their frames, if all are frames.
    fn frames(&self) -> Option<Vec<FrameId>> {
        self.targets
            .iter()
            .map(|target| match target {
                Target::Frame(frame) => Some(*frame),
                Target::Joint(_) => None,
            })
            .collect()
    }

    fn run_in_lanes<T: Precision>(&self, lanes: Lanes<'_, '_, T>) -> Option<Result<usize, Error>> {
        let Lanes {
            batch,
            inputs,
            results,
            status,
        } = lanes;
        let frames = self.frames()?;
        // A placement of a batch is its rotation, column by column, and its translation.
        let mut rows = vec![T::zero(); 12 * frames.len() * status.len()];
        let done = batch.frame_placements(inputs[0], &frames, &mut rows, status);
        let (zero, one) = (T::zero(), T::one());
        for (matrix, placement) in results[0].chunks_exact_mut(16).zip(rows.chunks_exact(12)) {
            for column in 0..4 {
                matrix[4 * column..4 * column + 3]
                    .copy_from_slice(&placement[3 * column..3 * column + 3]);
                matrix[4 * column + 3] = if column == 3 { one } else { zero };
            }
        }
        Some(done)
    }
}

impl AnyAlgorithm for Placements {
    fn run(
        &self,
        model: &featherline::Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        results: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        let positions = model.forward_kinematics(ws, inputs[0])?;
        for (out, &target) in results[0].chunks_exact_mut(16).zip(&self.targets) {
            write_homogeneous(&positions.placement(target), out);
        }
        Ok(())
    }

    fn run_in_double_lanes(&self, lanes: Lanes<'_, '_, f64>) -> Option<Result<usize, Error>> {
        self.run_in_lanes(lanes)
    }

    fn run_in_single_lanes(&self, lanes: Lanes<'_, '_, f32>) -> Option<Result<usize, Error>> {
        self.run_in_lanes(lanes)
    }
}

#[pymethods]
impl Joint {
    /// The joint by itself in states (q, v) of the robot, in its output frame, [linear; angular]:
    /// placement M (4, 4) of the output frame in the input frame, motion subspace S (6, columns),
    /// bias c (6,), the rate of S times the joint's velocity, and velocity S q̇ (6,). The subspace
    /// of a mimic joint is along the coordinate of the joint that it mimics.
    ///
    /// >>> import featherline as fl
    /// >>> elbow = fl.load("double_pendulum").joints["elbow"]
    /// >>> elbow.evaluate([0.3, -0.2], [1.0, 0.5]).velocity.tolist()
    /// [0.0, 0.0, 0.0, 0.0, 0.5, 0.0]
    #[pyo3(signature = (q, v, *, out=None))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let model = self.0.model.get();
        let id = self.0.of().joint_ids().nth(self.0.index);
        let id = id.ok_or_else(|| error::internal(&"a joint of no model"))?;
        let columns = self.joint().kind.nv();
        let six = Shape::Vector(6);
        let shapes = [Shape::Rows(4, 4), Shape::Matrix(6, columns), six, six];
        let arguments = [model.q("q", q), model.tangent("v", v)];
        for_each_named(
            py,
            "JointMotion",
            &arguments,
            &shapes,
            out,
            |inputs, results| {
                let found = model.model.evaluate_joint(id, inputs[0], inputs[1])?;
                results[0].copy_from_slice(found.placement.to_homogeneous().as_flattened());
                for (column, to) in found.subspace.iter().zip(results[1].chunks_exact_mut(6)) {
                    to.copy_from_slice(&column.to_array());
                }
                results[2].copy_from_slice(&found.bias.to_array());
                results[3].copy_from_slice(&found.velocity.to_array());
                Ok(())
            },
        )
    }
}
