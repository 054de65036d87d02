//! Arithmetic on rows of numbers.
//!
//! Rows of robots are short: a leg has six joints. Loops over chunks of a fixed size become vector
//! instructions whatever the length, where a plain loop is left for rows of dozens.

use super::Scalar;

/// Numbers a chunk: a vector register of doubles.
const CHUNK: usize = 4;

/// `to += factor · from`. The shorter length counts.
#[inline(always)]
pub fn add_scaled<S: Scalar>(to: &mut [S], factor: S, from: &[S]) {
    let len = if to.len() < from.len() {
        to.len()
    } else {
        from.len()
    };
    let (to, from) = (&mut to[..len], &from[..len]);
    let mut i = 0;
    while i + CHUNK <= len {
        let (t, f) = (&mut to[i..i + CHUNK], &from[i..i + CHUNK]);
        for l in 0..CHUNK {
            t[l] = factor.mul_add(f[l], t[l]);
        }
        i += CHUNK;
    }
    while i < len {
        to[i] = factor.mul_add(from[i], to[i]);
        i += 1;
    }
}

/// `row *= factor`.
#[inline(always)]
pub fn scale<S: Scalar>(row: &mut [S], factor: S) {
    let len = row.len();
    let mut i = 0;
    while i + CHUNK <= len {
        let chunk = &mut row[i..i + CHUNK];
        for l in 0..CHUNK {
            chunk[l] = chunk[l] * factor;
        }
        i += CHUNK;
    }
    while i < len {
        row[i] = row[i] * factor;
        i += 1;
    }
}

/// Numbers that are summed together: what several rows add to them stays in registers.
const WIDE: usize = 16;

/// `to += Σ factors[j] · from[begin(j)..]`, where row `rows[j]` begins at `rows[j] · stride +
/// first`.
///
/// Each number of `to` is read and written once, whatever the number of rows.
#[inline(always)]
pub fn add_rows<S: Scalar>(
    to: &mut [S],
    factors: &[S],
    rows: &[usize],
    from: &[S],
    stride: usize,
    first: usize,
) {
    let (len, mut i) = (to.len(), 0);
    while i + WIDE <= len {
        add_block::<S, WIDE>(to, factors, rows, from, stride, (first, i));
        i += WIDE;
    }
    while i + CHUNK <= len {
        add_block::<S, CHUNK>(to, factors, rows, from, stride, (first, i));
        i += CHUNK;
    }
    while i < len {
        add_block::<S, 1>(to, factors, rows, from, stride, (first, i));
        i += 1;
    }
}

/// The `N` numbers of [`add_rows`] from the i-th on.
#[inline(always)]
fn add_block<S: Scalar, const N: usize>(
    to: &mut [S],
    factors: &[S],
    rows: &[usize],
    from: &[S],
    stride: usize,
    (first, i): (usize, usize),
) {
    let mut sums = [S::zero(); N];
    sums.copy_from_slice(&to[i..i + N]);
    for (factor, row) in factors.iter().zip(rows) {
        let begin = row * stride + first + i;
        let from = &from[begin..begin + N];
        for l in 0..N {
            sums[l] = factor.mul_add(from[l], sums[l]);
        }
    }
    to[i..i + N].copy_from_slice(&sums);
}

/// Six rows of equal length, one for each component of a spatial vector: the vectors side by side.
///
/// Row c begins at `c · stride`.
#[inline(always)]
pub fn six_rows<S>(rows: &[S], stride: usize, range: std::ops::Range<usize>) -> [&[S]; 6] {
    let (a, rest) = rows.split_at(stride);
    let (b, rest) = rest.split_at(stride);
    let (c, rest) = rest.split_at(stride);
    let (d, rest) = rest.split_at(stride);
    let (e, f) = rest.split_at(stride);
    let (begin, end) = (range.start, range.end);
    [
        &a[begin..end],
        &b[begin..end],
        &c[begin..end],
        &d[begin..end],
        &e[begin..end],
        &f[begin..end],
    ]
}

/// As [`six_rows`], to be written.
#[inline(always)]
pub fn six_rows_mut<S>(
    rows: &mut [S],
    stride: usize,
    range: std::ops::Range<usize>,
) -> [&mut [S]; 6] {
    let (a, rest) = rows.split_at_mut(stride);
    let (b, rest) = rest.split_at_mut(stride);
    let (c, rest) = rest.split_at_mut(stride);
    let (d, rest) = rest.split_at_mut(stride);
    let (e, f) = rest.split_at_mut(stride);
    let (begin, end) = (range.start, range.end);
    [
        &mut a[begin..end],
        &mut b[begin..end],
        &mut c[begin..end],
        &mut d[begin..end],
        &mut e[begin..end],
        &mut f[begin..end],
    ]
}

/// `row += Σ_c vector[c] · six[c]`. All rows have one length.
#[inline(always)]
pub fn add_product<S: Scalar>(row: &mut [S], vector: &[S; 6], six: [&[S]; 6]) {
    let len = row.len();
    let mut chunk = 0;
    while chunk + CHUNK <= len {
        let mut sums = [S::zero(); CHUNK];
        sums.copy_from_slice(&row[chunk..chunk + CHUNK]);
        for c in 0..6 {
            let from = &six[c][chunk..chunk + CHUNK];
            for l in 0..CHUNK {
                sums[l] = vector[c].mul_add(from[l], sums[l]);
            }
        }
        row[chunk..chunk + CHUNK].copy_from_slice(&sums);
        chunk += CHUNK;
    }
    for l in chunk..len {
        let low = vector[0].mul_add(
            six[0][l],
            vector[1].mul_add(six[1][l], vector[2] * six[2][l]),
        );
        let high = vector[3].mul_add(
            six[3][l],
            vector[4].mul_add(six[4][l], vector[5] * six[5][l]),
        );
        row[l] += low + high;
    }
}

