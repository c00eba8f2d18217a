//! JSON GENERATE and XML GENERATE: items as elements, as the language reference has it.

mod support;

use support::{check_shown, lowered, program};

const DATA: &str = "01 Order-Form.\n 05 Ident PIC 9(6) VALUE 42.\n 05 Buyer PIC X(20) VALUE 'O''Hara & \"Sons\"'.\n 05 FILLER PIC X(3) VALUE 'xxx'.\n\
 05 Amount PIC S9(5)V99 COMP-3 VALUE -1234.50.\n 05 Empty PIC X(4).\n 05 Right-Item PIC X(6) JUST RIGHT.\n 05 Shown PIC ZZ9.9.\n\
 05 Shown-X REDEFINES Shown PIC X(5).\n 05 Line-Count PIC 9 VALUE 2.\n 05 Lines-Of.\n  10 One OCCURS 1 TO 3 DEPENDING ON Line-Count.\n   15 Item PIC X(4).\n   15 Size-Of PIC 9V9 OCCURS 2.\n\
01 T PIC X(400) VALUE ALL '.'.\n01 N PIC 9(4).\n01 S PIC X(20) VALUE ALL '.'.";

const FILL: &str = "MOVE SPACES TO Empty MOVE 'AB' TO Right-Item MOVE 7.25 TO Shown MOVE 'bolt' TO Item(1) MOVE 'nut' TO Item(2) \
 MOVE 0 TO Size-Of(1 1) MOVE 1.5 TO Size-Of(1 2) Size-Of(2 1) Size-Of(2 2).\n";

#[test]
fn json_of_a_record() {
    let json = "{\"Order-Form\":{\"Ident\":42,\"Buyer\":\"O'Hara & \\\"Sons\\\"\",\"Amount\":-1234.50,\"Empty\":\" \",\"Right-Item\":\"AB\",\"Shown\":\"  7.2\",\
                \"Line-Count\":2,\"Lines-Of\":{\"One\":[{\"Item\":\"bolt\",\"Size-Of\":[0.0,1.5]},{\"Item\":\"nut\",\"Size-Of\":[1.5,1.5]}]}}}";
    let statements = format!(
        "{FILL} JSON GENERATE T FROM Order-Form COUNT IN N NOT ON EXCEPTION DISPLAY T(1:N) END-JSON DISPLAY T(N + 1:2) JSON-CODE."
    );
    check_shown(DATA, &statements, &format!("{json}\n..000000000"));
}

#[test]
fn xml_of_a_record() {
    let xml = "<Order-Form><Ident>42</Ident><Buyer>O&apos;Hara &amp; &quot;Sons&quot;</Buyer><Amount>-1234.50</Amount><Empty> </Empty>\
               <Right-Item>AB</Right-Item><Shown>  7.2</Shown><Line-Count>2</Line-Count><Lines-Of><One><Item>bolt</Item><Size-Of>0.0</Size-Of>\
               <Size-Of>1.5</Size-Of></One><One><Item>nut</Item><Size-Of>1.5</Size-Of><Size-Of>1.5</Size-Of></One></Lines-Of></Order-Form>";
    check_shown(DATA, &format!("{FILL} XML GENERATE T FROM Order-Form COUNT N END-XML DISPLAY T(1:N)."), xml);
}

#[test]
fn a_receiver_that_is_too_short_is_an_exception() {
    let statements = format!(
        "{FILL} JSON GENERATE S FROM Order-Form COUNT IN N ON EXCEPTION DISPLAY 'NO ' JSON-CODE N END-JSON DISPLAY S \
         XML GENERATE S FROM Lines-Of COUNT IN N ON EXCEPTION DISPLAY 'NO ' XML-CODE NOT ON EXCEPTION DISPLAY 'YES' END-XML DISPLAY S."
    );
    let expected = "NO 0000000010020\n{\"Order-Form\":{\"Iden\nNO 000000400\n<Lines-Of><One><Item";
    check_shown(DATA, &statements, expected);
}

