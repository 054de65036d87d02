//! The frame in which a robot that floats is followed: it goes with the centre of mass, and falls
//! with it.
//!
//! The action is the same in every frame that moves without rotation, and under uniform gravity in
//! one that falls. In numbers it is not: an error δ of a place is an error of P δ in the angular
//! momentum of a robot with the momentum P. So its steps are made where P is next to none, and cost
//! and keep as much at any speed.

use featherline::kernel;
use featherline::kernel::free_base;
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Mat3, Vec3};

/// Above this part of the energy in the frame, that of the centre of mass is too much of it.
const MOST: f64 = 0.5;

/// A frame that moves without rotation. That of a robot that the world holds is the world.
#[derive(Clone, Debug)]
pub(super) struct MovingFrame {
    floating: Option<Floating>,
    /// The gravity with which the frame falls, and that which is left to be felt.
    fall: Vec3<f64>,
    pub weight: Vec3<f64>,
    /// Where it is, and its mean velocity in the step that led there.
    pub position: Vec3<f64>,
    velocity: Vec3<f64>,
}

/// Whom a frame follows.
#[derive(Clone, Copy, Debug)]
struct Floating {
    mass: f64,
    /// Where the base is in q and its linear velocity in v.
    idx_q: usize,
    idx_v: usize,
    body: usize,
    /// How the axes are turned along which q gives the place.
    axes: Mat3<f64>,
}

impl MovingFrame {
    /// The frame for a robot.
    pub fn new(model: &Model) -> Self {
        // Armature of the base would tell the frames apart.
        let is_alone = |base: &JointId| {
            let own = model.joint(*base).idx_v;
            kernel::reflected_inertias(model)[own..own + 6] == [0.0; 6]
        };
        let mass = model.total_mass();
        let base = free_base(model).filter(is_alone).filter(|_| mass > 0.0);
        let floating = base.map(|base| Floating {
            mass,
            idx_q: model.joint(base).idx_q,
            idx_v: model.joint(base).idx_v,
            body: base.index(),
            axes: model.joint(base).placement.rotation,
        });
        let (gravity, none) = (model.gravity(), Vec3::zero());
        let (fall, weight) = match floating {
            Some(_) => (gravity, none),
            None => (none, gravity),
        };
        Self {
            floating,
            fall,
            weight,
            position: none,
            velocity: none,
        }
    }

    /// The body that is the base of a robot that floats.
    pub fn base(&self) -> Option<usize> {
        self.floating.map(|floating| floating.body)
    }

    /// Becomes the world again.
    pub fn reset(&mut self) {
        (self.position, self.velocity) = (Vec3::zero(), Vec3::zero());
    }

    /// The velocity that the frame lacks to move with the centre of mass of a robot with the linear
    /// momentum `momentum` in it and twice the kinetic energy `doubled_energy`; none where the lack
    /// doesn't matter.
    pub fn lack(&self, momentum: Vec3<f64>, doubled_energy: f64) -> Option<Vec3<f64>> {
        let mass = self.floating?.mass;
        let of_center = momentum.norm_squared() / mass;
        (of_center > MOST * doubled_energy).then(|| momentum * (1.0 / mass))
    }

    /// Goes faster.
    pub fn accelerate(&mut self, by: Vec3<f64>) {
        self.velocity += by;
    }

    /// Comes to the end of a step of `h` after one of `before`, in which the bodies went with too
    /// little linear momentum by `lack`: the frame goes the way that their centre of mass did not.
    pub fn advance(&mut self, before: f64, h: f64, lack: Vec3<f64>) {
        if let Some(Floating { mass, .. }) = self.floating {
            self.velocity += self.fall * (0.5 * (before + h));
            self.position += (self.velocity + lack * (1.0 / mass)) * h;
        }
    }

    /// The velocity at the end of the step of `before` that led here.
    pub fn velocity(&self, before: f64) -> Vec3<f64> {
        self.velocity + self.fall * (0.5 * before)
    }

    /// Brings a configuration in the frame to the world.
    pub fn place(&self, q: &mut [f64]) {
        if let Some(Floating { idx_q, axes, .. }) = self.floating {
            let way = axes.tr_mul_vec(self.position).to_array();
            for (own, way) in q[idx_q..].iter_mut().zip(way) {
                *own += way;
            }
        }
    }

    /// Adds a velocity of the frame to that of a robot whose base is turned by `base`.
    pub fn boost(&self, velocity: Vec3<f64>, base: &Mat3<f64>, v: &mut [f64]) {
        if let Some(Floating { idx_v, .. }) = self.floating {
            let more = base.tr_mul_vec(velocity).to_array();
            for (own, more) in v[idx_v..].iter_mut().zip(more) {
                *own += more;
            }
        }
    }

    /// The momentum about the world's origin, from that about the frame's with the frame's velocity
    /// added.
    pub fn momentum(&self, about_frame: Force<f64>) -> Force<f64> {
        let carried = self.position.cross(about_frame.linear);
        Force::new(about_frame.linear, about_frame.angular + carried)
    }
}
