//! This domain's rows against the published records, as the kernel does for its own.

use kernel::exec::Handler;
use kernel::exec::value::Value;
use spec::Status;

use crate::DOMAIN;

#[test]
fn commands_are_built_as_their_records_say() {
    let own = DOMAIN.commands.iter().copied().flatten();
    for (command, handler) in own {
        let record = spec::commands().iter().find(|record| record.id == *command).expect("a record");
        assert_ne!(record.status, Status::NotYet, "{}", record.name);
        assert_eq!(record.suspends, !matches!(handler, Handler::Now(_)), "{} waits", record.name);
    }
    for kind in DOMAIN.kinds {
        let defined = kind.defined.expect("they are defined");
        for command in [defined.create, defined.discard] {
            let record = spec::commands().iter().find(|record| record.id == command).expect("a record");
            assert!(record.status != Status::NotYet && record.suspends, "{}", record.name);
        }
        let attributes = csd::attributes_of(defined.resource);
        for name in defined.reads.iter().chain(defined.without_effect.iter().map(|(name, _)| name)) {
            assert!(attributes.iter().any(|attribute| attribute.name == *name), "{} {name}", kind.name);
        }
    }
}

#[test]
fn every_choice_is_a_cvda() {
    for name in ["NOTCONNECTED", "CONNECTING", "CONNECTED", "DISCONNING", "TWAIT", "NOTWAIT", "TPOOL", "POOL"]
    {
        assert!(spec::cvda(name).is_some() && matches!(Value::Cvda(name), Value::Cvda(_)), "{name}");
    }
}
