//! This domain's rows against the published attributes and values, as the kernel does for its own.

use crate::DOMAIN;
use crate::resources::choices::{
    ACCOUNTREC, AUTHTYPE, COMAUTHTYPE, CONNECTERROR, Choice, DISABLEDACT, DROLLBACK, ENTRY_THREADWAIT,
    NONTERMREL, PRIORITY, RESYNCMEMBER, SHARELOCKS, STANDBYMODE, THREADERROR, THREADWAIT,
};

#[test]
fn every_attribute_is_published_and_stands_in_one_list() {
    for kind in DOMAIN.kinds {
        // A resource without a definition cannot be changed by one.
        let Some(defined) = kind.defined else { continue };
        let attributes = csd::attributes_of(defined.resource);
        let without: Vec<_> = defined.without_effect.iter().map(|(name, _)| *name).collect();
        for name in defined.reads.iter().chain(&without) {
            assert!(attributes.iter().any(|attribute| attribute.name == *name), "{} {name}", kind.name);
        }
        assert!(!defined.reads.iter().any(|name| without.contains(name)), "{}", kind.name);
    }
}

const CHOICES: [&Choice; 14] = [
    &ACCOUNTREC,
    &AUTHTYPE,
    &COMAUTHTYPE,
    &CONNECTERROR,
    &DISABLEDACT,
    &DROLLBACK,
    &ENTRY_THREADWAIT,
    &NONTERMREL,
    &PRIORITY,
    &RESYNCMEMBER,
    &SHARELOCKS,
    &STANDBYMODE,
    &THREADERROR,
    &THREADWAIT,
];

#[test]
fn every_choice_is_a_cvda() {
    let states = ["NOTCONNECTED", "CONNECTING", "CONNECTED", "DISCONNING"];
    let said = CHOICES.iter().flat_map(|choice| choice.values.iter().map(|(_, cvda)| *cvda));
    for name in states.into_iter().chain(said) {
        assert!(spec::cvda(name).is_some(), "{name}");
    }
}
