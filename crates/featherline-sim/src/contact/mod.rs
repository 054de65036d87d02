//! Time stepping with contact: friction that sticks and slides, limits, dry friction and drives,
//! exactly.
//!
//! [`TimeStepping`] goes from state to state in steps of given length. Contacts come from a
//! [`ContactSource`]; the laws of contact, of joint limits, of dry friction and of [`Drives`] are
//! solved together (`featherline_constraint::nonsmooth`), for impulses that are exact and not
//! relaxed: sticking contacts do not creep, and sliding ones do not lift off.

mod account;
mod along;
mod collision;
#[cfg(feature = "formats")]
mod described;
mod drives;
mod moved;
mod readings;
mod source;
mod start;
mod tendons;
mod time_stepping;

pub use account::{ContactAccount, ContactSample, PairForce};
pub use collision::{CollisionContacts, Surface};
pub use drives::Drives;
pub use moved::{Coupling, MovedBodies, MovedBodyError};
pub use readings::{ImuReading, wrench_of_points};
pub use source::{ContactSource, Softness};
#[cfg(feature = "formats")]
pub(crate) use start::deepest_overlap;
pub use start::{
    InGround, distance_from, floating_height, has_limits_or_friction, overlapping_pairs,
    pairs_that_always_overlap, put_on,
};
pub use time_stepping::{
    ContactImpulse, ContactLaws, FrictionLaw, ImpactLaw, StepReport, TimeStepping, WarmStart,
};
