//! The licences of what the project is built with: each is one that may go with Apache-2.0, and comes from the one registry.
//!
//! Cargo's own account of them is enough, and it is on the machine. Known weaknesses need a list from outside: `make advisories`.

use std::path::Path;

use toml::Value;

use crate::metadata;

/// The file that names them, for cargo-deny as well.
const POLICY: &str = "deny.toml";
/// The origin of a package that is not the project's own.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Returns the faults of the packages that the lock file names.
pub(crate) fn complaints(root: &Path) -> Vec<String> {
    let policy = std::fs::read_to_string(root.join(POLICY)).unwrap_or_default();
    let allowed = allowed(&policy);
    match packages(root) {
        Ok(packages) => packages.iter().filter_map(|package| package.complaint(&allowed)).collect(),
        Err(why) => vec![format!("the licences of packages cannot be looked at: {why}")],
    }
}

/// A package that is not the project's own.
struct Package {
    name: String,
    source: String,
    /// An SPDX expression; empty if it has none.
    licence: String,
}

impl Package {
    fn complaint(&self, allowed: &[Allowed]) -> Option<String> {
        let Self { name, source, licence } = self;
        if source != REGISTRY {
            return Some(format!("Cargo.lock: {name} comes from {source}, not from crates.io"));
        }
        let of_all = allowed.iter().filter(|(of, _)| of.as_ref().is_none_or(|of| of == name));
        let licences: Vec<String> = of_all.map(|(_, licence)| licence.clone()).collect();
        (!holds(licence, &licences))
            .then(|| format!("Cargo.lock: {name} is licensed as “{licence}”, which {POLICY} does not allow"))
    }
}

/// A licence, of one package or of all.
type Allowed = (Option<String>, String);

/// The licences that the policy allows, and those that it allows one package.
fn allowed(policy: &str) -> Vec<Allowed> {
    let policy = policy.parse::<toml::Table>().unwrap_or_default();
    let licences = policy.get("licenses");
    let list = |table: Option<&Value>| -> Vec<String> {
        let list = table.and_then(|table| table.get("allow")).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned())).collect()
    };
    let exceptions = licences.and_then(|table| table.get("exceptions")).and_then(Value::as_array);
    let of_one = exceptions.into_iter().flatten().flat_map(|exception| {
        let of = exception.get("crate").and_then(Value::as_str).unwrap_or_default();
        list(Some(exception)).into_iter().map(move |licence| (Some(of.to_owned()), licence))
    });
    list(licences).into_iter().map(|licence| (None, licence)).chain(of_one).collect()
}

/// Returns true if an SPDX expression holds with these licences. A slash is an older way to write OR.
fn holds(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    either(&words, &mut at, allowed) && at == words.len()
}

fn either(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut holds = both(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        holds |= both(words, at, allowed);
    }
    holds
}

fn both(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut holds = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        holds &= one(words, at, allowed);
    }
    holds
}

/// A licence, perhaps with an exception, which only grants more; or an expression in parentheses.
fn one(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let word = words.get(*at).copied().unwrap_or_default();
    *at += 1;
    if word == "(" {
        let holds = either(words, at, allowed);
        *at += 1;
        return holds;
    }
    if words.get(*at) == Some(&"WITH") {
        *at += 2;
    }
    allowed.iter().any(|licence| licence == word)
}

/// All packages of the lock file but the project's own.
fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let metadata = metadata::read(root)?;
    let packages = metadata["packages"].as_array().ok_or("there are no packages")?;
    let text = |value: &serde_json::Value| metadata::text(value).to_owned();
    let foreign = packages.iter().filter(|package| package["source"].is_string());
    let package = |package: &serde_json::Value| Package {
        name: text(&package["name"]),
        source: text(&package["source"]),
        licence: text(&package["license"]),
    };
    Ok(foreign.map(package).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn an_expression_holds_as_its_words_say() {
        let allowed = names(&["MIT", "Apache-2.0", "ISC"]);
        for (expression, expected) in [
            ("MIT", true),
            ("MIT OR GPL-3.0", true),
            ("GPL-3.0 OR AGPL-3.0", false),
            ("MIT/Apache-2.0", true),
            ("MIT AND GPL-3.0", false),
            ("ISC AND (GPL-3.0 OR MIT)", true),
            ("(MIT OR GPL-3.0) AND GPL-3.0", false),
            ("GPL-3.0 OR MIT AND ISC", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("GPL-3.0 WITH Classpath-exception-2.0", false),
            ("", false),
            ("MIT ISC", false),
            ("(MIT", false),
        ] {
            assert_eq!(holds(expression, &allowed), expected, "{expression}");
        }
    }

    #[test]
    fn a_package_is_complained_of_by_its_licence_and_its_source() {
        let allowed = [(None, "MIT".to_owned()), (Some("toy".to_owned()), "AGPL-3.0".to_owned())];
        let package = |source: &str, licence: &str| Package {
            name: "thing".to_owned(),
            source: source.to_owned(),
            licence: licence.to_owned(),
        };
        assert_eq!(package(REGISTRY, "MIT").complaint(&allowed), None);
        assert_eq!(
            package(REGISTRY, "AGPL-3.0").complaint(&allowed).expect("a complaint"),
            "Cargo.lock: thing is licensed as “AGPL-3.0”, which deny.toml does not allow"
        );
        assert_eq!(
            package("git+https://example.org/thing", "MIT").complaint(&allowed).expect("a complaint"),
            "Cargo.lock: thing comes from git+https://example.org/thing, not from crates.io"
        );
    }

    #[test]
    fn the_policy_names_no_licence_that_would_bind_the_project() {
        let policy = std::fs::read_to_string(crate::root().join(POLICY)).expect("the policy");
        let allowed = allowed(&policy);
        assert!(allowed.contains(&(None, "Apache-2.0".to_owned())));
        assert!(allowed.iter().all(|(_, name)| !name.contains("GPL")), "{allowed:?}");
        assert_eq!(complaints(&crate::root()), Vec::<String>::new());
        assert!(packages(&crate::root()).expect("metadata").len() > 100);
    }
}
