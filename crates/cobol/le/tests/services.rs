//! The services by their published examples.

use le::{
    Abend, CenturyWindow, Feedback, Fields, Now, Offset, SUCCESS, abend, cobol_days, date, datm, day_of_week,
    days, gmt, gmt_offset, isec, local_time, seci, secs, set_century, vstring,
};

/// The window of a program that runs in 1995: 1915 to 2014.
const IN_1995: CenturyWindow = CenturyWindow::around(1995);

fn lilian(text: &str, picture: &str) -> Result<i32, Feedback> {
    days(text.as_bytes(), picture.as_bytes(), IN_1995)
}

#[test]
fn ceedays_reads_dates() {
    let cases = [
        ("6/2/88", "MM/DD/YY", 148_155),
        ("06/02/88", "MM/DD/YY", 148_155),
        ("060288", "MMDDYY", 148_155),
        ("88154", "YYDDD", 148_155),
        ("19880516", "YYYYMMDD", 148_138),
        ("19880516  ", "YYYYMMDD  ", 148_138),
        ("   1988-05-16 and more", "YYYY-MM-DD", 148_138),
        ("  16 May 1988", "  DD Mmm YYYY", 148_138),
        ("16 MAY 1988", "DD Mmm YYYY", 148_138),
        ("Monday, May 16, 1988", "Wwwwwwwwwz, Mmmmmmmmmz DD, YYYY", 148_138),
        ("May       16, 1988", "MMMMMMMMM DD, YYYY", 148_138),
        ("1988.V   .16", "YYYY.RRRR.DD", 148_138),
        ("1988.v.16", "YYYY.RRRZ.DD", 148_138),
        ("5/16/88", "ZM/ZD/YY", 148_138),
        ("05/16/88", "", 148_138),
        ("1582-10-15", "YYYY-MM-DD", 1),
        ("9999-12-31", "YYYY-MM-DD", 3_074_324),
        ("1988/05/16 19:00", "YYYY/MM/DD HH:MI", 148_138),
    ];
    for (text, picture, expected) in cases {
        assert_eq!(lilian(text, picture), Ok(expected), "{text:?} by {picture:?}");
    }
}

#[test]
fn ceedays_says_what_is_wrong() {
    let cases = [
        ("05/16", "MM/DD", Feedback::INSUFFICIENT),
        ("05/88", "MM/YY", Feedback::INSUFFICIENT),
        ("02/29/90", "MM/DD/YY", Feedback::DATE),
        ("1990.366", "YYYY.DDD", Feedback::DATE),
        ("1990-04-31", "YYYY-MM-DD", Feedback::DATE),
        ("1990-04-00", "YYYY-MM-DD", Feedback::DATE),
        ("1990-13-01", "YYYY-MM-DD", Feedback::MONTH),
        ("16 MAI 1988", "DD Mmm YYYY", Feedback::MONTH),
        ("1582-10-14", "YYYY-MM-DD", Feedback::DATE_RANGE),
        ("0000-01-01", "YYYY-MM-DD", Feedback::DATE_RANGE),
        ("19A80516", "YYYYMMDD", Feedback::NOT_NUMERIC),
        ("1988-05", "YYYY-MM-DD", Feedback::NOT_NUMERIC),
        ("", "YYYY-MM-DD", Feedback::NOT_NUMERIC),
        ("1988105116", "YYYY-MM-DD", Feedback::NOT_NUMERIC),
        ("88", "XX", Feedback::PICTURE),
        ("8/5/16", "Y/MM/DD", Feedback::PICTURE),
        ("63/05/16", "<JJJJ>YY/MM/DD", Feedback::ERA),
        ("1988-05-16 24", "YYYY-MM-DD HH", Feedback::HOUR),
    ];
    for (text, picture, expected) in cases {
        assert_eq!(lilian(text, picture), Err(expected), "{text:?} by {picture:?}");
    }
}

