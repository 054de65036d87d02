//! Questions with thousands of sensors that say the same.

use featherline_system::{Diagnosis, KnownValue, Noise, Problem, Sensor, SensorKind, System};

/// A robot with as many torque sensors in one joint.
fn torque_sensors(count: usize) -> System {
    let model = featherline_robots::panda();
    let joint = model.joint_ids().next().expect("seven joints");
    let mut problem = Problem::new(model).external_forces(KnownValue::Zero);
    for k in 0..count {
        let kind = SensorKind::JointForce { joint };
        let sensor = Sensor::new(format!("torque {k}"), kind, Noise::Deviation(0.1));
        problem.add_sensor(sensor).expect("a valid sensor");
    }
    System::new(problem).expect("a system")
}

#[test]
fn what_is_redundant_of_thousands_is_not_looked_for() {
    let few = torque_sensors(3);
    let diagnosis = Diagnosis::of(&few).expect("a diagnosis");
    assert!(diagnosis.looked_for_redundant);
    assert_eq!((diagnosis.redundant.len(), diagnosis.redundancy()), (3, 2));
    // Each of them beside all others would take 10¹¹ multiplications in each configuration.
    let many = torque_sensors(20_000);
    let diagnosis = Diagnosis::of(&many).expect("a diagnosis");
    assert!(!diagnosis.looked_for_redundant);
    assert_eq!(diagnosis.redundancy(), 19_999);
    assert!(diagnosis.redundant.is_empty() && diagnosis.dependent_sets.is_empty());
    let report = diagnosis.report(&many);
    assert!(report.contains("19999 equations are redundant"), "{report}");
    assert!(report.contains("was not looked for"), "{report}");
}
