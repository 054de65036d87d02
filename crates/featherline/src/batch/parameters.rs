//! Bodies that differ from state to state.

use super::Batch;
use super::precision::{Precision, Workers, with_workers};
use super::worker::{PARAMETERS, dynamic_parameters};
use crate::error::{Error, check_size};
use crate::spatial::{DynamicParameters, Se3};

impl<T: Precision> Batch<T> {
    /// Gives each state bodies of its own, for all calls from now on: domain randomisation.
    ///
    /// A row has ten numbers for each joint but the universe: the mass (kg), the first moment m c
    /// (x, y, z; kg·m), and the rotational inertia about the origin of the joint's output frame
    /// (xx, xy, xz, yy, yz, zz; kg·m²), of all that the joint moves as one body, in its output
    /// frame. [`parameters`](Self::parameters) gives the model's, to start from. Later calls must
    /// have as many states as there are rows here. Armatures and rotors stay the model's.
    ///
    /// The numbers are taken as they are: where they belong to no real body, accelerations may not
    /// exist, and the status says so. A mass matrix is judged singular by the state's own bodies,
    /// be they far lighter or heavier than the model's. Cost O(n) a state, once; then ten numbers
    /// more to read for each body in each call, and one for each coordinate.
    ///
    /// # Errors
    /// [`Error::Size`] for a part of a row, [`Error::NotFinite`] for a number that is not finite;
    /// the states then keep the bodies that they had.
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let nominal = batch.parameters();
    /// let heavy: Vec<f64> = nominal.iter().map(|p| 2.0 * p).collect();
    /// batch.set_parameters(&[nominal, heavy].concat())?;
    ///
    /// let (q, zero) = ([0.3, 0.0, 0.3, 0.0], [0.0; 4]);
    /// let (mut tau, mut status) = ([0.0; 4], [BatchStatus::default(); 2]);
    /// batch.rnea(&q, &zero, &zero, &mut tau, &mut status)?;
    /// assert_eq!(2.0 * tau[0], tau[2]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn set_parameters(&mut self, rows: &[T]) -> Result<(), Error> {
        let length = self.model.parameter_count();
        let states = rows.len() / length.max(1);
        check_size("the dynamic parameters", states.max(1) * length, rows.len())?;
        if let Some(index) = rows.iter().position(|x| !x.is_finite()) {
            return Err(Error::NotFinite {
                what: "the dynamic parameters",
                index,
            });
        }
        self.parameters.clear();
        self.pivot_bounds.clear();
        let mut bodies = vec![DynamicParameters::zero(); self.model.links.len()];
        for row in rows.chunks_exact(length.max(1)) {
            for (i, p) in row.chunks_exact(PARAMETERS).enumerate() {
                let into_link = Se3::constant(&self.model.links[i + 1].frame.inverse());
                bodies[i + 1] = dynamic_parameters(p).transformed_by(&into_link);
                self.parameters.extend(flat(&bodies[i + 1]));
            }
            self.pivot_bounds.extend(self.model.pivot_bounds(&bodies));
        }
        self.set_randomised(true);
        Ok(())
    }

    /// Gives all states the model's bodies again.
    pub fn clear_parameters(&mut self) {
        self.parameters.clear();
        self.pivot_bounds.clear();
        self.set_randomised(false);
    }

    /// The model's own dynamic parameters, as one row of [`set_parameters`](Self::set_parameters).
    pub fn parameters(&self) -> Vec<T> {
        let bodies = self.model.joints().iter().skip(1);
        bodies
            .flat_map(|joint| flat(&DynamicParameters::constant(&joint.inertia.to_parameters())))
            .collect()
    }

    fn set_randomised(&mut self, randomised: bool) {
        let model = &self.model;
        with_workers!(&mut self.workers, workers => {
            for worker in workers {
                worker.set_randomised(model, randomised);
            }
        });
    }
}

fn flat<T: Precision>(p: &DynamicParameters<T>) -> [T; PARAMETERS] {
    let (h, j) = (p.first_moment, &p.second_moment);
    [
        p.mass,
        h.x,
        h.y,
        h.z,
        j.xx(),
        j.xy(),
        j.xz(),
        j.yy(),
        j.yz(),
        j.zz(),
    ]
}
