//! An order of elimination for a matrix that is a sum of cliques.

/// A vertex with the neighbours that it has when it is eliminated.
pub(super) struct Eliminated {
    pub vertex: usize,
    pub neighbours: Vec<usize>,
}

/// The vertices 0 … n−1 with their sizes, in the order in which minimum degree eliminates them:
/// always one whose neighbours are smallest together, of equals that with the largest number.
///
/// The graph is kept as a list of cliques, which is what elimination merges (A. George and J. W. H.
/// Liu, "The evolution of the minimum degree ordering algorithm", SIAM Review 31, 1989). Cost for
/// graphs of bodies: n² for the choice, and the sizes of the merged cliques.
pub(super) fn minimum_degree(sizes: &[usize], mut cliques: Vec<Vec<usize>>) -> Vec<Eliminated> {
    let n = sizes.len();
    let mut of_vertex: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (c, clique) in cliques.iter().enumerate() {
        for &k in clique {
            of_vertex[k].push(c);
        }
    }
    let mut mark = vec![usize::MAX; n];
    let mut stamp = 0;
    // The neighbours of a vertex, and their size.
    let mut union = |k: usize, own: &[usize], cliques: &[Vec<usize>], out: &mut Vec<usize>| {
        out.clear();
        mark[k] = stamp;
        let mut size = 0;
        for &c in own {
            for &i in &cliques[c] {
                if mark[i] != stamp {
                    mark[i] = stamp;
                    out.push(i);
                    size += sizes[i];
                }
            }
        }
        stamp += 1;
        size
    };
    let mut others = Vec::new();
    let mut degree: Vec<usize> = Vec::with_capacity(n);
    for (k, own) in of_vertex.iter().enumerate() {
        degree.push(union(k, own, &cliques, &mut others));
    }
    let mut is_left = vec![true; n];
    let mut order = Vec::with_capacity(n);
    for _ in 0..n {
        let left = (0..n).filter(|&k| is_left[k]);
        let Some(vertex) = left.min_by_key(|&k| (degree[k], n - k)) else {
            break;
        };
        is_left[vertex] = false;
        let own = std::mem::take(&mut of_vertex[vertex]);
        let mut neighbours = Vec::new();
        union(vertex, &own, &cliques, &mut neighbours);
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
            degree[i] = union(i, &of_vertex[i], &cliques, &mut others);
        }
        order.push(Eliminated { vertex, neighbours });
    }
    order
}

#[cfg(test)]
mod tests {
    use super::minimum_degree;

    #[test]
    fn the_centre_of_a_star_comes_last() {
        let star: Vec<Vec<usize>> = (1..6).map(|leaf| vec![0, leaf]).collect();
        let order = minimum_degree(&[1; 6], star);
        let last = order[4..].iter().map(|own| own.vertex);
        assert!(last.clone().any(|vertex| vertex == 0));
    }

    #[test]
    fn a_path_is_eliminated_without_fill() {
        let path: Vec<Vec<usize>> = (0..9).map(|k| vec![k, k + 1]).collect();
        let order = minimum_degree(&[1; 10], path);
        let mut ends = (0, 9);
        // Whatever is eliminated next is an end of what is left.
        for own in order {
            let k = own.vertex;
            assert!(k == ends.0 || k == ends.1, "{k} of {ends:?}");
            let next = if k == ends.0 { k + 1 } else { k - 1 };
            let is_last = ends.0 == ends.1;
            assert_eq!(own.neighbours, if is_last { vec![] } else { vec![next] });
            if k == ends.0 {
                ends.0 += 1;
            } else {
                ends.1 -= 1;
            }
        }
    }

    #[test]
    fn a_large_neighbour_counts_more_than_two_small_ones() {
        // 0 has the neighbour 1 of size 6; 2 has 3 and 4, of size 1.
        let order = minimum_degree(&[1, 6, 1, 1, 1], vec![vec![0, 1], vec![2, 3], vec![2, 4]]);
        let place = |vertex| order.iter().position(|own| own.vertex == vertex);
        assert!(place(2) < place(0));
    }
}
