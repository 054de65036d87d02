//! An order of elimination for a matrix that is a sum of cliques.

/// The vertices 0 … n−1 in the order in which minimum degree eliminates them: always one with the
/// fewest neighbours, of equals that with the largest number.
///
/// The graph is kept as a list of cliques, which is what elimination merges (A. George and J. W. H.
/// Liu, "The evolution of the minimum degree ordering algorithm", SIAM Review 31, 1989). Cost for
/// graphs of bodies: n² for the choice, and the sizes of the merged cliques.
pub(super) fn minimum_degree(n: usize, cliques: &[Vec<usize>]) -> Vec<usize> {
    let mut cliques: Vec<Vec<usize>> = cliques.to_vec();
    let mut of_vertex: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (c, clique) in cliques.iter().enumerate() {
        for &k in clique {
            of_vertex[k].push(c);
        }
    }
    let mut mark = vec![usize::MAX; n];
    let mut stamp = 0;
    let mut union = |k: usize, own: &[usize], cliques: &[Vec<usize>], out: &mut Vec<usize>| {
        out.clear();
        mark[k] = stamp;
        for &c in own {
            for &i in &cliques[c] {
                if mark[i] != stamp {
                    mark[i] = stamp;
                    out.push(i);
                }
            }
        }
        stamp += 1;
    };
    let mut neighbours = Vec::new();
    let mut degree: Vec<usize> = Vec::with_capacity(n);
    for (k, own) in of_vertex.iter().enumerate() {
        union(k, own, &cliques, &mut neighbours);
        degree.push(neighbours.len());
    }
    let mut is_left = vec![true; n];
    let mut order = Vec::with_capacity(n);
    let mut others = Vec::new();
    for _ in 0..n {
        let left = (0..n).filter(|&k| is_left[k]);
        let Some(k) = left.min_by_key(|&k| (degree[k], n - k)) else {
            break;
        };
        is_left[k] = false;
        order.push(k);
        let own = std::mem::take(&mut of_vertex[k]);
        union(k, &own, &cliques, &mut neighbours);
        // Its cliques become one.
        let merged = cliques.len();
        for &i in &neighbours {
            of_vertex[i].retain(|c| !own.contains(c));
            of_vertex[i].push(merged);
        }
        for &c in &own {
            cliques[c] = Vec::new();
        }
        cliques.push(neighbours.clone());
        for &i in &neighbours {
            union(i, &of_vertex[i], &cliques, &mut others);
            degree[i] = others.len();
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::minimum_degree;

    #[test]
    fn the_centre_of_a_star_comes_last() {
        let star: Vec<Vec<usize>> = (1..6).map(|leaf| vec![0, leaf]).collect();
        let order = minimum_degree(6, &star);
        assert!(order[4..].contains(&0), "{order:?}");
    }

    #[test]
    fn a_path_is_eliminated_without_fill() {
        let path: Vec<Vec<usize>> = (0..9).map(|k| vec![k, k + 1]).collect();
        let order = minimum_degree(10, &path);
        let mut ends = (0, 9);
        // Whatever is eliminated next is an end of what is left.
        for k in order {
            assert!(k == ends.0 || k == ends.1, "{k} of {ends:?}");
            if k == ends.0 {
                ends.0 += 1;
            } else {
                ends.1 -= 1;
            }
        }
    }
}
