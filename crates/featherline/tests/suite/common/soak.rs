//! Tests whose many cases take minutes: some of them in the suite, all with `cargo xtask soak`.

/// How many cases to run, or how large ones.
pub fn cases<T>(some: T, all: T) -> T {
    if std::env::var_os("FEATHERLINE_SOAK").is_some() {
        all
    } else {
        some
    }
}
