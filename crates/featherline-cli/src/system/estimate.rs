//! Estimates, their uncertainty, and tests of the sensors.

use super::answers::{self, Answer};
use super::arguments::{self, SystemArguments};
use super::sample::{Sample, SampleReader};
use super::series::{Moment, labels, wanted};
use crate::failure::Failure;
use crate::format::{Format, rows};
use crate::states::Lines;
use crate::status::Status;
use featherline_record::number::short;
use featherline_system::{
    ChiSquare, Estimator, EstimatorOptions, Noise, Prior, Requested, SensorId, System,
};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::Path;

/// Residuals of so many standard deviations are outliers: by chance, one of 16,000 is.
const OUTLIER: f64 = 4.0;

/// Estimates the requested outputs, sample by sample.
pub fn run(
    arguments: &SystemArguments,
    system: &System,
    priors: &[Prior],
    data: &Path,
) -> Result<Status, Failure> {
    let wanted = wanted(arguments, system)?;
    let reader = SampleReader::new(system, true);
    let lines = Lines::open(data)?;
    let options = EstimatorOptions::default();
    let options = match arguments.prior {
        Some(arguments::Prior(Some(sigma))) => options.prior_variance(sigma * sigma),
        Some(arguments::Prior(None)) => options.without_prior(),
        None => options,
    };
    let options = match arguments.equation {
        Some(sigma) => options.equation_variance(sigma * sigma),
        None => options,
    };
    if arguments.covariance && arguments.format.unwrap_or_default() == Format::Text {
        let why = "a table has standard deviations alone";
        let instead = "ask for lines of JSON by --format jsonl";
        return Err(Failure::idle("--covariance", why, instead));
    }
    let mut estimator = Estimator::with_priors(system.clone(), &options, priors)?;
    let labels = labels(system, &wanted);
    let mut silent: Vec<SensorId> = Vec::new();
    answers::write(arguments, &reader, lines, &labels, |sample: &Sample| {
        for sensor in silent.drain(..) {
            estimator.switch(sensor, true)?;
        }
        for &sensor in &sample.silent {
            estimator.switch(sensor, false)?;
        }
        silent.clone_from(&sample.silent);
        let (labels, with_covariance) = (&labels, arguments.covariance);
        estimate(
            system,
            &mut estimator,
            &wanted,
            labels,
            with_covariance,
            sample,
        )
    })
}

fn estimate<'a>(
    system: &'a System,
    estimator: &mut Estimator,
    wanted: &'a [Requested],
    labels: &'a [String],
    with_covariance: bool,
    sample: &Sample,
) -> Result<Estimated<'a>, Failure> {
    let mut estimate = estimator.update(&sample.q, &sample.v, &sample.inputs)?;
    let mut values = Vec::with_capacity(wanted.len());
    for wanted in wanted {
        let mean = wanted.values(system, estimate.mean())?;
        let sigma = wanted.deviations(system, &mut estimate.posterior())?;
        let covariance = match with_covariance {
            true => Some(rows(&wanted.covariance(system, &mut estimate.posterior())?)),
            false => None,
        };
        values.push(Value {
            mean,
            sigma,
            covariance,
        });
    }
    let together = estimate.sensor_tests();
    let suspect = together.largest().map(|suspect| SuspectedSensor {
        sensor: &system.problem().sensors()[suspect.sensor.index()].name,
        test: ChiSquareTest::of(suspect.test),
    });
    // A contact may have no readings, and yet an error.
    let tested = |id: &SensorId| {
        let is_exact = system.problem().sensors()[id.index()].noise == Noise::Exact;
        !system.sensor_inputs(*id).is_empty() || !is_exact
    };
    let tested: Vec<SensorId> = system.problem().sensor_ids().filter(tested).collect();
    let together = tested
        .iter()
        .map(|&id| together.of(id).map(ChiSquareTest::of));
    let together: Vec<Option<ChiSquareTest>> = together.collect();
    let residuals = estimate.residuals();
    let normalised = |&id: &SensorId| {
        let rows = system.equations().sensor(id);
        let name = system.problem().sensors()[id.index()].name.as_str();
        (name, rows.map(|row| residuals.normalised(row)).collect())
    };
    let tests = tested.iter().map(normalised).collect();
    let largest = residuals.largest().map(|outlier| LargestResidual {
        // The name is the estimator's copy of this one.
        sensor: &system.problem().sensors()[outlier.sensor.index()].name,
        component: outlier.component,
        deviations: outlier.deviations,
        outlier: outlier.deviations >= OUTLIER,
    });
    Ok(Estimated {
        system,
        wanted,
        labels,
        time: sample.time,
        values,
        chi_square: ChiSquareTest::of(residuals.chi_square()),
        residuals: tests,
        together,
        suspect,
        largest,
    })
}

