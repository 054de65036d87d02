//! Warnings: the result of a simulation that ended without an error may still be wrong.

use crate::contact::ContactAccount;
use crate::seconds::seconds;
use featherline_constraint::Regularity;
use featherline_constraint::nonsmooth::Outcome;
use thiserror::Error;

/// Forces that are too fast for the steps of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct FastForce {
    /// The joint that has the greatest share in the fastest motion.
    pub joint: String,
    /// How fast that is where the simulation began: of damping in 1/s, over the inertia that is
    /// moved; of springs in rad/s, the root of stiffness over that inertia.
    pub rate: f64,
    /// The method.
    pub method: &'static str,
    /// Its longest step, in s.
    pub step: f64,
    /// The largest rate at which the method is stable in such steps, in the same unit.
    pub followed: f64,
    /// The longest step in which it would follow, in s.
    pub longest: f64,
}

/// Why a simulated motion may not be the robot's.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SimulationWarning {
    /// Damping, friction or a controller is too strong for the step.
    #[error(
        "damping, friction, stops or a controller may damp joint `{joint}` at {rate:.1e} 1/s, and {method} in steps of \
         {step} s is stable up to {followed:.1e} 1/s: beyond, velocities alternate from step to step, or grow. Take steps of at \
         most {longest:.1e} s{}",
        instead(.0.method),
        joint = .0.joint, rate = .0.rate, method = .0.method, followed = .0.followed, longest = .0.longest,
        step = seconds(.0.step)
    )]
    FastDamping(FastForce),
    /// Springs, stops or a controller are too stiff for the step.
    #[error(
        "springs, stops or a controller may let joint `{joint}` oscillate at {rate:.1e} rad/s, and {method} in steps of {step} s is stable \
         up to {followed:.1e} rad/s: beyond, oscillations are not resolved or grow, and stops throw joints back faster than they came. Take steps \
         of at most {longest:.1e} s, or softer ones",
        joint = .0.joint, rate = .0.rate, method = .0.method, followed = .0.followed, longest = .0.longest,
        step = seconds(.0.step)
    )]
    FastOscillation(FastForce),
    /// A body turns so far within a step of a variational method that the method's own error shows,
    /// which the energy does not show.
    #[error(
        "the body of joint `{joint}` rotates by {angle:.1} rad within a step of {step} s at t = {t} s: the variational integrators \
         rotate a free body by {:.0} % too little then (a third of the angle's square, where it is small), and neither energy nor \
         momentum shows it. Take steps of at most {:.1e} s for 1 %",
        100.0 * .behind,
        0.03_f64.sqrt() * .step / .angle,
        t = seconds(*.t), step = seconds(*.step)
    )]
    FastRotation {
        /// The time, in s, of the first state seen in which one does.
        t: f64,
        /// The joint whose body rotates furthest.
        joint: String,
        /// The angle by its angular velocity, in rad.
        angle: f64,
        /// The step, in s.
        step: f64,
        /// The part of the angle by which a body that rotates freely about a fixed axis stays
        /// behind.
        behind: f64,
    },
    /// The energy is not what it was, though nothing acted that could have changed it.
    #[error(
        "the energy changed by {} the greatest kinetic energy{}, which no force explains: the step is too large, and the motion is not the \
         robot's. Take steps half as long (or a finer tolerance) until it stays",
        times(*.change),
        if *.about_center { " about the centre of mass" } else { "" }
    )]
    EnergyNotKept {
        /// The greatest change of the energy since the start, relative to the greatest kinetic
        /// energy.
        change: f64,
        /// Whether both are about the centre of mass.
        about_center: bool,
    },
    /// Laws of contact, limits or friction do not hold exactly in some steps.
    #[error(
        "in {steps} steps, first at t = {t} s, impulses were not found exactly: contacts or limits may move by up to {residual:.1e} \
         m/s (rad/s) against their laws. Shorter steps, or masses that are less different, make it easier",
        t = seconds(*.t)
    )]
    InexactContacts {
        /// The time of the first such step, in s.
        t: f64,
        /// How many steps.
        steps: usize,
        /// The largest residual, in m/s or rad/s.
        residual: f64,
    },
    /// Steps with contact made energy from nothing.
    #[error(
        "energy came from nothing, {gain:.2e} J or {} the greatest kinetic energy, the first of it before t = {t} s: the steps are too long for \
         what moves, or the motion began beyond limits or with bodies in each other. Take steps half as long, or begin elsewhere",
        times(*.gain / *.kinetic),
        t = seconds(*.t)
    )]
    EnergyGain {
        /// The time, in s, after the first step with a notable gain.
        t: f64,
        /// The gain so far, in J: the largest rise of the energy above its least before, all work
        /// taken off.
        gain: f64,
        /// The greatest kinetic energy so far, in J.
        kinetic: f64,
    },
    /// Joints went where the robot's can't go.
    #[error(
        "{}{}, first at t = {t} s; joint `{joint}` furthest, by {} {}",
        went(*.coordinates),
        began(*.from_start, *.coordinates),
        far(*.excess),
        if *.is_length { "m" } else { "rad" },
        t = seconds(*.t)
    )]
    BeyondLimits {
        /// How many coordinates did.
        coordinates: usize,
        /// How many of these began there.
        from_start: usize,
        /// The time of the first sample in which one was beyond its limits, in s.
        t: f64,
        /// The joint that went furthest.
        joint: String,
        /// How far, in rad or m.
        excess: f64,
        /// Whether that is a length, in m, and no angle.
        is_length: bool,
    },
    /// The motion reached a singular configuration of its loops, or came very near to one, and
    /// continued.
    #[error(
        "the loops were singular, or very nearly, at t = {t} s or within the step that led there (bars or arms in line{}; {loops}): the \
         configuration is a kinematic singularity, q and v do not determine the motion beyond it, and that depends on the step. Compare it with that in other steps, keep the \
         robot away by joint limits or a controller, or begin elsewhere",
        strained(joints),
        t = seconds(*.t)
    )]
    SingularLoops {
        /// The first time at which singular loops were detected, in s.
        t: f64,
        /// The loop joints whose forces grow most towards the singularity: those that take at least
        /// half of the greatest.
        joints: Vec<String>,
        /// How regular the loops were then.
        loops: Regularity,
    },
    /// Loops stayed open, because redundant constraints contradict them by their last digits.
    #[error(
        "from t = {t} s on the loops did not close, first that of loop joint `{joint}`: they stayed open by up to {gap:.1e} (m, rad), \
         because joint axes that should be parallel, or meet, are rounded. Independent constraints were kept, and the motion is that of \
         exact axes to about as much. Give axes all digits (π/2 as 1.5707963267948966)",
        t = seconds(*.t)
    )]
    RoundedAxes {
        /// The time of the first step that left them open by more than 1e-6, in s.
        t: f64,
        /// The loop joint that was furthest from closed then.
        joint: String,
        /// The largest distance of a loop joint's frames so far: the length of a six-vector, in m
        /// and rad.
        gap: f64,
    },
}

