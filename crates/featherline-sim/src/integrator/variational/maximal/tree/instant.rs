//! The quantities of one instant: poses, joint gaps and articulated inertias.

use crate::maximal::Pose;
use featherline::kernel::Scratch;
use featherline::kernel::articulated::{begin, cross_inertia, eliminate_base};
use featherline::kernel::links;
use featherline::kernel::place_links;
use featherline::kernel::{Form, Kernel, seen_as, seen_mut_as};
use featherline::model::Model;
use featherline::scalar::{InstructionSet, Scalar};
use featherline::spatial::{Force, Mat3, Motion, Quaternion, Se3, Vec3};

/// Places the bodies by their poses, in the world and as seen from their parents, and finds by how
/// much they have left where their joints' coordinates would have them.
pub(super) struct Arrive<'a, S: Scalar> {
    pub model: &'a Model,
    pub ws: &'a mut Scratch<S>,
    pub q: &'a [S],
    /// Of the link frames.
    pub poses: &'a [Pose],
    /// Receives how each body has left its joint, in its frame.
    pub open: &'a mut [Motion<S>],
}

impl<S: Scalar> Kernel for Arrive<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) {
        Arrive {
            model: self.model,
            ws: self.ws.seen_as(form),
            q: seen_as(self.q, form),
            poses: self.poses,
            open: seen_mut_as(self.open, form),
        }
        .run();
    }

    #[inline(always)]
    fn run(self) {
        let Self {
            model,
            ws,
            q,
            poses,
            open,
        } = self;
        place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
        for (i, link) in links(model).iter().enumerate().skip(1) {
            let orientation = Quaternion::<S>::constant(&poses[i].orientation);
            let position = Vec3::constant(poses[i].position);
            let world = Se3::new(orientation.to_rotation(), position);
            let placement = match link.parent {
                0 => world,
                parent => ws.world[parent].inverse_compose(&world),
            };
            let apart = ws.placement[i].inverse_compose(&placement);
            open[i] = Motion::new(apart.translation, small_turn(&apart.rotation));
            ws.world[i] = world;
            // From here on bodies pass on impulses where they are, so that none is lost between
            // them.
            ws.placement[i] = placement;
        }
        ws.acceleration[0] = Motion::zero();
    }
}

/// The rotation vector of a rotation next to none, to third order.
#[inline(always)]
fn small_turn<S: Scalar>(r: &Mat3<S>) -> Vec3<S> {
    let twice = Vec3::new(r.y.z - r.z.y, r.z.x - r.x.z, r.x.y - r.y.x);
    twice * S::constant(0.5)
}

/// Eliminates the articulated-body inertias.
pub(super) struct Factorise<'a, S: Scalar> {
    pub model: &'a Model,
    pub ws: &'a mut Scratch<S>,
}

impl<S: Scalar> Kernel for Factorise<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) {
        Factorise {
            model: self.model,
            ws: self.ws.seen_as(form),
        }
        .run();
    }

    #[inline(always)]
    fn run(self) {
        let Self { model, ws } = self;
        begin(model, ws);
        for (i, link) in links(model).iter().enumerate().skip(1).rev() {
            cross_inertia(model, i, link, None, ws);
        }
        eliminate_base(model, None, ws);
    }
}

/// Finds the weight of each body, in its frame.
pub(super) struct Weigh<'a, S: Scalar> {
    pub model: &'a Model,
    pub ws: &'a Scratch<S>,
    /// In m/s².
    pub gravity: Vec3<f64>,
    pub load: &'a mut [Force<S>],
}

impl<S: Scalar> Kernel for Weigh<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let gravity = Vec3::<S>::constant(self.gravity);
        for (i, link) in links(self.model).iter().enumerate().skip(1) {
            let fall = self.ws.world[i].rotation.tr_mul_vec(gravity);
            let parameters = self.ws.parameters_of(i, link);
            self.load[i] = Force::new(fall * parameters.mass, parameters.first_moment.cross(fall));
        }
    }
}

/// The total momentum, about the origin, after loads have pulled for a time.
pub(super) struct Total<'a> {
    pub model: &'a Model,
    /// That of the frame, to be added to those of the bodies.
    pub velocity: Vec3<f64>,
    pub world: &'a [Se3<f64>],
    pub momentum: &'a [Force<f64>],
    pub load: &'a [Force<f64>],
    pub time: f64,
}

impl Kernel for Total<'_> {
    type Output = Force<f64>;

    #[inline(always)]
    fn run(self) -> Force<f64> {
        let mut total = Force::zero();
        for i in 1..self.momentum.len() {
            let carried = self.world[i].rotation.tr_mul_vec(self.velocity);
            let carried = Motion::new(carried, Vec3::zero());
            let of_frame = links(self.model)[i].parameters.mul_motion(&carried);
            let own = self.load[i].mul_add(self.time, &self.momentum[i]) + of_frame;
            total += self.world[i].act_force(&own);
        }
        total
    }
}