#[test]
fn names_characters_and_occurrences() {
    let data = "01 G.\n 05 A PIC X(2) OCCURS 2.\n 05 9B PIC X VALUE X'01'.\n01 T PIC X(80).\n01 N PIC 99.";
    let values = "MOVE '\u{e9}' TO A(1) MOVE 'a\\' TO A(2) MOVE SPACES TO T ";
    check_shown(
        data,
        &format!("{values} JSON GENERATE T FROM G NAME OF G IS 'all' A IS 'first' COUNT N DISPLAY T(1:N)."),
        "{\"all\":{\"first\":[\"\u{c3}\u{a9}\",\"a\\\\\"],\"9B\":\"\\u0001\"}}",
    );
    check_shown(
        data,
        &format!("{values} JSON GENERATE T FROM A(2) COUNT N DISPLAY T(1:N)."),
        "{\"A\":\"a\\\\\"}",
    );
    let statements =
        format!("{values} XML GENERATE T FROM G COUNT IN N ON EXCEPTION DISPLAY XML-CODE T(1:N) END-XML.");
    check_shown(data, &statements, "000000417<G><A>\u{e9}</A><A>a\\</A><hex._9B>01</hex._9B></G>");
}

const PARSED: &str = "01 D.\n 05 PIC X(60) VALUE '<?xml version=\"1.0\"?><o:order xmlns:o=\"urn:o\" no=\"7\"><item>'.\n\
 05 PIC X(60) VALUE 'nut &amp; bolt</item><item/></o:order>'.\n01 S PIC X(20) VALUE '<a>one</a>'.\n01 N PIC 99 VALUE 0.\n01 T PIC X(12).";

/// A program that parses and tells of each event.
fn parsing(statement: &str, handler: &str) -> String {
    format!("MAIN. {statement} GOBACK.\nHANDLER. {handler}")
}

const TELL: &str = "DISPLAY FUNCTION TRIM(XML-EVENT) NO ADVANCING IF FUNCTION LENGTH(XML-TEXT) > 0 DISPLAY '=' XML-TEXT NO ADVANCING END-IF \
 IF XML-NAMESPACE-PREFIX NOT = SPACE DISPLAY '(' XML-NAMESPACE-PREFIX ':' XML-NAMESPACE ')' NO ADVANCING END-IF DISPLAY ';' NO ADVANCING.";

#[test]
fn xml_is_parsed_event_by_event() {
    let statement = "XML PARSE D PROCESSING PROCEDURE HANDLER ON EXCEPTION DISPLAY 'NO' NOT ON EXCEPTION DISPLAY 'ALL ' XML-CODE END-XML";
    let expected = "START-OF-DOCUMENT;VERSION-INFORMATION=1.0;START-OF-ELEMENT=order(o:urn:o);NAMESPACE-DECLARATION(o:urn:o);\
                    ATTRIBUTE-NAME=no;ATTRIBUTE-CHARACTERS=7;START-OF-ELEMENT=item;CONTENT-CHARACTERS= nut & bolt;END-OF-ELEMENT=item;\
                    START-OF-ELEMENT=item;END-OF-ELEMENT=item;END-OF-ELEMENT=order(o:urn:o);END-OF-DOCUMENT;ALL 000000000";
    check_shown(PARSED, &parsing(statement, TELL), expected);
}

#[test]
fn the_text_of_an_event_is_an_ordinary_operand() {
    let statement = "XML PARSE D PROCESSING PROCEDURE HANDLER THRU HANDLER-X";
    let handler = "EVALUATE XML-EVENT WHEN 'START-OF-ELEMENT' ADD 1 TO N MOVE XML-TEXT TO T IF XML-TEXT = 'item' DISPLAY T '|' XML-TEXT(2:2) \
                   LENGTH OF XML-TEXT END-IF WHEN 'END-OF-DOCUMENT' MOVE XML-TEXT TO T DISPLAY N T '|' END-EVALUATE.\nHANDLER-X. EXIT.";
    check_shown(
        PARSED,
        &parsing(statement, handler),
        "item        |te000000004\nitem        |te000000004\n03            |",
    );
}

