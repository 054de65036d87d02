//! Products of placements with many others, compiled for the processor's instruction set.

use featherline::kernel::{Kernel, dispatch};
use featherline::kinematics::ReferenceFrame;
use featherline::spatial::{Motion, Se3, Vec3};

struct Compose<'a>(&'a Se3<f64>, &'a Se3<f64>);

impl Kernel for Compose<'_> {
    type Output = Se3<f64>;

    #[inline(always)]
    fn run(self) -> Se3<f64> {
        self.0.compose(self.1)
    }
}

/// The product of two placements.
pub fn compose(one: &Se3<f64>, other: &Se3<f64>) -> Se3<f64> {
    dispatch(Compose(one, other))
}

/// A motion in the world's coordinates, in those of a reference.
#[inline(always)]
fn expressed(reference: ReferenceFrame, placement: &Se3<f64>, motion: &Motion<f64>) -> Motion<f64> {
    match reference {
        ReferenceFrame::World => *motion,
        ReferenceFrame::Local => placement.inverse_act_motion(motion),
        ReferenceFrame::LocalWorldAligned => {
            let linear = motion
                .angular
                .cross_add(placement.translation, motion.linear);
            Motion::new(linear, motion.angular)
        }
    }
}

struct Express<'a> {
    columns: &'a mut [f64],
    placement: &'a Se3<f64>,
    reference: ReferenceFrame,
}

impl Kernel for Express<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for column in self.columns.chunks_exact_mut(6) {
            let motion = [
                column[0], column[1], column[2], column[3], column[4], column[5],
            ];
            let motion = Motion::from_array(motion);
            let motion = expressed(self.reference, self.placement, &motion);
            column.copy_from_slice(&motion.to_array());
        }
    }
}

/// Expresses columns in the world's coordinates in those of a frame.
pub fn express(columns: &mut [f64], placement: &Se3<f64>, reference: ReferenceFrame) {
    if reference != ReferenceFrame::World {
        dispatch(Express {
            columns,
            placement,
            reference,
        });
    }
}

struct InFrame<'a> {
    joint: &'a Se3<f64>,
    placement: &'a Se3<f64>,
    motion: Motion<f64>,
    reference: ReferenceFrame,
}

impl Kernel for InFrame<'_> {
    type Output = Motion<f64>;

    #[inline(always)]
    fn run(self) -> Motion<f64> {
        let world = self.joint.compose(self.placement);
        let local = self.placement.inverse_act_motion(&self.motion);
        match self.reference {
            ReferenceFrame::Local => local,
            ReferenceFrame::World => world.act_motion(&local),
            ReferenceFrame::LocalWorldAligned => Motion::new(
                world.rotation.mul_vec(local.linear),
                world.rotation.mul_vec(local.angular),
            ),
        }
    }
}

/// The motion of a frame that is placed in a joint's frame, from that of the joint's frame in its
/// own coordinates.
pub fn in_frame(
    joint: &Se3<f64>,
    placement: &Se3<f64>,
    motion: Motion<f64>,
    reference: ReferenceFrame,
) -> Motion<f64> {
    dispatch(InFrame {
        joint,
        placement,
        motion,
        reference,
    })
}

struct ToJoints<'a> {
    placements: &'a [Se3<f64>],
    points: &'a mut [Vec3<f64>],
    is_position: bool,
}

impl Kernel for ToJoints<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (point, placement) in self.points.iter_mut().zip(self.placements).skip(1) {
            *point = match self.is_position {
                true => placement.inverse_act_point(*point),
                false => placement.rotation.tr_mul_vec(*point),
            };
        }
    }
}

/// Expresses points, or vectors, of the world in the frames of joints; the first stays.
pub fn to_joints(placements: &[Se3<f64>], points: &mut [Vec3<f64>], is_position: bool) {
    dispatch(ToJoints {
        placements,
        points,
        is_position,
    });
}
