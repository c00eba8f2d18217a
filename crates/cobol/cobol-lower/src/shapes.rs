//! Digits of intermediate results.

use cobol_ir::program::{Operator, Shape};

/// The digits of an intermediate result: `limit` digits at most, of which at least `dmax` are decimals where the result
/// has them.
pub(crate) fn result(operator: Operator, left: Shape, right: Shape, dmax: i32, limit: i32) -> Shape {
    let (integers, decimals) = match operator {
        Operator::Add | Operator::Subtract => {
            (left.integers.max(right.integers) + 1, left.decimals.max(right.decimals))
        }
        Operator::Multiply => (left.integers + right.integers, left.decimals + right.decimals),
        Operator::Divide => (left.integers + right.decimals, (left.decimals - right.decimals).max(dmax)),
    };
    if integers + decimals <= limit {
        Shape { integers, decimals }
    } else if decimals <= dmax {
        Shape { integers: limit - decimals, decimals }
    } else if integers + dmax <= limit {
        Shape { integers, decimals: limit - integers }
    } else {
        Shape { integers: limit - dmax, decimals: dmax }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(integers: i32, decimals: i32) -> Shape {
        Shape { integers, decimals }
    }

    #[test]
    fn digits_of_intermediate_results() {
        let check = |operator, left, right, dmax, expected| {
            assert_eq!(result(operator, left, right, dmax, 30), expected, "{operator:?}");
        };
        check(Operator::Add, shape(5, 2), shape(3, 4), 4, shape(6, 4));
        check(Operator::Multiply, shape(7, 2), shape(3, 4), 4, shape(10, 6));
        check(Operator::Divide, shape(7, 2), shape(3, 4), 2, shape(11, 2));
        // More digits than are kept: decimals beyond dmax go first, then high digits.
        check(Operator::Multiply, shape(12, 6), shape(12, 6), 6, shape(24, 6));
        check(Operator::Multiply, shape(16, 6), shape(12, 6), 6, shape(24, 6));
        check(Operator::Multiply, shape(18, 0), shape(18, 0), 0, shape(30, 0));
    }
}
