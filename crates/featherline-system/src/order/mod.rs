//! Orders of elimination: those of the recursive algorithms, and the general ones.
//!
//! | order | algorithm |
//! |---|---|
//! | [`rnea`] | recursive Newton-Euler: nothing fills in |
//! | [`aba`] | articulated bodies |
//! | [`crba`] | composite rigid bodies, and the mass matrix factorised as LTDL |
//! | [`Reformulation`] | articulated bodies as matrices that make the system triangular; no order alone does |
//! | [`markowitz`], [`minimum_degree`], [`amd`], [`colamd`], [`nested_dissection`], [`reverse_cuthill_mckee`], [`along_columns`] | of any matrix: see [`featherline_sparse::order`] |

mod aba;
mod crba;
mod dynamics;
mod reformulation;
mod rnea;

pub use aba::aba;
pub use crba::crba;
use featherline_sparse::Template;
pub use featherline_sparse::order::{
    EliminationOrder, OrderError, along_columns, amd, colamd, markowitz, minimum_degree,
    nested_dissection, reverse_cuthill_mckee,
};
pub use reformulation::Reformulation;
pub use rnea::rnea;

use crate::requested::describe_column;
use crate::system::System;
use crate::template::PlanError;

/// How an order is found for a system.
pub type Planner = fn(&System, &Template) -> Result<EliminationOrder, OrderError>;

/// The orders that have a name: those of the recursive algorithms, then the general ones.
///
/// ```
/// let names = featherline_system::order::NAMED.map(|(name, _)| name);
/// assert_eq!(names[..3], ["rnea", "aba", "crba_ltdl"]);
/// ```
pub const NAMED: [(&str, Planner); 9] = [
    ("rnea", |system, _| rnea(system)),
    ("aba", |system, _| aba(system)),
    ("crba_ltdl", |system, _| crba(system)),
    ("markowitz", |_, template| markowitz(template)),
    ("minimum_degree", |_, template| minimum_degree(template)),
    ("amd", |_, template| amd(template)),
    ("colamd", |_, template| colamd(template)),
    ("nested_dissection", |_, template| {
        nested_dissection(template)
    }),
    ("reverse_cuthill_mckee", |_, template| {
        reverse_cuthill_mckee(template)
    }),
];

impl System {
    /// Why there is no order, with the names of the unknowns and the rows that the error numbers.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{OrderError, Problem, System};
    ///
    /// let system = System::new(Problem::forward_dynamics(samples::double_pendulum()))?;
    /// let column = system.unknowns().joint_accelerations().start;
    /// let error = OrderError::Singular { position: 3, column };
    /// let words = system.describe_order_error(&error);
    /// assert!(words.contains("no equation is left that determines q̈ of shoulder"));
    /// # Ok::<(), featherline_system::SystemError>(())
    /// ```
    pub fn describe_order_error(&self, error: &OrderError) -> String {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others say it themselves")]
        match *error {
            OrderError::Singular { column, .. } => format!(
                "no equation is left that determines {}: the system is singular in the sampled states",
                describe_column(self, column)
            ),
            OrderError::NotApplicable {
                row: Some(row),
                reason,
            } => match self.describe_row(row) {
                Some(words) => format!("this order does not apply to {words}: {reason}"),
                None => error.to_string(),
            },
            _ => error.to_string(),
        }
    }
}

/// The order of the pivots if they eliminate a whole system.
fn complete(system: &System, pivots: Vec<(usize, usize)>) -> Result<EliminationOrder, OrderError> {
    let (expected, found) = (system.unknowns().count(), pivots.len());
    if expected == found {
        EliminationOrder::new(pivots)
    } else {
        Err(OrderError::Size { expected, found })
    }
}

/// The template with one more sample, the neutral state, unless it is singular there. Robots like
/// to stand straight, where many a pivot of an order for states in general position vanishes.
pub(crate) fn with_straight(random: Template, neutral: Vec<f64>) -> Result<Template, PlanError> {
    let straight = random.clone().with_sample(neutral)?;
    let is_regular = markowitz(&straight).is_ok();
    Ok(if is_regular { straight } else { random })
}
