//! CHECK: definitions that name others which are not among them.

use crate::{Definition, ResourceType};

/// A type, the attribute by which it names another, and that one's type.
const REFERENCES: &[(ResourceType, &str, ResourceType)] = &[
    (ResourceType::Db2tran, "ENTRY", ResourceType::Db2entry),
    (ResourceType::Sessions, "CONNECTION", ResourceType::Connection),
    (ResourceType::Terminal, "TYPETERM", ResourceType::Typeterm),
    (ResourceType::Transaction, "PROFILE", ResourceType::Profile),
    (ResourceType::Transaction, "PROGRAM", ResourceType::Program),
    (ResourceType::Transaction, "TRANCLASS", ResourceType::Tranclass),
    (ResourceType::Urimap, "PIPELINE", ResourceType::Pipeline),
    (ResourceType::Urimap, "PROGRAM", ResourceType::Program),
    (ResourceType::Urimap, "TCPIPSERVICE", ResourceType::Tcpipservice),
    (ResourceType::Urimap, "WEBSERVICE", ResourceType::Webservice),
    (ResourceType::Webservice, "PIPELINE", ResourceType::Pipeline),
];

/// The start of names that come with the product.
const SUPPLIED: &str = "DFH";

/// The doubts about definitions that are to be installed together.
pub fn check(definitions: &[&Definition]) -> Vec<String> {
    let mut doubts = Vec::new();
    for (at, definition) in definitions.iter().enumerate() {
        let Definition { resource, name, group, .. } = definition;
        let same = |d: &&&Definition| d.resource == *resource && d.name == *name;
        if let Some(other) = definitions[..at].iter().find(same) {
            doubts.push(format!("{resource} {name} of group {group} is in group {} too", other.group));
        }
        for (_, attribute, of) in REFERENCES.iter().filter(|(from, ..)| from == resource) {
            let Some(named) = definition.get(attribute).filter(|named| !named.starts_with(SUPPLIED)) else {
                continue;
            };
            if !definitions.iter().any(|d| d.resource == *of && d.name == named) {
                doubts.push(format!(
                    "{resource} {name} of group {group} refers to {of} {named}, which is not here"
                ));
            }
        }
    }
    doubts
}
