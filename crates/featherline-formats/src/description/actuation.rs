//! Forces of actuators on joints and along lengths, as a simulation can use them.

use super::lengths::UNBOUNDED;
use super::{Activation, Actuator, Configuration, ForceLaw, Robot, Source, Transmission};
use crate::warning::{Warning, WarningCause};
use crate::xml::shortened;
use featherline::Workspace;
use featherline::model::{JointId, Length};
use featherline::spatial::Vec3;

/// The force of an actuator on a joint of one degree of freedom: τ = τ₀ − k q − d q̇, kept within
/// `range`, where τ₀ comes to `force` as `response` says.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointActuation {
    /// The joint, which mimics no other.
    pub joint: JointId,
    /// The τ₀ that the control asks for, in N·m (N); where it sets the rate, τ₀ at the start.
    pub force: f64,
    /// How τ₀ comes there.
    pub response: Response,
    /// k ≥ 0, in N·m/rad (N/m).
    pub stiffness: f64,
    /// d ≥ 0, in N·m·s/rad (N·s/m).
    pub damping: f64,
    /// The least and the greatest force, in N·m (N); both infinite without a bound.
    pub range: [f64; 2],
}

/// The same along a length, such as that of a tendon: f = f₀ − k l − d l̇, in N or N·m.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LengthActuation {
    /// The length.
    pub length: Length,
    /// The f₀ that the control asks for; where it sets the rate, f₀ at the start.
    pub force: f64,
    /// How f₀ comes there.
    pub response: Response,
    /// k ≥ 0, in N/m (N·m/rad).
    pub stiffness: f64,
    /// d ≥ 0, in N·s/m (N·m·s/rad).
    pub damping: f64,
    /// The least and the greatest force; both infinite without a bound.
    pub range: [f64; 2],
}

/// How the constant part τ₀ of a force follows a control.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Response {
    /// At once.
    #[default]
    Direct,
    /// As a filter of first order, T τ₀' = `force` − τ₀.
    Filter {
        /// τ₀ at the start, in N·m (N).
        start: f64,
        /// T > 0, in s.
        time_constant: f64,
        /// The least and the greatest τ₀, in N·m (N).
        bounds: [f64; 2],
    },
    /// The control is the rate of τ₀.
    Integrator {
        /// τ₀', in N·m/s (N/s).
        rate: f64,
        /// The least and the greatest τ₀, in N·m (N).
        bounds: [f64; 2],
    },
}

/// The part of a link's weight that a force against gravity carries.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CarriedWeight {
    /// The joint that carries the link.
    pub body: JointId,
    /// The mass that is carried, in kg.
    pub mass: f64,
    /// The link's centre of mass in the joint's output frame, in m.
    pub center: Vec3<f64>,
}

/// The actuators of a robot that a simulation can use, and warnings of those that are left out.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Actuation {
    /// In the order of the description.
    pub joints: Vec<JointActuation>,
    /// Those along lengths: of tendons, of frames, such as thrusters, and of cranks.
    pub lengths: Vec<LengthActuation>,
    /// Actuators whose force is not linear, or acts on something else.
    pub warnings: Vec<Warning>,
}

