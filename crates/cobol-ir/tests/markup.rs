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
    let message = refused(data, "XML GENERATE T FROM A OF G WITH XML-DECLARATION.");
    assert!(message.contains("XML GENERATE with XML-DECLARATION"), "{message}");
    let message = refused(data, "M. XML PARSE T RETURNING NATIONAL PROCESSING PROCEDURE M.");
    assert!(message.contains("XML PARSE with RETURNING"), "{message}");
    let message = refused(data, "JSON GENERATE T FROM F SUPPRESS B.");
    assert!(message.contains("JSON GENERATE with SUPPRESS"), "{message}");
}