#[test]
fn two_digits_are_a_year_of_the_century_window() {
    let year = |text: &str, window| {
        let day = days(format!("01/01/{text}").as_bytes(), b"MM/DD/YY", window).expect("a date");
        String::from_utf8_lossy(&date(day, b"YYYY").text[..4]).into_owned()
    };
    assert_eq!(year("15", IN_1995), "1915");
    assert_eq!(year("14", IN_1995), "2014");
    let window = set_century(2026, 0).expect("a window");
    assert_eq!((year("26", window), year("25", window)), ("2026".into(), "2125".into()));
    assert_eq!(set_century(2026, 101), Err(Feedback::CENTURY));
}

#[test]
fn ceecbldy_counts_from_1601() {
    assert_eq!(cobol_days(b"1601-01-01", b"YYYY-MM-DD", IN_1995), Ok(1));
    assert_eq!(cobol_days(b"1600-12-31", b"YYYY-MM-DD", IN_1995), Err(Feedback::DATE_RANGE));
}

#[test]
fn ceesecs_reads_timestamps() {
    let cases = [
        ("1988-05-16-19.00.01.078", "YYYY-MM-DD-HH.MI.SS.999", 12_799_191_601.078),
        ("1990/06/04 19:00:01", "YYYY/MM/DD HH:MI:SS", 12_863_905_201.0),
        ("1582-10-15 00:00:01", "YYYY-MM-DD HH:MI:SS", 86_401.0),
        ("1582-10-15", "YYYY-MM-DD-HH:MI:SS", 86_400.0),
        ("1582-10-15-00:02", "YYYY-MM-DD-HH:MI:SS", 86_520.0),
        ("15821015 00.5", "YYYYMMDD HH.9", 86_400.5),
    ];
    for (text, picture, expected) in cases {
        assert_eq!(
            secs(text.as_bytes(), picture.as_bytes(), IN_1995),
            Ok(expected),
            "{text:?} by {picture:?}"
        );
    }
    let same = [
        ("92/06/03 15.35.03", "YY/MM/DD HH.MI.SS"),
        ("92/6/3 15.35.03", "YY/MM/DD HH.MI.SS"),
        ("92/6/3 3.35.03 PM", "YY/MM/DD HH.MI.SS AP"),
        ("92.155 3.35.03 pm", "YY.DDD   HH.MI.SS AP"),
        ("92.155 03.35.03 p.m.", "YY.DDD HH.MI.SS a.p."),
    ];
    let expected = secs(same[0].0.as_bytes(), same[0].1.as_bytes(), IN_1995);
    assert!(expected.is_ok());
    for (text, picture) in same {
        assert_eq!(secs(text.as_bytes(), picture.as_bytes(), IN_1995), expected, "{text:?} by {picture:?}");
    }
    let wrong = [
        ("92/06/03 13.35 PM", "YY/MM/DD HH.MI AP", Feedback::HOUR),
        ("92/06/03 11.60", "YY/MM/DD HH.MI", Feedback::MINUTE),
        ("92/06/03 11.59.60", "YY/MM/DD HH.MI.SS", Feedback::SECOND),
        ("92/06/03 xx.59", "YY/MM/DD HH.MI", Feedback::TIMESTAMP_NOT_NUMERIC),
    ];
    for (text, picture, expected) in wrong {
        assert_eq!(
            secs(text.as_bytes(), picture.as_bytes(), IN_1995),
            Err(expected),
            "{text:?} by {picture:?}"
        );
    }
}

#[test]
fn midnight_and_noon_have_halves() {
    for (text, second) in [("12 AM", 0), ("1 AM", 3600), ("12 PM", 43_200), ("11 PM", 82_800)] {
        let text = format!("1582-10-15 {text}");
        let expected = 86_400.0 + f64::from(second);
        assert_eq!(secs(text.as_bytes(), b"YYYY-MM-DD HH AP", IN_1995), Ok(expected), "{text}");
        let shown = datm(expected, b"YYYY-MM-DD ZH AP");
        assert_eq!(String::from_utf8_lossy(&shown.text).trim_end(), text);
    }
}

