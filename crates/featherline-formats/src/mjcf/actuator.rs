//! Actuators.

use super::attributes::Attributes;
use super::defaults::MAIN;
use super::names::Part;
use super::reader::Reader;
use super::schema::has;
use super::settings::settings;
use crate::description::{Activation, Actuator, ForceLaw, Transmission};
use crate::report::{Outcome, not_allowed};
use crate::value::required;
use crate::xml::Element;

/// Reads the actuators in `<actuator>`. One with a mistake is left out: it moves nothing until it
/// is controlled.
pub(super) fn read<'a>(reader: &mut Reader<'a, '_, '_>, elements: &[Element<'a>]) -> Outcome<()> {
    for &element in elements {
        let attributes = reader.attributes(element, "actuator", MAIN)?;
        match actuator(reader, &attributes) {
            Ok(actuator) => {
                let index = reader.description.actuators.len();
                reader.name(Part::Actuator, &actuator.name, index, actuator.source)?;
                reader.description.actuators.push(actuator);
            }
            Err(fault) => reader.report.left_out("the actuator", *fault),
        }
    }
    Ok(())
}

fn actuator(reader: &mut Reader<'_, '_, '_>, attributes: &Attributes<'_>) -> Outcome<Actuator> {
    let element = attributes.element();
    let transmission = transmission(reader, attributes)?;
    let name = reader.names.suffixed(attributes.name());
    let mut actuator = Actuator::new(name, element.tag(), transmission);
    actuator.source = element.source();
    (actuator.gear, _) = attributes.up_to("gear", actuator.gear)?;
    let auto_limits = reader.compiler.auto_limits;
    // Kinds without the word are limited wherever they have a range.
    let path = format!("actuator/{}", element.tag());
    let is_limited = auto_limits || !has(&path, "ctrllimited");
    let mut settings = settings(&path, attributes);
    let control = ["ctrllimited", "ctrlrange"];
    let force = ["forcelimited", "forcerange"];
    actuator.control_range = reader.range(attributes, control, 1.0, is_limited, &mut settings)?;
    actuator.force_range = reader.range(attributes, force, 1.0, auto_limits, &mut settings)?;
    actuator.settings = settings;
    let inherited = inherited_range(reader, attributes, &actuator)?;
    actuator.activation_range = activation_range(attributes, auto_limits)?;
    actuator.law = law(attributes)?;
    let group = attributes.number("group")?.unwrap_or(0.0);
    actuator.is_disabled = reader.disabled_groups.contains(&group);
    if let Some(law) = &mut actuator.law {
        match law.activation {
            // The range is that of the position, which is the integral.
            Activation::Integrator if element.tag() == "intvelocity" => {
                actuator.activation_range = actuator.activation_range.or(inherited);
                law.controls = actuator.control_range;
            }
            Activation::Direct | Activation::Filter { .. } | Activation::Integrator => {
                law.controls = actuator.control_range.or(inherited);
            }
        }
    }
    if attributes.flag("actearly")? == Some(true) {
        let reading = "its force is that of the state at the start of a step";
        reader.simplified(actuator.source, "`actearly` of an actuator", reading);
    }
    if attributes.number("delay")?.is_some_and(|it| it != 0.0) {
        let reading = "simulations use its control at once";
        reader.simplified(actuator.source, "the `delay` of an actuator", reading);
    }
    let armature = attributes.number("armature")?.unwrap_or(0.0);
    let (damping, _) = attributes.up_to("damping", [0.0; 3])?;
    if armature != 0.0 || damping != [0.0; 3] {
        reflect(reader, &actuator, armature, damping[0]);
    }
    Ok(actuator)
}

/// The force of the kinds that are linear in length and speed. A number that a kind does not state
/// is that of `gainprm`, `biasprm` and `dynprm` of its defaults, as in MuJoCo.
fn law(attributes: &Attributes<'_>) -> Outcome<Option<ForceLaw>> {
    // Of ten numbers, laws use three at most.
    let of_unit = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let ([gain, by_length, by_speed, ..], _) = attributes.up_to("gainprm", of_unit)?;
    let ([bias @ .., _, _, _, _, _, _, _], _) = attributes.up_to("biasprm", [0.0; 10])?;
    let ([time_constant, ..], _) = attributes.up_to("dynprm", of_unit)?;
    let stated = |name| attributes.number(name);
    let filter = |time_constant: f64| match time_constant > 0.0 {
        true => Activation::Filter { time_constant },
        false => Activation::Direct,
    };
    let element = attributes.element();
    let law = match element.tag() {
        "motor" => ForceLaw::new(1.0, [0.0; 3]),
        "position" | "intvelocity" => {
            let stiffness = stated("kp")?.unwrap_or(gain);
            let damping = stated("kv")?.unwrap_or(-bias[2]);
            let mut law = ForceLaw::new(stiffness, [0.0, -stiffness, -damping]);
            if let Some(ratio) = stated("dampratio")? {
                (law.bias[2], law.damping_ratio) = (0.0, ratio);
            }
            law.activation = match element.tag() {
                "intvelocity" => Activation::Integrator,
                _ => filter(stated("timeconst")?.unwrap_or(0.0)),
            };
            law
        }
        "velocity" => {
            let damping = stated("kv")?.unwrap_or(gain);
            ForceLaw::new(damping, [0.0, 0.0, -damping])
        }
        "damper" => {
            let mut law = ForceLaw::new(0.0, [0.0; 3]);
            law.gain_slopes[1] = -stated("kv")?.unwrap_or(1.0);
            law
        }
        "cylinder" => {
            let area = match stated("diameter")? {
                Some(diameter) => 0.25 * std::f64::consts::PI * diameter * diameter,
                None => stated("area")?.unwrap_or(gain),
            };
            let (bias, _) = attributes.up_to("bias", bias)?;
            let mut law = ForceLaw::new(area, bias);
            law.activation = filter(stated("timeconst")?.unwrap_or(time_constant));
            law
        }
        "general" => {
            let mut law = ForceLaw::new(gain, [0.0; 3]);
            match attributes.text("gaintype") {
                None | Some("fixed") => {}
                Some("affine") => law.gain_slopes = [by_length, by_speed],
                Some(_) => return Ok(None),
            }
            match attributes.text("biastype") {
                None | Some("none") => {}
                // MuJoCo takes a positive third number of such a spring for a damping ratio.
                Some("affine") if gain == -bias[1] && bias[2] > 0.0 => {
                    (law.bias, law.damping_ratio) = ([bias[0], bias[1], 0.0], bias[2]);
                }
                Some("affine") => law.bias = bias,
                Some(_) => return Ok(None),
            }
            law.activation = match attributes.text("dyntype") {
                None | Some("none") => Activation::Direct,
                Some("filter" | "filterexact") => filter(time_constant),
                Some("integrator") => Activation::Integrator,
                Some(_) => return Ok(None),
            };
            law
        }
        _ => return Ok(None),
    };
    Ok(Some(law))
}