#[test]
fn a_document_that_is_not_well_formed_is_an_exception() {
    let statement = "MOVE '<a></b>' TO S XML PARSE S PROCESSING PROCEDURE IS HANDLER ON EXCEPTION DISPLAY 'NO ' XML-CODE END-XML";
    let handler = "DISPLAY XML-EVENT XML-CODE.";
    let expected = "START-OF-DOCUMENT             000000000\nSTART-OF-ELEMENT              000000000\n\
                    EXCEPTION                     000786432\nNO 000786432";
    check_shown(PARSED, &parsing(statement, handler), expected);
}

#[test]
fn the_processing_procedure_may_end_the_parsing() {
    let statement = "XML PARSE S PROCESSING PROCEDURE HANDLER ON EXCEPTION DISPLAY 'ENDED ' XML-CODE END-XML";
    let handler = "DISPLAY FUNCTION TRIM(XML-EVENT) IF XML-EVENT = 'START-OF-ELEMENT' MOVE -1 TO XML-CODE.";
    check_shown(PARSED, &parsing(statement, handler), "START-OF-DOCUMENT\nSTART-OF-ELEMENT\nENDED 00000000J");
}

#[test]
fn a_document_may_come_in_segments() {
    let statement =
        "MOVE '<a>one' TO S XML PARSE S PROCESSING PROCEDURE HANDLER NOT ON EXCEPTION DISPLAY 'ALL' END-XML";
    let handler = "IF XML-EVENT = 'CONTENT-CHARACTERS' DISPLAY FUNCTION TRIM(XML-TEXT) END-IF \
                   IF XML-EVENT = 'END-OF-INPUT' MOVE 'two</a>' TO S MOVE 1 TO XML-CODE.";
    check_shown(PARSED, &parsing(statement, handler), "one\ntwo\nALL");
}

#[test]
fn the_older_parser_has_names_with_prefixes() {
    let text = format!(
        "CBL XMLPARSE(COMPAT)\n{}",
        program(
            PARSED,
            &parsing(
                "XML PARSE D PROCESSING PROCEDURE HANDLER.",
                "DISPLAY FUNCTION TRIM(XML-EVENT) '=' XML-TEXT(1:20)."
            )
        )
    );
    let shown = support::shown_by_all(&text).unwrap_or_else(|message| panic!("{message}"));
    assert!(shown.contains("START-OF-ELEMENT=o:order"), "{shown}");
    assert!(shown.contains("CONTENT-CHARACTER=&"), "{shown}");
}

#[test]
fn what_is_not_built_is_refused() {
    let refused =
        |data: &str, statement: &str| lowered(&program(data, statement)).expect_err("it is refused");
    let data = "01 G.\n 05 A PIC X.\n 05 P POINTER.\n01 F.\n 05 FILLER.\n  10 B PIC X.\n01 T PIC X(80).";
    let message = refused(data, "JSON GENERATE T FROM G.");
    assert!(message.contains("does not know JSON GENERATE of pointer yet"), "{message}");
    let message = refused(data, "XML GENERATE T FROM F.");
    assert!(message.contains("XML GENERATE of a group without a name"), "{message}");
    let message = refused(data, "XML GENERATE T FROM A OF G WITH ENCODING 500.");
    assert!(message.contains("an ENCODING other than 1208, 819, 37, 1047 and 1140"), "{message}");
    let message = refused(data, "XML GENERATE T FROM F TYPE OF F IS ATTRIBUTE.");
    assert!(message.contains("this TYPE") || message.contains("without a name"), "{message}");
    let message = refused(data, "M. XML PARSE T VALIDATING WITH A OF G PROCESSING PROCEDURE M.");
    assert!(message.contains("XML PARSE with VALIDATING"), "{message}");
    let message = refused(data, "JSON GENERATE T FROM A OF G WITH ATTRIBUTES.");
    assert!(message.contains("SPCK062 JSON GENERATE has no phrase ATTRIBUTES"), "{message}");
    let message = refused(data, "XML GENERATE T FROM A OF G NAMESPACE-PREFIX 'p'.");
    assert!(message.contains("SPCK062 NAMESPACE-PREFIX stands without NAMESPACE"), "{message}");
    let message = refused(data, "XML GENERATE T FROM A OF G ENCODING C.".replace(" C.", " A OF G.").as_str());
    assert!(message.contains("an ENCODING that is no literal"), "{message}");
    let message = refused(data, "JSON PARSE T INTO G RETURNING NATIONAL.");
    assert!(message.contains("JSON PARSE has no phrase RETURNING NATIONAL"), "{message}");
}

