//! Names with their schemas.

/// The full name of something: its schema, a point and its own name, as no other has it. A schema with a point or a quote in it stands
/// between quotes; without a schema it is the name itself.
pub fn full_name(schema: &str, name: &str) -> String {
    match schema {
        "" => name.to_owned(),
        _ if schema.contains(['.', '"']) => format!("\"{}\".{name}", schema.replace('"', "\"\"")),
        _ => format!("{schema}.{name}"),
    }
}

/// The schema and the own name of a full name.
pub fn parts(full: &str) -> (String, &str) {
    let Some(quoted) = full.strip_prefix('"') else {
        return match full.split_once('.') {
            Some((schema, name)) => (schema.to_owned(), name),
            None => (String::new(), full),
        };
    };
    let mut from = 0;
    while let Some(at) = quoted[from..].find('"').map(|at| from + at) {
        let behind = &quoted[at + 1..];
        match behind.strip_prefix('.') {
            Some(name) => return (quoted[..at].replace("\"\"", "\""), name),
            None => from = at + 2,
        }
        if from > quoted.len() {
            break;
        }
    }
    (String::new(), full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_name_has_its_parts_again() {
        for (schema, name) in [("BANK", "ACCT"), ("", "ACCT"), ("A.B", "C"), ("A", "B.C"), ("A\".B", "C\".D")]
        {
            assert_eq!(parts(&full_name(schema, name)), (schema.to_owned(), name), "{schema} {name}");
        }
        assert_ne!(full_name("A.B", "C"), full_name("A", "B.C"));
    }
}
