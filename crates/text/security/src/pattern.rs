//! Names of resources with wildcards.

use std::cmp::Ordering;
use std::fmt;

/// A name in which `%` stands for one character and `*` for any number of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern(String);

impl Pattern {
    /// A pattern in upper case, as resources are named; runs of `*` are one.
    pub fn new(text: &str) -> Self {
        let mut pattern = String::with_capacity(text.len());
        for character in text.chars() {
            if character != '*' || !pattern.ends_with('*') {
                pattern.push(character.to_ascii_uppercase());
            }
        }
        Self(pattern)
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if it stands for one name only.
    pub fn is_plain(&self) -> bool {
        !self.0.contains(['%', '*'])
    }

    /// Returns true if it stands for a name. Takes time in proportion to the product of both lengths at most.
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name) = (self.0.as_bytes(), name.as_bytes());
        let (mut p, mut n) = (0, 0);
        // The last `*`, and the place in the name when it was seen.
        let mut star = None;
        while n < name.len() {
            match pattern.get(p) {
                Some(b'*') => {
                    star = Some((p, n));
                    p += 1;
                }
                Some(b'%') => (p, n) = (p + 1, n + 1),
                Some(byte) if *byte == name[n] => (p, n) = (p + 1, n + 1),
                _ => match star {
                    // The `*` stands for one character more.
                    Some((at, from)) => {
                        star = Some((at, from + 1));
                        (p, n) = (at + 1, from + 1);
                    }
                    None => return false,
                },
            }
        }
        pattern[p..].iter().all(|byte| *byte == b'*')
    }

    /// The more specific of two that stand for the same name comes first: at the first place where they differ, a character
    /// is more specific than `%`, this more than the end, and `*` the least.
    pub fn by_specificity(&self, other: &Self) -> Ordering {
        let rank = |byte: Option<&u8>| match byte {
            Some(b'%') => 1,
            None => 2,
            Some(b'*') => 3,
            Some(_) => 0,
        };
        let (one, two) = (self.0.as_bytes(), other.0.as_bytes());
        let differ = (0..one.len().max(two.len())).find(|at| one.get(*at) != two.get(*at));
        let Some(at) = differ else { return Ordering::Equal };
        rank(one.get(at)).cmp(&rank(two.get(at))).then_with(|| one.cmp(two))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_stand_for_characters() {
        for (pattern, name, matches) in [
            ("CEMT", "CEMT", true),
            ("CEMT", "CEMTX", false),
            ("ce*", "CEMT", true),
            ("CE*", "CE", true),
            ("CE*", "CD", false),
            ("*", "", true),
            ("B%NK", "BANK", true),
            ("B%NK", "BNK", false),
            ("A*B*C", "AXXBYYC", true),
            ("A*B*C", "AXXBYY", false),
            ("*A*A*A*A*B", &"A".repeat(200), false),
            ("PROD.*", "PROD.BANK", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(name), matches, "{pattern} {name}");
        }
    }

    #[test]
    fn the_more_specific_comes_first() {
        let mut patterns: Vec<_> =
            ["*", "B*", "BANK", "B%NK", "BA*", "BA*K", "BAN%", "B%*", "BANK*"].map(Pattern::new).into();
        patterns.sort_by(Pattern::by_specificity);
        let order: Vec<_> = patterns.iter().map(Pattern::as_str).collect();
        assert_eq!(order, ["BANK", "BANK*", "BAN%", "BA*K", "BA*", "B%NK", "B%*", "B*", "*"]);
    }
}