impl SimulationWarning {
    /// Adds a warning to those of a motion. Where inexact steps or a gain of energy are known
    /// already, they are counted, or are as great as that now. Returns whether it is new.
    ///
    /// ```
    /// use featherline_sim::simulation::SimulationWarning;
    ///
    /// let inexact = |t, residual| SimulationWarning::InexactContacts { t, steps: 1, residual };
    /// let mut warnings = Vec::new();
    /// assert!(inexact(0.1, 2e-7).add_to(&mut warnings));
    /// assert!(!inexact(0.2, 3e-6).add_to(&mut warnings));
    /// let both = SimulationWarning::InexactContacts { t: 0.1, steps: 2, residual: 3e-6 };
    /// assert_eq!(warnings, [both]);
    /// ```
    pub fn add_to(self, warnings: &mut Vec<Self>) -> bool {
        for known in &mut *warnings {
            match (known, &self) {
                (
                    Self::InexactContacts {
                        steps, residual, ..
                    },
                    Self::InexactContacts {
                        steps: more,
                        residual: own,
                        ..
                    },
                ) => {
                    *steps += more;
                    *residual = residual.max(*own);
                    return false;
                }
                (
                    Self::EnergyGain { gain, kinetic, .. },
                    Self::EnergyGain {
                        gain: own,
                        kinetic: greatest,
                        ..
                    },
                ) => {
                    (*gain, *kinetic) = (*own, *greatest);
                    return false;
                }
                (known, own) if known == own => return false,
                _ => {}
            }
        }
        warnings.push(self);
        true
    }

