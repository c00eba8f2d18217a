//! Names of elements from names of fields, by the published rule.

/// An element's name: lower case, `_` for `-`, and `_` before a digit at the beginning.
pub fn element(field: &str) -> String {
    let mut name: String = field.to_ascii_lowercase().replace('-', "_");
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

/// The name, or the name with the first number that makes it another one than those beside it.
pub fn distinct(name: String, others: &[String]) -> String {
    if !others.contains(&name) {
        return name;
    }
    let numbered = (1..).map(|number| format!("{name}{number}"));
    numbered.into_iter().find(|numbered| !others.contains(numbered)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_become_elements() {
        assert_eq!(element("CA-REQUEST-ID"), "ca_request_id");
        assert_eq!(element("1ST-LINE"), "_1st_line");
        let others = ["a_b".to_owned(), "a_b1".to_owned()];
        assert_eq!(distinct("a_b".to_owned(), &others), "a_b2");
        assert_eq!(distinct("c".to_owned(), &others), "c");
    }
}
