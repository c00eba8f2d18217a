//! Functions of values: a call a line, with the value or the SQLCODE (`!`) that the published rules give it.

mod support;

use db2_values::Function as F;
use db2_values::{DateStyle, Function, Types, Unit, call};

use support::{expected, setting, values};

#[track_caller]
fn check(cases: &[(Function, &str, &str)]) {
    for (function, arguments, result) in cases {
        let (kinds, arguments_of) = values(arguments);
        let (kind, wanted) = expected(result);
        let types = Types { arguments: &kinds, result: kind };
        let found = call(*function, &arguments_of, types, &setting()).map_err(|unfit| unfit.code);
        assert_eq!(found, wanted, "{function:?}({arguments}) is not {result}");
    }
}

#[test]
fn null_makes_null() {
    check(&[
        (F::Upper, "CHAR(3) NULL", "CHAR(3) NULL"),
        (F::Substring, "CHAR(3) 'abc'; INTEGER NULL", "VARCHAR(3) NULL"),
        (F::Greatest, "INTEGER 1; INTEGER NULL", "INTEGER NULL"),
        (F::Coalesce, "INTEGER NULL; INTEGER 7", "INTEGER 7"),
        (F::Coalesce, "CHAR(2) 'AB'; CHAR(4) 'X'", "CHAR(4) 'AB  '"),
        (F::Coalesce, "DECIMAL(5,2) NULL; INTEGER 3", "DECIMAL(13,2) 3.00"),
        (F::Coalesce, "INTEGER NULL; INTEGER NULL", "INTEGER NULL"),
        (F::NullIf, "VARCHAR(5) 'AB'; CHAR(5) 'AB   '", "VARCHAR(5) NULL"),
        (F::NullIf, "VARCHAR(5) 'AB'; VARCHAR(5) NULL", "VARCHAR(5) 'AB'"),
    ]);
}

#[test]
fn parts_of_texts() {
    check(&[
        (F::Substring, "CHAR(6) 'abcdef'; INTEGER 3", "VARCHAR(6) 'cdef'"),
        (F::Substring, "CHAR(6) 'abcdef'; INTEGER 3; INTEGER 2", "CHAR(2) 'cd'"),
        (F::Substring, "CHAR(6) 'abcdef'; INTEGER 0; INTEGER 2", "CHAR(2) !-138"),
        (F::Substring, "CHAR(6) 'abcdef'; INTEGER 6; INTEGER 2", "CHAR(2) !-138"),
        (F::Substring, "CHAR(6) 'abcdef'; INTEGER 1; INTEGER -1", "CHAR(2) !-138"),
        (F::Substring, "VARCHAR(10) 'abc'; INTEGER 2; INTEGER 4", "CHAR(4) 'bc  '"),
        (F::Substring, "VARCHAR(10) 'abc'; INTEGER 5", "VARCHAR(10) ''"),
        (F::Substring, "VARCHAR(10) 'abc'; INTEGER 11", "VARCHAR(10) !-138"),
        (F::Left, "CHAR(6) 'abcdef'; INTEGER 2", "VARCHAR(6) 'ab'"),
        (F::Right, "CHAR(6) 'abcdef'; INTEGER 2", "VARCHAR(6) 'ef'"),
        (F::Right, "VARCHAR(6) 'ab'; INTEGER 0", "VARCHAR(6) ''"),
        (F::Left, "VARCHAR(6) 'ab'; INTEGER -1", "VARCHAR(6) !-138"),
        (F::Strip, "CHAR(6) '  ab  '", "VARCHAR(6) 'ab'"),
        (F::Strip, "CHAR(6) '      '", "VARCHAR(6) ''"),
        (F::StripRight, "CHAR(6) '  ab  '", "VARCHAR(6) '  ab'"),
        (F::StripLeft, "VARCHAR(6) '0012'; CHAR(1) '0'", "VARCHAR(6) '12'"),
        (F::Strip, "VARCHAR(6) '*a*b**'; CHAR(1) '*'", "VARCHAR(6) 'a*b'"),
        (F::Strip, "VARCHAR(6) 'ab'; VARCHAR(2) 'ab'", "VARCHAR(6) !-171"),
    ]);
}