const PARTS: &str = "01 G.\n 05 A PIC X(3) VALUE 'a\"a'.\n 05 B.\n  10 C PIC X(3) VALUE 'ccc'.\n  10 D PIC 9(3) VALUE 0.\n 05 E PIC X(3) VALUE SPACES.\n\
 05 K PIC X OCCURS 2 VALUE 'k'.\n 05 L PIC N(2) VALUE N'\u{e9}x'.\n 05 M PIC X VALUE 'Y'.\n  88 M-YES VALUE 'Y'.\n\
01 T PIC X(400).\n01 N PIC 9(4).\n01 U PIC X(20) VALUE 'urn:x'.\n01 P PIC X(4) VALUE 'p'.";

/// A statement about G without its national item, and what it writes.
fn check_written(language: &str, phrases: &str, expected: &str) {
    let data = if language == "XML" {
        PARTS.replace(" 05 L PIC N(2) VALUE N'\u{e9}x'.\n", "")
    } else {
        PARTS.to_owned()
    };
    let statement =
        format!("{language} GENERATE T FROM G COUNT IN N {phrases} END-{language} DISPLAY T(1:N).");
    check_shown(&data, &statement, expected);
}

#[test]
fn attributes_and_content() {
    let tail = "<K>k</K><K>k</K>";
    let with = format!("<G A=\"a&quot;a\" E=\" \" M=\"Y\"><B C=\"ccc\" D=\"0\"></B>{tail}</G>");
    check_written("XML", "WITH ATTRIBUTES", &with);
    check_written(
        "XML",
        "NAME OF D IS 'dd' TYPE OF D IS CONTENT C ATTRIBUTE E IS ELEMENT",
        &format!("<G><A>a&quot;a</A><B C=\"ccc\">0</B><E> </E>{tail}<M>Y</M></G>"),
    );
    let hex = "MOVE X'01' TO M XML GENERATE T FROM G COUNT N TYPE M ATTRIBUTE SUPPRESS A B E K DISPLAY T(1:N) XML-CODE.";
    check_shown(
        &PARTS.replace(" 05 L PIC N(2) VALUE N'\u{e9}x'.\n", ""),
        hex,
        "<G hex.M=\"01\"></G>000000417",
    );
}

#[test]
fn namespaces_and_declarations() {
    let suppress = "SUPPRESS A B K M";
    check_written(
        "XML",
        &format!("XML-DECLARATION NAMESPACE IS U NAMESPACE-PREFIX IS P {suppress}"),
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><p:G xmlns:p=\"urn:x\"><p:E> </p:E></p:G>",
    );
    check_written(
        "XML",
        &format!("WITH ENCODING 1208 WITH XML-DECLARATION NAMESPACE 'urn:\u{e9}&' {suppress}"),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><G xmlns=\"urn:\u{c3}\u{a9}&amp;\"><E> </E></G>",
    );
    let wrong = "MOVE '1p' TO P XML GENERATE T FROM G COUNT N NAMESPACE U NAMESPACE-PREFIX P ON EXCEPTION DISPLAY XML-CODE N.";
    check_shown(&PARTS.replace(" 05 L PIC N(2) VALUE N'\u{e9}x'.\n", ""), wrong, "0000004190000");
}

