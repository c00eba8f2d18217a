//! JSON PARSE: values to items, as the language reference has it.

mod support;

use support::{check_shown, lowered, program};

const DATA: &str = "01 T PIC X(300).\n01 G.\n 05 H.\n  10 A PIC X(5) VALUE 'old'.\n  10 3_ PIC S9(3)V99 COMP-3 VALUE 1.\n  10 C-c PIC X(3) VALUE 'ccc'.\n\
 05 E PIC ZZ9.99.\n 05 R.\n  10 S OCCURS 3.\n   15 U PIC 9(4) VALUE 0.\n   15 W PIC X(2) OCCURS 2 VALUE SPACES.\n\
01 F PIC X.\n 88 F-YES VALUE 'Y' WHEN SET TO FALSE 'N'.\n01 V PIC 9V9(3).";

/// Parses a text, and shows both codes and some items.
fn parsed(text: &str, phrases: &str, shown: &str) -> String {
    // The euro sign in UTF-8, of which each byte is a character to the program.
    let text = text.replace("QQQ", "\u{e2}\u{82}\u{ac}");
    format!(
        "MOVE '{text}' TO T JSON PARSE T INTO G {phrases} ON EXCEPTION DISPLAY 'NO' END-JSON DISPLAY JSON-CODE ' ' JSON-STATUS ' ' {shown}."
    )
}