#[test]
fn texts_in_texts() {
    check(&[
        (F::Position, "VARCHAR(20) 'out of order'; VARCHAR(2) 'of'", "INTEGER 5"),
        (F::Position, "VARCHAR(20) 'out'; VARCHAR(2) 'of'", "INTEGER 0"),
        (F::Position, "VARCHAR(20) 'out'; VARCHAR(2) ''", "INTEGER 1"),
        (F::Locate, "VARCHAR(2) 'or'; VARCHAR(20) 'or or'; INTEGER 2", "INTEGER 4"),
        (F::Locate, "VARCHAR(2) 'or'; VARCHAR(20) 'or or'; INTEGER 9", "INTEGER 0"),
        (F::Locate, "VARCHAR(2) 'or'; VARCHAR(20) 'or or'; INTEGER 0", "INTEGER !-171"),
        (F::LocateInString, "VARCHAR(20) 'ABRACADABRA'; CHAR(1) 'A'; INTEGER -1; INTEGER 2", "INTEGER 8"),
        (F::LocateInString, "VARCHAR(20) 'ABRACADABRA'; CHAR(1) 'A'; INTEGER 2; INTEGER 2", "INTEGER 6"),
        (F::LocateInString, "VARCHAR(20) 'AB'; CHAR(1) 'A'; INTEGER -9", "INTEGER 0"),
        (F::LocateInString, "VARCHAR(20) 'AB'; CHAR(1) 'A'; INTEGER 0", "INTEGER !-171"),
        (F::Replace, "VARCHAR(20) 'banana'; CHAR(1) 'a'; VARCHAR(2) 'oo'", "VARCHAR(40) 'boonoonoo'"),
        (F::Replace, "VARCHAR(20) 'banana'; VARCHAR(1) ''; CHAR(1) 'x'", "VARCHAR(40) 'banana'"),
        (F::Insert, "VARCHAR(20) 'abcd'; INTEGER 2; INTEGER 2; VARCHAR(3) 'XYZ'", "VARCHAR(23) 'aXYZd'"),
        (F::Insert, "VARCHAR(20) 'abcd'; INTEGER 5; INTEGER 0; CHAR(1) 'X'", "VARCHAR(23) 'abcdX'"),
        (F::Insert, "VARCHAR(20) 'abcd'; INTEGER 6; INTEGER 0; CHAR(1) 'X'", "VARCHAR(23) !-138"),
        (F::Overlay, "VARCHAR(20) 'abcd'; VARCHAR(2) 'XY'; INTEGER 2", "VARCHAR(22) 'aXYd'"),
        (F::Translate, "VARCHAR(5) 'abc'; VARCHAR(2) 'xy'; VARCHAR(3) 'abc'", "VARCHAR(5) 'xy '"),
        (
            F::Translate,
            "VARCHAR(5) 'abc'; VARCHAR(2) 'xy'; VARCHAR(3) 'abc'; CHAR(1) '.'",
            "VARCHAR(5) 'xy.'",
        ),
        (F::Translate, "VARCHAR(5) 'abc'", "VARCHAR(5) 'ABC'"),
    ]);
}