    /// Adds what a step of contact from the time `t` to the time `end` shows:
    /// [`InexactContacts`](Self::InexactContacts), and [`EnergyGain`](Self::EnergyGain) if the
    /// steps so far made notable energy, or once did; its figures are those of now.
    pub fn add_step(
        warnings: &mut Vec<Self>,
        [t, end]: [f64; 2],
        outcome: &Outcome,
        account: &ContactAccount,
    ) {
        if !outcome.has_converged {
            let inexact = Self::InexactContacts {
                t,
                steps: 1,
                residual: outcome.residual,
            };
            inexact.add_to(warnings);
        }
        let is_known = |it: &Self| matches!(it, Self::EnergyGain { .. });
        if account.gains_energy() || warnings.iter().any(is_known) {
            Self::of_gain(end, account).add_to(warnings);
        }
    }

    /// [`EnergyGain`](Self::EnergyGain) of the steps up to the time `t`.
    pub fn of_gain(t: f64, account: &ContactAccount) -> Self {
        Self::EnergyGain {
            t,
            gain: account.energy_gain,
            kinetic: account.kinetic_energy,
        }
    }
}

/// Other remedies than shorter steps.
fn instead(method: &str) -> &'static str {
    if method == "the implicit midpoint rule" {
        ", or dampers that are no harder than the motion needs"
    } else {
        ", the implicit midpoint rule, or a method that follows a tolerance"
    }
}

/// So many times, in words.
fn times(ratio: f64) -> String {
    if ratio < 0.1 {
        format!("{:.2} % of", 100.0 * ratio)
    } else if ratio < 10.0 {
        format!("{:.0} % of", 100.0 * ratio)
    } else {
        format!("{ratio:.1e} times")
    }
}

/// Which loop joints are, and not too many.
fn strained(joints: &[String]) -> String {
    const MOST: usize = 3;
    let Some((first, others)) = joints.split_first() else {
        return String::new();
    };
    if others.is_empty() {
        return format!("; loop joint `{first}` is strained most");
    }
    let mut text = format!("; loop joints `{first}`");
    for joint in others.iter().take(MOST - 1) {
        text.push_str(&format!(", `{joint}`"));
    }
    if joints.len() > MOST {
        text.push_str(&format!(" and {} more", joints.len() - MOST));
    }
    text.push_str(" are strained most");
    text
}

/// How many coordinates went.
fn went(count: usize) -> String {
    match count {
        1 => "1 joint coordinate went beyond its limits".to_owned(),
        _ => format!("{count} joint coordinates went beyond their limits"),
    }
}

/// A length or an angle, also one that is tiny.
fn far(excess: f64) -> String {
    if excess < 1e-3 {
        format!("{excess:.0e}")
    } else {
        format!("{excess:.3}")
    }
}

/// How many began where they can't be.
fn began(count: usize, of: usize) -> String {
    match (count, of) {
        (0, _) => String::new(),
        (1, 1) => " (it began there)".to_owned(),
        _ => format!(" ({count} of them began there)"),
    }
}