#[test]
fn what_is_suppressed_is_left_out_with_groups_that_are_empty() {
    check_written(
        "XML",
        "SUPPRESS EVERY NONNUMERIC WHEN SPACES OR LOW-VALUES K WHEN ZERO",
        "<G><A>a&quot;a</A><B><C>ccc</C><D>0</D></B><K>k</K><K>k</K><M>Y</M></G>",
    );
    check_written(
        "XML",
        "WITH ATTRIBUTES SUPPRESS EVERY NUMERIC ATTRIBUTE WHEN ZERO EVERY ATTRIBUTE WHEN SPACE C K",
        "<G A=\"a&quot;a\" M=\"Y\"></G>",
    );
    check_written(
        "JSON",
        "SUPPRESS EVERY NUMERIC WHEN ZEROES E WHEN SPACES C K L",
        "{\"G\":{\"A\":\"a\\\"a\",\"M\":\"Y\"}}",
    );
    // EVERY need not be written.
    check_written("JSON", "SUPPRESS WHEN ZEROES OR SPACES E C K L", "{\"G\":{\"A\":\"a\\\"a\",\"M\":\"Y\"}}");
    let some =
        "MOVE SPACE TO K(1) JSON GENERATE T FROM G COUNT N SUPPRESS K WHEN SPACE A B E L M DISPLAY T(1:N).";
    check_shown(PARTS, some, "{\"G\":{\"K\":[\"k\"]}}");
    let numbers = "MOVE SPACES TO G(7:3) JSON GENERATE T FROM G COUNT N SUPPRESS D WHEN ZERO OR SPACES A C E K L M DISPLAY T(1:N).";
    check_shown(PARTS, numbers, "{\"G\":{}}");
}

#[test]
fn json_has_truth_national_characters_and_objects_without_a_name() {
    check_written(
        "JSON",
        "NAME OF G IS OMITTED SUPPRESS A B E K CONVERTING M TO JSON BOOLEAN USING M-YES",
        "{\"L\":\"\u{c3}\u{a9}x\",\"M\":true}",
    );
    check_written("JSON", "SUPPRESS A B E K L CONVERTING M TO JSON BOOL USING 'N'", "{\"G\":{\"M\":false}}");
}

#[test]
fn national_receivers_count_units() {
    let data = "01 G.\n 05 A PIC X(2) VALUE '\u{e9}x'.\n 05 B PIC N(1) VALUE NX'20AC'.\n01 X.\n 05 A PIC X VALUE '\u{e9}'.\n01 T PIC N(60).\n01 S PIC N(5).\n01 N PIC 99.";
    check_shown(
        data,
        "JSON GENERATE T FROM G COUNT N DISPLAY N T(1:10) IF T(21:1) = NX'20AC' DISPLAY 'EURO'.",
        "24{\"G\":{\"A\":\nEURO",
    );
    check_shown(
        data,
        "XML GENERATE T FROM X COUNT N XML-DECLARATION DISPLAY N T(31:24).",
        "54UTF-16\"?><X><A>\u{e9}</A></X>",
    );
    check_shown(
        data,
        "JSON GENERATE S FROM G COUNT N ON EXCEPTION DISPLAY JSON-CODE N S.",
        "00000000105{\"G\":",
    );
    let refused = lowered(&program(data, "XML GENERATE T FROM X ENCODING 1208.")).expect_err("it is refused");
    assert!(refused.contains("an ENCODING other than 1200 beside a national item"), "{refused}");
}

/// Checks the text that is written of G into T.
fn check_unicode(data: &str, statement: &str, expected: &str) {
    let data = format!("{data}\n01 T PIC X(120).\n01 N PIC 999.");
    check_shown(&data, &format!("{statement} DISPLAY T(1:N)."), expected);
}