#[test]
fn texts_that_are_made() {
    check(&[
        (F::Upper, "VARCHAR(5) 'aé1'", "VARCHAR(5) 'AÉ1'"),
        (F::Lower, "CHAR(5) 'AÉ×'", "CHAR(5) 'aé×  '"),
        (F::Repeat, "CHAR(1) 'x'; INTEGER 3", "VARCHAR(4000) 'xxx'"),
        (F::Repeat, "CHAR(1) 'x'; INTEGER -1", "VARCHAR(4000) !-171"),
        (F::Repeat, "CHAR(1) 'x'; INTEGER 2000000000", "VARCHAR(4000) !-137"),
        (F::Space, "INTEGER 3", "VARCHAR(4000) '   '"),
        (F::Digits, "INTEGER -12", "CHAR(10) '0000000012'"),
        (F::Digits, "SMALLINT 12", "CHAR(5) '00012'"),
        (F::Digits, "DECIMAL(6,2) -6.28", "CHAR(6) '000628'"),
        (F::Hex, "CHAR(3) 'AB '", "VARCHAR(6) '414220'"),
        (F::Hex, "INTEGER -1", "VARCHAR(8) 'FFFFFFFF'"),
        (F::Hex, "SMALLINT 258", "VARCHAR(4) '0102'"),
        (F::Hex, "DECIMAL(5,2) -1.50", "VARCHAR(6) '00150D'"),
        (F::Hex, "DATE 2024-02-29", "VARCHAR(8) '20240229'"),
        (F::Soundex, "VARCHAR(20) 'Robert'", "CHAR(4) 'R163'"),
        (F::Soundex, "VARCHAR(20) 'Ashcraft'", "CHAR(4) 'A261'"),
        (F::Soundex, "VARCHAR(20) '12'", "CHAR(4) '    '"),
        (F::Difference, "VARCHAR(20) 'Robert'; VARCHAR(20) 'Rupert'", "INTEGER 4"),
    ]);
}

#[test]
fn lengths_in_bytes() {
    check(&[
        (F::Length, "CHAR(5) 'AB   '", "INTEGER 5"),
        (F::Length, "VARCHAR(5) 'AB '", "INTEGER 3"),
        (F::Length, "SMALLINT 1", "INTEGER 2"),
        (F::Length, "BIGINT 1", "INTEGER 8"),
        (F::Length, "DECIMAL(5,2) 1.50", "INTEGER 3"),
        (F::Length, "DECIMAL(6,2) 1.50", "INTEGER 4"),
        (F::Length, "DATE 2024-02-29", "INTEGER 4"),
        (F::Length, "TIME 10.00.00", "INTEGER 3"),
        (F::Length, "TIMESTAMP(6) 2024-02-29-10.00.00", "INTEGER 10"),
        (F::Length, "TIMESTAMP(12) 2024-02-29-10.00.00", "INTEGER 13"),
    ]);
}

#[test]
fn numbers() {
    check(&[
        (F::Modulo, "INTEGER -7; INTEGER 3", "INTEGER -1"),
        (F::Modulo, "DECIMAL(5,2) 7.50; INTEGER 2", "DECIMAL(11,2) 1.50"),
        (F::Modulo, "INTEGER 7; INTEGER 0", "INTEGER !-802"),
        (F::Absolute, "INTEGER -2147483648", "INTEGER !-802"),
        (F::Absolute, "DECIMAL(5,2) -1.50", "DECIMAL(5,2) 1.50"),
        (F::Ceiling, "DECIMAL(5,2) 1.50", "DECIMAL(5,0) 2"),
        (F::Ceiling, "DECIMAL(5,2) -1.50", "DECIMAL(5,0) -1"),
        (F::Floor, "DECIMAL(5,2) -1.50", "DECIMAL(5,0) -2"),
        (F::Floor, "DOUBLE 1.5", "DOUBLE 1"),
        (F::Round, "DECIMAL(6,3) 873.726; INTEGER 2", "DECIMAL(7,3) 873.730"),
        (F::Round, "DECIMAL(6,3) 873.726; INTEGER -1", "DECIMAL(7,3) 870.000"),
        (F::Round, "DECIMAL(6,3) 873.726; INTEGER -3", "DECIMAL(7,3) 1000.000"),
        (F::Round, "DECIMAL(6,3) 873.726; INTEGER -4", "DECIMAL(7,3) 0.000"),
        (F::Round, "DECIMAL(2,1) -2.5", "DECIMAL(3,1) -3.0"),
        (F::Truncate, "DECIMAL(6,3) 873.726; INTEGER 2", "DECIMAL(6,3) 873.720"),
        (F::Truncate, "INTEGER 1987; INTEGER -2", "INTEGER 1900"),
        (F::Sign, "DECIMAL(5,2) -1.50", "INTEGER -1"),
        (F::Sign, "DOUBLE 0", "DOUBLE 0"),
        (
            F::MultiplyAlternative,
            "DECIMAL(31,2) 100.00; DECIMAL(31,20) 1.50000000000000000000",
            "DECIMAL(31,0) 150",
        ),
        (F::BitAnd, "INTEGER 13; INTEGER 7", "INTEGER 5"),
        (F::BitNot, "INTEGER 0", "INTEGER -1"),
        (F::Greatest, "INTEGER 5; INTEGER 7; INTEGER -9", "INTEGER 7"),
        (F::Least, "DECIMAL(3,1) 5.5; INTEGER 7", "DECIMAL(12,1) 5.5"),
    ]);
}

