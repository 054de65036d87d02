//! Memory for the mass matrix by regions.

use super::filled;
use crate::model::{CHUNK, Model};
use crate::scalar::{Form, InForm, Scalar, seen_mut_as};
use crate::spatial::Se3;

/// Memory for regions.
#[derive(Clone, Debug)]
pub struct RegionMemory<S: Scalar> {
    /// The frame of each region in that of the region above.
    region: Vec<Se3<S>>,
    /// The links on the path from the root in their regions' frames, one a level of branching.
    link: Vec<Se3<S>>,
    /// The columns of the coordinates on that path in their regions' frames: six components, each
    /// of as many coordinates as stand side by side in a packed row, then those of the next ones.
    path: Vec<S>,
}

/// How many regions, levels of branching, and numbers for a path a model has.
fn lengths(model: &Model) -> [usize; 3] {
    if model.has_mimic_joints() {
        return [0; 3];
    }
    let tree = model.elimination_tree();
    let places = model.place_in_path.iter().max().map_or(0, |p| p + 1);
    let numbers = 6 * CHUNK * tree.path_chunks();
    [model.coordinates.regions.all.len(), places, numbers]
}

impl<S: Scalar> RegionMemory<S> {
    pub fn new(model: &Model) -> Self {
        let [regions, places, numbers] = lengths(model);
        Self {
            region: filled(Se3::identity(), regions).into(),
            link: filled(Se3::identity(), places).into(),
            path: filled(S::zero(), numbers).into(),
        }
    }

    /// How many bytes a model needs.
    pub fn bytes(model: &Model) -> u64 {
        let [regions, places, numbers] = lengths(model);
        ((regions + places) * size_of::<Se3<S>>() + numbers * size_of::<S>()) as u64
    }

    /// The same memory to be written to.
    #[inline(always)]
    pub fn view(&mut self) -> RegionView<'_, S> {
        RegionView {
            region: &mut self.region,
            link: &mut self.link,
            path: &mut self.path,
        }
    }
}

/// [`RegionMemory`] to be written to.
pub struct RegionView<'a, S: Scalar> {
    pub region: &'a mut [Se3<S>],
    pub link: &'a mut [Se3<S>],
    pub path: &'a mut [S],
}

impl<'a, S: Scalar> InForm for RegionView<'a, S> {
    type As<F: Form> = RegionView<'a, F::Of<S>>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        RegionView {
            region: seen_mut_as(self.region, form),
            link: seen_mut_as(self.link, form),
            path: seen_mut_as(self.path, form),
        }
    }
}
