//! Surgery: new models from finished ones.
//!
//! A model does not change. An operation makes another one, and a [`Carried`] that says where each
//! joint and frame went, and carries configurations and velocities over. Everything that a model
//! says is carried over: loop joints, frames, limits, drives, springs, reference configurations,
//! gravity. What can't be is a [`SurgeryError`]; what loses its meaning is a warning.
//!
//! | to | method |
//! |---|---|
//! | put another robot on a frame | [`Model::append`] |
//! | put several robots into one world | [`Model::merge`] |
//! | take off what hangs on a joint | [`Model::remove`] |
//! | hold joints where they are | [`Model::lock`] |
//! | make another body the base | [`Model::reroot`] |
//! | make a joint mimic another one, and free it | [`Model::mimic`], [`Model::free`] |
//! | give a body another inertia | [`Model::with_inertia`] |
//! | give a joint another drive | [`Model::with_drive`] |
//! | put a prefix before all names | [`Model::with_prefix`] |
//! | take frames or loop joints out | [`Model::without_frames`], [`Model::without_loop_joint`] |
//!
//! ```
//! use featherline::{Workspace, samples};
//!
//! // A double pendulum whose elbow is held at 0.4 rad is a pendulum.
//! let model = samples::double_pendulum();
//! let elbow = model.joint_id("elbow")?;
//! let locked = model.lock(&[elbow], &[0.0, 0.4])?;
//! assert_eq!(locked.model.nv(), 1);
//!
//! // Where the shoulder moves alone, it needs the same torque.
//! let (q, v) = ([0.3, 0.4], [1.0, 0.0]);
//! let (few_q, few_v) = (locked.carried.configuration(&q)?, locked.carried.velocity(&q, &v)?);
//! let mut ws = Workspace::new(&model);
//! let tau = model.rnea(&mut ws, &q, &v, &[2.0, 0.0])?[0];
//! let mut ws = Workspace::new(&locked.model);
//! let few_tau = locked.model.rnea(&mut ws, &few_q, &few_v, &[2.0])?[0];
//! assert!((tau - few_tau).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod append;
mod carried;
mod draft;
mod drive;
mod error;
mod inertia;
mod lock;
mod mimic;
mod names;
mod remove;
mod reroot;

pub use append::{Appended, Merged, Part};
pub use carried::Carried;
pub use error::SurgeryError;
pub use lock::Locked;

use super::{Model, ModelWarning};
use draft::{Draft, Finished};

/// The result of an operation on a model.
#[derive(Clone, Debug)]
pub struct Surgery {
    /// The new model.
    pub model: Model,
    /// Where its joints, frames and coordinates come from.
    pub carried: Carried,
    /// Doubtful properties of the new model, which is built nevertheless.
    pub warnings: Vec<ModelWarning>,
}

impl Surgery {
    /// Puts together what was made of one model, under its name and gravity.
    fn of(draft: Draft, model: &Model) -> Result<Self, SurgeryError> {
        let finished = draft.finish(model.name(), model.gravity(), &[model])?;
        let Finished {
            model,
            mut carried,
            warnings,
        } = finished;
        Ok(Self {
            model,
            // There is one source.
            carried: carried.remove(0),
            warnings,
        })
    }
}
