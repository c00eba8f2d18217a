//! The rules of messages in XML and JSON, each by the smallest message that shows it.

mod common;

use copybook::{Choices, decode};
use mapping::xml::Way;
use mapping::{CharVarying, FaultKind, Mapping, Options, json, xml};

const ONE: &str = "
       01  ONE.
           05  TEXT-A    PIC X(5).
           05  NUM       PIC S9(3)V99.
           05  TAB       PIC 9 OCCURS 2.
";

fn options() -> Options {
    Options { namespace: "urn:x".to_owned(), ..Options::default() }
}

fn one() -> Mapping {
    common::mapping(ONE, "one", &options())
}

/// A message in the namespace's prefix `p`.
fn message(content: &str) -> String {
    format!("<p:one xmlns:p=\"urn:x\">{content}</p:one>")
}

/// The record that is read, the same in both ways.
fn read(mapping: &Mapping, message: &[u8]) -> Result<String, FaultKind> {
    let complete = xml::read(mapping, message, None, Way::Complete);
    let quick = xml::read(mapping, message, None, Way::Quick);
    assert_eq!(quick, complete, "{}", String::from_utf8_lossy(message));
    let record = complete.map_err(|fault| fault.kind)?;
    Ok(record.iter().map(|byte| char::from(*byte)).collect())
}

const REST: &str = "<num>1.5</num><tab>1</tab><tab>2</tab>";

#[test]
fn a_plain_message_becomes_a_record() {
    let content = format!("<text_a>ab</text_a>{REST}");
    let expected = Ok("ab   0015{12".to_owned());
    assert_eq!(read(&one(), message(&content).as_bytes()), expected);
    let spaced = content.replace("><", ">\n  <");
    assert_eq!(read(&one(), message(&spaced).as_bytes()), expected);
}

#[test]
fn text_is_what_the_writer_meant() {
    for (text, value) in [
        ("a&amp;b", "a&b  "),
        ("&lt;&gt;&quot;&apos;", "<>\"' "),
        ("&#65;&#x42;", "AB   "),
        ("a<![CDATA[<&]]>b", "a<&b "),
        ("a<!-- x -->b", "ab   "),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a&#13;b", "a\rb  "),
        (" a ", " a   "),
        ("é", "é    "),
        ("", "     "),
    ] {
        let content = format!("<text_a>{text}</text_a>{REST}");
        let expected = Ok(format!("{value}0015{{12"));
        assert_eq!(read(&one(), message(&content).as_bytes()), expected, "{text}");
    }
    let empty = message(&format!("<text_a/>{REST}"));
    assert_eq!(read(&one(), empty.as_bytes()), Ok("     0015{12".to_owned()));
}

