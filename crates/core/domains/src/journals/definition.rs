//! JOURNALMODEL definitions.

use csd::{Definition, ResourceType};
use spec::{cmd, cond};

use super::{Model, StreamType};
use crate::journals::Journals;
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::registry::Defined;

/// The installation of a JOURNALMODEL definition. Journals that are open keep their streams.
pub static DEFINED: Defined = Defined {
    resource: ResourceType::Journalmodel,
    create: cmd::CREATE_JOURNALMODEL,
    discard: cmd::DISCARD_JOURNALMODEL,
    reads: &["TYPE", "JOURNALNAME", "STREAMNAME"],
    without_effect: &[],
    elsewhere: None,
    needs: &[&["JOURNALNAME"]],
    refuses: |_| Ok(()),
    install: |region, definition| {
        Journals::of(region).install(model(definition));
        Ok(())
    },
    may_replace: |_, _| Ok(()),
    may_discard,
    remove: |region, name| Journals::of(region).discard_model(Name8::new(name)),
    status: None,
};

/// RESP2 of NOTFND: no such model.
const NOT_FOUND: i32 = 1;

fn may_discard(region: &Region, name: &[u8]) -> Outcome {
    let name = Name8::new(name);
    let found = Journals::of(region).models().iter().any(|model| model.name == name);
    if found { Ok(()) } else { Err(cond::NOTFND.raise(NOT_FOUND)) }
}

fn model(definition: &Definition) -> Model {
    let is_dummy = definition.is("TYPE", "DUMMY");
    Model {
        name: Name8::from(definition.name.as_str()),
        journal: definition.get("JOURNALNAME").unwrap_or_default().to_ascii_uppercase(),
        stream_name: definition.get("STREAMNAME").unwrap_or_default().to_owned(),
        stream_type: if is_dummy { StreamType::Dummy } else { StreamType::File },
    }
}
