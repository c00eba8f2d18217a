//! Two sequences side by side: two texts line by line, two tasks command by command.

/// Pairs of places that are compared, at most: what is longer is paired by its places.
const PAIRS_MAX: usize = 1 << 24;

/// Returns the lines that are only expected (`-`), only there (`+`), or the same.
pub fn lines(expected: &[String], got: &[String]) -> String {
    let line = |pair| match pair {
        Pair::Both(_, place) => format!("    {}\n", got[place]),
        Pair::First(place) => format!("  - {}\n", expected[place]),
        Pair::Second(place) => format!("  + {}\n", got[place]),
    };
    pairs(expected, got).into_iter().map(line).collect()
}

/// A place in either sequence, or in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// Places of what is the same.
    Both(usize, usize),
    /// An item of the first one alone.
    First(usize),
    /// An item of the second one alone.
    Second(usize),
}

/// Each place of both sequences, so that as much as possible stands beside the same.
pub fn pairs<T: PartialEq>(first: &[T], second: &[T]) -> Vec<Pair> {
    let start = first.iter().zip(second).take_while(|(one, other)| one == other).count();
    let (one, other) = (&first[start..], &second[start..]);
    let behind = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[..one.len() - behind], &other[..other.len() - behind]);
    let mut pairs: Vec<Pair> = (0..start).map(|place| Pair::Both(place, place)).collect();
    let moved = |pair| match pair {
        Pair::Both(one, other) => Pair::Both(start + one, start + other),
        Pair::First(one) => Pair::First(start + one),
        Pair::Second(other) => Pair::Second(start + other),
    };
    let middle = match one.len().saturating_mul(other.len()) <= PAIRS_MAX {
        true => middle(one, other),
        false => (0..one.len()).map(Pair::First).chain((0..other.len()).map(Pair::Second)).collect(),
    };
    pairs.extend(middle.into_iter().map(moved));
    let (one, other) = (start + one.len(), start + other.len());
    pairs.extend((0..behind).map(|place| Pair::Both(one + place, other + place)));
    pairs
}

/// The same of sequences that begin and end differently.
fn middle<T: PartialEq>(first: &[T], second: &[T]) -> Vec<Pair> {
    let common = common(first, second);
    let (mut f, mut s) = (0, 0);
    let mut pairs = Vec::new();
    while f < first.len() || s < second.len() {
        if f < first.len() && s < second.len() && first[f] == second[s] {
            pairs.push(Pair::Both(f, s));
            (f, s) = (f + 1, s + 1);
        } else if s >= second.len() || f < first.len() && common[f + 1][s] >= common[f][s + 1] {
            pairs.push(Pair::First(f));
            f += 1;
        } else {
            pairs.push(Pair::Second(s));
            s += 1;
        }
    }
    pairs
}

/// For each place in both, how much behind it is common.
fn common<T: PartialEq>(first: &[T], second: &[T]) -> Vec<Vec<u32>> {
    let mut table = vec![vec![0; second.len() + 1]; first.len() + 1];
    for f in (0..first.len()).rev() {
        for s in (0..second.len()).rev() {
            table[f][s] = match first[f] == second[s] {
                true => table[f + 1][s + 1] + 1,
                false => table[f + 1][s].max(table[f][s + 1]),
            };
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_marked() {
        let text = |lines: &str| lines.chars().map(String::from).collect::<Vec<_>>();
        assert_eq!(lines(&text("abc"), &text("axc")), "    a\n  - b\n  + x\n    c\n");
        assert_eq!(lines(&text(""), &text("a")), "  + a\n");
    }

    #[test]
    fn every_place_is_there_once_whatever_is_the_same() {
        let pairs = |first: &str, second: &str| pairs(first.as_bytes(), second.as_bytes());
        assert_eq!(pairs("aa", "a"), [Pair::Both(0, 0), Pair::First(1)]);
        let both = [Pair::Both(0, 0), Pair::Second(1), Pair::Both(1, 2), Pair::Second(3), Pair::Both(2, 4)];
        assert_eq!(pairs("abc", "axbyc"), both);
        let apart = [Pair::First(0), Pair::First(1), Pair::Second(0)];
        assert_eq!(pairs("ab", "c"), apart);
    }
}