#[test]
fn what_is_not_well_formed_is_refused() {
    use FaultKind::{
        Doctype, DuplicateAttribute, Format, InvalidUnicode, MismatchedTags, TooComplex, UndefinedPrefix,
        UnexpectedContent, UnsupportedEntity,
    };
    let good = message(&format!("<text_a>ab</text_a>{REST}"));
    let with = |text: &str| message(&format!("<text_a>{text}</text_a>{REST}"));
    let deep = "<a>".repeat(70);
    let many: String = (0..70).map(|number| format!(" a{number}=''")).collect();
    let long = "a".repeat(300);
    for (message, kind) in [
        (String::new(), Format),
        ("x".to_owned(), Format),
        (good[..good.len() - 1].to_owned(), Format),
        (format!("{good}<a/>"), Format),
        (format!("{good}x"), Format),
        (format!("<!DOCTYPE a>{good}"), Doctype),
        (format!("<!DOCTYPE a [<!ENTITY b 'c'>]>{good}"), Doctype),
        (format!("<?php x?>{good}"), UnexpectedContent),
        (with("<?x y?>"), UnexpectedContent),
        (format!(" <?xml version='1.0'?>{good}"), UnexpectedContent),
        (format!("<?xml version='1.1'?>{good}"), Format),
        (format!("<?xml encoding='UTF-8'?>{good}"), Format),
        (with("a]]>b"), Format),
        (with("&nbsp;"), UnsupportedEntity),
        (with("&amp"), Format),
        (with("&#0;"), InvalidUnicode),
        (with("&#xD800;"), InvalidUnicode),
        (with("&#xFFFE;"), InvalidUnicode),
        (with("&#+65;"), InvalidUnicode),
        (with("<!-- a -- b -->"), Format),
        (with("<![CDATA[a"), Format),
        (message("<text_a>ab</text_b>"), MismatchedTags),
        (message("<text_a a='1' a='2'>ab</text_a>"), DuplicateAttribute),
        (message("<text_a xmlns:a='u' xmlns:b='u' a:c='' b:c=''>ab</text_a>"), DuplicateAttribute),
        (message("<text_a xmlns:a='u' xmlns:a='v'>ab</text_a>"), DuplicateAttribute),
        (message("<text_a xmlns:xml='u'>ab</text_a>"), UndefinedPrefix),
        (message("<text_a xmlns:a=''>ab</text_a>"), UndefinedPrefix),
        (message("<q:text_a>ab</q:text_a>"), UndefinedPrefix),
        (message("<text_a a=\"<\">ab</text_a>"), Format),
        (message("<text_a a=b>ab</text_a>"), Format),
        (message("<text_a a='1'b='2'>ab</text_a>"), Format),
        (message("<1a>ab</1a>"), Format),
        (message(&deep), FaultKind::UndefinedElement),
        (message(&format!("<text_a{many}>ab</text_a>")), TooComplex),
        (message(&format!("<{long}>ab</{long}>")), TooComplex),
    ] {
        assert_eq!(read(&one(), message.as_bytes()), Err(kind), "{message}");
    }
    let skipping = common::mapping(ONE, "one", &Options { skips_unknown: true, ..options() });
    assert_eq!(read(&skipping, message(&deep).as_bytes()), Err(TooComplex));
}

#[test]
fn elements_come_in_their_order_and_as_often_as_they_may() {
    use FaultKind::{ArrayOverflow, MissingElement, UndefinedElement, UndefinedNamespace, UnexpectedContent};
    let a = "<text_a>a</text_a>";
    for (content, kind) in [
        (REST.to_owned(), MissingElement),
        (format!("{REST}{a}"), MissingElement),
        (format!("{a}<tab>1</tab><tab>2</tab><num>1</num>"), MissingElement),
        (format!("{a}{a}{REST}"), UndefinedElement),
        (format!("{a}<num>1</num><tab>1</tab>"), MissingElement),
        (format!("{a}{REST}<tab>3</tab>"), ArrayOverflow),
        (format!("{a}{REST}<extra/>"), UndefinedElement),
        (format!("{a}{REST}{a}"), UndefinedElement),
        (format!("{a}x{REST}"), UnexpectedContent),
        (format!("<text_a><b/></text_a>{REST}"), UnexpectedContent),
        (format!("<text_a x='1'>a</text_a>{REST}"), UnexpectedContent),
        (format!("<text_a xmlns='urn:y'>a</text_a>{REST}"), UndefinedNamespace),
        (format!("<p:text_a>a</p:text_a>{REST}"), UndefinedNamespace),
    ] {
        assert_eq!(read(&one(), message(&content).as_bytes()), Err(kind), "{content}");
    }
    let skipping = common::mapping(ONE, "one", &Options { skips_unknown: true, ..options() });
    let content = message(&format!("<new><a>1</a></new>{a}<more/>{REST}<z/>"));
    assert_eq!(read(&skipping, content.as_bytes()), Ok("a    0015{12".to_owned()));
}

