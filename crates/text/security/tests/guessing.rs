//! Those who guess passwords, with a clock of the test's own.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use security::guesses::{Guesses, Refused, Revocation, UserId};

const ANNA: UserId = *b"ANNA    ";
const OPER: UserId = *b"OPER    ";

const fn at(last: u8) -> Option<IpAddr> {
    Some(IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)))
}

fn user(number: u32) -> UserId {
    let mut id = *b"        ";
    let text = format!("U{number}");
    id[..text.len()].copy_from_slice(text.as_bytes());
    id
}

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Guesses as fast as allowed for an hour; returns the number of checked guesses.
fn checked_in_an_hour(guesses: &Guesses, user: impl Fn(u32) -> UserId, address: Option<IpAddr>) -> u32 {
    let begin = Instant::now();
    let mut now = begin;
    let mut checked = 0;
    while now - begin < secs(3_600) {
        match guesses.begin(user(checked), address, now) {
            Ok(wait) => {
                now += wait + Duration::from_millis(20);
                guesses.was_wrong(user(checked), address, now);
                checked += 1;
            }
            Err(_) => now += secs(1),
        }
    }
    checked
}

#[test]
fn guessing_takes_long() {
    let checked = checked_in_an_hour(&Guesses::default(), |_| ANNA, at(1));
    assert!((100..150).contains(&checked), "{checked} passwords of one user");
    let checked = checked_in_an_hour(&Guesses::default(), user, at(1));
    assert!((100..160).contains(&checked), "{checked} passwords of many users");
}

#[test]
fn attempts_at_the_same_time_take_turns() {
    let (guesses, now) = (Guesses::default(), Instant::now());
    (0..6).for_each(|_| _ = guesses.was_wrong(ANNA, at(1), now));
    let waits: Vec<_> = (0..4).map(|_| guesses.begin(ANNA, at(1), now).map(|wait| wait.as_secs())).collect();
    assert_eq!(waits, [Ok(16), Err(Refused::TooMany), Err(Refused::TooMany), Err(Refused::TooMany)]);
}

#[test]
fn one_network_of_ipv6_is_one_address() {
    let (guesses, now) = (Guesses::default(), Instant::now());
    let host = |last: u16| Some(format!("2001:db8:1:2::{last:x}").parse().expect("an address"));
    (0..12).for_each(|last| _ = guesses.was_wrong(user(u32::from(last)), host(last), now));
    assert!(guesses.begin(OPER, host(99), now).is_ok_and(|wait| wait >= secs(1)));
}

/// 10,000 guesses from 50 addresses over an hour, at four accounts one of which is the operator's. The right passwords are
/// the 1,000th of each account's guesses.
#[test]
fn ten_thousand_guesses_find_nothing_and_lock_no_user_out() {
    for revocation in [Revocation::default(), Revocation { after: 10, lasts: secs(900) }] {
        let guesses = Guesses::new(revocation);
        let begin = Instant::now();
        guesses.was_right(OPER, at(200));
        let accounts = [OPER, ANNA, user(1), user(2)];
        let mut looked_at = [0; 4];
        let mut operator_waits = Duration::ZERO;
        for number in 0..10_000_u32 {
            let now = begin + Duration::from_millis(360) * number;
            let (account, address) = (number as usize % 4, at((number % 50) as u8));
            if let Ok(wait) = guesses.begin(accounts[account], address, now) {
                looked_at[account] += 1;
                guesses.was_wrong(accounts[account], address, now + wait);
            }
            // The operator comes from where the operator has been before, once a minute.
            if number % 166 == 0 {
                let wait = guesses.begin(OPER, at(200), now).expect("the operator is let in");
                operator_waits = operator_waits.max(wait);
                guesses.was_right(OPER, at(200));
            }
        }
        // Without revocation, all of an account's guesses that are looked at in an hour.
        let most = if revocation.after == 0 { 1_000 } else { 60 };
        assert!(looked_at.iter().all(|count| *count < most), "{looked_at:?} with {revocation:?}");
        assert_eq!(operator_waits, Duration::ZERO);
        assert!(guesses.remembered() < 300, "{}", guesses.remembered());
        // From a place where the operator is not known, five seconds or the end of the revocation.
        let later = begin + secs(3_600) + revocation.lasts;
        assert!(guesses.begin(OPER, at(201), later).is_ok_and(|wait| wait <= secs(5)));
    }
}

#[test]
fn a_flood_of_names_takes_no_memory_without_end_and_hides_no_guesses() {
    let (guesses, mut now) = (Guesses::default(), Instant::now());
    for number in 0..200_000_u32 {
        now += Duration::from_millis(1);
        guesses.was_wrong(user(number), at((number % 250) as u8), now);
    }
    assert!(guesses.remembered() <= 40_000, "{}", guesses.remembered());
    let checked = checked_in_an_hour(&guesses, |_| ANNA, at(251));
    assert!(checked < 200, "{checked} passwords of one user after the flood");
}

#[test]
fn a_revoked_user_is_let_in_again_and_where_known_at_once() {
    let guesses = Guesses::new(Revocation { after: 3, lasts: secs(600) });
    let begin = Instant::now();
    guesses.was_right(ANNA, at(1));
    assert!(!guesses.was_wrong(ANNA, at(2), begin) && !guesses.was_wrong(ANNA, at(3), begin));
    assert!(guesses.was_wrong(ANNA, at(4), begin), "the third");
    assert_eq!(guesses.begin(ANNA, at(5), begin), Err(Refused::Revoked));
    assert!(guesses.begin(ANNA, at(1), begin).is_ok(), "known there");
    assert!(guesses.begin(ANNA, at(5), begin + secs(600)).is_ok());
    // At a place where Anna is known, her own wrong passwords count.
    (0..3).for_each(|_| _ = guesses.was_wrong(ANNA, at(1), begin));
    assert_eq!(guesses.begin(ANNA, at(1), begin), Err(Refused::Revoked));
}
