//! Calls allocate nothing, and the memory that they work in is what is told.

use super::every::{Rows, some_frames, states};
use crate::common::models;
use allocation_counter::measure;
use featherline::batch::{Algorithm, Batch, BatchStatus};
use featherline::configuration;
use featherline::scalar::Scalar;
use featherline::{Error, Model, Workspace};

/// The gravity torque, and q ⊕ v.
struct Weight;

impl Algorithm for Weight {
    #[inline(always)]
    fn run<S: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        inputs: &[&[S]],
        results: &mut [&mut [S]],
    ) -> Result<(), Error> {
        results[0].copy_from_slice(model.gravity_torque(ws, inputs[0])?);
        configuration::integrate_into(model, inputs[0], inputs[1], results[1])
    }
}

#[test]
fn a_repeated_call_allocates_nothing() {
    for (model, _) in models().into_iter().step_by(5) {
        let rows = Rows::<f64>::of(&states(&model, 30));
        let mut batch = Batch::new(&model, 1).unwrap();
        let mut status = [BatchStatus::default(); 30];
        let mut a = vec![0.0; 30 * model.nv()];
        let mut mass = vec![0.0; 30 * model.nv() * model.nv()];
        let frames = some_frames(&model);
        let mut placements = vec![0.0; 30 * 12 * frames.len()];
        let forces = vec![0.1; 30 * 6 * model.joints().len()];
        let mut moved = rows.q.clone();
        for call in 0..2 {
            let count = measure(|| {
                let s = &mut status;
                assert_eq!(batch.rnea(&rows.q, &rows.v, &rows.w, &mut a, s), Ok(0));
                assert_eq!(batch.aba(&rows.q, &rows.v, &rows.w, &mut a, s), Ok(0));
                assert_eq!(batch.crba(&rows.q, &mut mass, s), Ok(0));
                let placed = batch.frame_placements(&rows.q, &frames, &mut placements, s);
                assert_eq!(placed, Ok(0));
                let (q, v, w) = (&rows.q, &rows.v, &rows.w);
                let pushed = batch.aba_with_forces(q, v, w, &forces, &mut a, s);
                assert_eq!(pushed, Ok(0));
                let run = batch.evaluate(&Weight, [q, v], [&mut a, &mut moved], s);
                assert_eq!(run, Ok(0));
            })
            .count_total;
            // The first call makes room for the placements.
            assert!(count == 0 || call == 0, "{count} in {}", model.name());
        }
    }
}

#[test]
fn the_working_set_is_what_is_allocated() {
    for (model, _) in models().into_iter().step_by(5) {
        let copy = measure(|| drop(model.clone())).bytes_total;
        // One batch only: other tests limit the instruction set, and with it the lanes of the next
        // one.
        let mut batch = None;
        let all = measure(|| batch = Some(Batch::<f64>::new(&model, 1).unwrap())).bytes_total;
        let set = batch.unwrap().working_set();
        // A batch holds its own copy of the model, of which kernels read a part, and the worker
        // itself.
        let told = copy + (set.recursions + set.matrices + set.rows + set.places) as u64;
        assert!(
            told <= all && all < told + told / 50 + 2000,
            "{told} told, {all} allocated"
        );
    }
}
