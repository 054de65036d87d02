//! The transformations of rows, kept to be applied to other right-hand sides.

/// The steps of a reduction to an R factor; rows keep the numbers from before they moved.
#[derive(Clone, Debug)]
pub(crate) struct Transformations {
    steps: Vec<Step>,
    /// Of the steps that touch several rows: their numbers, and for each a factor.
    terms: Vec<(u32, f64)>,
    /// The numbers of all rows.
    work: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A row is multiplied.
    Scale { row: u32, factor: f64 },
    /// Multiples of a row are added to so many others.
    Substitute { row: u32, count: u32 },
    /// factor · x xᵀ of so many rows is added to them.
    Reflect { count: u32, factor: f64 },
    /// A row is the next of the R factor.
    Write { row: u32 },
}

impl Transformations {
    /// Memory for so many rows, and steps that touch so many.
    pub fn new(rows: usize, steps: usize, terms: usize) -> Self {
        Self {
            steps: Vec::with_capacity(steps),
            terms: Vec::with_capacity(terms),
            work: vec![0.0; rows],
        }
    }

    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.terms.clear();
    }

    /// Notes that a row was multiplied.
    #[inline(always)]
    pub fn scale(&mut self, row: u32, factor: f64) {
        self.steps.push(Step::Scale { row, factor });
    }

    /// Notes that a row was added to another one, so many times.
    #[inline(always)]
    pub fn add(&mut self, row: u32, factor: f64) {
        self.terms.push((row, factor));
    }

    /// How many terms there are.
    #[inline(always)]
    pub fn terms(&self) -> usize {
        self.terms.len()
    }

    /// Notes that the terms from one on were substitutions of a row.
    #[inline(always)]
    pub fn substitute(&mut self, row: u32, from: usize) {
        let count = (self.terms.len() - from) as u32;
        if count > 0 {
            self.steps.push(Step::Substitute { row, count });
        }
    }

    /// Notes that rows were reflected.
    #[inline(always)]
    pub fn reflect(&mut self, terms: impl Iterator<Item = (u32, f64)>, factor: f64) {
        let from = self.terms.len();
        self.terms.extend(terms);
        let count = (self.terms.len() - from) as u32;
        self.steps.push(Step::Reflect { count, factor });
    }

    /// Notes that a row became the next of the R factor.
    #[inline(always)]
    pub fn write(&mut self, row: u32) {
        self.steps.push(Step::Write { row });
    }

    /// Applies all steps to other right-hand sides of the rows; writes those of the R factor.
    pub fn transform(&mut self, rhs: &[f64], image: &mut [f64]) {
        let Self { steps, terms, work } = self;
        for (work, &rhs) in work.iter_mut().zip(rhs) {
            *work = rhs;
        }
        let (mut terms, mut image) = (&terms[..], image.iter_mut());
        for step in steps.iter() {
            match *step {
                Step::Scale { row, factor } => work[row as usize] *= factor,
                Step::Substitute { row, count } => {
                    let (own, after) = terms.split_at(count as usize);
                    let stated = work[row as usize];
                    for &(row, factor) in own {
                        work[row as usize] += factor * stated;
                    }
                    terms = after;
                }
                Step::Reflect { count, factor } => {
                    let (own, after) = terms.split_at(count as usize);
                    let products = own.iter().map(|&(row, x)| x * work[row as usize]);
                    let sum = factor * products.fold(0.0, |sum, product| sum + product);
                    for &(row, x) in own {
                        work[row as usize] += x * sum;
                    }
                    terms = after;
                }
                // There are as many rows as unknowns.
                Step::Write { row } => {
                    if let Some(image) = image.next() {
                        *image = work[row as usize];
                    }
                }
            }
        }
    }
}
