//! Parts that several sums or several products have in common.

use super::form::{Atom, Form, Shape, Term};
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// Longer lists are left alone: their pairs would be too many.
const LONGEST: usize = 64;

/// Lists, pairs of whose items are to be shared.
trait Lists {
    type Pair: Clone + Ord + std::hash::Hash;

    /// How many lists there are.
    fn len(&self) -> usize;

    /// The pairs of items in a list.
    fn pairs(&self, list: usize) -> Vec<Self::Pair>;

    /// Whether a pair can be taken from a list.
    fn contains(&self, list: usize, pair: &Self::Pair) -> bool;

    /// Names a pair, and puts the name in its place in these lists.
    fn replace(&mut self, pair: &Self::Pair, lists: &[usize]);
}

/// Names the pair that occurs in most lists, until no pair occurs twice.
fn share(lists: &mut impl Lists) {
    let mut places = BTreeMap::new();
    for list in 0..lists.len() {
        note(lists, list, &mut places);
    }
    let mut queue: BinaryHeap<_> = places
        .iter()
        .filter(|(_, lists)| lists.len() > 1)
        .map(|(pair, lists): (_, &Vec<usize>)| (lists.len(), pair.clone()))
        .collect();
    while let Some((expected, pair)) = queue.pop() {
        let Some(candidates) = places.get_mut(&pair) else {
            continue;
        };
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&list| lists.contains(list, &pair));
        let found = candidates.clone();
        if found.len() < 2 {
            continue;
        }
        if found.len() < expected {
            queue.push((found.len(), pair));
            continue;
        }
        places.remove(&pair);
        lists.replace(&pair, &found);
        let mut changed = BTreeMap::new();
        for &list in &found {
            note(lists, list, &mut changed);
        }
        for (pair, new) in changed {
            let all: &mut Vec<usize> = places.entry(pair.clone()).or_default();
            all.extend(new);
            if all.len() > 1 {
                queue.push((all.len(), pair));
            }
        }
    }
}

fn note<L: Lists>(lists: &L, list: usize, places: &mut BTreeMap<L::Pair, Vec<usize>>) {
    for pair in lists.pairs(list) {
        places.entry(pair).or_default().push(list);
    }
}

/// Two terms up to a multiple: their factors by number, and the ratio of coefficients.
type TermPair = (u32, u32, u64);

struct Sums<'f, 'g> {
    form: &'f mut Form<'g>,
    /// The atoms that are sums.
    atoms: Vec<Atom>,
    /// The terms of each: coefficient, and factors by number.
    terms: Vec<Vec<(f64, u32)>>,
    numbers: HashMap<Vec<Atom>, u32>,
    factors: Vec<Vec<Atom>>,
}

impl Sums<'_, '_> {
    fn number(&mut self, factors: &[Atom]) -> u32 {
        if let Some(&number) = self.numbers.get(factors) {
            return number;
        }
        let number = self.factors.len() as u32;
        self.numbers.insert(factors.to_vec(), number);
        self.factors.push(factors.to_vec());
        number
    }

    fn ratio(&self, list: usize, pair: &TermPair) -> Option<(usize, usize)> {
        let find = |number| self.terms[list].iter().position(|&(_, n)| n == number);
        let (a, b) = (find(pair.0)?, find(pair.1)?);
        let ratio = self.terms[list][b].0 / self.terms[list][a].0;
        (ratio.to_bits() == pair.2).then_some((a, b))
    }
}

impl Lists for Sums<'_, '_> {
    type Pair = TermPair;

    fn len(&self) -> usize {
        self.terms.len()
    }

    fn pairs(&self, list: usize) -> Vec<TermPair> {
        let terms = &self.terms[list];
        let mut pairs = Vec::new();
        // A sum of two is a pair itself: another one may contain it.
        if terms.len() <= LONGEST {
            for (k, &a) in terms.iter().enumerate() {
                for &b in &terms[k + 1..] {
                    let (a, b) = if a.1 < b.1 { (a, b) } else { (b, a) };
                    pairs.push((a.1, b.1, (b.0 / a.0).to_bits()));
                }
            }
        }
        pairs
    }

    fn contains(&self, list: usize, pair: &TermPair) -> bool {
        self.ratio(list, pair).is_some()
    }

    fn replace(&mut self, pair: &TermPair, lists: &[usize]) {
        let [a, b] = [pair.0, pair.1].map(|number| self.factors[number as usize].clone());
        let terms = vec![
            Term {
                coefficient: 1.0,
                factors: a,
            },
            Term {
                coefficient: f64::from_bits(pair.2),
                factors: b,
            },
        ];
        // One of the sums may be the pair, up to a multiple: it keeps its terms, and the others use
        // it.
        let whole = lists.iter().copied().find(|&list| {
            self.terms[list].len() == 2
                && self
                    .ratio(list, pair)
                    .is_some_and(|(a, _)| self.terms[list][a].0 == 1.0)
        });
        let name = match whole {
            Some(list) => self.atoms[list],
            None => self.form.push(Shape::Sum(terms)),
        };
        let number = self.number(&[name]);
        for &list in lists {
            if whole == Some(list) {
                continue;
            }
            if let Some((a, b)) = self.ratio(list, pair) {
                let coefficient = self.terms[list][a].0;
                self.terms[list][a] = (coefficient, number);
                self.terms[list].remove(b);
            }
        }
    }
}