#[test]
fn conversions() {
    check(&[
        (F::Convert, "DECIMAL(5,2) -1.99", "INTEGER -1"),
        (F::Convert, "DOUBLE 1e300", "INTEGER !-802"),
        (F::Convert, "INTEGER 32768", "SMALLINT !-802"),
        (F::Convert, "VARCHAR(9) ' 12.7 '", "INTEGER 12"),
        (F::Convert, "VARCHAR(9) '12x'", "INTEGER !-420"),
        (F::Convert, "VARCHAR(9) ''", "DECIMAL(5,0) !-420"),
        (F::Convert, "VARCHAR(9) '1E2'", "DOUBLE 100"),
        (F::Convert, "VARCHAR(9) 'inf'", "DOUBLE !-420"),
        (F::Convert, "DECIMAL(7,3) 12345.678", "DECIMAL(5,2) !-802"),
        (F::Convert, "DOUBLE 0.1", "DECIMAL(31,30) 0.100000000000000000000000000000"),
        (F::Convert, "INTEGER 12", "CHAR(11) '12         '"),
        (F::Convert, "DECIMAL(5,2) -1.50", "CHAR(7) '-1.50  '"),
        (F::Convert, "DECIMAL(5,2) -1.50", "CHAR(4) !-433"),
        (F::Convert, "DOUBLE 150", "CHAR(24) '1.5E2                   '"),
        (F::Convert, "DOUBLE 0", "VARCHAR(24) '0E0'"),
        (F::Convert, "VARCHAR(9) 'abcdef'", "CHAR(3) 'abc'"),
        (F::Convert, "DATE 2024-02-29", "CHAR(10) '2024-02-29'"),
        (F::Styled(DateStyle::Usa), "DATE 2024-02-29", "CHAR(10) '02/29/2024'"),
        (F::Styled(DateStyle::Eur), "DATE 2024-02-29", "CHAR(10) '29.02.2024'"),
        (F::Styled(DateStyle::Jis), "TIME 13.05.00", "CHAR(8) '13:05:00'"),
        (F::Styled(DateStyle::Usa), "TIME 13.05.00", "CHAR(8) '01:05 PM'"),
        (F::Convert, "TIMESTAMP(6) 2024-02-29-10.30.05.5", "CHAR(26) '2024-02-29-10.30.05.500000'"),
        (F::Convert, "VARCHAR(10) '2023-02-29'", "DATE !-181"),
        (F::Convert, "VARCHAR(10) 'today'", "DATE !-180"),
        (F::Convert, "DATE 2024-02-29", "TIMESTAMP(6) 2024-02-29-00.00.00"),
    ]);
}

