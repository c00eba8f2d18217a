//! Records read, written and translated by a layout.

use copybook::{Choices, Converter, Layout, RecordError, RecordTypes, decode, encode, parse};
use diagnostics::Source;
use ebcdic::CodePage;

fn layout(text: &str) -> Layout {
    let parsed = parse(&Source::new("REC.cpy", text));
    assert!(!diagnostics::any_error(&parsed.messages), "{:?}", parsed.messages);
    parsed.layouts.into_iter().next().expect("a record")
}

/// EBCDIC of text.
fn ebcdic(text: &str) -> Vec<u8> {
    CodePage::Ibm037.from_program(text.as_bytes())
}

fn pairs<'a>(values: &'a [(&'a str, &'a str)]) -> impl Iterator<Item = (&'a str, &'a str)> {
    values.iter().copied()
}

#[test]
fn text_and_digits_are_translated_and_packed_and_binary_are_not() {
    let layout = layout(
        "01 R.\n05 NAME PIC X(5).\n05 AMT PIC S9(3)V99.\n05 PK PIC S9(3) COMP-3.\n05 BI PIC 9(4) COMP.\n05 NA PIC 9(4) COMP-5.\n05 FL COMP-1.\n",
    );
    let mut record = ebcdic("ABC  1234");
    record.extend([0xD5, 0x12, 0x3D, 0xC1, 0xC2, 0x01, 0x02, 0x41, 0x10, 0, 0]);
    let converter = Converter::new(&layout, CodePage::Ibm037);
    let program = converter.to_program(&record).expect("fits");
    assert_eq!(&program[..14], b"ABC  1234N\x12\x3D\xC1\xC2");
    let values = decode(&layout, &Choices::new(), &program).expect("fits");
    let shown: Vec<String> = values.iter().map(|(path, value)| format!("{path}={value}")).collect();
    assert_eq!(shown, ["NAME=ABC", "AMT=-123.45", "PK=-123", "BI=49602", "NA=258", "FL=1"]);
    assert_eq!(converter.from_program(&program), Ok(record));
    let borrowed: Vec<(&str, &str)> = values.iter().map(|(p, v)| (p.as_str(), v.as_str())).collect();
    assert_eq!(encode(&layout, &Choices::new(), borrowed), Ok(program));
}

#[test]
fn in_germany_text_and_zoned_signs_are_translated_differently() {
    let layout = layout("01 R.\n05 NAME PIC X.\n05 AMT PIC S9(2).\n");
    let program = Converter::new(&layout, CodePage::Ibm273).to_program(&[0xC0, 0xF1, 0xC0]).expect("fits");
    assert_eq!(program, [0xE4, b'1', b'{']);
}

const TYPED: &str = "01 R.\n05 TYP PIC X.\n05 BODY PIC X(4).\n05 NUM REDEFINES BODY. 10 N PIC S9(7) COMP-3.\n05 TWO REDEFINES BODY. 10 A PIC XX. 10 B PIC XX.\n05 TAIL PIC X.\n";

#[test]
fn the_first_description_holds_unless_another_is_chosen() {
    let layout = layout(TYPED);
    let names = |choices: &Choices, record: &[u8]| {
        let values = decode(&layout, choices, record).expect("fits");
        values.into_iter().map(|(path, value)| format!("{path}={value}")).collect::<Vec<_>>().join(" ")
    };
    let record = b"Nabcdz";
    assert_eq!(names(&Choices::new(), record), "TYP=N BODY=abcd TAIL=z");
    assert_eq!(names(&Choices::new().always("TWO"), record), "TYP=N TWO.A=ab TWO.B=cd TAIL=z");
    let by_type = Choices::new().when("TYP", "N", "NUM").always("TWO");
    assert_eq!(names(&by_type, b"N\x12\x34\x56\x7Cz"), "TYP=N NUM.N=1234567 TAIL=z");
    assert_eq!(names(&by_type, b"Xabcdz"), "TYP=X TWO.A=ab TWO.B=cd TAIL=z");

    let mut record = ebcdic("N    z");
    record[1..5].copy_from_slice(&[0x12, 0x34, 0x56, 0x7C]);
    let converter = Converter::new(&layout, CodePage::Ibm037).with(by_type);
    let program = converter.to_program(&record).expect("fits");
    assert_eq!(program, b"N\x12\x34\x56\x7Cz");
    assert_eq!(converter.from_program(&program), Ok(record));
}