#[test]
fn names_match_level_by_level() {
    let check =
        |text: &str, shown: &str, expected: &str| check_shown(DATA, &parsed(text, "", shown), expected);
    let h = "A '<' 3_ '<' C-c";
    check(
        r#"{"g": {"H": {"A": "Eh?", "c-C": "See", "3_": -5.257}}}"#,
        h,
        "000000000 000000001 Eh?  <0052N<See",
    );
    check(
        r#"{"G":{"h":{"A":"1","B":{"A":[1,{}]},"3_":1,"C-c":""},"x":7}}"#,
        h,
        "000000000 000000003 1    <00100<",
    );
    check(r#"{"G":{"A":"1"}}"#, h, "NO\n000000106 000000003 old  <00100<ccc");
    check(r#"{"G":{"h":{"A":null,"3_":12345.6}}}"#, h, "000000000 000000161 old  <34560<ccc");
    check(
        r#"{"G":{"h":{"A":"abcdefg","C-c":"xQQQz"}}}"#,
        "A '<' C-c(1:1) C-c(3:1)",
        "000000000 000000769 abcde<xz",
    );
}

#[test]
fn arrays_fill_tables() {
    let text =
        r#"{"G":{"R":{"S":[{"U":12,"W":["a","b"]},null,{"U":"0034","W":["c",null,"x"]},{"U":9},{}]}}}"#;
    check_shown(
        DATA,
        &parsed(text, "", "U(1) U(2) U(3) '<' W(1 1) W(1 2) W(3 1) W(3 2) '>'"),
        "000000000 000000081 001200000034<a b c   >",
    );
    let few = r#"{"G":{"R":{"S":[{"U":7}]}}}"#;
    check_shown(DATA, &parsed(few, "SUPPRESS H E", "U(1) U(2)"), "000000000 000000009 00070000");
}

#[test]
fn what_does_not_go_into_an_item_is_an_exception() {
    let check = |text: &str, code: &str| {
        check_shown(DATA, &parsed(text, "", "A"), &format!("NO\n000000{code}"));
    };
    check("", "101 000000000 old");
    check("{", "100 000000000 old");
    check(r#"{"G":{"H":{"A":"new"}}} ]"#, "102 000000001 new");
    check(r#"{"G":{"H":{"A":"new","A":"newer"}}}"#, "103 000000000 new");
    check(r#"{"G":{"H":{"3_":"x"}}}"#, "104 000000000 old");
    check(r#"{"G":{"H":{"3_":{}}}}"#, "104 000000000 old");
    check(r#"{"G":{"H":{"A":1.5}}}"#, "104 000000000 old");
    check(r#"{"G":{"H":"x"}}"#, "104 000000000 old");
    check(r#"{"G":{"H":{"A":[1]}}}"#, "104 000000000 old");
    check(r#"{"G":{"R":{"S":{"U":1}}}}"#, "104 000000000 old");
    check(r#"{"G":{"H":{"A":true}}}"#, "107 000000000 old");
    check("[1]", "108 000000000 old");
    check("1", "100 000000000 old");
    let deep = "MOVE ALL '[' TO T MOVE '{\"x\":' TO T(1:5) JSON PARSE T INTO G END-JSON DISPLAY JSON-CODE ' ' JSON-STATUS.";
    check_shown("01 T PIC X(4000).\n01 G.\n 05 A PIC X.", deep, "000000100 000000002");
}

#[test]
fn the_same_value_twice_is_no_exception() {
    let text = r#"{"G":{"H":{"A":7,"a":7,"C-C":-12}}}"#;
    check_shown(DATA, &parsed(text, "", "A C-c"), "000000000 000000005 7    12");
}

#[test]
fn phrases() {
    let named = r#"{"Top":{"h":{"Name":"n","name":"m","3_":1,"c-c":2}}}"#;
    let phrases = "WITH DETAIL NAME OF G IS 'Top' A IS 'Name' SUPPRESS E R";
    let shown = "JSON PARSE at line 20: a name is no item's\n000000000 000000002 n";
    check_shown(DATA, &parsed(named, phrases, "A"), shown);
    let anonymous = r#"{"H":{"A":"x","3_":1,"c-c":2}}"#;
    check_shown(DATA, &parsed(anonymous, "NAME G IS OMITTED SUPPRESS E R", "A"), "000000000 000000000 x");
    let statements = "JSON PARSE '{\"F\":true}' INTO F CONVERTING F FROM JSON BOOLEAN USING F-YES END-JSON DISPLAY F JSON-CODE \
        JSON PARSE T INTO F CONVERTING F FROM JSON BOOL USING 'a' AND 'b' DISPLAY F JSON-CODE \
        MOVE '{\"f\":\"x\"}' TO T JSON PARSE T INTO F CONVERTING F FROM JSON BOOL F-YES DISPLAY F JSON-CODE.";
    let statements = statements.replace("JSON PARSE '{\"F\":true}'", "MOVE '{\"F\":true}' TO T JSON PARSE T");
    let statements = statements.replacen(
        "JSON PARSE T INTO F CONVERTING F FROM JSON BOOL USING 'a'",
        "MOVE '{\"F\":false}' TO T JSON PARSE T INTO F CONVERTING F FROM JSON BOOL USING 'a'",
        1,
    );
    check_shown(DATA, &statements, "Y000000000\nb000000000\nb000000104");
}

#[test]
fn numbers_go_where_numbers_go() {
    let data = "01 T PIC X(200).\n01 G.\n 05 A PIC ZZ9.99.\n 05 B COMP-2.\n 05 C PIC N(3).\n 05 D PIC XBX.\n 05 E PIC A(2).\n 05 I PIC S9(4) BINARY.";
    let statements = "MOVE '{\"G\":{\"A\":12.345,\"B\":1.5E3,\"C\":-12,\"D\":\"ab\",\"E\":\"é\",\"I\":-7e1}}' TO T JSON PARSE T INTO G END-JSON \
        DISPLAY A '<' B '<' C '<' D '<' E '<' I '<' JSON-CODE JSON-STATUS.";
    // The source is ISO 8859-1 to the program, its JSON UTF-8.
    let statements = statements.replace('é', "\u{c3}\u{a9}");
    check_shown(data, &statements, " 12.34< .15000000000000000E 04<12 <a b<\u{e9} <007}<000000000000000000");
    let cut = "MOVE '{\"G\":{\"A\":12345,\"B\":\"17\",\"C\":\"abcd\",\"D\":\"x\",\"E\":\"yz\",\"I\":99999999999999999999999999999999999999999}}' TO T \
        MOVE 0 TO I JSON PARSE T INTO G END-JSON DISPLAY A '<' C '<' I '<' JSON-CODE ' ' JSON-STATUS.";
    check_shown(data, cut, "345.00<abc<9999<000000000 000000384");
    let letters = "MOVE '{\"G\":{\"E\":12}}' TO T JSON PARSE T INTO G END-JSON DISPLAY JSON-CODE.";
    check_shown(data, letters, "000000104");
}

#[test]
fn what_is_not_built_is_refused_by_its_name() {
    let check = |phrases: &str, expected: &str| {
        let statement = format!("JSON PARSE T INTO G {phrases}.");
        let refused = lowered(&program(DATA, &statement)).expect_err("it is refused");
        assert!(refused.contains(expected), "{phrases}: {refused}");
    };
    check("ENCODING 500", "an ENCODING other than 1208, 819, 37, 1047 and 1140");
    check("IGNORING JSON NULL FOR ALL", "JSON PARSE with IGNORING");
    check("COUNT IN V", "SPCK062 JSON PARSE has no phrase COUNT");
    check("WITH ATTRIBUTES", "SPCK062 JSON PARSE has no phrase ATTRIBUTES");
    check("SUPPRESS A WHEN SPACES", "SPCK062 JSON PARSE knows no values before it reads them");
    check("CONVERTING A FROM JSON BOOLEAN USING 'x'", "CONVERTING without a value for false");
}

#[test]
fn utf_8_items_take_characters() {
    let data = "01 T PIC X(60).\n01 G.\n 05 A PIC U(2).\n 05 B PIC U BYTE-LENGTH 4.\n 05 C PIC Z9 NATIONAL.";
    let text = "{\"G\":{\"A\":\"\u{e2}\u{82}\u{ac}ab\",\"B\":\"\u{c3}\u{a9}\u{e2}\u{82}\u{ac}\",\"C\":5}}";
    check_shown(
        data,
        &format!(
            "MOVE '{text}' TO T JSON PARSE T INTO G IF A = UX'E282AC61' AND B = UX'C3A92020' DISPLAY C JSON-STATUS."
        ),
        " 5000000256",
    );
}

/// S9(9) BINARY: shown with its nine digits, or, where TRUNC(BIN) counts all of the field, with ten.
#[test]
fn the_codes_are_numbers_of_nine_digits() {
    let data = "01 S PIC X(3).\n01 G.\n 05 A PIC X(9) VALUE 'x'.\n01 J PIC X(20) VALUE '{\"G'.\n01 D PIC X(4) VALUE '<a>'.";
    let statements = "JSON GENERATE S FROM G DISPLAY JSON-CODE.\nJSON PARSE J INTO G DISPLAY JSON-CODE ' ' JSON-STATUS.\n\
                      XML GENERATE S FROM G DISPLAY XML-CODE.\nXML PARSE D PROCESSING PROCEDURE E DISPLAY XML-CODE.\nGOBACK.\nE. CONTINUE.";
    for (option, expected) in [
        ("STD", "000000001\n000000100 000000000\n000000400\n000786432\n"),
        ("BIN", "0000000001\n0000000100 0000000000\n0000000400\n0000786432\n"),
    ] {
        let text = format!("CBL TRUNC({option})\n{}", program(data, statements));
        let ran = support::run_with(&text, support::KeptHost::default());
        assert_eq!(ran.host.shown, expected, "TRUNC({option})");
    }
}

/// A text in the program's own characters, and a national one.
#[test]
fn encodings() {
    let data = "01 G.\n 05 A PIC X(3).\n01 T PIC X(30) VALUE '{\"G\":{\"A\":\"\u{e9}!\"}}'.\n01 U PIC N(30).\n01 V PIC X(30).";
    let check = |statement: &str, expected: &str| {
        let statement = format!("{statement} ON EXCEPTION DISPLAY 'NO' END-JSON DISPLAY A '|'.");
        check_shown(data, &statement, expected);
    };
    check("JSON PARSE T INTO G WITH ENCODING 819", "\u{e9}! |");
    check("JSON PARSE T INTO G ENCODING 1140", "\u{e9}! |");
    check("MOVE FUNCTION NATIONAL-OF(T) TO U JSON PARSE U INTO G", "\u{e9}! |");
    check("MOVE FUNCTION NATIONAL-OF(T) TO U JSON PARSE U INTO G ENCODING 1200", "\u{e9}! |");
    check(
        "MOVE FUNCTION NATIONAL-OF(T) TO U MOVE FUNCTION DISPLAY-OF(U 1208) TO V JSON PARSE V INTO G ENCODING 1208",
        "\u{e9}! |",
    );
}
