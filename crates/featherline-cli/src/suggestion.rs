//! "Did you mean …?"

/// Least similarity of a name worth suggesting.
const SIMILAR: f64 = 0.65;

/// The most similar of the names, as a question to append to a message; nothing if none is similar.
pub fn did_you_mean<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    closest(name, names)
        .map(|n| format!("; did you mean `{n}`?"))
        .unwrap_or_default()
}

/// The most similar of the names, if one is similar.
pub fn closest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|n| (similarity(name, n), n))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, n)| n)
}

/// Jaro and Winkler's measure favours common beginnings; Damerau and Levenshtein's sees letters
/// swapped in short words.
fn similarity(a: &str, b: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(a, b).max(strsim::jaro_winkler(a, b) - 0.1)
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn the_likely_name_is_suggested() {
        let names = [
            "tau",
            "bias",
            "mass_matrix",
            "mass_matrix_inverse",
            "com",
            "qdd_aba",
        ];
        for (written, meant) in [
            ("tua", "tau"),
            ("biass", "bias"),
            ("mass_matrx", "mass_matrix"),
            ("mass_matrix_inv", "mass_matrix_inverse"),
            ("qdd", "qdd_aba"),
        ] {
            assert_eq!(
                did_you_mean(written, names),
                format!("; did you mean `{meant}`?")
            );
        }
        assert_eq!(did_you_mean("voltage", names), "");
    }
}
