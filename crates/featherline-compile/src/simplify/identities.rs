//! Identities of sine and cosine.

use super::form::{Atom, Form, Shape, Term, collected};
use crate::graph::Node;

impl Form<'_> {
    /// k₁ r sin² + k₂ r cos² becomes k₁ r + (k₂ − k₁) r cos², whatever the common factors r are.
    pub fn apply_identities(&mut self) {
        for i in 0..self.shapes.len() {
            if let Shape::Sum(terms) = &self.shapes[i]
                && let Some(shorter) = self.without_squared_sines(terms)
            {
                self.shapes[i] = Shape::Sum(shorter);
            }
        }
    }

    fn without_squared_sines(&self, terms: &[Term]) -> Option<Vec<Term>> {
        let mut terms = terms.to_vec();
        let mut changed = false;
        let mut at = 0;
        while at < terms.len() {
            match self.partner(&terms, at) {
                Some((partner, rest)) => {
                    let (k1, k2) = (terms[at].coefficient, terms[partner].coefficient);
                    terms[partner].coefficient = k2 - k1;
                    terms[at].factors = rest;
                    terms = collected(terms);
                    changed = true;
                    at = 0;
                }
                None => at += 1,
            }
        }
        changed.then_some(terms)
    }

    /// For a term with a squared sine: the term with the cosine in its place, and what both share.
    fn partner(&self, terms: &[Term], at: usize) -> Option<(usize, Vec<Atom>)> {
        let factors = &terms[at].factors;
        for k in 0..factors.len() {
            if let Some((angle, width)) = self.square(factors, k, true) {
                let mut rest = factors.clone();
                rest.drain(k..k + width);
                let partner = terms.iter().position(|other| {
                    (0..other.factors.len()).any(|j| match self.square(&other.factors, j, false) {
                        Some((same, width)) if same == angle => {
                            let mut others = other.factors.clone();
                            others.drain(j..j + width);
                            others == rest
                        }
                        _ => false,
                    })
                });
                if let Some(partner) = partner {
                    return Some((partner, rest));
                }
            }
        }
        None
    }

    /// The angle of a squared sine, or else cosine, at this factor, and how many factors it is.
    fn square(&self, factors: &[Atom], at: usize, sine: bool) -> Option<(Atom, usize)> {
        let angle = |atom: Atom| match self.plain(atom) {
            Some(Node::Sin(angle)) if sine => Some(angle.index() as Atom),
            Some(Node::Cos(angle)) if !sine => Some(angle.index() as Atom),
            _ => None,
        };
        let atom = factors[at];
        if factors.get(at + 1) == Some(&atom) {
            return angle(atom).map(|angle| (angle, 2));
        }
        if let Shape::Product(term) = &self.shapes[atom as usize]
            && term.coefficient == 1.0
            && let [a, b] = term.factors[..]
            && a == b
        {
            angle(a).map(|angle| (angle, 1))
        } else {
            None
        }
    }
}
