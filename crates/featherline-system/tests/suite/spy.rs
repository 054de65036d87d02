//! Patterns that are drawn, against the numbers of the matrices.

use crate::common::{State, robots, trees};
use featherline::Workspace;
use featherline::samples::{four_bar, tapered_chain};
use featherline_system::SparsityPicture;

/// Where M differs from zero, where the pattern has an element: in random states no others vanish.
#[test]
fn the_mass_matrix_is_drawn_where_it_has_numbers() {
    for (model, seed) in trees().chain(robots().zip(100..)) {
        let state = State::random(&model, seed);
        let mut ws = Workspace::new(&model);
        let mass = model.crba(&mut ws, &state.q).expect("valid").clone_owned();
        let picture = SparsityPicture::mass_matrix(&model);
        let factor = SparsityPicture::ltdl(&model);
        for (i, j) in (0..model.nv()).flat_map(|j| (0..=j).map(move |i| (i, j))) {
            let is_drawn = picture.pattern().position(i, j).is_some();
            assert!(
                is_drawn || mass[(i, j)] == 0.0,
                "{}: ({i}, {j})",
                model.name()
            );
            assert_eq!(is_drawn, picture.pattern().position(j, i).is_some());
            // Without mimic joints the factor fills in nowhere.
            let is_filled = factor.pattern().position(j, i).is_some();
            assert!(is_filled || !is_drawn);
            assert!(is_filled == is_drawn || model.has_mimic_joints());
            assert!(i == j || factor.pattern().position(i, j).is_none());
        }
        assert_eq!(
            picture.text().matches('■').count(),
            picture.pattern().entries()
        );
    }
}

/// A chain of hinges: 6 rows of a body, 5 of its joint, 6 of the body below. The farthest pair is
/// the first row of a joint and the last of the body that carries it: 5 + 6 − 1 apart, as are the
/// last row of a joint and the first of its own body.
#[test]
fn maximal_coordinates_of_a_chain_are_a_band_which_a_loop_breaks() {
    let width = |picture: &SparsityPicture| {
        let entries = picture.pattern().iter();
        entries.map(|(i, j)| i.abs_diff(j)).max().unwrap_or(0)
    };
    for links in [2, 5, 9] {
        let picture = SparsityPicture::kkt(&tapered_chain(links));
        assert_eq!(picture.pattern().rows(), 11 * links);
        assert_eq!(width(&picture), 10);
        // 36 of each body, 2 · 5 · 6 of each joint with its body, and with the one below.
        assert_eq!(
            picture.pattern().entries(),
            36 * links + 60 * (2 * links - 1)
        );
    }
    assert!(width(&SparsityPicture::kkt(&four_bar())) > 10);
}
