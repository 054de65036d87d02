//! Recordings and charts of simulations.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-record = "0.2"
//! featherline = { path = "../featherline/crates/featherline" }
//! featherline-record = { path = "../featherline/crates/featherline-record" }
//! featherline-sim = { path = "../featherline/crates/featherline-sim" }
//! ```
//!
//! A [`Recording`] writes each sample of a simulation to a file: time, q, v, the joint forces of
//! controller and drives, energies, momentum about the centre of mass and loop errors, to the last
//! bit; [`Recording::create_with_contacts`] makes one that has contacts and the energy's account,
//! too. It is a [`Recorder`](featherline_sim::simulation::Recorder), so that a simulation runs with
//! it.
//!
//! | format | extension | feature |
//! |---|---|---|
//! | comma-separated values | `csv` | – |
//! | JSON lines | `jsonl` | – |
//! | Apache Parquet | `parquet` | `parquet` |
//! | MCAP, messages of JSON | `mcap` | `mcap` |
//!
//! ```
//! use featherline_sim::integrator::RungeKutta4;
//! use featherline::samples;
//! use featherline_sim::simulation::{Method, Simulator};
//! use featherline_record::Recording;
//!
//! let pendulum = samples::double_pendulum();
//! let method = Method::steps(RungeKutta4::new(&pendulum), 1e-3)?;
//! let mut simulation = Simulator::new(&pendulum, method).start(0.0, &[1.0, 0.0], &[0.0, 0.0])?;
//!
//! let path = std::env::temp_dir().join("featherline-record-example.csv");
//! let mut recording = Recording::create(&path, &pendulum)?;
//! simulation.run(0.5, 0.01, &mut recording)?;
//! recording.finish()?;
//!
//! let text = std::fs::read_to_string(&path)?;
//! assert!(text.starts_with("t,q.shoulder,q.elbow,v.shoulder,"));
//! assert_eq!(text.lines().count(), 1 + 51);
//! # std::fs::remove_file(path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`read`] reads such a file again: times, q, v, joint forces and contacts.
//!
//! [`columns()`] says what the numbers of a row are, [`coordinates`] what the entries of q and v
//! are; files of columns, csv and parquet, also have displacements and speeds of mimic joints. With
//! the feature `plots`, the module `chart` draws energy, momentum, loop error and contact over
//! time.
//!
//! Features: `parquet`, `mcap`, `plots`; none is on by default.

mod bodies;
#[cfg(feature = "plots")]
pub mod chart;
mod columns;
pub mod coordinates;
mod csv;
mod error;
mod format;
#[cfg(feature = "mcap")]
pub mod foxglove;
mod jsonl;
mod layout;
#[cfg(feature = "mcap")]
mod mcap;
pub mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
mod recording;
mod sample_object;
mod writer;
mod xyz;

pub use bodies::body_name;
pub use columns::{Column, columns, columns_with_contacts, read_row, write_row};
pub use csv::csv_cell;
pub use error::{ReadError, RecordError};
pub use format::RecordFormat;
pub use layout::write_row_with_contacts;
pub use reader::{RecordedContacts, RecordedMotion, read};
pub use recording::Recording;
