//! Tendons, cranks and equalities in the model's terms, as a simulation can use them.

use super::{
    Actuator, Form, LengthActuation, LengthEquality, Robot, START_CONFIGURATIONS, Setting, Source,
    Tendon, TendonPath, TendonPoint, Transmission,
};
use crate::warning::{Warning, WarningCause};
use crate::xml::shortened;
use featherline::Workspace;
use featherline::model::{self, JointId, Length, LengthGradient, LengthTerm, Piece, Wrap};
use featherline::spatial::{Se3, Vec3};
use featherline_geometry::Shape;

/// Forces along lengths besides those of actuators, and a warning of each that is left out.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LengthForces {
    /// Tendons that exert forces.
    pub tendons: Vec<model::Tendon>,
    /// Equalities of lengths.
    pub equalities: Vec<model::LengthEquality>,
    /// Those that are left out, such as tendons of joints of several degrees of freedom.
    pub warnings: Vec<Warning>,
}

/// A joint of one degree of freedom as its coordinate has it: its displacement is r q + o.
pub(super) struct Term {
    /// The joint with the coordinate.
    pub joint: JointId,
    /// r
    pub ratio: f64,
    /// o
    pub offset: f64,
}

/// No bounds.
pub(super) const UNBOUNDED: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
const ON_MOVED: &str =
    "simulations keep its end on a `mocap` body where the file puts it, also when that is moved";
const OTHER_SHAPE: &str =
    "simulations have tendons around spheres and cylinders, and it does nothing";
const INSIDE: &str = "simulations have no tendons that run inside of shapes, and it does nothing";
const OTHER_JOINT: &str =
    "simulations have tendons of joints of one degree of freedom, and it does nothing";
const NO_FRAME: &str = "its frame is on no link, and it does nothing";

