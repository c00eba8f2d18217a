//! The sample Authenticator, whole: test HSMs, a region, simulated terminals.

mod clones;
mod connections;
mod house;
mod hsms;
mod kills;
mod not_present;
mod panels;

use std::fs;

use house::{Hsm, Issuer, Wanted};

#[test]
fn cards_are_authenticated_and_what_is_wrong_is_told() {
    let hsm = Hsm::start(&[]);
    let issuer = Issuer::new(&Wanted::with(&[&hsm]));
    let service = issuer.open();
    let mix = "wrong=10,replayed=10,unknown-bin=10,malformed=10,short=5,oversized=5";
    let load = issuer.load(&service, &["--messages", "50", "--mix", mix]);
    let (output, said) = load.ended();
    assert!(output.status.success(), "{said}\n{}", service.region.log());
    for line in ["× 00 authentic", "× 05 wrong code", "× 63 replayed counter", "× 14 unknown BIN"] {
        assert!(said.contains(line), "no “{line}” in\n{said}");
    }
    issuer.replay(&service);
    service.region.ends_in_order();

    // A connection for each of 200 messages, and for each card of which a counter was accepted; eight to the HSM.
    let ledger = issuer.ledger();
    let cards = (0..4).flat_map(|terminal| (0..10).map(move |card| (format!("t{terminal:05}"), card)));
    let accepted = cards
        .filter_map(|(terminal, card)| ledger.card(&terminal, card))
        .filter(|card| !card.accepted.is_empty());
    let clients = 200 + accepted.count() as u64;
    let statistics = issuer.report(&["statistics", "application"]);
    for (field, value) in [
        ("SPKACC", clients),
        ("SPKGIVEN", clients),
        ("SOG_INB_SOCKETS_CREATED", clients),
        ("SOG_PEAK_OUTB_SOCKETS", 8),
    ] {
        let mut words = statistics
            .lines()
            .filter_map(|line| line.split_once(field)?.1.split_whitespace().next()?.parse().ok());
        assert_eq!(words.next(), Some(value), "{field}:\n{statistics}");
    }
}

#[test]
fn of_two_terminals_with_one_card_one_is_believed() {
    let hsm = Hsm::start(&[]);
    let issuer = Issuer::new(&Wanted { cards: 2, terminals: 2, ..Wanted::with(&[&hsm]) });
    let track = |terminal: &str| issuer.tracks().join(format!("{terminal}.trk"));
    fs::copy(track("t00000"), track("t00001")).expect("a copy of the card");
    let service = issuer.open();
    let (_, said) = issuer.load(&service, &["--messages", "50"]).ended();
    assert!(said.contains("× 63 replayed counter !"), "both were believed:\n{said}");
    let ledger = issuer.ledger();
    let accepted =
        |terminal| ledger.card(terminal, 0).map(|entry| entry.accepted.clone()).unwrap_or_default();
    let (one, other) = (accepted("t00000"), accepted("t00001"));
    assert!(one.is_disjoint(&other), "a counter was accepted twice: {one:?}, {other:?}");
    let all = one.union(&other).count() as u64;
    assert!(said.contains(&format!("{all} × 00 authentic")), "{all} are in the ledger:\n{said}");
}
