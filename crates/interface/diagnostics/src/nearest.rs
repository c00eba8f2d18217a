//! Did you mean …? The candidate that a mistyped word most likely stood for.

/// The candidate nearest to `word`, ignoring case, if one is near enough to be worth naming: at most a third of its
/// letters differ.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let most = |length: usize| length.max(word.len()).div_ceil(3);
    candidates
        .into_iter()
        // A word needs at least as many changes as it is longer: most candidates need not be read.
        .filter(|candidate| {
            let length = candidate.chars().count();
            length.abs_diff(word.len()) <= most(length)
        })
        .map(|candidate| (distance(&word, &candidate.to_lowercase().chars().collect::<Vec<_>>()), candidate))
        .filter(|(distance, candidate)| *distance <= most(candidate.chars().count()))
        // Of two that are as near, the one of the same length: letters are swapped more often than forgotten.
        .min_by_key(|(distance, candidate)| (*distance, candidate.chars().count().abs_diff(word.len())))
        .map(|(_, candidate)| candidate)
}

/// Returns the number of letters to add, drop, change or swap with their neighbour to make one word the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let changed = last[j] + usize::from(x != y);
            let mut least = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_its_word_and_nonsense_finds_none() {
        let words = ["programs", "copybooks", "maps", "MXT", "READ", "PS", "POS"];
        for (typed, meant) in [
            ("program", Some("programs")),
            ("copyboks", Some("copybooks")),
            ("mxt", Some("MXT")),
            ("RAED", Some("READ")),
            ("PSO", Some("POS")),
            ("zebra", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, words), meant, "{typed}");
        }
    }
}
