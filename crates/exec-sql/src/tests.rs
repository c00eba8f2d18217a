//! This domain's rows against the published attributes and values, as the kernel does for its own.

use crate::DOMAIN;

#[test]
fn every_attribute_is_published_and_stands_in_one_list() {
    for kind in DOMAIN.kinds {
        let defined = kind.defined.expect("they are defined");
        let attributes = csd::attributes_of(defined.resource);
        let without: Vec<_> = defined.without_effect.iter().map(|(name, _)| *name).collect();
        for name in defined.reads.iter().chain(&without) {
            assert!(attributes.iter().any(|attribute| attribute.name == *name), "{} {name}", kind.name);
        }
        assert!(!defined.reads.iter().any(|name| without.contains(name)), "{}", kind.name);
    }
}

#[test]
fn every_choice_is_a_cvda() {
    let states = ["NOTCONNECTED", "CONNECTING", "CONNECTED", "DISCONNING"];
    let choices = ["TWAIT", "NOTWAIT", "TPOOL", "POOL", "NOCONNECT", "RECONNECT", "RELEASE", "NORELEASE"];
    for name in states.into_iter().chain(choices) {
        assert!(spec::cvda(name).is_some(), "{name}");
    }
}