/// The range of the activation.
fn activation_range(attributes: &Attributes<'_>, auto_limits: bool) -> Outcome<Option<[f64; 2]>> {
    let (range, given) = attributes.up_to("actrange", [0.0; 2])?;
    let is_limited = match attributes.text("actlimited") {
        Some(word @ ("true" | "false")) => word == "true",
        _ => auto_limits && given == 2,
    };
    Ok(is_limited.then_some(range))
}

/// The range of a position control that is a multiple of its joint's: `inheritrange`.
fn inherited_range(
    reader: &Reader<'_, '_, '_>,
    attributes: &Attributes<'_>,
    actuator: &Actuator,
) -> Outcome<Option<[f64; 2]>> {
    let multiple = attributes.number("inheritrange")?.unwrap_or(0.0);
    let Transmission::Joint(joint) = actuator.transmission else {
        return Ok(None);
    };
    let limits = &reader.description.joints[joint].limits;
    let (&[lower], &[upper]) = (&limits.lower[..], &limits.upper[..]) else {
        return Ok(None);
    };
    if multiple <= 0.0 || !lower.is_finite() || !upper.is_finite() {
        return Ok(None);
    }
    let (middle, half) = (0.5 * (lower + upper), 0.5 * (upper - lower) * multiple);
    Ok(Some([middle - half, middle + half]))
}

/// Adds armature and damping of an actuator to those of the joint that it drives, if it drives one:
/// both count with the squared gear ratio.
fn reflect(reader: &mut Reader<'_, '_, '_>, actuator: &Actuator, armature: f64, damping: f64) {
    let squared = actuator.gear[0] * actuator.gear[0];
    let (Transmission::Joint(joint) | Transmission::JointInParent(joint)) = actuator.transmission
    else {
        let what = "armature or damping of an actuator that drives no joint";
        reader.simplified(actuator.source, what, "the model does not have it");
        return;
    };
    let drive = &mut reader.description.joints[joint].drive;
    for slot in &mut drive.armature {
        *slot += squared * armature;
    }
    for slot in &mut drive.damping {
        *slot += squared * damping;
    }
}

fn transmission(reader: &Reader<'_, '_, '_>, attributes: &Attributes<'_>) -> Outcome<Transmission> {
    let element = attributes.element();
    let names = &reader.names;
    if let Some(joint) = element.attribute("joint") {
        return Ok(Transmission::Joint(names.find(Part::Joint, joint)?));
    }
    if let Some(joint) = element.attribute("jointinparent") {
        return Ok(Transmission::JointInParent(names.find(Part::Joint, joint)?));
    }
    if let Some(tendon) = element.attribute("tendon") {
        return Ok(Transmission::Tendon(names.find(Part::Tendon, tendon)?));
    }
    if let Some(site) = element.attribute("site") {
        let reference = element
            .attribute("refsite")
            .map(|it| names.find(Part::Site, it));
        return Ok(Transmission::Frame {
            frame: names.find(Part::Site, site)?,
            reference: reference.transpose()?,
        });
    }
    if let Some(crank) = element.attribute("cranksite") {
        return Ok(Transmission::SliderCrank {
            crank: names.find(Part::Site, crank)?,
            slider: names.find(Part::Site, required(element, "slidersite")?)?,
            length: attributes.number("cranklength")?.unwrap_or(0.0),
        });
    }
    if let Some(body) = element.attribute("body") {
        return Ok(Transmission::Link(names.find(Part::Body, body)?));
    }
    let remedy = "give it a `joint`, a `tendon`, a `site` or a `body`";
    Err(not_allowed(
        element.source(),
        "the actuator drives nothing",
        remedy,
    ))
}