#[test]
fn tables_have_as_many_occurrences_as_the_record_says() {
    let layout = layout(
        "01 R.\n05 N PIC 9 COMP-3.\n05 T OCCURS 0 TO 3 DEPENDING ON N.\n10 M PIC 9.\n10 U OCCURS 1 TO 2 DEPENDING ON M PIC X.\n05 Z PIC X.\n",
    );
    let record = b"\x2C1a2bcZ";
    let values = decode(&layout, &Choices::new(), record).expect("fits");
    let shown: Vec<String> = values.iter().map(|(path, value)| format!("{path}={value}")).collect();
    assert_eq!(shown, ["N=2", "T(1).M=1", "T(1).U(1)=a", "T(2).M=2", "T(2).U(1)=b", "T(2).U(2)=c", "Z=Z"]);

    let mut in_ebcdic = ebcdic(" 1a2bcZ");
    in_ebcdic[0] = 0x2C;
    let converter = Converter::new(&layout, CodePage::Ibm037);
    assert_eq!(converter.to_program(&in_ebcdic).as_deref(), Ok(&record[..]));
    assert_eq!(converter.from_program(record), Ok(in_ebcdic));

    let values = [
        ("n", "2"),
        ("T(1).M", "1"),
        ("T(1).U(1)", "a"),
        ("T(2).M", "2"),
        ("T(2).U(1)", "b"),
        ("T(2).U(2)", "c"),
        ("Z", "Z"),
    ];
    assert_eq!(
        encode(&layout, &Choices::new(), pairs(&values)).map(|r| r[1..].to_vec()),
        Ok(record[1..].to_vec())
    );
    assert_eq!(
        decode(&layout, &Choices::new(), b"\x4C"),
        Err(RecordError::Count { field: "T".into(), count: "4".into(), min: 0, max: 3 })
    );
}

#[test]
fn records_may_end_early_but_not_within_a_number_nor_go_on() {
    let layout = layout("01 R.\n05 A PIC X(4).\n05 B PIC 9(4).\n");
    let decode = |record: &[u8]| decode(&layout, &Choices::new(), record).map(|values| values.len());
    assert_eq!(decode(b"ab"), Ok(1));
    assert_eq!(decode(b"abcd0001"), Ok(2));
    assert_eq!(decode(b"abcd00"), Err(RecordError::Cut { field: "B".into() }));
    assert_eq!(decode(b"abcd00012"), Err(RecordError::TooLong { record: 9, layout: 8 }));
}

#[test]
fn values_that_do_not_fit_are_refused_and_bad_bytes_survive() {
    let layout =
        layout("01 R.\n05 A PIC X(2).\n05 FILLER PIC X.\n05 B PIC S9(2)V9.\n05 C PIC 9(2) COMP-3.\n");
    let encode = |values: &[(&str, &str)]| encode(&layout, &Choices::new(), pairs(values));
    assert_eq!(encode(&[]).as_deref(), Ok(&b"   00{\x00\x0F"[..]));
    assert_eq!(encode(&[("A", "é"), ("b", "-1.5")]).as_deref(), Ok(&b"\xE9  01N\x00\x0F"[..]));
    assert_eq!(encode(&[("B", "X'202020'")]).as_deref(), Ok(&b"      \x00\x0F"[..]));
    let problem = |values: &[(&str, &str)]| encode(values).expect_err("does not fit").to_string();
    assert_eq!(problem(&[("A", "abc")]), "A cannot be abc: it has more than 2 characters");
    assert_eq!(problem(&[("A", "€")]), "A cannot be €: € is not in ISO 8859-1");
    assert_eq!(
        problem(&[("B", "1.25")]),
        "B cannot be 1.25: it has digits beyond the field's 1 decimal places"
    );
    assert_eq!(problem(&[("B", "X'20'")]), "B cannot be X'20': it is not 3 bytes in hexadecimal");
    assert_eq!(problem(&[("C", "100")]), "C cannot be 100: the number does not fit in 2 digits");
    assert_eq!(problem(&[("D", "1")]), "the record has no field D");
    let values = decode(&layout, &Choices::new(), b"a\0 1 2\xFF\xFF").expect("fits");
    let shown: Vec<&str> = values.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(shown, ["a\0", "X'312032'", "X'FFFF'"]);
}

#[test]
fn layouts_of_one_file_are_told_apart_by_a_field() {
    let first = layout("01 HEAD.\n05 TYP PIC X.\n05 A PIC X.\n");
    let second = layout("01 LINE.\n05 B PIC X.\n05 NR PIC 9(2).\n");
    let types = RecordTypes::new().when("TYP", "H", first).when("NR", "7", second.clone()).otherwise(second);
    let name = |record: &[u8], page| types.layout_for(record, page).and_then(Layout::name).map(str::to_owned);
    assert_eq!(name(b"Hx", None).as_deref(), Some("HEAD"));
    assert_eq!(name(&ebcdic("Hx"), Some(CodePage::Ibm037)).as_deref(), Some("HEAD"));
    assert_eq!(name(b"x07", None).as_deref(), Some("LINE"));
    assert_eq!(name(b"", None).as_deref(), Some("LINE"));
}