impl Robot {
    /// The tendons and the equalities of the file, in the model's terms. A spring without a length
    /// of its own is at rest where the joints' springs are. Cost: linear in their parts.
    ///
    /// ```
    /// let text = "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>
    ///     <tendon><fixed stiffness='3' springlength='1'><joint joint='j' coef='2'/></fixed></tendon>
    ///     </mujoco>";
    /// let own = &featherline_formats::load_str(text)?.length_forces().tendons[0];
    /// // 3 N/m · (2 · 0.1 − 1)
    /// assert_eq!((own.stiffness, own.stretch(0.2)), (3.0, -0.8));
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn length_forces(&self) -> LengthForces {
        let description = &self.description;
        let mut all = LengthForces::default();
        let mut left_out: Vec<(Source, WarningCause)> = Vec::new();
        let mut simplified = |source: Source, what: String, reading: &'static str| {
            left_out.push((source, WarningCause::Simplified { what, reading }));
        };
        let mut rest = None;
        for (index, tendon) in description.tendons.iter().enumerate() {
            let what = || format!("the tendon `{}`", shortened(&tendon.name));
            match self.tendon(index, &mut rest) {
                Ok(own) if own.acts() => {
                    if self.tendon_is_moved(index, &own.length) {
                        simplified(tendon.source, what(), ON_MOVED);
                    }
                    all.tendons.push(own);
                }
                Ok(_) => {}
                Err(reading) if acts(tendon) => simplified(tendon.source, what(), reading),
                Err(_) => {}
            }
        }
        for equality in &description.length_equalities {
            match self.equality(equality) {
                Ok(own) => all.equalities.push(own),
                Err(reading) => {
                    let what = format!("the equality `{}`", shortened(&equality.name));
                    simplified(equality.source, what, reading);
                }
            }
        }
        all.warnings = description.sources.warnings(left_out);
        all
    }

    fn tendon(
        &self,
        index: usize,
        rest: &mut Option<(Vec<f64>, Vec<Se3<f64>>)>,
    ) -> Result<model::Tendon, &'static str> {
        let tendon = &self.description.tendons[index];
        let length = self.path_length(&tendon.path)?;
        let mut own = model::Tendon::new(&tendon.name, length);
        let disabled = self.description.disabled;
        let unless = |is_off: bool, value: f64| if is_off { 0.0 } else { value };
        own.stiffness = unless(disabled.springs, tendon.stiffness);
        own.damping = unless(disabled.dampers, tendon.damping);
        own.friction = unless(disabled.friction_losses, tendon.friction);
        own.armature = tendon.armature;
        let range = tendon.range.filter(|_| !disabled.limits);
        own.range = range.unwrap_or(own.range);
        own.rest = match tendon.rest_length {
            Some(stated) => stated,
            None if tendon.stiffness == 0.0 => [0.0; 2],
            None => {
                let (q, placements) = rest.get_or_insert_with(|| self.at_rest());
                let gradient = &mut LengthGradient::default();
                [own.length.evaluate(q, placements, gradient); 2]
            }
        };
        Ok(own)
    }

    /// The configuration in which the springs of joints are at rest, and the joints there.
    fn at_rest(&self) -> (Vec<f64>, Vec<Se3<f64>>) {
        let mut q = self.reference();
        for joint in self.model.joints().iter().skip(1) {
            if joint.mimic.is_none() && joint.nq == 1 {
                q[joint.idx_q] = joint.drive.spring_reference[0];
            }
        }
        let placements = self.placements(&q);
        (q, placements)
    }

    /// The reference configuration of MJCF, or the neutral one.
    pub(super) fn reference(&self) -> Vec<f64> {
        let named = self.model.reference_configurations();
        let reference = named.get(START_CONFIGURATIONS[1]).cloned();
        reference.unwrap_or_else(|| self.model.neutral_configuration())
    }

    fn placements(&self, q: &[f64]) -> Vec<Se3<f64>> {
        let mut placements = vec![Se3::identity(); self.model.joints().len()];
        let mut ws = Workspace::new(&self.model);
        if let Ok(found) = self.model.forward_kinematics(&mut ws, q) {
            // The sizes are the model's.
            let _ = found.joint_placements_into(&mut placements);
        }
        placements
    }

    fn equality(&self, equality: &LengthEquality) -> Result<model::LengthEquality, &'static str> {
        let length = |of: &TendonPath| self.path_length(of);
        let own = length(&equality.length)?;
        let other = equality.other.as_ref().map(length).transpose()?;
        let (q, gradient) = (self.reference(), &mut LengthGradient::default());
        let placements = self.placements(&q);
        let mut at = |it: &Length| it.evaluate(&q, &placements, gradient);
        let reference = [at(&own), other.as_ref().map_or(0.0, &mut at)];
        let polynomial = equality.polynomial;
        let mut found = model::LengthEquality::new(&equality.name, own, other, polynomial);
        found.reference = reference;
        Ok(found)
    }

    /// The coordinate of a joint of one degree of freedom, by its index in the description.
    pub(super) fn term_of(&self, joint: usize) -> Option<Term> {
        let own = self.description.joints.get(joint);
        let id = own.and_then(|it| self.model.joint_id(&it.name).ok())?;
        let joint = self.model.joint(id);
        // A mimic joint has no entries of its own.
        let is_single = joint.kind.nq() == 1 && joint.kind.nv() == 1;
        let mimic = joint.mimic.as_ref();
        let (joint, ratio, offset) =
            mimic.map_or((id, 1.0, 0.0), |it| (it.source, it.ratio, it.offset));
        is_single.then_some(Term {
            joint,
            ratio,
            offset,
        })
    }

    /// A multiple of a joint's displacement, without its offset.
    fn length_term(&self, term: &Term, factor: f64) -> LengthTerm {
        let joint = self.model.joint(term.joint);
        LengthTerm {
            q: joint.idx_q,
            coordinate: joint.idx_v,
            factor: factor * term.ratio,
        }
    }

    fn path_length(&self, path: &TendonPath) -> Result<Length, &'static str> {
        match path {
            TendonPath::Fixed(joints) => {
                let (mut terms, mut sum) = (Vec::new(), 0.0);
                for &(joint, factor) in joints {
                    let own = self.term_of(joint).ok_or(OTHER_JOINT)?;
                    sum += factor * own.offset;
                    terms.push(self.length_term(&own, factor));
                }
                Ok(Length::Coordinates { terms, offset: sum })
            }
            TendonPath::Spatial(points) => self.path(points),
        }
    }

    /// Pieces between points; each pulley begins a new branch, which counts by its divisor.
    fn path(&self, points: &[TendonPoint]) -> Result<Length, &'static str> {
        let (mut pieces, mut last, mut wrap, mut factor) = (Vec::new(), None, None, 1.0);
        for point in points {
            match *point {
                TendonPoint::Frame(frame) => {
                    let (body, placement) = self.placed_frame(frame).ok_or(NO_FRAME)?;
                    let own = (body, placement.translation);
                    if let Some((before, from)) = last.replace(own) {
                        let mut piece = Piece::straight([before, own.0], [from, own.1], factor);
                        if let Some((geometry, side)) = wrap.take() {
                            piece.around = Some(Box::new(self.wrap(geometry, side)?));
                        }
                        pieces.push(piece);
                    }
                }
                TendonPoint::Wrap { geometry, side } => wrap = Some((geometry, side)),
                TendonPoint::Pulley { divisor } => {
                    (last, wrap, factor) = (None, None, divisor.recip());
                }
            }
        }
        match factor.is_finite() {
            true => Ok(Length::Path(pieces)),
            false => Err("a pulley's divisor is zero, and it does nothing"),
        }
    }

    /// A shape that a tendon goes around.
    fn wrap(&self, geometry: usize, side: Option<usize>) -> Result<Wrap, &'static str> {
        let found = self.description.geometry.get(geometry);
        let geometry = found.ok_or(OTHER_SHAPE)?;
        let (radius, is_cylinder) = match &geometry.form {
            Form::Shape(Shape::Sphere(it)) => (it.radius, false),
            Form::Shape(Shape::Cylinder(it)) => (it.radius, true),
            Form::Shape(_) | Form::Mesh(_) | Form::Other { .. } => return Err(OTHER_SHAPE),
        };
        let links = self.link_placements();
        let (body, link) = *links.get(geometry.link).ok_or(OTHER_SHAPE)?;
        let shape = (body, link.compose(&geometry.placement));
        let side = side.map(|frame| self.placed_frame(frame).ok_or(NO_FRAME));
        let side = side.transpose()?;
        if let Some((own, frame)) = side
            && self.is_inside((own, frame.translation), shape, radius, is_cylinder)
        {
            return Err(INSIDE);
        }
        Ok(Wrap {
            shape,
            radius,
            is_cylinder,
            side: side.map(|(body, frame)| (body, frame.translation)),
        })
    }

    /// Whether a point is in a shape in the reference configuration.
    fn is_inside(
        &self,
        (body, point): (JointId, Vec3<f64>),
        shape: (JointId, Se3<f64>),
        radius: f64,
        is_cylinder: bool,
    ) -> bool {
        let placements = self.placements(&self.reference());
        let point = placements[body.index()].act_point(point);
        let shape = placements[shape.0.index()].compose(&shape.1);
        let seen = shape.inverse().act_point(point);
        let height = if is_cylinder { 0.0 } else { seen.z };
        Vec3::new(seen.x, seen.y, height).norm() < radius
    }

    /// A frame of the description, in the joint that carries it.
    pub(super) fn placed_frame(&self, frame: usize) -> Option<(JointId, Se3<f64>)> {
        let frame = self.description.frames.get(frame)?;
        let (body, link) = *self.link_placements().get(frame.link)?;
        Some((body, link.compose(&frame.placement)))
    }

    /// The length that an actuator drives.
    pub(super) fn driven_length(&self, actuator: &Actuator) -> Result<Length, &'static str> {
        let frame = |frame| self.placed_frame(frame).ok_or(NO_FRAME);
        match actuator.transmission {
            Transmission::Tendon(tendon) => {
                let tendon = self.description.tendons.get(tendon);
                let tendon = tendon.ok_or("its tendon is not read, and it does nothing")?;
                self.path_length(&tendon.path)
            }
            Transmission::Frame {
                frame: own,
                reference,
            } => Ok(Length::Frame {
                frame: frame(own)?,
                reference: reference.map(frame).transpose()?,
                gear: actuator.gear,
            }),
            Transmission::SliderCrank {
                crank,
                slider,
                length,
            } => {
                let (body, pin) = frame(crank)?;
                Ok(Length::SliderCrank {
                    crank: (body, pin.translation),
                    slider: frame(slider)?,
                    rod: length,
                })
            }
            Transmission::JointInParent(joint) => {
                let term = self.term_of(joint).ok_or(
                    "simulations drive joints of one degree of freedom, and it does nothing",
                )?;
                Ok(Length::Coordinates {
                    terms: vec![self.length_term(&term, 1.0)],
                    offset: term.offset,
                })
            }
            Transmission::Joint(_) | Transmission::Link(_) => {
                Err("simulations have no force of this kind, and it does nothing")
            }
        }
    }

    /// The least and the greatest force that actuators may exert on a tendon; infinite without a
    /// bound.
    pub(super) fn tendon_effort(&self, tendon: usize) -> [f64; 2] {
        let settings = self.description.tendons.get(tendon).map(|it| &it.settings);
        let stated = |name| settings.and_then(|it| Setting::find(it, name));
        let range = match stated("actuatorfrclimited") {
            Some("false") => "",
            _ => stated("actuatorfrcrange").unwrap_or_default(),
        };
        let numbers = range.split_whitespace().filter_map(|it| it.parse().ok());
        let numbers: Vec<f64> = numbers.collect();
        numbers.try_into().unwrap_or(UNBOUNDED)
    }

    /// Which bounds and motions an actuator along a length does not know of.
    pub(super) fn other_bounds(
        &self,
        actuator: &Actuator,
        actuation: Option<&LengthActuation>,
    ) -> Option<&'static str> {
        match actuator.transmission {
            Transmission::Joint(_) | Transmission::JointInParent(_) | Transmission::Link(_) => {
                return None;
            }
            Transmission::Tendon(_)
            | Transmission::Frame { .. }
            | Transmission::SliderCrank { .. } => {}
        }
        let length = &actuation?.length;
        if self.hangs_on_moved_body(length, actuator) {
            return Some(ON_MOVED);
        }
        if let Transmission::Tendon(tendon) = actuator.transmission
            && self.tendon_effort(tendon) != UNBOUNDED
        {
            let others = self.description.actuators.iter();
            let on_it = others.filter(|it| it.transmission == actuator.transmission);
            if on_it.count() > 1 {
                return Some("the tendon's `actuatorfrcrange` bounds each actuator, not their sum");
            }
        }
        let is_bounded = |joint: JointId| {
            let effort = &self.model.joint(joint).limits.effort;
            effort.iter().any(|it| it.is_finite())
        };
        let carriers = |body: JointId| {
            let above =
                |it: &JointId| (*it != JointId::UNIVERSE).then(|| self.model.joint(*it).parent);
            std::iter::successors(Some(body), above)
        };
        let of_joints = length.coordinates(&self.model).any(|coordinate| {
            let mut joints = self.model.joint_ids();
            let own = joints.find(|it| self.model.joint(*it).idx_v == coordinate);
            own.is_some_and(is_bounded)
        });
        let bounded = of_joints
            || length
                .bodies()
                .into_iter()
                .flat_map(carriers)
                .any(is_bounded);
        bounded.then_some("limits of effort of joints do not bound it")
    }

    /// Whether a length of an actuator begins or ends at a body that the user moves.
    fn hangs_on_moved_body(&self, length: &Length, actuator: &Actuator) -> bool {
        let frames = match actuator.transmission {
            Transmission::Frame { frame, reference } => [Some(frame), reference],
            Transmission::SliderCrank { crank, slider, .. } => [Some(crank), Some(slider)],
            Transmission::Tendon(tendon) => return self.tendon_is_moved(tendon, length),
            Transmission::Joint(_) | Transmission::JointInParent(_) | Transmission::Link(_) => {
                return false;
            }
        };
        frames.into_iter().flatten().any(|it| self.is_moved(it))
    }

    /// Whether the user moves a link.
    fn moves_with(&self, link: usize) -> bool {
        let carriers = self.description.carriers();
        carriers.get(link).is_some_and(Option::is_some)
    }

    fn is_moved(&self, frame: usize) -> bool {
        let link = self.description.frames.get(frame).map(|it| it.link);
        link.is_some_and(|link| self.moves_with(link))
    }

    /// Whether a tendon runs over a body that the user moves.
    fn tendon_is_moved(&self, tendon: usize, length: &Length) -> bool {
        if matches!(length, Length::Coordinates { .. }) {
            return false;
        }
        let path = self.description.tendons.get(tendon).map(|it| &it.path);
        let Some(TendonPath::Spatial(points)) = path else {
            return false;
        };
        points.iter().any(|point| match *point {
            TendonPoint::Frame(frame) => self.is_moved(frame),
            TendonPoint::Wrap { geometry, .. } => {
                let link = self.description.geometry.get(geometry).map(|it| it.link);
                link.is_some_and(|link| self.moves_with(link))
            }
            TendonPoint::Pulley { .. } => false,
        })
    }
}

/// Whether a tendon of a file exerts forces.
fn acts(tendon: &Tendon) -> bool {
    let mut forces = [
        tendon.stiffness,
        tendon.damping,
        tendon.friction,
        tendon.armature,
    ]
    .into_iter();
    forces.any(|it| it != 0.0) || tendon.range.is_some()
}
