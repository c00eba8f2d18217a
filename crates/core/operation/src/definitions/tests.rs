//! The registry against the published attributes, and against the code that reads them.

use csd::{ResourceType, attributes_of};

use crate::start::bring_domains;

use super::all;

#[test]
fn every_attribute_is_published_and_stands_in_one_list() {
    bring_domains();
    for defined in all() {
        let without = defined.without_effect.iter().map(|(name, _)| name);
        let needed = defined.needs.iter().copied().flatten();
        for name in defined.reads.iter().chain(without.clone()).chain(needed) {
            let published = attributes_of(defined.resource).iter().any(|spec| spec.name == *name);
            assert!(published, "{} {name}", defined.resource);
        }
        for name in without {
            assert!(!defined.reads.contains(name), "{} {name}", defined.resource);
        }
    }
}

/// The files that read definitions.
const CODE: [(ResourceType, &str); 11] = [
    (ResourceType::Doctemplate, include_str!("../../../domains/src/documents/definition.rs")),
    (ResourceType::Enqmodel, include_str!("../../../domains/src/enqueue/definition.rs")),
    (ResourceType::File, include_str!("../../../domains/src/files/definition.rs")),
    (ResourceType::Journalmodel, include_str!("../../../domains/src/journals/definition.rs")),
    (ResourceType::Profile, include_str!("../system/profile.rs")),
    (ResourceType::Program, include_str!("../system/program/definition.rs")),
    (ResourceType::Tdqueue, include_str!("../../../domains/src/transient_data/definition.rs")),
    (ResourceType::Terminal, include_str!("../system/terminal/definition.rs")),
    (ResourceType::Tranclass, include_str!("../system/tranclass/definition.rs")),
    (ResourceType::Transaction, include_str!("../system/transaction/definition.rs")),
    (ResourceType::Tsmodel, include_str!("../../../domains/src/temporary_storage/definition.rs")),
];

#[test]
fn what_the_code_reads_is_in_the_list() {
    bring_domains();
    assert_eq!(CODE.len(), all().count());
    for (resource, code) in CODE {
        let defined = all().find(|defined| defined.resource == resource).expect("a row");
        for call in [".get(\"", ".flag(\"", "definition.is(\"", ".number(\"", "number(\""] {
            for after in code.split(call).skip(1) {
                let name = after.split('"').next().unwrap_or_default();
                let told = defined.without_effect.iter().any(|(other, _)| *other == name);
                let of_part = super::reads(ResourceType::Typeterm, name);
                assert!(defined.reads.contains(&name) || told || of_part, "{resource} {name}");
            }
        }
    }
}