#[test]
fn ceedatm_and_ceedate_write_texts() {
    let cases = [
        ("YYMMDD", "880516"),
        ("YYYYMMDD", "19880516"),
        ("YYYY-MM-DD", "1988-05-16"),
        ("MM/DD/YYYY", "05/16/1988"),
        ("ZM/ZD/YY", "5/16/88"),
        ("DD Mmm YY", "16 May 88"),
        ("DD MMM YY", "16 MAY 88"),
        ("Mmmmmmmmmz DD, YYYY", "May 16, 1988"),
        ("MMMMMMMMM DD, YYYY", "MAY       16, 1988"),
        ("mmm.YY", "may.88"),
        ("Wwwwwwwwwz, ZM/ZD/YY", "Monday, 5/16/88"),
        ("WWW", "MON"),
        ("YYDDD", "88137"),
        ("DD RRRR YY", "16 V    88"),
        ("Y", "8"),
        ("YYYYMMDDHHMISS999", "19880516190001078"),
        ("HH:MI:SS.9", "19:00:01.0"),
        ("ZH:MI AP", "7:00 PM"),
        ("HH:MI a.p.", "07:00 p.m."),
        ("", "05/16/88 07:00:01 PM"),
    ];
    for (picture, expected) in cases {
        let shown = datm(12_799_191_601.078, picture.as_bytes());
        assert_eq!(shown.feedback, None);
        assert_eq!(String::from_utf8_lossy(&shown.text).trim_end(), expected, "{picture:?}");
    }
    assert_eq!(&date(148_138, b"").text[..9], b"05/16/88 ");
}

#[test]
fn texts_that_cannot_be_written_are_blank_and_long_ones_are_cut() {
    let feedback = |shown: le::Text| (shown.feedback, shown.text == [b' '; le::TEXT_LENGTH]);
    assert_eq!(feedback(date(0, b"YYYY")), (Some(Feedback::LILIAN_RANGE), true));
    assert_eq!(feedback(date(3_074_325, b"YYYY")), (Some(Feedback::LILIAN_RANGE), true));
    assert_eq!(feedback(date(1, b"<JJJJ>YY")), (Some(Feedback::ERA), true));
    for seconds in [86_399.0, 265_621_680_000.0, f64::NAN, f64::INFINITY, -1.0] {
        assert_eq!(feedback(datm(seconds, b"YYYY")), (Some(Feedback::SECONDS_RANGE), true), "{seconds}");
    }
    assert_eq!(feedback(datm(265_621_679_999.999, b"YYYY")), (None, false));
    assert_eq!(feedback(date(1, &[b'.'; 81])), (Some(Feedback::DATE_CUT), false));
    assert_eq!(feedback(datm(86_400.0, &[b'.'; 81])), (Some(Feedback::TIMESTAMP_CUT), false));
}

#[test]
fn ceedywk_counts_from_sunday() {
    assert_eq!(day_of_week(148_138), Ok(2));
    assert_eq!(day_of_week(1), Ok(6));
    assert_eq!(day_of_week(0), Err(Feedback::LILIAN_RANGE));
}

#[test]
fn ceeseci_and_ceeisec_are_each_others_inverse() {
    let fields = Fields { year: 1988, month: 5, day: 16, hour: 19, minute: 0, second: 1, millisecond: 78 };
    assert_eq!(isec(fields), Ok(12_799_191_601.078));
    assert_eq!(seci(12_799_191_601.078), Ok(fields));
    assert_eq!(seci(0.0), Err(Feedback::SECONDS_RANGE));
    let wrong = [
        (Fields { year: 1581, ..fields }, Feedback::YEAR),
        (Fields { month: 13, ..fields }, Feedback::MONTH),
        (Fields { day: 32, ..fields }, Feedback::DAY),
        (Fields { day: -1, ..fields }, Feedback::DAY),
        (Fields { hour: 24, ..fields }, Feedback::HOUR),
        (Fields { minute: 60, ..fields }, Feedback::MINUTE),
        (Fields { second: 60, ..fields }, Feedback::SECOND),
        (Fields { millisecond: 1000, ..fields }, Feedback::MILLISECOND),
        (Fields { year: 1582, month: 10, day: 14, ..fields }, Feedback::DATE_RANGE),
    ];
    for (fields, expected) in wrong {
        assert_eq!(isec(fields), Err(expected), "{fields:?}");
    }
}