/// `row = factor · row + Σ_c take[c] · six[c]`, then `six[c] += give[c] · row`: what a row takes
/// from six others, and gives them back. All rows have one length.
#[inline(always)]
pub fn exchange<S: Scalar>(
    row: &mut [S],
    factor: S,
    take: &[S; 6],
    give: &[S; 6],
    six: [&mut [S]; 6],
) {
    /// Two registers of doubles hide the latency of one sum; several states side by side fill
    /// registers by themselves.
    const WIDE_CHUNK: usize = 2 * CHUNK;
    let [a, b, c, d, e, f] = six;
    let len = row.len();
    let (a, b, c) = (&mut a[..len], &mut b[..len], &mut c[..len]);
    let (d, e, f) = (&mut d[..len], &mut e[..len], &mut f[..len]);
    let mut i = 0;
    if size_of::<S>() <= size_of::<f64>() {
        while i + WIDE_CHUNK <= len {
            let six = [
                &mut a[i..i + WIDE_CHUNK],
                &mut b[i..i + WIDE_CHUNK],
                &mut c[i..i + WIDE_CHUNK],
                &mut d[i..i + WIDE_CHUNK],
                &mut e[i..i + WIDE_CHUNK],
                &mut f[i..i + WIDE_CHUNK],
            ];
            exchange_chunk::<S, WIDE_CHUNK>(&mut row[i..i + WIDE_CHUNK], factor, take, give, six);
            i += WIDE_CHUNK;
        }
    }
    while i < len {
        let six = [
            &mut a[i..i + 1],
            &mut b[i..i + 1],
            &mut c[i..i + 1],
            &mut d[i..i + 1],
            &mut e[i..i + 1],
            &mut f[i..i + 1],
        ];
        exchange_chunk::<S, 1>(&mut row[i..i + 1], factor, take, give, six);
        i += 1;
    }
}

#[inline(always)]
fn exchange_chunk<S: Scalar, const N: usize>(
    row: &mut [S],
    factor: S,
    take: &[S; 6],
    give: &[S; 6],
    six: [&mut [S]; 6],
) {
    let mut own = [S::zero(); N];
    let mut other = [[S::zero(); N]; 6];
    for c in 0..6 {
        other[c].copy_from_slice(six[c]);
    }
    for l in 0..N {
        own[l] = factor * row[l];
    }
    // Two sums wait for each other half as long as one.
    let mut rest = [S::zero(); N];
    for l in 0..N {
        rest[l] = take[3] * other[3][l];
    }
    for c in 0..3 {
        for l in 0..N {
            own[l] = take[c].mul_add(other[c][l], own[l]);
        }
    }
    for c in 4..6 {
        for l in 0..N {
            rest[l] = take[c].mul_add(other[c][l], rest[l]);
        }
    }
    for l in 0..N {
        own[l] += rest[l];
    }
    row.copy_from_slice(&own);
    for c in 0..6 {
        for l in 0..N {
            other[c][l] = give[c].mul_add(own[l], other[c][l]);
        }
        six[c].copy_from_slice(&other[c]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_every_length_agree_with_plain_loops() {
        for len in 0..19_usize {
            // Small multiples of a half: every product and sum is exact.
            let a: Vec<f64> = (0..len).map(|i| i as f64 - 2.5).collect();
            let b: Vec<f64> = (0..len).map(|i| (i * i) as f64 + 0.5).collect();
            let six: Vec<f64> = (0..6)
                .flat_map(|c| b.iter().map(move |x| x + f64::from(c)))
                .collect();
            let vector = [1.0, -2.0, 3.0, 0.5, 4.0, -1.0];
            let (mut sum, mut scaled, mut row) = (a.clone(), a.clone(), a.clone());
            add_scaled(&mut sum, 2.0, &b);
            scale(&mut scaled, 3.0);
            add_product(&mut row, &vector, six_rows(&six, len, 0..len));
            let (mut own, mut others) = (a.clone(), six.clone());
            let give = [0.5, 1.0, -1.0, 2.0, 0.0, -4.0];
            exchange(
                &mut own,
                2.0,
                &vector,
                &give,
                six_rows_mut(&mut others, len, 0..len),
            );
            for i in 0..len {
                assert_eq!(sum[i], a[i] + 2.0 * b[i]);
                let product: f64 = (0..6).map(|c| vector[c] * six[c * len + i]).sum();
                assert_eq!(own[i], 2.0 * a[i] + product);
                for c in 0..6 {
                    assert_eq!(others[c * len + i], six[c * len + i] + give[c] * own[i]);
                }
                assert_eq!(scaled[i], 3.0 * a[i]);
                let product: f64 = (0..6).map(|c| vector[c] * six[c * len + i]).sum();
                assert_eq!(row[i], a[i] + product);
            }
        }
    }
}
