//! The strongly connected components of a graph whose edges are the columns of a pattern.

/// The components of the nodes that `roots` reach, each after those that it points to (Tarjan
/// 1972). `columns` are those of a node, each of which leads to the node that `node_of` names.
pub(crate) fn strong_components<'p>(
    n: usize,
    roots: impl Iterator<Item = usize>,
    columns: impl Fn(usize) -> &'p [usize],
    node_of: impl Fn(usize) -> Option<usize>,
) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let (mut index, mut low) = (vec![NEW; n], vec![NEW; n]);
    let mut on_stack = vec![false; n];
    let (mut next, mut visited) = (vec![0; n], 0);
    let (mut stack, mut path) = (Vec::new(), Vec::new());
    let mut components = Vec::new();
    for root in roots {
        if index[root] != NEW {
            continue;
        }
        path.push(root);
        while let Some(&node) = path.last() {
            if index[node] == NEW {
                (index[node], low[node]) = (visited, visited);
                visited += 1;
                on_stack[node] = true;
                stack.push(node);
            }
            if let Some(&column) = columns(node).get(next[node]) {
                next[node] += 1;
                if let Some(target) = node_of(column) {
                    if index[target] == NEW {
                        path.push(target);
                    } else if on_stack[target] {
                        low[node] = low[node].min(index[target]);
                    }
                }
                continue;
            }
            path.pop();
            if let Some(&above) = path.last() {
                low[above] = low[above].min(low[node]);
            }
            if low[node] == index[node] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                components.push(component);
            }
        }
    }
    components
}
