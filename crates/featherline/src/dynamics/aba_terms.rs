//! The terms of the articulated-body algorithm under the textbook's letters.

use super::external;
use crate::error::Error;
use crate::model::{Front, Model};
use crate::scalar::Scalar;
use crate::spatial::{ArticulatedInertia, Force, Motion, Se3};
use crate::workspace::{Fronts, Workspace};
use nalgebra::DMatrix;

/// The terms that the first two passes of the articulated-body algorithm find: Featherstone 2008,
/// table 7.1. [`Model::aba_terms`] writes them.
///
/// Six-vectors are \[linear; angular\] in the joints' output frames; lists of joints begin with the
/// universe, whose items are zero.
#[derive(Clone, Debug, Default)]
#[expect(non_snake_case, reason = "the textbook's letters")]
pub struct AbaTerms<S: Scalar> {
    /// Iᴬ of each joint's body, in kg, kg·m and kg·m²: as
    /// [`articulated_inertias`](Model::articulated_inertias) has them.
    pub articulated_inertias: Vec<ArticulatedInertia<S>>,
    /// pᴬ of each joint's body, in N and N·m: the force that gives it no acceleration.
    pub bias_forces: Vec<Force<S>>,
    /// c of each joint, in m/s² and rad/s²: Ṡ q̇ + v × S q̇.
    pub velocity_products: Vec<Motion<S>>,
    /// U = Iᴬ S, a column for each coordinate: the lectures' h.
    pub U: Vec<Force<S>>,
    /// D = Sᵀ U plus armature, nv × nv: a block on the diagonal for each joint, zero elsewhere.
    pub D: DMatrix<S>,
    /// u = τ − Sᵀ pᴬ, nv entries, in N·m and N.
    pub u: Vec<S>,
}

impl<S: Scalar> AbaTerms<S> {
    /// Makes room for a model's terms.
    fn fit(&mut self, model: &Model) {
        let (joints, nv) = (model.joints().len(), model.nv());
        let zero = ArticulatedInertia::zero();
        self.articulated_inertias.resize(joints, zero);
        self.bias_forces.resize(joints, Force::zero());
        self.velocity_products.resize(joints, Motion::zero());
        self.U.resize(nv, Force::zero());
        if self.D.shape() != (nv, nv) {
            self.D = DMatrix::from_element(nv, nv, S::zero());
        }
        self.D.fill(S::zero());
        self.u.resize(nv, S::zero());
    }

    /// U, D and u of the coordinates that a front eliminated one after the other: with its factors
    /// D = ℓ δ ℓᵀ, where ℓ is unit lower triangular, it holds ℓ⁻¹ Uᵀ, δ⁻¹, δ ℓᵀ and ℓ⁻¹ u.
    fn read_front(&mut self, front: &Front, fronts: &Fronts<S>, frame: &Se3<S>) {
        let size = front.coordinates.len();
        let square = &fronts.square[front.square..][..size * size];
        let own = &front.coordinates[..front.eliminated];
        for (m, &row) in own.iter().enumerate() {
            let mut force = fronts.force[front.offset + m];
            let mut side = fronts.side[front.offset + m];
            self.D[(row, row)] = square[m * size + m].recip();
            for k in 0..m {
                let l = square[k * size + m] * square[k * size + k];
                force = fronts.force[front.offset + k].mul_add(l, &force);
                side = l.mul_add(fronts.side[front.offset + k], side);
                for (n, &column) in own.iter().enumerate().take(m + 1).skip(k) {
                    let upper = match n == k {
                        true => square[k * size + k].recip(),
                        false => square[k * size + n],
                    };
                    self.D[(row, column)] = l.mul_add(upper, self.D[(row, column)]);
                    self.D[(column, row)] = self.D[(row, column)];
                }
            }
            self.U[row] = frame.act_force(&force);
            self.u[row] = side;
        }
    }
}

impl Model {
    /// The terms of the articulated-body algorithm in the state (`q`, `v`) with the joint forces
    /// `tau`: Iᴬ, pᴬ, c, U, D and u.
    ///
    /// With a' = ᵢXλ a_λ + c, where the universe accelerates as −g, the accelerations of
    /// [`aba`](Self::aba) are q̈ = D⁻¹ (u − Uᵀ a'). `forces` are
    /// [external forces](crate::dynamics#external-forces), or empty. The lectures that have
    /// h = Iᴬ s instead of U subtract hᵀ c from u as well.
    ///
    /// A coordinate that mimic joints share is eliminated where all of them lie below. Its U, D and
    /// u are those of that joint, of the universe for joints of several trees, and count all of
    /// them. Below, its acceleration counts as zero; D leaves its coupling with the coordinates
    /// there out.
    ///
    /// Memory of `terms` is kept: once they fit, a call allocates nothing. Cost O(n), and nv²
    /// zeros. Source: Featherstone 2008, table 7.1.
    ///
    /// # Errors
    /// As [`aba`](Self::aba).
    ///
    /// ```
    /// use featherline::dynamics::AbaTerms;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let (mut ws, mut terms) = (Workspace::new(&model), AbaTerms::default());
    /// let (q, v, tau) = ([0.3, -0.2], [0.0; 2], [1.0_f64, 2.0]);
    /// model.aba_terms(&mut ws, &q, &v, &tau, &[], &mut terms)?;
    /// // At rest nothing is lost to velocities; the lower rod's own inertia is in D.
    /// assert_eq!(terms.u[1], 2.0);
    /// let inertia = terms.articulated_inertias[2].to_matrix();
    /// assert!((terms.D[(1, 1)] - inertia[4][4]).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn aba_terms<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
        forces: &[Force<S>],
        terms: &mut AbaTerms<S>,
    ) -> Result<(), Error> {
        self.run_hybrid(ws, q, v, tau, None, external(forces))?;
        terms.fit(self);
        let (ws, fronts) = (&ws.scratch, &ws.scratch.fronts);
        for (i, link) in self.links.iter().enumerate() {
            let (front, frame) = (&self.coordinates.fronts[i], Se3::constant(&link.frame));
            terms.read_front(front, fronts, &frame);
            if i == 0 {
                continue;
            }
            let mut inertia = ws.articulated[i];
            if link.parent != 0 {
                // Iᴬ = Iᵃ + U D⁻¹ Uᵀ
                for k in 0..front.eliminated {
                    let inverse = fronts.square[front.square + k * (front.coordinates.len() + 1)];
                    inertia = inertia.sub_outer(&fronts.force[front.offset + k], -inverse);
                }
            }
            terms.articulated_inertias[i] = inertia.transformed_by(&frame);
            terms.bias_forces[i] = frame.act_force(&ws.force[i]);
            terms.velocity_products[i] = frame.act_motion(&ws.bias_acceleration[i]);
        }
        Ok(())
    }
}