#[test]
fn the_expanded_name_decides_and_never_the_prefix() {
    let content = format!("<text_a>a</text_a>{REST}");
    let expected = Ok("a    0015{12".to_owned());
    for message in [
        format!("<q:one xmlns:q='urn:x'>{content}</q:one>"),
        format!(
            "<one xmlns='urn:x'>{}</one>",
            content
                .replace("<text_a>", "<text_a xmlns=''>")
                .replace("<num>", "<num xmlns=''>")
                .replace("<tab>", "<tab xmlns=''>")
        ),
        format!("<p:one xmlns:p='urn:&#120;'>{content}</p:one>"),
    ] {
        assert_eq!(read(&one(), message.as_bytes()), expected, "{message}");
    }
    let qualified = common::mapping(ONE, "one", &Options { qualified: true, ..options() });
    assert_eq!(read(&qualified, format!("<one xmlns='urn:x'>{content}</one>").as_bytes()), expected);
    let prefixed = content.replace("</", "</p:").replace("<t", "<p:t").replace("<n", "<p:n");
    assert_eq!(read(&qualified, message(&prefixed).as_bytes()), expected);
    let mixed = message(
        &prefixed.replacen("p:text_a", "q:text_a", 2).replace("<q:text_a", "<q:text_a xmlns:q='urn:x'"),
    );
    assert_eq!(read(&qualified, mixed.as_bytes()), expected);
    for (mapping, message) in [
        (&one(), format!("<one>{content}</one>")),
        (&one(), format!("<p:one xmlns:p='urn:y'>{content}</p:one>")),
        (&one(), format!("<one xmlns='urn:x'>{content}</one>")),
        (&qualified, message(&content)),
    ] {
        assert_eq!(read(mapping, message.as_bytes()), Err(FaultKind::UndefinedNamespace), "{message}");
    }
}

#[test]
fn nil_and_types_are_looked_at() {
    let with = |attribute: &str| {
        let instance = "http://www.w3.org/2001/XMLSchema-instance";
        message(&format!("<text_a xmlns:i='{instance}' {attribute}>a</text_a>{REST}"))
    };
    for fine in ["i:nil='false'", "i:type='s:string'", "i:schemaLocation='a b'"] {
        assert!(read(&one(), with(fine).as_bytes()).is_ok(), "{fine}");
    }
    for bad in ["i:nil='true'", "i:type='s:int'", "i:other=''", "nil='false'"] {
        assert_eq!(read(&one(), with(bad).as_bytes()), Err(FaultKind::UnexpectedContent), "{bad}");
    }
}

#[test]
fn values_that_do_not_fit_name_their_place() {
    use FaultKind::{FractionTooLong, InvalidCharacter, NegativeUnsigned, OutputOverflow};
    let mapping = one();
    for (content, kind, path) in [
        ("<text_a>123456</text_a>", OutputOverflow, "one.text_a"),
        ("<text_a>→</text_a>", InvalidCharacter, "one.text_a"),
        ("<text_a/><num>1000</num>", OutputOverflow, "one.num"),
        ("<text_a/><num>0.001</num>", FractionTooLong, "one.num"),
        ("<text_a/><num>1e2</num>", InvalidCharacter, "one.num"),
        ("<text_a/><num>1</num><tab>1</tab><tab>-1</tab>", NegativeUnsigned, "one.tab(2)"),
    ] {
        let fault = xml::read(&mapping, message(content).as_bytes(), None, Way::Quick).expect_err("a fault");
        assert_eq!((fault.kind, fault.path.as_str()), (kind, path), "{content}");
    }
}

