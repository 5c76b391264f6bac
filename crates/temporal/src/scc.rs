//! Strongly connected components of small graphs (Tarjan 1972, without recursion).

/// Returns for each node of `0..count` the number of its component. A component has a smaller number than
/// components that reach it.
pub(crate) fn components(count: usize, successors: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let mut component = vec![NEW; count];
    let (mut number, mut low) = (vec![NEW; count], vec![0; count]);
    let (mut stack, mut path): (Vec<usize>, Vec<(usize, Vec<usize>)>) = (Vec::new(), Vec::new());
    let (mut numbered, mut found) = (0, 0);
    for root in 0..count {
        if number[root] != NEW {
            continue;
        }
        path.push((root, Vec::new()));
        while let Some((node, rest)) = path.last_mut() {
            let node = *node;
            if number[node] == NEW {
                (number[node], low[node]) = (numbered, numbered);
                numbered += 1;
                stack.push(node);
                *rest = successors(node);
            }
            if let Some(next) = rest.pop() {
                if number[next] == NEW {
                    path.push((next, Vec::new()));
                } else if component[next] == NEW {
                    low[node] = low[node].min(number[next]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == number[node] {
                while let Some(member) = stack.pop() {
                    component[member] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}
