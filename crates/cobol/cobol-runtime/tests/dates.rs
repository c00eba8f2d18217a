//! Functions of dates.

#![allow(clippy::inconsistent_digit_grouping, reason = "year, month and day are the groups")]
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

use cobol_runtime::dates::{
    Epoch, date_of_integer, date_to_yyyymmdd, day_of_integer, day_to_yyyyddd, integer_of_date,
    integer_of_day, test_date, test_day, year_to_yyyy,
};

#[track_caller]
fn check(date: i64, day: i64, ansi: i64) {
    assert_eq!(integer_of_date(date, Epoch::Ansi), Some(ansi), "{date}");
    assert_eq!(integer_of_day(day, Epoch::Ansi), Some(ansi), "{day}");
    assert_eq!(date_of_integer(ansi, Epoch::Ansi), Some(date), "{ansi}");
    assert_eq!(day_of_integer(ansi, Epoch::Ansi), Some(day), "{ansi}");
    assert_eq!(integer_of_date(date, Epoch::Lilian), Some(ansi + 6653), "{date}");
}

#[test]
fn days_and_dates() {
    check(1601_01_01, 1601_001, 1);
    check(1601_12_31, 1601_365, 365);
    check(1970_01_01, 1970_001, 134_775);
    check(2000_02_29, 2000_060, 145_791);
    check(9999_12_31, 9999_365, 3_067_671);
}

#[test]
fn every_day_there_and_back() {
    let mut last = 0;
    for day in 1..=3_067_671 {
        let date = date_of_integer(day, Epoch::Ansi).unwrap();
        assert!(date > last, "{day}");
        last = date;
        assert_eq!(integer_of_date(date, Epoch::Ansi), Some(day));
        assert_eq!(day_of_integer(day, Epoch::Ansi).and_then(|d| integer_of_day(d, Epoch::Ansi)), Some(day));
    }
}

#[test]
fn what_is_no_date() {
    for (date, fault) in [
        (1600_12_31, 1),
        (10000_01_01, 1),
        (2026_13_01, 2),
        (2026_00_01, 2),
        (1900_02_29, 3),
        (2024_02_29, 0),
    ] {
        assert_eq!(test_date(date), fault, "{date}");
    }
    for (day, fault) in [(1600_001, 1), (2026_366, 2), (2024_366, 0), (2026_000, 2)] {
        assert_eq!(test_day(day), fault, "{day}");
    }
    for wild in [i64::MIN, -1, 0, i64::MAX] {
        assert_eq!((test_date(wild), test_day(wild)), (1, 1), "{wild}");
        for epoch in [Epoch::Ansi, Epoch::Lilian] {
            assert_eq!((date_of_integer(wild, epoch), day_of_integer(wild, epoch)), (None, None), "{wild}");
        }
        assert_eq!(year_to_yyyy(wild, wild, wild), None, "{wild}");
        assert_eq!(date_to_yyyymmdd(1, wild, wild), None, "{wild}");
        assert_eq!(day_to_yyyyddd(1, i64::MAX, wild), None, "{wild}");
    }
}

#[test]
fn years_of_two_digits() {
    assert_eq!(year_to_yyyy(75, 50, 2026), Some(2075));
    assert_eq!(year_to_yyyy(76, 50, 2026), Some(2076));
    assert_eq!(year_to_yyyy(77, 50, 2026), Some(1977));
    assert_eq!(year_to_yyyy(4, -10, 1994), Some(1904));
    assert_eq!(date_to_yyyymmdd(851_003, 10, 2002), Some(1985_10_03));
    assert_eq!(day_to_yyyyddd(10_004, 20, 2002), Some(2010_004));
}
