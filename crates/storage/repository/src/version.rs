//! The state of a definition, a group or a list in short, for those who change only what they have seen.

use csd::{Csd, Definition, Request};

/// The version of what a request names: another one as soon as anything of it has changed. It guards against two who change the
/// same without knowing of each other; it proves nothing against one who means to be wrong.
pub fn version(csd: &Csd, asked: &Request) -> String {
    let text: String = match (&asked.group, &asked.list) {
        (Some(group), _) => {
            let is_named = |one: &&Definition| {
                asked.resource.is_none_or(|resource| one.resource == resource && one.name == asked.name)
            };
            csd.group(group).iter().filter(is_named).map(|one| format!("{one}\n")).collect()
        }
        (None, Some(list)) => csd.list(list).join(" "),
        (None, None) => String::new(),
    };
    format!("{:x}-{:08x}", text.len(), crc32fast::hash(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use csd::{Given, request};

    use super::*;

    fn csd(text: &str) -> Csd {
        let text = csd::Text { name: "a.csd".into(), text: text.into(), writable: true };
        csd::read(&[text], &jcl::Tokens::new())
    }

    fn version_of(csd: &Csd, asked: &str) -> String {
        version(csd, &request(asked, Given::Anywhere).expect("a request"))
    }

    #[test]
    fn a_version_is_of_what_is_named_alone() {
        let before = csd("DEFINE PROGRAM(A) GROUP(G)\nDEFINE PROGRAM(B) GROUP(G)\nADD GROUP(G) LIST(L)");
        let after = csd(
            "DEFINE PROGRAM(A) GROUP(G) STATUS(DISABLED)\nDEFINE PROGRAM(B) GROUP(G)\nADD GROUP(G) LIST(L)",
        );
        for (asked, same) in [
            ("ALTER PROGRAM(A) GROUP(G)", false),
            ("ALTER PROGRAM(B) GROUP(G)", true),
            ("DELETE GROUP(G)", false),
            ("DELETE LIST(L)", true),
        ] {
            assert_eq!(version_of(&before, asked) == version_of(&after, asked), same, "{asked}");
        }
        assert_ne!(
            version_of(&before, "ALTER PROGRAM(A) GROUP(G)"),
            version_of(&before, "ALTER PROGRAM(C) GROUP(G)")
        );
    }
}