#[test]
fn json_has_its_own_rules() {
    use FaultKind::{
        ArrayOverflow, DuplicateMember, Format, InvalidUnicode, MissingElement, UndefinedElement, WrongType,
    };
    let mapping = one();
    let read = |text: &str| json::read(&mapping, text.as_bytes(), false).map_err(|fault| fault.kind);
    let fine = b"ab   0015{12".to_vec();
    for text in [
        r#"{"text_a":"ab","num":1.5,"tab":[1,2]}"#,
        " { \"tab\" : [ 1 , 2 ] , \"num\" : 15e-1 , \"text_a\" : \"\\u0061b\" } ",
        r#"{"num":1.50,"text_a":"ab","tab":[1,2]}"#,
    ] {
        assert_eq!(read(text), Ok(fine.clone()), "{text}");
    }
    for (text, kind) in [
        ("", Format),
        ("[]", WrongType),
        (r#"{"text_a":"ab","num":1.5,"tab":[1,2]}x"#, Format),
        (r#"{"text_a":"ab","num":1.5,"tab":[1,2],}"#, Format),
        (r#"{"text_a":"ab","num":01.5,"tab":[1,2]}"#, Format),
        (r#"{"text_a":"ab","num":+1,"tab":[1,2]}"#, WrongType),
        (r#"{"text_a":"ab","num":"1.5","tab":[1,2]}"#, WrongType),
        (r#"{"text_a":1,"num":1.5,"tab":[1,2]}"#, WrongType),
        (r#"{"text_a":null,"num":1.5,"tab":[1,2]}"#, WrongType),
        (r#"{"text_a":"ab","text_a":"ab","num":1.5,"tab":[1,2]}"#, DuplicateMember),
        (r#"{"text_a":"ab","num":1.5,"tab":[1,2],"x":1}"#, UndefinedElement),
        (r#"{"text_a":"ab","num":1.5}"#, MissingElement),
        (r#"{"text_a":"ab","num":1.5,"tab":[1]}"#, MissingElement),
        (r#"{"text_a":"ab","num":1.5,"tab":[1,2,3]}"#, ArrayOverflow),
        (r#"{"text_a":"\ud800","num":1.5,"tab":[1,2]}"#, InvalidUnicode),
        ("{\"text_a\":\"a\u{1}\",\"num\":1.5,\"tab\":[1,2]}", Format),
        (r#"{"text_a":"\x","num":1.5,"tab":[1,2]}"#, Format),
        (r#"{"text_a":"ab","num":1e400,"tab":[1,2]}"#, FaultKind::InputTooLong),
        (r#"{"text_a":"ab","num":1e-400,"tab":[1,2]}"#, FaultKind::FractionTooLong),
    ] {
        assert_eq!(read(text), Err(kind), "{text}");
    }
    let wrapped = json::read(&mapping, br#"{"one":{"text_a":"ab","num":1.5,"tab":[1,2]}}"#, true);
    assert_eq!(wrapped, Ok(fine));
    let deep = common::mapping(ONE, "one", &Options { skips_unknown: true, ..options() });
    let nested = format!("{{\"x\":{}", "[".repeat(100_000));
    assert_eq!(
        json::read(&deep, nested.as_bytes(), false).map_err(|fault| fault.kind),
        Err(FaultKind::TooComplex)
    );
}

#[test]
fn a_counted_table_is_as_long_as_its_counter_says() {
    let options = Options { dates: vec!["PLACED".to_owned()], ..Options::default() };
    let order = common::mapping(common::ORDER, "order", &options);
    let message = r#"{"order_no":17,"customer":"Anna","placed":"2026-11-23","total":-12.34,"lines":[{"item":"A","quantity":-1,"price":0.1,"rate":32767},{"item":"B","quantity":2,"price":99999.99,"rate":-32768}]}"#;
    let record = json::read(&order, message.as_bytes(), false).expect("a record");
    let layout = common::layout(common::ORDER);
    // The judge knows records of files, which end after the last occurrence.
    let values = decode(&layout, &Choices::new(), &record[..90]).expect("values");
    let value = |path: &str| values.iter().find(|(has, _)| has == path).map(|(_, value)| value.as_str());
    assert_eq!(
        (value("LINE-COUNT"), value("PLACED"), value("TOTAL")),
        (Some("2"), Some("20261123"), Some("-12.34"))
    );
    assert_eq!((value("LINES(2).PRICE"), value("LINES(1).RATE")), (Some("99999.99"), Some("32767")));
    let mut back = Vec::new();
    json::write(&order, &record, false, &mut back).expect("a message");
    assert_eq!(String::from_utf8_lossy(&back), message.replace("0.1,", "0.10,"));
    let mut wrong = record.clone();
    wrong[43..45].copy_from_slice(&9i16.to_be_bytes());
    let fault = json::write(&order, &wrong, false, &mut Vec::new()).expect_err("too many");
    assert_eq!((fault.kind, fault.path.as_str()), (FaultKind::ArrayTooLarge, "order.lines"));
}

#[test]
fn text_ends_as_char_varying_says() {
    const TEXT: &str = "       01 R.\n          05 T PIC X(6).\n";
    for (varying, record, written, again) in [
        (CharVarying::Collapse, b"ab  \0\0", "ab", b"ab    "),
        (CharVarying::No, b"ab    ", "ab    ", b"ab    "),
        (CharVarying::Null, b"ab\0zzz", "ab", b"ab\0\0\0\0"),
        (CharVarying::Binary, b"ab\0\xFF  ", "YWIA/yAg", b"ab\0\xFF  "),
    ] {
        let mapping = common::mapping(TEXT, "r", &Options { varying, ..Options::default() });
        let mut message = Vec::new();
        xml::write(&mapping, record, &mut message).expect("a message");
        assert_eq!(String::from_utf8_lossy(&message), format!("<r><t>{written}</t></r>"));
        assert_eq!(xml::read(&mapping, &message, None, Way::Quick).as_deref(), Ok(again.as_slice()));
    }
    let mapping = common::mapping(TEXT, "r", &Options::default());
    let fault = xml::write(&mapping, b"a\0b   ", &mut Vec::new()).expect_err("a NUL within");
    assert_eq!(fault.kind, FaultKind::InvalidCharacter);
}

#[test]
fn empty_occurrences_may_be_left_out() {
    const TABLE: &str =
        "       01 R.\n          05 T OCCURS 3.\n             10 N PIC 9(2).\n             10 C PIC X.\n";
    let mapping = common::mapping(TABLE, "r", &Options { trims_arrays: true, ..Options::default() });
    let mut message = Vec::new();
    json::write(&mapping, b"01a00 00 ", false, &mut message).expect("a message");
    assert_eq!(String::from_utf8_lossy(&message), r#"{"t":[{"n":1,"c":"a"}]}"#);
    assert_eq!(json::read(&mapping, &message, false).as_deref(), Ok(b"01a00 00 ".as_slice()));
    let joined = "       01 R.\n          05 C PIC X OCCURS 4.\n";
    let mapping = common::mapping(joined, "r", &Options { joins_characters: true, ..Options::default() });
    assert_eq!(json::read(&mapping, br#"{"c":"xyz"}"#, false).as_deref(), Ok(b"xyz ".as_slice()));
}

#[test]
fn what_a_program_left_is_screened() {
    let mapping = common::mapping(ONE, "one", &options());
    let fault = json::write(&mapping, b"ab   abcde12", false, &mut Vec::new()).expect_err("no number");
    assert_eq!((fault.kind, fault.path.as_str()), (FaultKind::InvalidNumber, "one.num"));
    let fault = json::write(&mapping, b"ab", false, &mut Vec::new()).expect_err("too short");
    assert_eq!(fault.kind, FaultKind::DataTooSmall);
    let lax =
        common::mapping(ONE, "one", &Options { takes_bad_numbers: true, may_end_early: true, ..options() });
    let mut message = Vec::new();
    json::write(&lax, b"ab   abcde", false, &mut message).expect("a message");
    assert_eq!(String::from_utf8_lossy(&message), r#"{"text_a":"ab","num":0.00,"tab":[0,0]}"#);
}

#[test]
fn a_description_without_a_place_in_messages_is_told_so() {
    const BAD: &str = "
       01  R.
           05  A         PIC X(4).
           05  B REDEFINES A PIC 9(4).
           05  P         POINTER.
           05  D         PIC 9(6).
";
    let options = Options { dates: vec!["D".to_owned()], ..Options::default() };
    let problems = mapping::compile(&common::layout(BAD), "r", &options).expect_err("problems");
    let text: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(text.len(), 2, "{text:?}");
}

#[test]
fn of_an_area_with_several_descriptions_the_first_holds_unless_another_is_named() {
    const AGAIN: &str = "
       01  R.
           05  A             PIC X(4).
           05  B REDEFINES A PIC 9(4).
           05  C             PIC 9(2).
           05  FILLER REDEFINES C PIC X(2).
";
    let of = |names: &[&str]| {
        let redefinitions = names.iter().map(|name| (*name).to_owned()).collect();
        let (layout, options) = (common::layout(AGAIN), Options { redefinitions, ..Options::default() });
        let notes = mapping::notes(&layout, &options);
        let mapping =
            mapping::compile(&layout, "r", &options).map_err(|problems| problems[0].message.clone())?;
        let mut message = Vec::new();
        json::write(&mapping, b"123407", false, &mut message).expect("a message");
        Ok::<_, String>((String::from_utf8_lossy(&message).into_owned(), notes.len()))
    };
    assert_eq!(of(&[]), Ok((r#"{"a":"1234","c":7}"#.to_owned(), 1)));
    assert_eq!(of(&["A"]), Ok((r#"{"a":"1234","c":7}"#.to_owned(), 0)));
    assert_eq!(of(&["B"]), Ok((r#"{"b":1234,"c":7}"#.to_owned(), 0)));
    let problem = of(&["A", "B"]).expect_err("both");
    assert!(problem.contains("names several descriptions"), "{problem}");
}

#[test]
fn a_table_of_varying_size_is_the_last_field() {
    let refused = |fields: &str| {
        let layout = common::layout(&format!("       01 R.\n{fields}"));
        let problems = mapping::compile(&layout, "r", &options()).err().unwrap_or_default();
        problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join(" ")
    };
    let table =
        "           05 N PIC 9.\n           05 T OCCURS 1 TO 3 DEPENDING ON N.\n              10 A PIC X.\n";
    assert_eq!(refused(table), "");
    let behind = refused(&format!("{table}           05 Z PIC X.\n"));
    assert_eq!(behind, "a field stands behind T, a table of varying size");
    let nested = refused(
        "           05 N PIC 9.\n           05 T OCCURS 2.\n              10 A PIC X OCCURS 1 TO 3 DEPENDING ON N.\n",
    );
    assert!(nested.contains("stands in a table"), "{nested}");
}

#[test]
fn floating_point_is_that_of_zos() {
    let text =
        "       01 R.\n           05 F COMP-1.\n           05 G COMP-2.\n           05 C PIC 9(4) COMP-5.\n";
    let mapping = common::mapping(text, "r", &Options::default());
    let message = br#"{"f":-118.625,"g":0.1,"c":258}"#;
    let record = json::read(&mapping, message, false).expect("a record");
    let expected = [0xC2, 0x76, 0xA0, 0, 0x40, 0x19, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A, 1, 2];
    assert_eq!(record, expected);
    let mut written = Vec::new();
    json::write(&mapping, &record, false, &mut written).expect("a message");
    assert_eq!(written, message);
    let read = |value: &str| {
        json::read(&mapping, format!(r#"{{"f":{value},"g":0,"c":0}}"#).as_bytes(), false)
            .map_err(|fault| fault.kind)
    };
    assert_eq!(read("7e76"), Err(FaultKind::OutputOverflow));
    assert!(read("7e75").is_ok() && read("1e-300").is_ok());
}
