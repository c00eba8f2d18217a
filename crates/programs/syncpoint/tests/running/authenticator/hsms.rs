//! HSMs that die, fall silent, answer wrongly and come back, while terminals work: every request has its answer.

use std::time::Instant;

use super::house::{Hsm, Issuer, Load, Service, Wanted};
use crate::house::PATIENCE;

/// Messages of each terminal in a run whose end is waited for.
const MESSAGES: &str = "200";
/// More than a terminal can send before it is stopped.
const ENDLESS: &str = "1000000";

/// Every message of a run has the answer that it should have.
fn all_answered(load: Load, service: &Service) -> String {
    let (output, said) = load.ended();
    assert!(output.status.success(), "{said}\n{}", service.region.log());
    said
}

/// Waits until the health display shows so many channels up at an HSM.
fn until_up(service: &Service, hsm: &Hsm, channels: usize) {
    let mut terminal = service.region.terminal();
    let begun = Instant::now();
    loop {
        terminal.start("AHLT");
        let shown = terminal.shows();
        let up = |line: &&str| line.contains(&hsm.shown()) && line.contains(" UP ");
        if shown.lines().filter(up).count() == channels {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "not {channels} channels to {}:\n{shown}", hsm.shown());
    }
}

#[test]
fn when_one_of_two_hsms_dies_the_other_does_its_work_until_it_is_back() {
    let (one, other) = (Hsm::start(&[]), Hsm::start(&[]));
    let issuer = Issuer::new(&Wanted::with(&[&one, &other]));
    let service = issuer.open();
    until_up(&service, &one, 4);
    until_up(&service, &other, 4);
    all_answered(issuer.load(&service, &["--messages", MESSAGES]), &service);

    let mut load = issuer.load(&service, &["--messages", ENDLESS]);
    load.works();
    one.signal("KILL");
    load.works();
    until_up(&service, &other, 8);
    let said = load.stopped();
    assert!(!said.contains('!'), "a request was lost:\n{said}");

    // As many messages as before: with eight channels to one HSM nothing waits for the other.
    all_answered(issuer.load(&service, &["--messages", MESSAGES]), &service);

    let mut load = issuer.load(&service, &["--messages", ENDLESS]);
    load.works();
    let back = one.again();
    until_up(&service, &back, 4);
    until_up(&service, &other, 4);
    load.works();
    let said = load.stopped();
    assert!(!said.contains('!'), "a request was lost:\n{said}");
}

#[test]
fn what_an_hsm_does_wrong_costs_no_request() {
    let faults: [&[&str]; 4] =
        [&["--close", "5"], &["--wrong", "5"], &["--drop", "1"], &["--late", "1", "--late-by", "1500"]];
    for fault in faults {
        let (bad, good) = (Hsm::start(fault), Hsm::start(&[]));
        let issuer = Issuer::new(&Wanted { hsm_seconds: 1, ..Wanted::with(&[&bad, &good]) });
        let service = issuer.open();
        all_answered(issuer.load(&service, &["--messages", MESSAGES]), &service);
    }
}

#[test]
fn an_hsm_that_falls_silent_in_mid_request_is_left() {
    let (one, other) = (Hsm::start(&[]), Hsm::start(&[]));
    let issuer = Issuer::new(&Wanted { hsm_seconds: 1, ..Wanted::with(&[&one, &other]) });
    let service = issuer.open();
    let mut load = issuer.load(&service, &["--messages", ENDLESS]);
    load.works();
    one.signal("STOP");
    load.works();
    until_up(&service, &other, 8);
    one.signal("CONT");
    until_up(&service, &one, 4);
    let said = load.stopped();
    assert!(!said.contains('!'), "a request was lost:\n{said}");
}

#[test]
fn channels_for_which_an_hsm_has_no_connection_go_to_another() {
    let (small, large) = (Hsm::start(&["--connections", "2"]), Hsm::start(&[]));
    let issuer = Issuer::new(&Wanted { channels: 64, ..Wanted::with(&[&small, &large]) });
    let service = issuer.open();
    service.region.terminal().until("AHLT", "64 channels are up:  2 + 62");
    all_answered(issuer.load(&service, &["--messages", MESSAGES]), &service);
    service.region.ends_in_order();
}

#[test]
fn without_an_hsm_the_answer_is_that_there_is_none() {
    let hsm = Hsm::start(&[]);
    let issuer = Issuer::new(&Wanted { hsm_seconds: 1, ..Wanted::with(&[&hsm]) });
    let service = issuer.open();
    hsm.signal("STOP");
    let (_, said) = issuer.load(&service, &["--messages", "2"]).ended();
    assert!(said.contains("8 × 91 no HSM !"), "{said}");
    hsm.signal("CONT");
    until_up(&service, &hsm, 8);
    all_answered(issuer.load(&service, &["--messages", MESSAGES]), &service);
}
