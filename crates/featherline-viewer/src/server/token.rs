//! The secret in the address.

use super::ServerError;

/// 128 random bits of the system, as hexadecimal digits.
pub(super) fn draw() -> Result<String, ServerError> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).map_err(|error| ServerError::Random {
        reason: error.to_string(),
    })?;
    Ok(bits.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether two texts are the same, in a time that does not depend on where they differ.
pub(super) fn is_same(given: &str, secret: &str) -> bool {
    let pairs = given.bytes().zip(secret.bytes());
    let different = pairs.fold(0, |different, (a, b)| different | (a ^ b));
    given.len() == secret.len() && different == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_have_128_bits() {
        let (one, other) = (draw().expect("random"), draw().expect("random"));
        assert_eq!(one.len(), 128 / 4);
        assert!(one.bytes().all(|digit| digit.is_ascii_hexdigit()));
        assert!(is_same(&one, &one) && !is_same(&one, &other));
        assert!(!is_same(&one[..31], &one) && !is_same("", &one) && is_same("", ""));
    }
}
