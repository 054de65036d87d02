//! Kinematics of frames as methods of a model.

use crate::algorithms::{FrameQuantity, OfFrame, Placements};
use crate::argument::{FrameName, names, shown};
use crate::array::{Answer, Shape, Value};
use crate::error;
use crate::evaluate::evaluate;
use crate::model::{Model, chosen, quoted};
use featherline::kinematics::{ReferenceFrame, Target};
use featherline::words::Words;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The coordinates of a method, by their word.
pub struct Reference(pub ReferenceFrame);

impl Reference {
    /// Those without a word.
    pub const USUAL: Self = Self(ReferenceFrame::Local);
}

impl FromPyObject<'_, '_> for Reference {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match value.extract::<&str>() {
            Ok(word) => reference(word).map(Self),
            Err(_) => Err(PyTypeError::new_err(format!(
                "reference must be {}, not {}",
                quoted(ReferenceFrame::WORDS),
                shown(&value)
            ))),
        }
    }
}

/// The coordinates that a word names.
pub fn reference(word: &str) -> PyResult<ReferenceFrame> {
    chosen("reference", word)
}

impl Model {
    fn of_frame(
        &self,
        target: &FrameName<'_>,
        reference: &Reference,
        quantity: FrameQuantity,
    ) -> PyResult<(OfFrame, Shape)> {
        let nv = self.model.nv();
        let shape = match quantity {
            FrameQuantity::Velocity
            | FrameQuantity::Acceleration
            | FrameQuantity::ClassicalAcceleration
            | FrameQuantity::BiasAcceleration
            | FrameQuantity::ClassicalBiasAcceleration => Shape::Vector(6),
            FrameQuantity::Jacobian | FrameQuantity::JacobianRate => Shape::Matrix(6, nv),
            FrameQuantity::Hessian => Shape::Matrices(nv, 6, nv),
        };
        let of_frame = OfFrame {
            target: self.target(target.0)?,
            reference: reference.0,
            quantity,
        };
        Ok((of_frame, shape))
    }
}

/// Methods that ask one quantity of a frame.
macro_rules! methods {
    ($($(#[$documentation:meta])* $method:ident($($argument:ident: $kind:ident),*) -> $quantity:ident, $signature:tt;)*) => {
        #[pymethods]
        impl Model {$(
            $(#[$documentation])*
            #[pyo3(signature = ($($argument),*, frame, reference=Reference::USUAL, *, out=None, **unknown), text_signature = $signature)]
            fn $method<'py>(
                &self,
                py: Python<'py>,
                $($argument: Value<'_, 'py>,)*
                frame: FrameName<'_>,
                reference: Reference,
                out: Option<Value<'_, 'py>>,
                unknown: Option<&Bound<'py, PyDict>>,
            ) -> Answer<'py> {
                error::only_known_of::<Self>(py, stringify!($method), unknown)?;
                let (algorithm, shape) = self.of_frame(&frame, &reference, FrameQuantity::$quantity)?;
                let arguments = [$(self.$kind(stringify!($argument), $argument)),*];
                evaluate(self, py, &algorithm, &arguments, shape, out)
            }
        )*}
    };
}

methods! {
    /// The velocity of a frame (6,): [linear; angular].
    ///
    /// reference: "local" (the frame's axes, at its origin), "local_world_aligned" (the world's
    /// axes, at the frame's origin) or "world" (the world's axes, at its origin).
    ///
    /// >>> np.allclose(panda.velocity(q, v, "panda_link8"), panda.jacobian(q, "panda_link8") @ v)
    /// True
    velocity(q: q, v: tangent) -> Velocity, "($self, q, v, frame, reference='local', *, out=None)";
    /// The spatial acceleration of a frame (6,): [linear; angular].
    ///
    /// >>> a_hand = panda.acceleration(q, v, a, "panda_link8")
    /// >>> J, dJ = panda.jacobian(q, "panda_link8"), panda.jacobian_rate(q, v, "panda_link8")
    /// >>> np.allclose(a_hand, J @ a + dJ @ v)
    /// True
    acceleration(q: q, v: tangent, a: tangent) -> Acceleration, "($self, q, v, a, frame, reference='local', *, out=None)";
    /// The classical acceleration of a frame (6,), which an accelerometer without gravity has.
    classical_acceleration(q: q, v: tangent, a: tangent) -> ClassicalAcceleration, "($self, q, v, a, frame, reference='local', *, out=None)";
    /// The spatial acceleration (6,) that a frame has while all q̈ are zero.
    bias_acceleration(q: q, v: tangent) -> BiasAcceleration, "($self, q, v, frame, reference='local', *, out=None)";
    /// The classical acceleration (6,) that a frame has while all q̈ are zero: J̇ v in
    /// "local_world_aligned", which a controller subtracts from the one that it wants.
    classical_bias_acceleration(q: q, v: tangent) -> ClassicalBiasAcceleration, "($self, q, v, frame, reference='local', *, out=None)";
    /// The Jacobian of a frame (6, nv): its velocity is J v.
    ///
    /// >>> panda.jacobian(q, "panda_link8", "world").shape
    /// (6, 7)
    jacobian(q: q) -> Jacobian, "($self, q, frame, reference='local', *, out=None)";
    /// The rate of a frame's Jacobian (6, nv).
    jacobian_rate(q: q, v: tangent) -> JacobianRate, "($self, q, v, frame, reference='local', *, out=None)";
    /// The derivatives of a frame's Jacobian along each coordinate (nv, 6, nv).
    ///
    /// >>> panda.hessian(q, "panda_link8").shape
    /// (7, 6, 7)
    hessian(q: q) -> Hessian, "($self, q, frame, reference='local', *, out=None)";
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
