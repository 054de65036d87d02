//! The factorisation H = LᵀDL as the textbook has it: Featherstone 2008, section 6.5, table 6.3.
//!
//! ```text
//! for k = n … 1:
//!     for each ancestor i of k, the nearest first:
//!         a = Hₖᵢ / Hₖₖ
//!         Hᵢⱼ −= a Hₖⱼ  for j = i and its ancestors
//!         Hₖᵢ = a
//! ```

use crate::model::EliminationTree;
use crate::scalar::{kernel, row};

kernel!(
    /// H = LᵀDL in place, in storage without padding; D⁻¹ takes the place of the diagonal.
    pub(super) fn factorize<S: Scalar>(#[plain] tree: &EliminationTree, h: &mut [S]) {
        for k in (0..tree.len()).rev() {
            // The rows of the ancestors, and row k: its ancestors' elements, then its own.
            let (above, h_k) = h.split_at_mut(tree.row::<S>(k));
            let d = tree.level(k);
            let inverse = h_k[d].recip();
            let mut next = tree.parent(k);
            for c in (0..d).rev() {
                let Some(i) = next else { break };
                // a = H_ki / H_kk
                let a = h_k[c] * inverse;
                // H_ij −= a H_kj
                row::add_scaled(&mut above[tree.row::<S>(i)..][..c + 1], -a, &h_k[..c + 1]);
                h_k[c] = a;
                next = tree.parent(i);
            }
            h_k[d] = inverse;
        }
    }
);

kernel!(
    /// Solves LᵀDL x = b in place of b, in any storage.
    pub(super) fn solve<S: Scalar>(#[plain] tree: &EliminationTree, l: &[S], x: &mut [S]) {
        // x ← D⁻¹ L⁻ᵀ x
        for k in (0..tree.len()).rev() {
            let l_k = &l[tree.row::<S>(k)..];
            let x_k = x[k];
            let mut next = tree.parent(k);
            while let Some(i) = next {
                x[i] = (-l_k[tree.place_in_row::<S>(i)]).mul_add(x_k, x[i]);
                next = tree.parent(i);
            }
            x[k] = x_k * l_k[tree.place_in_row::<S>(k)];
        }
        // x ← L⁻¹ x
        for k in 0..tree.len() {
            let l_k = &l[tree.row::<S>(k)..];
            let mut x_k = x[k];
            let mut next = tree.parent(k);
            while let Some(i) = next {
                x_k = (-l_k[tree.place_in_row::<S>(i)]).mul_add(x[i], x_k);
                next = tree.parent(i);
            }
            x[k] = x_k;
        }
    }
);

kernel!(
    /// H⁻¹ of a factorised H, both triangles, in any storage.
    ///
    /// From L H⁻¹ = D⁻¹ L⁻ᵀ, whose right-hand side is upper triangular, each row left of the
    /// diagonal follows from the rows of the ancestors, whose elements right of their diagonals are
    /// known by symmetry (Takahashi, Fagan and Chen 1973, "Formation of a sparse bus impedance
    /// matrix and its application to short circuit study").
    pub(super) fn invert<S: Scalar>(#[plain] tree: &EliminationTree, l: &[S], inverse: &mut [S]) {
        let n = tree.len();
        for k in 0..n {
            let l_k = &l[tree.row::<S>(k)..];
            for j in 0..=k {
                // (H⁻¹)_kj = −Σ_i L_ki (H⁻¹)_ij for j < k, (H⁻¹)_kk = 1/D_k − Σ_i L_ki (H⁻¹)_ik
                let mut element = match j == k {
                    true => l_k[tree.place_in_row::<S>(k)],
                    false => S::zero(),
                };
                let mut next = tree.parent(k);
                while let Some(i) = next {
                    let l_ki = l_k[tree.place_in_row::<S>(i)];
                    element = (-l_ki).mul_add(inverse[i * n + j], element);
                    next = tree.parent(i);
                }
                inverse[k * n + j] = element;
                inverse[j * n + k] = element;
            }
        }
    }
);

kernel!(
    /// H = LᵀL.
    pub(super) fn factorize_root<S: Scalar>(#[plain] tree: &EliminationTree, packed: &mut [S]) {
        for k in (0..tree.len()).rev() {
            let (above, own) = packed.split_at_mut(tree.row::<S>(k));
            let diagonal = tree.place_in_row::<S>(k);
            own[diagonal] = own[diagonal].sqrt();
            let inverse = own[diagonal].recip();
            row::scale(&mut own[..diagonal], inverse);
            let mut next = tree.parent(k);
            while let Some(i) = next {
                let l = tree.place_in_row::<S>(i);
                let begin = tree.row::<S>(i);
                row::add_scaled(&mut above[begin..begin + l + 1], -own[l], &own[..l + 1]);
                next = tree.parent(i);
            }
        }
    }
);