impl Robot {
    /// The forces of the actuators at the controls of a named configuration, such as a keyframe of
    /// MJCF; without one, and where it says nothing, controls are zero. Controls are kept in their
    /// ranges.
    ///
    /// Motors, springs and dampers of a joint are used, with gear, force range, and filters and
    /// integrators of the control; also constant forces at a frame. Others are left out, with a
    /// warning; [disabled](Actuator::is_disabled) ones without. Cost: linear in the number of
    /// actuators, and a mass matrix where a damping ratio is given.
    ///
    /// ```
    /// let text = "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>
    ///     <actuator><position joint='j' gear='2' kp='10' kv='1' forcerange='-3 3'/></actuator>
    ///     <keyframe><key name='up' qpos='0' ctrl='0.5'/></keyframe></mujoco>";
    /// let robot = featherline_formats::load_str(text)?;
    /// // τ = 2 f with f = 10 (0.5 − 2 q) − 2 q̇
    /// let up = robot.actuation(Some("up")).joints[0];
    /// assert_eq!((up.force, up.stiffness, up.damping, up.range), (10.0, 40.0, 4.0, [-6.0, 6.0]));
    /// assert_eq!(robot.actuation(None).joints[0].force, 0.0);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn actuation(&self, configuration: Option<&str>) -> Actuation {
        let starts = self.of_actuators(configuration, |it| &it.activations);
        self.actuation_of(&self.controls(configuration), &starts)
    }

    /// The same with other controls, one for each actuator in the description's order: filters and
    /// integrators have the state of the configuration.
    ///
    /// # Errors
    /// [`Error::Size`](featherline::Error::Size) for another number of controls.
    ///
    /// ```
    /// let text = "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>
    ///     <actuator><motor joint='j' gear='2'/></actuator></mujoco>";
    /// let robot = featherline_formats::load_str(text)?;
    /// assert_eq!(robot.actuation_in(None, &[3.0])?.joints[0].force, 6.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn actuation_in(
        &self,
        configuration: Option<&str>,
        controls: &[f64],
    ) -> Result<Actuation, featherline::Error> {
        let count = self.description.actuators.len();
        featherline::kernel::check_size("controls", count, controls.len())?;
        let starts = self.of_actuators(configuration, |it| &it.activations);
        Ok(self.actuation_of(controls, &starts))
    }

    /// The controls of all actuators in a named configuration, in the order of the description:
    /// zero without one, and where it says nothing.
    pub fn controls(&self, configuration: Option<&str>) -> Vec<f64> {
        self.of_actuators(configuration, |it| &it.controls)
    }

    /// The forces of actuators by given controls, one for each in the description's order, in the
    /// way of [`actuation`](Self::actuation): of filters and integrators, what the controls ask of
    /// their states, which begin at zero.
    ///
    /// # Errors
    /// [`Error::Size`](featherline::Error::Size) for another number of controls.
    ///
    /// ```
    /// let text = "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>
    ///     <actuator><motor joint='j' gear='2'/></actuator></mujoco>";
    /// let robot = featherline_formats::load_str(text)?;
    /// assert_eq!(robot.actuation_by(&[3.0])?.joints[0].force, 6.0);
    /// assert!(robot.actuation_by(&[]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn actuation_by(&self, controls: &[f64]) -> Result<Actuation, featherline::Error> {
        self.actuation_in(None, controls)
    }

    /// Numbers of actuators that a named configuration has, zero where it has none.
    fn of_actuators(
        &self,
        configuration: Option<&str>,
        of: fn(&Configuration) -> &[(usize, f64)],
    ) -> Vec<f64> {
        let description = &self.description;
        let mut configurations = description.configurations.iter();
        let named = configuration.and_then(|name| configurations.find(|it| it.name == name));
        let mut all = vec![0.0; description.actuators.len()];
        for &(actuator, number) in named.into_iter().flat_map(of) {
            all[actuator] = number;
        }
        all
    }

    fn actuation_of(&self, controls: &[f64], starts: &[f64]) -> Actuation {
        let description = &self.description;
        let disabled = description.disabled;
        let (mut joints, mut lengths) = (Vec::new(), Vec::new());
        let mut warnings: Vec<(Source, WarningCause)> = Vec::new();
        for (index, actuator) in description.actuators.iter().enumerate() {
            if disabled.actuation || actuator.is_disabled {
                continue;
            }
            let (control, start) = (controls[index], starts[index]);
            let found = match actuator.transmission {
                Transmission::Joint(joint) | Transmission::JointInParent(joint) => self
                    .joint_actuation(actuator, joint, control, start)
                    .map(|own| joints.push(own)),
                Transmission::Frame { .. }
                | Transmission::Tendon(_)
                | Transmission::SliderCrank { .. }
                | Transmission::Link(_) => self
                    .length_actuation(actuator, control, start)
                    .map(|own| lengths.push(own)),
            };
            let reading = match found {
                Ok(()) => self.other_bounds(actuator, lengths.last()),
                Err(reading) => Some(reading),
            };
            if let Some(reading) = reading {
                let what = called(actuator);
                warnings.push((actuator.source, WarningCause::Simplified { what, reading }));
            }
        }
        Actuation {
            joints,
            lengths,
            warnings: description.sources.warnings(warnings),
        }
    }

    /// The force of an actuator on a joint, or why it does nothing.
    fn joint_actuation(
        &self,
        actuator: &Actuator,
        joint: usize,
        control: f64,
        start: f64,
    ) -> Result<JointActuation, &'static str> {
        // l = g (r q + o) of a joint that mimics the one of q
        let term = self.term_of(joint).ok_or(
            "simulations drive joints of one degree of freedom in this way, and it does nothing",
        )?;
        let along = DrivenLength {
            gear: actuator.gear[0] * term.ratio,
            offset: actuator.gear[0] * term.offset,
            coordinates: vec![(self.model.joint(term.joint).idx_v, term.ratio)],
        };
        let own = self.linear_force(actuator, &along, control, start)?;
        Ok(JointActuation {
            joint: term.joint,
            force: own.force,
            response: own.response,
            stiffness: own.stiffness,
            damping: own.damping,
            range: own.range,
        })
    }

    /// The same of an actuator along a length.
    fn length_actuation(
        &self,
        actuator: &Actuator,
        control: f64,
        start: f64,
    ) -> Result<LengthActuation, &'static str> {
        let length = self.driven_length(actuator)?;
        // Those of a frame are weighted by it.
        let is_frame = matches!(length, Length::Frame { .. });
        let gear = if is_frame { 1.0 } else { actuator.gear[0] };
        let mut coordinates = Vec::new();
        if let Length::Coordinates { terms, .. } = &length {
            coordinates.extend(terms.iter().map(|it| (it.coordinate, it.factor)));
        }
        let along = DrivenLength {
            gear,
            offset: 0.0,
            coordinates,
        };
        let own = self.linear_force(actuator, &along, control, start)?;
        let mut range = own.range;
        if let Transmission::Tendon(tendon) = actuator.transmission {
            let [least, greatest] = self.tendon_effort(tendon);
            range = range.map(|it| it.max(least).min(greatest));
        }
        Ok(LengthActuation {
            length,
            force: own.force,
            response: own.response,
            stiffness: own.stiffness,
            damping: own.damping,
            range,
        })
    }

    /// The force of an actuator along a length, times the gear, or why it does nothing.
    fn linear_force(
        &self,
        actuator: &Actuator,
        along: &DrivenLength,
        control: f64,
        start: f64,
    ) -> Result<LinearForce, &'static str> {
        let Some(law) = &actuator.law else {
            return Err("simulations have no force of this kind, and it does nothing");
        };
        let gear = along.gear;
        let control = match self.description.disabled.control_ranges {
            true => control,
            false => law.bounded(control),
        };
        if law.activation != Activation::Direct && law.gain_slopes != [0.0; 2] {
            return Err("its stiffness or damping changes in time, and simulations leave it out");
        }
        // τ = g f
        let [by_length, by_speed] = law.gain_slopes.map(|slope| slope * control);
        let stiffness = -gear * gear * (law.bias[1] + by_length);
        let relative = self.relative_damping(law, stiffness, along)?;
        let damping = -gear * gear * (law.bias[2] + by_speed) + relative;
        if stiffness < 0.0 || damping < 0.0 {
            return Err(
                "its force grows with the length or the speed, and simulations leave it out",
            );
        }
        let by_offset = (law.bias[1] + by_length) * along.offset;
        let at = |activation: f64| gear * (law.constant(activation) + by_offset);
        let [low, high] = actuator.activation_range.unwrap_or(UNBOUNDED);
        let start = at(start.max(low).min(high));
        let (least, greatest) = (at(low), at(high));
        let bounds = [least.min(greatest), least.max(greatest)];
        let (force, response) = match law.activation {
            Activation::Direct => (at(control), Response::Direct),
            Activation::Filter { time_constant } => (
                at(control),
                Response::Filter {
                    start,
                    time_constant,
                    bounds,
                },
            ),
            Activation::Integrator => {
                let rate = gear * law.gain * control;
                (start, Response::Integrator { rate, bounds })
            }
        };
        let [a, b] = actuator
            .force_range
            .unwrap_or(UNBOUNDED)
            .map(|it| gear * it);
        if a.is_infinite() != b.is_infinite() {
            return Err("its force has a bound on one side alone, and simulations leave it out");
        }
        let mut numbers = [force, start, stiffness, damping].into_iter();
        if !numbers.all(|it| it.is_finite()) || a.is_nan() || b.is_nan() {
            return Err("its force is not finite, and simulations leave it out");
        }
        Ok(LinearForce {
            force,
            response,
            stiffness,
            damping,
            range: [a.min(b), a.max(b)],
        })
    }

    /// The weights of links that forces against gravity carry, of links that move. Cost: linear in
    /// the number of links.
    ///
    /// ```
    /// let text = "<mujoco><worldbody><body gravcomp='0.5'><joint name='j'/>
    ///     <geom size='0.1' pos='0 0.3 0' mass='4'/></body></worldbody></mujoco>";
    /// let robot = featherline_formats::load_str(text)?;
    /// let own = robot.carried_weights()[0];
    /// assert_eq!((own.mass, own.center.y), (2.0, 0.3));
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn carried_weights(&self) -> Vec<CarriedWeight> {
        let links = &self.description.links;
        let none = self.description.disabled.passive_forces();
        if none || links.iter().all(|link| link.carried_weight == 0.0) {
            return Vec::new();
        }
        let placed = self.link_placements();
        let moving = links.iter().zip(placed);
        let moving = moving.filter(|(_, (body, _))| *body != JointId::UNIVERSE);
        let carried = moving.filter_map(|(link, (body, placement))| {
            let inertial = link.inertial.filter(|_| link.carried_weight != 0.0)?;
            Some(CarriedWeight {
                body,
                mass: link.carried_weight * inertial.mass,
                center: placement.act_point(inertial.placement.translation),
            })
        });
        carried.collect()
    }

    /// 2 ζ √(k m), with m = Σ M_ii/c² of the coordinates in the reference configuration.
    fn relative_damping(
        &self,
        law: &ForceLaw,
        stiffness: f64,
        along: &DrivenLength,
    ) -> Result<f64, &'static str> {
        if law.damping_ratio == 0.0 {
            return Ok(0.0);
        }
        if along.coordinates.is_empty() {
            return Err("simulations have no damping ratio of this kind, and it does nothing");
        }
        let q = self.reference();
        let mut ws = Workspace::new(&self.model);
        let each = along.coordinates.iter().filter(|it| it.1 != 0.0);
        let mass = self.model.crba(&mut ws, &q);
        let inertia = mass.map(|it| each.map(|(k, c)| it[(*k, *k)] / (c * c)).sum::<f64>());
        Ok(2.0 * law.damping_ratio * (stiffness * inertia.unwrap_or(0.0)).sqrt())
    }
}

/// A length l = g (Σ c q + …) + o of an actuator.
struct DrivenLength {
    /// g
    gear: f64,
    /// o
    offset: f64,
    /// Its coordinates with c; none where they change.
    coordinates: Vec<(usize, f64)>,
}

/// A force f = f₀ − k l − d l̇ in a range.
struct LinearForce {
    force: f64,
    response: Response,
    stiffness: f64,
    damping: f64,
    range: [f64; 2],
}

/// The name of an actuator in messages.
fn called(actuator: &Actuator) -> String {
    let (name, kind) = (shortened(&actuator.name), shortened(&actuator.kind));
    match name.is_empty() {
        true => format!("an actuator of the kind `{kind}`"),
        false => format!("the actuator `{name}` of the kind `{kind}`"),
    }
}
