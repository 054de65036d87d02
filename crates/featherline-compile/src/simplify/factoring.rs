//! Common factors taken out of sums.

use super::form::{Atom, Form, Shape, Term};
use std::collections::HashMap;

/// A common factor of terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum CommonFactor {
    Factor(Atom),
    /// The magnitude of a coefficient, as bits.
    Coefficient(u64),
}

impl CommonFactor {
    fn of(term: &Term) -> Vec<Self> {
        let mut all: Vec<Self> = term.factors.iter().map(|&f| Self::Factor(f)).collect();
        all.dedup();
        if !term.is_free() && !term.factors.is_empty() {
            all.push(Self::Coefficient(term.coefficient.abs().to_bits()));
        }
        all
    }

    /// The term without it, if it has it.
    fn divide(self, term: &Term) -> Option<Term> {
        let mut rest = term.clone();
        match self {
            Self::Factor(factor) => {
                let at = rest.factors.iter().position(|&f| f == factor)?;
                rest.factors.remove(at);
            }
            Self::Coefficient(bits) => {
                if term.factors.is_empty() || rest.coefficient.abs().to_bits() != bits {
                    return None;
                }
                rest.coefficient = rest.coefficient.signum();
            }
        }
        Some(rest)
    }
}

impl Form<'_> {
    /// a b + a c becomes a (b + c), the factor first that most terms have: one product less for
    /// each term but one.
    pub fn take_out_factors(&mut self) {
        let mut i = 0;
        // Sums that are made on the way come at the end.
        while i < self.shapes.len() {
            if let Shape::Sum(terms) = &self.shapes[i] {
                let mut terms = terms.clone();
                while let Some(common) = most_common(&terms) {
                    terms = self.without(common, terms);
                }
                self.shapes[i] = match terms.len() {
                    1 => Shape::Product(terms.remove(0)),
                    _ => Shape::Sum(terms),
                };
            }
            i += 1;
        }
    }

    fn without(&mut self, common: CommonFactor, terms: Vec<Term>) -> Vec<Term> {
        let (mut quotients, mut others) = (Vec::new(), Vec::new());
        for term in terms {
            match common.divide(&term) {
                Some(quotient) => quotients.push(quotient),
                None => others.push(term),
            }
        }
        let (scale, sum) = self.named_sum(quotients);
        let mut term = Term::of_atom(scale, sum);
        match common {
            CommonFactor::Factor(factor) => term.factors.push(factor),
            CommonFactor::Coefficient(bits) => term.coefficient *= f64::from_bits(bits),
        }
        term.factors.sort_unstable();
        others.push(term);
        others
    }
}

/// The factor that most terms have in common, if two have one; of equally common ones, the first.
fn most_common(terms: &[Term]) -> Option<CommonFactor> {
    let mut counts: HashMap<CommonFactor, usize> = HashMap::new();
    for term in terms {
        for common in CommonFactor::of(term) {
            *counts.entry(common).or_default() += 1;
        }
    }
    let shared = counts.into_iter().filter(|&(_, count)| count > 1);
    shared
        .max_by_key(|&(common, count)| (count, std::cmp::Reverse(common)))
        .map(|(common, _)| common)
}
