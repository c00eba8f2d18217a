//! Versions of OSGi bundles, and ranges of them.

use std::cmp::Ordering;
use std::fmt;

/// A version: `major.minor.micro.qualifier`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    numbers: [u32; 3],
    qualifier: String,
}

impl Version {
    /// Reads one; what is missing at its end is 0.
    pub fn read(text: &str) -> Option<Self> {
        let mut version = Self::default();
        let mut words = text.trim().splitn(4, '.');
        for number in &mut version.numbers {
            let Some(word) = words.next() else { break };
            *number = word.parse().ok()?;
        }
        let qualifier = words.next().unwrap_or_default();
        let is_good = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        version.qualifier = qualifier.to_owned();
        qualifier.chars().all(is_good).then_some(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, micro] = self.numbers;
        write!(f, "{major}.{minor}.{micro}")?;
        if self.qualifier.is_empty() { Ok(()) } else { write!(f, ".{}", self.qualifier) }
    }
}

/// Versions of which one is wanted: `1.0.2` is this one alone, `[1.0,2.0)` all from 1.0 on, but not 2.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// As it is written.
    text: String,
    low: Version,
    with_low: bool,
    high: Version,
    with_high: bool,
}

impl Range {
    /// Reads one.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let of =
            |low, with_low, high, with_high| Self { text: text.to_owned(), low, with_low, high, with_high };
        let Some(inner) = text.strip_prefix(['[', '(']) else {
            let version = Version::read(text)?;
            return Some(of(version.clone(), true, version, true));
        };
        let inner = inner.strip_suffix([']', ')'])?;
        let (low, high) = inner.split_once(',')?;
        let (low, high) = (Version::read(low)?, Version::read(high)?);
        Some(of(low, text.starts_with('['), high, text.ends_with(']')))
    }

    /// Returns true if a version is within.
    pub fn includes(&self, version: &Version) -> bool {
        let above = match version.cmp(&self.low) {
            Ordering::Less => false,
            Ordering::Equal => self.with_low,
            Ordering::Greater => true,
        };
        let below = match version.cmp(&self.high) {
            Ordering::Less => true,
            Ordering::Equal => self.with_high,
            Ordering::Greater => false,
        };
        above && below
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_its_ends_or_not_and_a_version_is_itself_alone() {
        for (range, version, is_in) in [
            ("1.0.2", "1.0.2", true),
            ("1.0.2", "1.0.3", false),
            ("1.0", "1.0.0", true),
            ("[1.0,2.0)", "1.0.0", true),
            ("[1.0,2.0)", "1.10.0", true),
            ("[1.0,2.0)", "2.0.0", false),
            ("(1.0.0, 2.0.0]", "1.0.0", false),
            ("(1.0.0, 2.0.0]", "2.0.0", true),
            ("[1.0.0,2.0.0)", "1.0.0.SNAPSHOT", true),
        ] {
            let (range, version) = (Range::read(range).expect(range), Version::read(version).expect(version));
            assert_eq!(range.includes(&version), is_in, "{version} in {range}");
        }
        for wrong in ["", "a", "1.x", "[1.0", "[1.0]", "[1.0,2.0", "1.0.0.a b"] {
            assert_eq!(Range::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_a_qualifier_comes_behind() {
        let read = |text| Version::read(text).expect(text);
        assert!(read("1.10") > read("1.9.9"));
        assert!(read("1.0.0.b") > read("1.0.0.a") && read("1.0.0.a") > read("1"));
        assert_eq!(read("1.2").to_string(), "1.2.0");
        assert_eq!(read("1.2.3.rc").to_string(), "1.2.3.rc");
    }
}