#[test]
fn parts_of_dates_and_times() {
    check(&[
        (F::Year, "DATE 2024-02-29", "INTEGER 2024"),
        (F::Month, "VARCHAR(10) '29.02.2024'", "INTEGER 2"),
        (F::Day, "TIMESTAMP(6) 2024-02-29-10.30.05", "INTEGER 29"),
        (F::Day, "VARCHAR(10) '2023-02-29'", "INTEGER !-181"),
        (F::Hour, "TIME 24.00.00", "INTEGER 24"),
        (F::Minute, "VARCHAR(8) '1:05 PM'", "INTEGER 5"),
        (F::Second, "TIMESTAMP(6) 2024-02-29-10.30.05.9", "INTEGER 5"),
        (F::Microsecond, "TIMESTAMP(12) 2024-02-29-10.30.05.123456789", "INTEGER 123456"),
        (F::Days, "DATE 0001-01-01", "INTEGER 1"),
        (F::Days, "DATE 2000-01-01", "INTEGER 730120"),
        (F::JulianDay, "DATE 2000-01-01", "INTEGER 2451545"),
        (F::DayOfWeek, "DATE 2026-11-29", "INTEGER 1"),
        (F::DayOfWeekIso, "DATE 2026-11-29", "INTEGER 7"),
        (F::DayOfYear, "DATE 2024-12-31", "INTEGER 366"),
        (F::Week, "DATE 2026-01-04", "INTEGER 2"),
        (F::WeekIso, "DATE 2027-01-01", "INTEGER 53"),
        (F::Quarter, "DATE 2024-12-31", "INTEGER 4"),
        (F::MidnightSeconds, "TIME 13.30.05", "INTEGER 48605"),
        (F::Year, "DECIMAL(8,0) 260113", "INTEGER 26"),
        (F::Month, "DECIMAL(8,0) -260113", "INTEGER -1"),
        (F::Hour, "DECIMAL(6,0) 13005", "INTEGER 1"),
        (F::Day, "DECIMAL(20,6) 20000230000.500000", "INTEGER 0"),
        (F::Second, "DECIMAL(20,6) 20000230059.500000", "INTEGER 59"),
        (F::Microsecond, "DECIMAL(20,6) 59.500000", "INTEGER 500000"),
        (F::Year, "DECIMAL(9,0) 260113", "INTEGER !-171"),
        (F::Hour, "DATE 2024-02-29", "INTEGER !-171"),
    ]);
}

#[test]
fn dates_and_times_that_are_made() {
    check(&[
        (F::Date, "VARCHAR(7) '2024366'", "DATE 2024-12-31"),
        (F::Date, "VARCHAR(7) '2023366'", "DATE !-181"),
        (F::Date, "INTEGER 730120", "DATE 2000-01-01"),
        (F::Date, "INTEGER 0", "DATE !-181"),
        (F::Time, "TIMESTAMP(6) 2024-02-29-10.30.05.9", "TIME 10.30.05"),
        (F::Timestamp, "VARCHAR(14) '20240229103005'", "TIMESTAMP(6) 2024-02-29-10.30.05"),
        (F::Timestamp, "DATE 2024-02-29; TIME 10.30.05", "TIMESTAMP(6) 2024-02-29-10.30.05"),
        (F::Timestamp, "VARCHAR(10) '29.02.2024'; VARCHAR(8) '1:05 PM'", "TIMESTAMP(6) 2024-02-29-13.05.00"),
        (F::LastDay, "DATE 2024-02-10", "DATE 2024-02-29"),
        (F::NextDay, "DATE 2026-11-29; VARCHAR(9) 'Sunday'", "DATE 2026-12-06"),
        (F::NextDay, "DATE 2026-11-29; VARCHAR(9) 'x'", "DATE !-171"),
        (F::AddMonths, "DATE 2023-02-28; INTEGER 12", "DATE 2024-02-29"),
        (F::AddMonths, "DATE 2024-01-30; INTEGER 1", "DATE 2024-02-29"),
        (F::MonthsBetween, "DATE 2024-02-29; DATE 2024-01-31", "DECIMAL(31,15) 1.000000000000000"),
        (F::MonthsBetween, "DATE 2024-03-01; DATE 2024-02-29", "DECIMAL(31,15) 0.096774193548388"),
        (
            F::TimestampFormat,
            "VARCHAR(20) '20240229'; VARCHAR(8) 'YYYYMMDD'",
            "TIMESTAMP(6) 2024-02-29-00.00.00",
        ),
        (F::TimestampFormat, "VARCHAR(20) '20230229'; VARCHAR(8) 'YYYYMMDD'", "TIMESTAMP(6) !-20448"),
        (F::VarcharFormat, "TIMESTAMP(6) 2024-02-29-13.05.00; VARCHAR(8) 'HH24:MI'", "VARCHAR(8) '13:05'"),
        (F::TimestampDifference, "INTEGER 16; CHAR(22) '00000001000000.000000 '", "INTEGER 1"),
        (F::TimestampDifference, "INTEGER 64; CHAR(22) '-00000201000000.000000'", "INTEGER -2"),
        (F::TimestampDifference, "INTEGER 3; CHAR(22) '1'", "INTEGER !-171"),
        (
            F::TruncateTimestamp,
            "TIMESTAMP(6) 2024-02-29-13.05.09.5; VARCHAR(2) 'MM'",
            "TIMESTAMP(6) 2024-02-01-00.00.00",
        ),
        (
            F::TruncateTimestamp,
            "TIMESTAMP(6) 2024-02-29-13.05.09.5; VARCHAR(2) 'MI'",
            "TIMESTAMP(6) 2024-02-29-13.05.00",
        ),
        (F::TruncateTimestamp, "TIMESTAMP(6) 2024-02-29-13.05.09.5", "TIMESTAMP(6) 2024-02-29-00.00.00"),
    ]);
}

