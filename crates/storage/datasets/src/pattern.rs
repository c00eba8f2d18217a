//! Generic names: `A.*.C` for one qualifier, `A.**` for any.

/// Returns true if a name has wildcards.
pub(crate) fn is_generic(pattern: &str) -> bool {
    pattern.contains(['*', '%'])
}

/// Returns true if a name fits a pattern: `*` matches one qualifier or the rest of one, `%` one character, and `**` any
/// number of qualifiers.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('.').collect();
    let name: Vec<&str> = name.split('.').collect();
    qualifiers(&pattern, &name)
}

/// Returns true if a name is below a level.
pub(crate) fn is_below(level: &str, name: &str) -> bool {
    let depth = level.split('.').count();
    let head: Vec<&str> = name.split('.').take(depth).collect();
    name.split('.').count() > depth && matches(level, &head.join("."))
}

fn qualifiers(pattern: &[&str], name: &[&str]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=name.len()).any(|skipped| qualifiers(rest, &name[skipped..])),
        (Some((first, pattern)), Some((own, name))) => {
            characters(first.as_bytes(), own.as_bytes()) && qualifiers(pattern, name)
        }
        _ => false,
    }
}

fn characters(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => (0..=text.len()).any(|skipped| characters(rest, &text[skipped..])),
        (Some((b'%', pattern)), Some((_, text))) => characters(pattern, text),
        (Some((a, pattern)), Some((b, text))) => a == b && characters(pattern, text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asterisk_is_one_qualifier_and_two_are_any() {
        for (pattern, name, fits) in [
            ("A.B", "A.B", true),
            ("A.*", "A.B", true),
            ("A.*", "A.B.C", false),
            ("A.*.C", "A.B.C", true),
            ("A.B*", "A.BCD", true),
            ("A.B%", "A.BCD", false),
            ("A.**", "A.B.C", true),
            ("**", "A", true),
            ("A.**.D", "A.B.C.D", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} and {name}");
        }
        assert!(is_below("A.B", "A.B.C") && !is_below("A.B", "A.BC.D") && !is_below("A.B", "A.B"));
    }
}