/// The estimate of one sample.
struct Estimated<'a> {
    system: &'a System,
    wanted: &'a [Requested],
    labels: &'a [String],
    time: Option<f64>,
    values: Vec<Value>,
    /// For each sensor its normalised residuals, row by row.
    residuals: Vec<(&'a str, Vec<Option<f64>>)>,
    /// For each of them its rows together.
    together: Vec<Option<ChiSquareTest>>,
    suspect: Option<SuspectedSensor<'a>>,
    largest: Option<LargestResidual<'a>>,
    chi_square: ChiSquareTest,
}

/// The sensor with the least probable residuals.
#[derive(Serialize)]
struct SuspectedSensor<'a> {
    sensor: &'a str,
    #[serde(flatten)]
    test: ChiSquareTest,
}

#[derive(Serialize)]
struct Value {
    mean: Vec<f64>,
    sigma: Vec<f64>,
    /// Its rows, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    covariance: Option<Vec<Vec<f64>>>,
}

/// The sensor with the largest residual.
#[derive(Serialize)]
struct LargestResidual<'a> {
    sensor: &'a str,
    component: usize,
    deviations: f64,
    outlier: bool,
}

#[derive(Serialize)]
struct ChiSquareTest {
    statistic: f64,
    degrees_of_freedom: f64,
    probability: Option<f64>,
}

impl ChiSquareTest {
    fn of(test: ChiSquare) -> Self {
        Self {
            statistic: test.statistic,
            degrees_of_freedom: test.degrees_of_freedom,
            probability: test.probability(),
        }
    }
}

/// Standard deviations to be read: hundredths, unless there are very many.
fn two_digits(deviations: f64) -> String {
    if deviations.abs() < 1e4 {
        format!("{deviations:.2}")
    } else {
        short(deviations)
    }
}

/// Pairs as an object.
struct Object<'a, V>(&'a [(&'a str, V)]);

impl<V: Serialize> Serialize for Object<'_, V> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        writer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Answer for Estimated<'_> {
    fn moment(&self) -> Moment {
        let all =
            |part: fn(&Value) -> &Vec<f64>| self.values.iter().flat_map(part).copied().collect();
        Moment {
            time: self.time,
            values: all(|value| &value.mean),
            deviations: Some(all(|value| &value.sigma)),
        }
    }
}

impl Serialize for Estimated<'_> {
    fn serialize<W: Serializer>(&self, writer: W) -> Result<W::Ok, W::Error> {
        let mut map = writer.serialize_map(None)?;
        if let Some(time) = self.time {
            map.serialize_entry("t", &time)?;
        }
        for (wanted, value) in self.wanted.iter().zip(&self.values) {
            map.serialize_entry(&wanted.name(self.system.model()), value)?;
        }
        map.serialize_entry("residuals", &Object(&self.residuals))?;
        let names = self.residuals.iter().map(|(name, _)| *name);
        let together: Vec<(&str, &Option<ChiSquareTest>)> = names.zip(&self.together).collect();
        map.serialize_entry("sensors", &Object(&together))?;
        map.serialize_entry("suspect", &self.suspect)?;
        map.serialize_entry("largest", &self.largest)?;
        map.serialize_entry("chi_square", &self.chi_square)?;
        map.end()
    }
}

impl fmt::Display for Estimated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.values.iter().flat_map(|v| v.mean.iter().zip(&v.sigma));
        let rows = self.labels.iter().zip(pairs);
        let rows = rows.map(|(label, (&mean, &sigma))| [label.clone(), short(mean), short(sigma)]);
        let table = answers::table(["unknown", "estimate", "± σ"], rows);
        writeln!(f, "{table}\n")?;
        let rows = self.residuals.iter().zip(&self.together);
        let rows = rows.map(|((name, rows), together)| {
            let none = || "–".to_owned();
            let rows = rows.iter().map(|row| row.map_or_else(none, two_digits));
            let rows = rows.collect::<Vec<_>>().join("  ");
            let together = together.as_ref().map_or_else(none, |test| {
                let freedom = short(test.degrees_of_freedom);
                format!("{} of {freedom}", short(test.statistic))
            });
            [(*name).to_owned(), rows, together]
        });
        let table = answers::table(["sensor", "residuals in σ", "χ² of its freedom"], rows);
        writeln!(f, "{table}\n")?;
        if let Some(largest) = &self.largest {
            let word = match largest.outlier {
                true => "AN OUTLIER",
                false => "the largest residual",
            };
            let (deviations, row) = (two_digits(largest.deviations), largest.component + 1);
            writeln!(f, "{word}: {deviations} σ, row {row} of {}", largest.sensor)?;
        }
        if let Some(SuspectedSensor { sensor, test }) = &self.suspect {
            writeln!(f, "the largest sensor as a whole: {sensor}, {test}")?;
        }
        writeln!(f, "all: {}", self.chi_square)
    }
}

impl fmt::Display for ChiSquareTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [statistic, freedom] = [self.statistic, self.degrees_of_freedom].map(short);
        write!(f, "χ² = {statistic} with {freedom} degrees of freedom")?;
        match self.probability.map(short) {
            Some(probability) => write!(f, ": a larger one has probability {probability}"),
            None => write!(f, ": nothing to test"),
        }
    }
}
