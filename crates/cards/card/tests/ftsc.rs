//! The transaction-specific code: the test vectors of the README, and a verifier's verdicts on codes.

use card::digits::Digits;
use card::ftsc::{Card, CardKey, Expected, FieldPlace, Layout, Moment, SubFields, Verdict, verify};
use card::key::Key;
use card::pan::Pan;

fn card() -> Card {
    Card {
        pan: Pan::new("4999990000000015").expect("digits"),
        sequence: Digits::parse("01").expect("2 digits"),
        expiry: Digits::parse("2712").expect("4 digits"),
        service_code: Digits::parse("201").expect("3 digits"),
    }
}

fn key() -> CardKey {
    CardKey::derive(&Key::parse("0123456789ABCDEFFEDCBA9876543210").expect("32 digits"), &card())
}

const TIMED: Layout = Layout {
    tib: FieldPlace { position: 1, length: 3 },
    cv: FieldPlace { position: 4, length: 4 },
    tcb: FieldPlace { position: 8, length: 2 },
    sib: FieldPlace { position: 0, length: 0 },
};
/// A security code of three digits: nothing but the code value.
const BARE: Layout = Layout {
    tib: FieldPlace { position: 0, length: 0 },
    cv: FieldPlace { position: 1, length: 3 },
    tcb: FieldPlace { position: 0, length: 0 },
    sib: FieldPlace { position: 0, length: 0 },
};

fn issue(counter: u32, time: u32, layout: &Layout) -> SubFields {
    key().issue(&card(), &Moment { counter, time, status: 1 }, layout)
}

fn judge(received: &SubFields, last_counter: u32, window: u32) -> Verdict {
    verify(&key(), &card(), received, &Expected { last_counter, window, time: 29_876_543, tolerance: 5 })
}

#[test]
fn the_vectors_of_the_readme() {
    let readme = include_str!("../README.md");
    assert!(readme.contains(&key().check_value()), "card key check value {}", key().check_value());
    for (counter, time, layout) in [
        (1, 0, Layout::SAMPLE),
        (17, 0, Layout::SAMPLE),
        (100_042, 0, Layout::SAMPLE),
        (17, 29_876_543, TIMED),
        (17, 0, BARE),
    ] {
        let fields = issue(counter, time, &layout);
        let row = format!(
            "| {counter} | {time} | {} | {} | {} | {} |",
            fields.tib, fields.cv, fields.tcb, fields.sib
        );
        assert!(readme.contains(&row), "{row}");
    }
}

#[test]
fn a_new_code_is_authentic_and_an_old_one_replayed() {
    let authentic = |counter| Verdict::Authentic { counter, time: 0 };
    for (counter, last, expected) in [
        (1, 0, authentic(1)),
        (17, 16, authentic(17)),
        (26, 16, authentic(26)),
        (27, 16, Verdict::OutsideWindow),
        (16, 16, Verdict::Replayed { counter: 16 }),
        (7, 16, Verdict::Replayed { counter: 7 }),
        (6, 16, Verdict::OutsideWindow),
        (100_005, 99_998, authentic(100_005)),
    ] {
        assert_eq!(judge(&issue(counter, 0, &Layout::SAMPLE), last, 10), expected, "{counter} after {last}");
    }
}

#[test]
fn a_code_without_a_counter_block_is_searched() {
    assert_eq!(judge(&issue(20, 0, &BARE), 16, 10), Verdict::Authentic { counter: 20, time: 0 });
    assert_eq!(judge(&issue(12, 0, &BARE), 16, 10), Verdict::Replayed { counter: 12 });
    assert_eq!(judge(&issue(500, 0, &BARE), 16, 10), Verdict::Wrong);
}

#[test]
fn a_changed_code_is_wrong() {
    let good = issue(17, 0, &Layout::SAMPLE);
    for bad in [
        SubFields { cv: "000000".into(), ..good.clone() },
        SubFields { tcb: "00018".into(), ..good.clone() },
        SubFields { sib: "0".into(), ..good.clone() },
        SubFields { sib: "x".into(), ..good.clone() },
        SubFields { tcb: "é".into(), ..good.clone() },
        SubFields { cv: String::new(), ..good.clone() },
    ] {
        assert_eq!(judge(&bad, 16, 10), Verdict::Wrong, "{bad:?}");
    }
    let other = Card { sequence: Digits::parse("02").expect("2 digits"), ..card() };
    let expected = Expected { last_counter: 16, window: 10, time: 0, tolerance: 0 };
    assert_eq!(verify(&key(), &other, &good, &expected), Verdict::Wrong);
}

#[test]
fn the_time_of_a_code_is_near_the_issuers() {
    for (time, expected) in [
        (29_876_543, Verdict::Authentic { counter: 17, time: 29_876_543 }),
        (29_876_538, Verdict::Authentic { counter: 17, time: 29_876_538 }),
        (29_876_549, Verdict::OutsideTime),
    ] {
        assert_eq!(judge(&issue(17, time, &TIMED), 16, 10), expected, "{time}");
    }
    let border = Expected { last_counter: 16, window: 10, time: 1001, tolerance: 5 };
    let received = issue(17, 998, &TIMED);
    assert_eq!(verify(&key(), &card(), &received, &border), Verdict::Authentic { counter: 17, time: 998 });
}

#[test]
fn the_ends_of_the_counter() {
    let received = issue(u32::MAX, 0, &Layout::SAMPLE);
    assert_eq!(judge(&received, u32::MAX - 1, 10), Verdict::Authentic { counter: u32::MAX, time: 0 });
    assert_eq!(judge(&received, u32::MAX, 10), Verdict::Replayed { counter: u32::MAX });
}
