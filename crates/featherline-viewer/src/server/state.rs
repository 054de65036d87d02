//! States of a robot that moves.

use serde::Serialize;

/// A state of the robot. All but q may be left out: `State { q: &q, ..State::default() }`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State<'a> {
    /// Time, in s.
    pub t: Option<f64>,
    /// The configuration.
    pub q: &'a [f64],
    /// The velocity; empty if it is not known.
    pub v: &'a [f64],
    /// Joint forces, if they are known.
    pub tau: Option<&'a [f64]>,
    /// Contacts; empty if there are none.
    pub contacts: &'a [Contact],
}

/// A force that acts at a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Contact {
    /// The point in the world, in m.
    pub point: [f64; 3],
    /// The normal of the contact in the world, of length one, towards the body that the force acts
    /// on; zero if it is not known.
    #[serde(skip_serializing_if = "is_unknown")]
    pub normal: [f64; 3],
    /// The force on the robot, in axes of the world, in N.
    pub force: [f64; 3],
}

fn is_unknown(normal: &[f64; 3]) -> bool {
    *normal == [0.0; 3]
}

/// A state with memory of its own, which is used again.
#[derive(Debug, Default)]
pub(super) struct StoredState {
    t: Option<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    has_tau: bool,
    contacts: Vec<Contact>,
}

impl StoredState {
    pub(super) fn set(&mut self, state: &State<'_>) {
        fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) {
            to.clear();
            to.extend_from_slice(from);
        }
        self.t = state.t;
        self.has_tau = state.tau.is_some();
        copy(&mut self.q, state.q);
        copy(&mut self.v, state.v);
        copy(&mut self.tau, state.tau.unwrap_or_default());
        copy(&mut self.contacts, state.contacts);
    }

    pub(super) fn get(&self) -> State<'_> {
        State {
            t: self.t,
            q: &self.q,
            v: &self.v,
            tau: self.has_tau.then_some(&self.tau[..]),
            contacts: &self.contacts,
        }
    }
}

#[derive(Serialize)]
struct Message<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<f64>,
    q: &'a [f64],
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    v: &'a [f64],
    tau: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "<[Contact]>::is_empty")]
    contacts: &'a [Contact],
}

impl State<'_> {
    /// The message to a page; numbers that are not finite are null.
    pub(super) fn to_json(self) -> String {
        let message = Message {
            kind: "state",
            t: self.t,
            q: self.q,
            v: self.v,
            tau: self.tau,
            contacts: self.contacts,
        };
        // Numbers and strings: nothing that JSON can't hold.
        serde_json::to_string(&message).expect("a state is representable in JSON")
    }
}
