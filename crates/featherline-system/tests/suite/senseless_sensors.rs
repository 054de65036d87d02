//! Sensors that mean nothing, and what is said of them.

use featherline_system::{Components, Noise, Problem, Sensor, SensorKind, SystemError};

#[test]
fn senseless_sensors_are_refused() {
    let model = featherline_robots::humanoid();
    let frame = model.frame_ids().last().expect("a robot has frames");
    let near = vec![[1e5, 0.0], [1e5 + 0.01, 0.2], [1e5, 0.4]];
    let cells = |positions| SensorKind::LoadCells { frame, positions };
    let mut problem = Problem::new(model);
    let refused = [
        Sensor::new("near", cells(near), Noise::Deviation(1.0)),
        Sensor::new(
            "zero",
            SensorKind::TactileNormal { frame },
            Noise::Deviation(0.0),
        ),
        Sensor::new(
            "nan",
            SensorKind::TactileNormal { frame },
            Noise::Deviation(f64::NAN),
        ),
        Sensor::new(
            "few",
            SensorKind::Gyroscope { frame },
            Noise::Deviations(vec![1.0]),
        ),
        Sensor::new(
            "skew",
            SensorKind::ExternalForce {
                frame,
                components: Components::LINEAR_X.and(Components::LINEAR_Y),
            },
            Noise::Covariance(vec![1.0, 0.5, 0.2, 1.0]),
        ),
    ];
    for sensor in refused {
        let name = sensor.name.clone();
        let refused = problem.add_sensor(sensor);
        assert!(
            matches!(refused, Err(SystemError::SensorNumber { ref sensor, .. }) if *sensor == name),
            "{name}: {refused:?}"
        );
    }
    let sensor = Sensor::new("a", SensorKind::TactileNormal { frame }, Noise::Exact);
    problem.add_sensor(sensor.clone()).expect("valid");
    assert!(matches!(
        problem.add_sensor(sensor),
        Err(SystemError::DuplicateSensor { .. })
    ));
}