#[test]
fn the_present_comes_from_the_callers_clock() {
    // 4 June 1990, 19:00:01.078 in a place two hours ahead of Greenwich.
    let now =
        Now { unix_milliseconds: (148_887 - 141_428) * 86_400_000 + 17 * 3_600_000 + 1078, offset: 7200 };
    let local = local_time(now).expect("a time");
    assert_eq!((local.lilian, local.seconds), (148_887, 12_863_905_201.078));
    assert_eq!(&local.gregorian, b"19900604190001078");
    assert_eq!(gmt(now), Ok((148_887, 12_863_898_001.078)));
    assert_eq!(gmt_offset(now), Offset { hours: 2, minutes: 0, seconds: 7200.0 });
    assert_eq!(
        gmt_offset(Now { offset: -12_600, ..now }),
        Offset { hours: -3, minutes: 30, seconds: -12_600.0 }
    );
    assert_eq!(gmt(Now { unix_milliseconds: i64::MIN, offset: 0 }), Err(Feedback::DATE_RANGE));
    assert_eq!(local_time(Now { unix_milliseconds: i64::MAX, offset: 1 }), Err(Feedback::DATE_RANGE));
}

#[test]
fn tokens_are_the_bytes_that_programs_compare() {
    let cases = [
        (Feedback::INSUFFICIENT, "000309CB59C3C5C500000000", "CEE2EB"),
        (Feedback::DATE, "000309CC59C3C5C500000000", "CEE2EC"),
        (Feedback::ERA, "000309CD59C3C5C500000000", "CEE2ED"),
        (Feedback::DATE_RANGE, "000309D159C3C5C500000000", "CEE2EH"),
        (Feedback::MONTH, "000309D559C3C5C500000000", "CEE2EL"),
        (Feedback::PICTURE, "000309D659C3C5C500000000", "CEE2EM"),
        (Feedback::NOT_NUMERIC, "000309D859C3C5C500000000", "CEE2EO"),
        (Feedback::YEAR_ZERO, "000309D959C3C5C500000000", "CEE2EP"),
        (Feedback::DATE_CUT, "000209DE51C3C5C500000000", "CEE2EU"),
    ];
    for (feedback, token, symbol) in cases {
        let bytes: String = feedback.token().iter().map(|byte| format!("{byte:02X}")).collect();
        assert_eq!((bytes.as_str(), feedback.symbol().as_str()), (token, symbol));
    }
    assert_eq!(SUCCESS, [0; 12]);
    assert_eq!(Feedback::MONTH.text(), "the month is not recognized");
}

#[test]
fn a_string_has_its_length_before_it() {
    assert_eq!(vstring(b"\0\x03abcdef"), b"abc");
    assert_eq!(vstring(b"\0\x09abc"), b"abc");
    assert_eq!(vstring(b"\0"), b"");
}

#[test]
fn cee3abd_takes_a_code_and_a_timing() {
    assert_eq!(abend(999, 0), Abend { code: 999, clean_up: false });
    assert_eq!(abend(4097, 1), Abend { code: 1, clean_up: true });
    assert_eq!(abend(i32::MIN, 1).code, 0);
    assert_eq!(abend(16, 0).transaction_code(), "0016");
}

#[test]
fn any_text_and_picture_are_answered() {
    let pieces = [
        "Y", "YY", "YYYY", "MM", "MMM", "M", "DD", "DDD", "D", "Z", "MI", "999", "AP", "Www", "<", "é", " ",
        "1", "-1",
    ];
    for one in pieces {
        for other in pieces {
            let picture = format!("{one}{other}YYYYMMDD");
            for text in ["", "1", "19880516", "é", "        "] {
                let _ = days(text.as_bytes(), picture.as_bytes(), IN_1995);
            }
            date(1, picture.as_bytes());
        }
    }
}