/// ENCODING says what the bytes of a text are; code pages of EBCDIC are the program's own characters, as in the option CODEPAGE.
#[test]
fn encodings_of_texts_that_are_written() {
    let data = "01 G.\n 05 A PIC X VALUE X'E9'.\n 05 B PIC N VALUE NX'20AC'.\n01 T PIC X(60).\n01 U PIC N(60).\n01 N PIC 99.";
    for page in ["819", "37", "1047", "1140"] {
        let statement = format!("JSON GENERATE T FROM G COUNT N ENCODING {page} DISPLAY T(1:N).");
        check_shown(data, &statement, "{\"G\":{\"A\":\"\u{e9}\",\"B\":\"\\u20AC\"}}");
        let statement = format!("XML GENERATE T FROM G COUNT N ENCODING {page} DISPLAY T(1:N).");
        check_shown(data, &statement, "<G><A>\u{e9}</A><B>&#x20AC;</B></G>");
    }
    let utf8 = "{\"G\":{\"A\":\"\u{c3}\u{a9}\",\"B\":\"\u{e2}\u{82}\u{ac}\"}}";
    check_shown(data, "JSON GENERATE T FROM G COUNT N ENCODING 1208 DISPLAY T(1:N).", utf8);
    check_shown(
        data,
        "JSON GENERATE U FROM G COUNT N ENCODING 1200 MOVE FUNCTION DISPLAY-OF(U 1208) TO T DISPLAY T(1:26).",
        utf8,
    );
}

/// The characters of a document, and those that its texts become.
#[test]
fn encodings_of_documents_that_are_parsed() {
    let data = "01 T PIC X(60) VALUE '<p:a xmlns:p=\"u\">&#xE9;\u{e9}</p:a>'.\n01 V PIC X(60).\n01 W PIC X(60).\n01 U PIC N(60).\n01 N PIC 99.";
    let shows = "IF XML-EVENT = 'CONTENT-CHARACTERS' AND FUNCTION LENGTH(XML-TEXT) > 0 DISPLAY 'B ' FUNCTION HEX-OF(XML-TEXT) END-IF \
                 IF XML-EVENT = 'CONTENT-CHARACTERS' AND FUNCTION LENGTH(XML-NTEXT) > 0 DISPLAY 'N ' FUNCTION HEX-OF(XML-NTEXT) \
                 FUNCTION LENGTH(XML-NTEXT) END-IF \
                 IF XML-EVENT = 'NAMESPACE-DECLARATION' AND FUNCTION LENGTH(XML-NNAMESPACE) > 0 \
                 DISPLAY FUNCTION HEX-OF(XML-NNAMESPACE) FUNCTION HEX-OF(XML-NNAMESPACE-PREFIX) END-IF.";
    let check = |prepared: &str, statement: &str, expected: &str| {
        let text = format!(
            "M. {prepared} XML PARSE {statement} PROCESSING PROCEDURE H ON EXCEPTION DISPLAY 'NO' END-XML GOBACK.\nH. {shows}"
        );
        check_shown(data, &text, expected);
    };
    check("", "T", "B E9E9");
    check("", "T ENCODING 1140", "B E9E9");
    let national = "00750070\nN 00E900E92";
    check("", "T RETURNING NATIONAL", national);
    let to_national = "MOVE FUNCTION NATIONAL-OF(T) TO U";
    check(to_national, "U", national);
    check(to_national, "U WITH ENCODING 1200", national);
    let to_utf8 = "MOVE FUNCTION NATIONAL-OF(T) TO U MOVE FUNCTION DISPLAY-OF(U 1208) TO V";
    check(to_utf8, "V WITH ENCODING 1208", "B C3A9C3A9");
    check(to_utf8, "V WITH ENCODING 1208 RETURNING NATIONAL", national);
    // Characters beyond one byte are there in UTF-8 and in national texts.
    let euro = "MOVE '<a>&#x20AC;</a>' TO V";
    check(euro, "V ENCODING 1208", "B E282AC");
    check(euro, "V RETURNING NATIONAL", "N 20AC1");
    // Bytes that are no UTF-8.
    check("", "T ENCODING 1208", "NO");
}

