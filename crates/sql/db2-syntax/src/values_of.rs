//! The parts of values.

use crate::tree::{Expression, Node};

/// Adds the columns that a value is made of. Returns the number of its parts; `None`: it has conditions, queries or functions of all
/// rows in it.
pub(crate) fn columns_of(value: &Expression, columns: &mut Vec<usize>) -> Option<usize> {
    let parts: &[Expression] = match &value.node {
        Node::Column(number) => {
            columns.push(*number);
            &[]
        }
        Node::Negative(value) => std::slice::from_ref(value),
        Node::Arithmetic(_, values) | Node::Concatenation(values) => values.as_ref(),
        Node::Call(_, values) => values,
        Node::Case(..) | Node::Subquery(_) | Node::Aggregate { .. } => return None,
        _ => &[],
    };
    parts.iter().try_fold(1, |size, part| Some(size + columns_of(part, columns)?))
}
