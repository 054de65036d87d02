//! The names of the calls.

use anyhow::{Result, bail};

/// All calls, in the order of reports; `bench/README.md` says what each of them answers.
pub const NAMES: [&str; 21] = [
    "forward_kinematics",
    "joint_jacobians",
    "com",
    "rnea",
    "bias",
    "crba",
    "crba_packed",
    "crba_factor_solve",
    "aba",
    "minverse",
    "ccrba",
    "all_terms",
    "rnea_derivatives",
    "aba_derivatives",
    "regressor",
    "euler_step",
    "constraint_dynamics",
    "loop_constrained_aba",
    "constrained_dynamics",
    "constrained_dynamics_derivatives",
    "impulse_dynamics",
];

/// Makes sure that all names are those of calls.
///
/// # Errors
/// If one is not, with the names that there are.
pub fn check(asked: &[String]) -> Result<()> {
    match asked.iter().find(|name| !NAMES.contains(&name.as_str())) {
        Some(name) => bail!("no call is named `{name}`; there are: {}", NAMES.join(", ")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMES, check};

    #[test]
    fn an_unknown_name_is_refused_with_those_that_there_are() {
        assert!(check(&["rnea".to_owned(), "aba".to_owned()]).is_ok());
        let told = check(&["rnea".to_owned(), "abba".to_owned()]).map_err(|it| it.to_string());
        assert!(told.is_err_and(|it| it.contains("`abba`") && it.contains("aba, minverse")));
    }

    #[test]
    fn the_readme_says_what_each_answers() {
        let text = include_str!("../../README.md");
        for name in NAMES {
            let rows = text.lines().filter(|line| line.starts_with('|'));
            let count = rows
                .filter(|row| {
                    row.split('|')
                        .nth(1)
                        .is_some_and(|it| it.contains(&format!("`{name}`")))
                })
                .count();
            assert!(count > 0, "{name}");
        }
    }
}
