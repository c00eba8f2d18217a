//! Patterns of names: `*` at the end for any more, `+` for any character.

/// Returns true if a pattern means a name.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let (beginning, is_generic) = match pattern.strip_suffix('*') {
        Some(beginning) => (beginning, true),
        None => (pattern, false),
    };
    let same = beginning.bytes().zip(name.bytes()).all(|(wanted, byte)| wanted == b'+' || wanted == byte);
    same && if is_generic { name.len() >= beginning.len() } else { name.len() == beginning.len() }
}

/// Which of two patterns counts: the one that says more.
pub(crate) fn particularity(pattern: &str) -> (bool, usize) {
    let letters = pattern.bytes().filter(|byte| !b"*+".contains(byte)).count();
    (letters == pattern.len(), letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_means_names_of_its_length_or_longer_ones() {
        for (pattern, name, is_meant) in [
            ("PAYS", "PAYS", true),
            ("PAYS", "PAY", false),
            ("PAY", "PAYS", false),
            ("PAY*", "PAY", true),
            ("PAY*", "PAYS", true),
            ("P+YS", "PXYS", true),
            ("P+*", "P", false),
            ("*", "ANY", true),
        ] {
            assert_eq!(fits(pattern, name), is_meant, "{pattern} {name}");
        }
        assert!(particularity("PAYS") > particularity("PAY*") && particularity("PAY*") > particularity("*"));
    }

    #[test]
    fn the_most_particular_pattern_counts() {
        let patterns = ["*", "P*", "PA+S", "PAYS"];
        let best = |name| patterns.into_iter().filter(|p| fits(p, name)).max_by_key(|p| particularity(p));
        assert_eq!(best("PAYS"), Some("PAYS"));
        assert_eq!(best("PASS"), Some("PA+S"));
        assert_eq!(best("PX"), Some("P*"));
        assert_eq!(best("A"), Some("*"));
        assert!(!fits("PAY", "PAYS") && !fits("PAYS", "PAY"));
    }
}
