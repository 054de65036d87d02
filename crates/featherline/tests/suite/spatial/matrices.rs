//! Plain 6×6 matrices, as the independent way to do spatial algebra.

pub type Matrix = [[f64; 6]; 6];

pub fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut m = [[0.0; 6]; 6];
    for i in 0..6 {
        for j in 0..6 {
            m[i][j] = (0..6).map(|k| a[i][k] * b[k][j]).sum();
        }
    }
    m
}

pub fn transpose(a: &Matrix) -> Matrix {
    let mut m = *a;
    for i in 0..6 {
        for j in 0..6 {
            m[i][j] = a[j][i];
        }
    }
    m
}

pub fn apply(a: &Matrix, v: [f64; 6]) -> [f64; 6] {
    a.map(|row| row.iter().zip(v).map(|(r, x)| r * x).sum())
}

pub fn sum(a: &Matrix, b: &Matrix) -> Matrix {
    let mut m = *a;
    for i in 0..6 {
        for j in 0..6 {
            m[i][j] += b[i][j];
        }
    }
    m
}

pub fn negative(a: &Matrix) -> Matrix {
    a.map(|row| row.map(|e| -e))
}

pub fn identity() -> Matrix {
    let mut m = [[0.0; 6]; 6];
    for (i, row) in m.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    m
}

/// All elements agree to `units` roundings of numbers of size one.
#[track_caller]
pub fn assert_near(a: &[f64], b: &[f64], units: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= units * f64::EPSILON, "{a:?} {b:?}");
    }
}

/// All elements of two matrices agree to `units` roundings of numbers of size one.
#[track_caller]
pub fn assert_same(a: &Matrix, b: &Matrix, units: f64) {
    assert_near(a.as_flattened(), b.as_flattened(), units);
}