#[test]
fn durations() {
    use Unit::{Days, Hours, Microseconds, Minutes, Months, Seconds, Years};
    check(&[
        (F::Later(Years), "DATE 2024-02-29; INTEGER 1", "DATE 2025-02-28"),
        (F::Later(Months), "DATE 2026-01-31; INTEGER 1", "DATE 2026-02-28"),
        (F::Earlier(Months), "DATE 2026-03-31; INTEGER 1", "DATE 2026-02-28"),
        (F::Earlier(Days), "DATE 2024-03-01; DECIMAL(3,1) 1.9", "DATE 2024-02-29"),
        (F::Later(Days), "DATE 9999-12-31; INTEGER 1", "DATE !-183"),
        (F::Later(Minutes), "TIME 23.30.00; INTEGER 90", "TIME 01.00.00"),
        (F::Later(Hours), "TIMESTAMP(6) 2024-02-28-23.00.00; INTEGER 2", "TIMESTAMP(6) 2024-02-29-01.00.00"),
        (
            F::Earlier(Seconds),
            "TIMESTAMP(6) 2024-03-01-00.00.00; DECIMAL(2,1) 0.5",
            "TIMESTAMP(6) 2024-02-29-23.59.59.5",
        ),
        (
            F::Later(Microseconds),
            "TIMESTAMP(6) 2024-02-29-00.00.00; INTEGER 7",
            "TIMESTAMP(6) 2024-02-29-00.00.00.000007",
        ),
        (F::Later(Days), "DATE 2024-02-29; INTEGER NULL", "DATE NULL"),
        (F::Forward, "DATE 2026-01-31; DECIMAL(8,0) 10101", "DATE 2027-03-01"),
        (
            F::Backward,
            "TIMESTAMP(6) 2026-01-31-10.00.00; DECIMAL(6,0) 20000",
            "TIMESTAMP(6) 2026-01-31-08.00.00",
        ),
        (F::Apart, "DATE 2026-03-15; DATE 2000-03-15", "DECIMAL(8,0) 260000"),
        (F::Apart, "DATE 2024-02-29; VARCHAR(10) '2025-02-28'", "DECIMAL(8,0) -1128"),
        (F::Apart, "TIME 10.00.00; TIME 11.30.05", "DECIMAL(6,0) -13005"),
    ]);
    let setting = setting();
    let (kinds, arguments) = values("DATE 2026-01-31; INTEGER 1");
    let types = Types { arguments: &kinds, result: kinds[0] };
    call(F::Later(Months), &arguments, types, &setting).unwrap();
    assert!(setting.warnings.get().is_adjusted, "a day that there is not has no warning");
}