struct Products<'f, 'g> {
    form: &'f mut Form<'g>,
    /// The factors of each term of the form, constants among them.
    factors: Vec<Vec<Atom>>,
}

impl Lists for Products<'_, '_> {
    type Pair = (Atom, Atom);

    fn len(&self) -> usize {
        self.factors.len()
    }

    fn pairs(&self, list: usize) -> Vec<(Atom, Atom)> {
        let factors = &self.factors[list];
        let mut pairs = Vec::new();
        if factors.len() <= LONGEST {
            for (k, &a) in factors.iter().enumerate() {
                for &b in &factors[k + 1..] {
                    pairs.push((a.min(b), a.max(b)));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn contains(&self, list: usize, &(a, b): &(Atom, Atom)) -> bool {
        let factors = &self.factors[list];
        let count = |x| factors.iter().filter(|&&f| f == x).count();
        if a == b {
            count(a) > 1
        } else {
            count(a) > 0 && count(b) > 0
        }
    }

    fn replace(&mut self, &(a, b): &(Atom, Atom), lists: &[usize]) {
        let term = Term {
            coefficient: 1.0,
            factors: vec![a, b],
        };
        let name = self.form.push(Shape::Product(term));
        for &list in lists {
            let factors = &mut self.factors[list];
            for factor in [a, b] {
                if let Some(at) = factors.iter().position(|&f| f == factor) {
                    factors.remove(at);
                }
            }
            factors.push(name);
        }
    }
}

impl Form<'_> {
    /// Names parts of sums that several sums have in common, up to multiples: one addition less for
    /// each sum but one.
    pub fn share_sums(&mut self) {
        let is_sum = |i: &usize| matches!(&self.shapes[*i], Shape::Sum(terms) if terms.len() > 1);
        let atoms: Vec<Atom> = (0..self.shapes.len())
            .filter(is_sum)
            .map(|i| i as Atom)
            .collect();
        let mut sums = Sums {
            form: self,
            atoms: atoms.clone(),
            terms: Vec::new(),
            numbers: HashMap::new(),
            factors: Vec::new(),
        };
        for &atom in &atoms {
            let Shape::Sum(terms) = sums.form.shapes[atom as usize].clone() else {
                continue;
            };
            let numbered = terms
                .iter()
                .map(|t| (t.coefficient, sums.number(&t.factors)))
                .collect();
            sums.terms.push(numbered);
        }
        share(&mut sums);
        let Sums { terms, factors, .. } = sums;
        for (atom, terms) in atoms.into_iter().zip(terms) {
            let term = |(coefficient, number): (f64, u32)| Term {
                coefficient,
                factors: factors[number as usize].clone(),
            };
            let mut terms: Vec<Term> = terms.into_iter().map(term).collect();
            self.shapes[atom as usize] = match terms.len() {
                1 => Shape::Product(terms.remove(0)),
                _ => Shape::Sum(terms),
            };
        }
    }

    /// Names parts of products that several products have in common: one multiplication less for
    /// each product but one.
    pub fn share_products(&mut self) {
        let mut constants: HashMap<u64, Atom> = HashMap::new();
        let mut signs = Vec::new();
        let mut factors = Vec::new();
        let old = self.shapes.len();
        for i in 0..old {
            let terms = match &self.shapes[i] {
                Shape::Sum(terms) => terms.clone(),
                Shape::Product(term) => vec![term.clone()],
                Shape::Plain(_) | Shape::Inner => continue,
            };
            for term in terms {
                let mut all = term.factors.clone();
                if !term.is_free() && !all.is_empty() {
                    let magnitude = term.coefficient.abs();
                    let constant = constants.entry(magnitude.to_bits()).or_insert_with(|| {
                        self.push(Shape::Sum(vec![Term {
                            coefficient: magnitude,
                            factors: vec![],
                        }]))
                    });
                    all.push(*constant);
                    signs.push(term.coefficient.signum());
                } else {
                    signs.push(term.coefficient);
                }
                factors.push(all);
            }
        }
        let mut products = Products {
            form: self,
            factors,
        };
        share(&mut products);
        let factors = products.factors;
        let mut found = signs.into_iter().zip(factors);
        for i in 0..old {
            let terms = match &mut self.shapes[i] {
                Shape::Sum(terms) => &mut terms[..],
                Shape::Product(term) => std::slice::from_mut(term),
                Shape::Plain(_) | Shape::Inner => continue,
            };
            // As many as were listed, in the same order.
            for (term, (coefficient, factors)) in terms.iter_mut().zip(&mut found) {
                *term = Term {
                    coefficient,
                    factors,
                };
            }
        }
    }
}
