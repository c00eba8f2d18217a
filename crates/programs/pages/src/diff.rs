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

/// Returns both side by side: what is expected at the left, what is there at the right, and a mark where they differ.
pub fn side_by_side(expected: &[String], got: &[String]) -> String {
    let rows = opposite(&pairs(expected, got));
    let left = |place: Option<usize>| place.map_or("", |place| expected[place].as_str());
    let right = |place: Option<usize>| place.map_or("", |place| got[place].as_str());
    let widest = rows.iter().map(|(one, _)| left(*one).chars().count()).max().unwrap_or(0);
    let width = widest.max(EXPECTED.len());
    let mut text = format!("      {EXPECTED:<width$} │ {ACTUAL}\n");
    for (one, other) in rows {
        let is_same = one.is_some() && other.is_some() && left(one) == right(other);
        let mark = if is_same { ' ' } else { '≠' };
        text.push_str(format!("    {mark} {:<width$} │ {}", left(one), right(other)).trim_end());
        text.push('\n');
    }
    text
}

/// The heads of both sides.
const EXPECTED: &str = "expected";
const ACTUAL: &str = "actual";

/// Pairs as rows: what is only at one side stands beside what is only at the other, as far as there is some.
fn opposite(pairs: &[Pair]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut rows = Vec::new();
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    let flush = |rows: &mut Vec<_>, firsts: &mut Vec<usize>, seconds: &mut Vec<usize>| {
        for at in 0..firsts.len().max(seconds.len()) {
            rows.push((firsts.get(at).copied(), seconds.get(at).copied()));
        }
        firsts.clear();
        seconds.clear();
    };
    for pair in pairs {
        match *pair {
            Pair::First(place) => firsts.push(place),
            Pair::Second(place) => seconds.push(place),
            Pair::Both(one, other) => {
                flush(&mut rows, &mut firsts, &mut seconds);
                rows.push((Some(one), Some(other)));
            }
        }
    }
    flush(&mut rows, &mut firsts, &mut seconds);
    rows
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
    fn both_sides_stand_beside_each_other() {
        let text = |lines: &str| lines.chars().map(String::from).collect::<Vec<_>>();
        let shown = side_by_side(&text("abc"), &text("axcd"));
        let expected = "      expected │ actual\n      a        │ a\n    ≠ b        │ x\n      c        │ c\n    ≠          │ d\n";
        assert_eq!(shown, expected);
        assert_eq!(side_by_side(&text("a"), &[]), "      expected │ actual\n    ≠ a        │\n");
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