#[test]
fn xml_has_national_items() {
    let data = "01 G.\n 05 A PIC N(3) VALUE N'<b'.\n 05 B PIC N(2) VALUE NX'20AC00E9'.\n 05 C PIC 9(3)V9 NATIONAL VALUE 4.5.\n 05 D PIC Z9 NATIONAL.\n 05 E PIC N VALUE NX'0001'.";
    check_unicode(
        data,
        "MOVE 7 TO D XML GENERATE T FROM G COUNT N SUPPRESS E",
        "<G><A>&lt;b</A><B>&#x20AC;\u{e9}</B><C>4.5</C><D> 7</D></G>",
    );
    check_unicode(
        data,
        "XML GENERATE T FROM G COUNT N WITH ENCODING 1208 SUPPRESS A C D E",
        "<G><B>\u{e2}\u{82}\u{ac}\u{c3}\u{a9}</B></G>",
    );
    check_unicode(
        data,
        "XML GENERATE T FROM G COUNT N WITH ATTRIBUTES SUPPRESS A C D E",
        "<G B=\"&#x20AC;\u{e9}\"></G>",
    );
    check_unicode(
        data,
        "XML GENERATE T FROM G COUNT N SUPPRESS A B C D ON EXCEPTION DISPLAY XML-CODE END-XML",
        "000000417\n<G><hex.E>0001</hex.E></G>",
    );
}

#[test]
fn json_text_lies_in_utf_8_items() {
    let data =
        "01 G.\n 05 A PIC X(2) VALUE '\u{e9}x'.\n01 U PIC U BYTE-LENGTH 20.\n01 V PIC U(20).\n01 N PIC 99.";
    let there_and_back = "MOVE SPACES TO U JSON GENERATE U FROM G COUNT N MOVE SPACES TO A JSON PARSE U INTO G DISPLAY N A JSON-CODE \
                          IF U = U'{\"G\":{\"A\":\"\\u00e9x\"}}' DISPLAY 'SAME'.";
    check_shown(data, there_and_back, "17\u{e9}x000000000\nSAME");
    for (statement, expected) in [
        ("JSON GENERATE U FROM G ENCODING 1140.", "an ENCODING other than 1208 beside a UTF-8 item"),
        ("JSON PARSE U INTO G ENCODING 37.", "an ENCODING other than 1208 beside a UTF-8 item"),
        ("JSON GENERATE V FROM G.", "JSON GENERATE into UTF-8"),
        ("XML GENERATE U FROM G.", "SPCK063 XML GENERATE does not take U (UTF-8)"),
    ] {
        let refused = lowered(&program(data, statement)).expect_err("it is refused");
        assert!(refused.contains(expected), "{statement}: {refused}");
    }
}

#[test]
fn json_has_utf_8_items() {
    let data = "01 G.\n 05 A PIC U(3) VALUE U'\\u20acb'.\n 05 B PIC U BYTE-LENGTH 4.\n 05 C PIC Z9 NATIONAL.\n01 X PIC X(9).";
    check_unicode(
        data,
        "MOVE SPACES TO B MOVE 3 TO C JSON GENERATE T FROM G COUNT N",
        "{\"G\":{\"A\":\"\u{e2}\u{82}\u{ac}b\",\"B\":\" \",\"C\":\" 3\"}}",
    );
    check_unicode(
        data,
        "MOVE HIGH-VALUES TO B JSON GENERATE T FROM G COUNT N SUPPRESS B WHEN HIGH-VALUES C",
        "{\"G\":{\"A\":\"\u{e2}\u{82}\u{ac}b\"}}",
    );
    let refused = lowered(&program(data, "XML GENERATE X FROM G.")).expect_err("it is refused");
    assert!(refused.contains("XML GENERATE of UTF-8"), "{refused}");
}
