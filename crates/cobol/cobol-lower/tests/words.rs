//! Words that are seldom written: alphabets, symbolic characters, options of cards, subscripts with signs.

mod support;

use support::{KeptHost, check_shown, lowered, run_with, shown_by_all};

/// Checks the lines that a program with an environment division, and cards in front of it, shows.
#[track_caller]
fn check_with(cards: &str, environment: &str, data: &str, statements: &str, expected: &str) {
    let text = format!(
        "{cards}ID DIVISION.\nPROGRAM-ID. T.\nENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\n{environment}\n\
         DATA DIVISION.\nWORKING-STORAGE SECTION.\n{data}\nPROCEDURE DIVISION.\n{statements}\n"
    );
    let ran = run_with(&text, KeptHost::default());
    assert!(ran.left.is_ok(), "{:?}", ran.left);
    assert_eq!(ran.host.shown.trim_end(), expected, "{statements}");
}

const TABLE: &str = "01 T.\n 02 A OCCURS 3 INDEXED BY IA.\n  03 B OCCURS 3 INDEXED BY IB.\n   04 E PIC X OCCURS 3 INDEXED BY IE.\n\
                     01 L REDEFINES T PIC X(27).\n01 N PIC 9 VALUE 2.\n01 P PIC 9(4) VALUE 6.\n01 Q PIC 9(4) VALUE 7.";

#[test]
fn subscripts_with_signs() {
    let fill = "MOVE 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0' TO L SET IA TO 1 SET IB TO 2 SET IE TO 1";
    let check = |element: &str, expected: &str| {
        check_shown(TABLE, &format!("{fill} DISPLAY {element}."), expected);
    };
    check("E (+1, N, +3)", "F");
    check("E (+1 N +3)", "F");
    check("E (1 +2 3)", "F");
    check("E (IA +1 IB  +1 IE + 2)", "R");
    check("E (IA IB  -1 IE)", "A");
    check("E (N + 1, N - 1, N)", "T");
}

#[test]
fn parentheses_behind_a_comma_are_no_subscripts() {
    check_shown(TABLE, "COMPUTE N = FUNCTION MAX (P * 1, (Q + 1) * 1) DISPLAY N.", "8");
    check_shown(TABLE, "COMPUTE N = FUNCTION MIN (P (Q - 2)) DISPLAY N.", "5");
}

#[test]
fn evaluate_of_a_value_in_parentheses() {
    let statements = "EVALUATE (P * 7) WHEN 42 DISPLAY 'YES' WHEN OTHER DISPLAY 'NO' END-EVALUATE.";
    check_shown(TABLE, statements, "YES");
    let statements = "EVALUATE P WHEN (Q - 1) DISPLAY 'YES' WHEN OTHER DISPLAY 'NO' END-EVALUATE.";
    check_shown(TABLE, statements, "YES");
}

#[test]
fn quote_is_what_the_card_says() {
    let data = "01 A PIC XX.";
    check_with("", "", data, "MOVE QUOTE TO A DISPLAY A.", "\"\"");
    check_with("CBL APOST\n", "", data, "MOVE QUOTE TO A DISPLAY A.", "''");
    check_with("CBL APOST,QUOTE\n", "", data, "MOVE QUOTE TO A DISPLAY A.", "\"\"");
}

#[test]
fn symbolic_characters() {
    let names = "SPECIAL-NAMES.\n SYMBOLIC CHARACTERS STAR IS 43 PLUS-C MINUS-C ARE 44 46\n UPSI-0 IS SW ON STATUS IS SW-ON.";
    let data = "01 A PIC XXX VALUE '***'.";
    check_with("", names, data, "IF A = STAR DISPLAY 'SAME' STAR PLUS-C.", "SAME*+");
    check_with("", names, data, "MOVE MINUS-C TO A DISPLAY A.", "---");
    check_with("", names, data, "INSPECT A REPLACING ALL STAR BY PLUS-C DISPLAY A.", "+++");
}

#[test]
fn the_collating_sequence_of_a_program() {
    let data = "01 A PIC XX VALUE 'a1'. 01 B PIC XX VALUE 'B'. 01 D PIC XX VALUE '1'. 01 V PIC X.";
    let order =
        "IF A < B DISPLAY 'A<B'. IF D > B DISPLAY 'D>B'. MOVE HIGH-VALUE TO V IF V = X'FF' DISPLAY 'FF'.";
    check_with("", "", data, order, "FF");
    let ebcdic =
        "OBJECT-COMPUTER. X PROGRAM COLLATING SEQUENCE IS AL.\nSPECIAL-NAMES. ALPHABET AL IS EBCDIC.";
    check_with("", ebcdic, data, "IF A < B DISPLAY 'A<B'. IF D > B DISPLAY 'D>B'.", "A<B\nD>B");
    let own = "OBJECT-COMPUTER. X SEQUENCE IS AL.\nSPECIAL-NAMES. ALPHABET AL IS STANDARD-1.";
    check_with("", own, data, order, "FF");
    let listed =
        "OBJECT-COMPUTER. X COLLATING SEQUENCE AL.\nSPECIAL-NAMES. ALPHABET AL IS 'Z' THRU 'A' 'a' ALSO 'b'.";
    let statements = "IF 'Z' < 'A' DISPLAY '1'. IF 'B' < '0' DISPLAY '2'. MOVE LOW-VALUE TO V DISPLAY V. IF 'a' = 'b' DISPLAY '3'.";
    check_with("", listed, data, statements, "1\n2\nZ\n3");
}

#[test]
fn switches() {
    let names = "SPECIAL-NAMES. UPSI-0 IS SW ON STATUS IS SW-ON OFF STATUS IS SW-OFF UPSI-7 ON IS LAST-ON.";
    let statements = "IF SW-OFF AND NOT LAST-ON DISPLAY 'OFF'. SET SW TO ON IF SW-ON DISPLAY 'ON'. SET SW TO OFF\n\
                      EVALUATE TRUE WHEN SW-ON DISPLAY 'ON' WHEN SW-OFF DISPLAY 'OFF' END-EVALUATE.";
    check_with("", names, "01 A PIC X.", statements, "OFF\nON\nOFF");
}

#[test]
fn initialize_to_value() {
    let data = "01 G.\n 05 A PIC X(3) VALUE 'ABC'.\n 05 N PIC 9(3) VALUE 7.\n 05 B PIC X(2).\n 05 T OCCURS 5.\n  10 V PIC 9 VALUE 4.\n  10 W PIC X.";
    let shown = |statement: &str, expected: &str| {
        check_shown(data, &format!("MOVE ALL '*' TO G {statement} DISPLAY G."), expected);
    };
    shown("INITIALIZE G ALL TO VALUE", "ABC007**4*4*4*4*4*");
    shown("INITIALIZE G NUMERIC TO VALUE", "***007**4*4*4*4*4*");
    shown("INITIALIZE G ALPHANUMERIC TO VALUE THEN TO DEFAULT", "ABC000  0 0 0 0 0");
    shown("INITIALIZE G ALL TO VALUE THEN REPLACING ALPHANUMERIC DATA BY 'X'", "ABC007X 4X4X4X4X4X");
}

#[test]
fn initialize_of_a_table_of_varying_size() {
    let data = "01 N PIC 9 VALUE 2.\n01 G.\n 05 A PIC X.\n 05 T OCCURS 1 TO 5 DEPENDING ON N.\n  10 V PIC 9.\n 05 Z PIC 9.\n01 K PIC X(9).";
    check_shown(
        data,
        "MOVE 5 TO N MOVE '*******' TO G MOVE 2 TO N INITIALIZE G DISPLAY G MOVE 5 TO N MOVE G TO K DISPLAY K.",
        " 000\n 000***",
    );
}

#[test]
fn varying_with_the_test_behind() {
    let data = "01 I PIC 9.\n01 J PIC 9.";
    check_shown(
        data,
        "PERFORM WITH TEST AFTER VARYING I FROM 1 BY 1 UNTIL I = 2 AFTER J FROM 3 BY 1 UNTIL J > 3\n\
         DISPLAY I J END-PERFORM DISPLAY I J.",
        "13\n14\n23\n24\n24",
    );
}

#[test]
fn altered_go_to() {
    let statements = "PERFORM A THRU A-END ALTER G TO PROCEED TO TWO PERFORM A THRU A-END\n\
                      ALTER G TO PROCEED TO ONE PERFORM A THRU A-END GOBACK.\n\
                      A. DISPLAY 'A'.\nG. GO TO ONE.\nONE. DISPLAY 'ONE' GO TO A-END.\nTWO. DISPLAY 'TWO'.\nA-END. EXIT.";
    check_shown("01 X PIC X.", statements, "A\nONE\nA\nTWO\nA\nONE");
    let unaltered = "IF X = 'X' ALTER G TO PROCEED TO ONE.\nG. GO TO.\nONE. DISPLAY 'ONE'.";
    check_shown("01 X PIC X VALUE 'X'.", unaltered, "ONE");
    check_shown("01 X PIC X VALUE 'N'.", unaltered, "protection exception at line 8 of T");
}

#[test]
fn words_of_old() {
    let data = "01 A PIC X(6) VALUE 'ABABXA'.\n01 N PIC 9(3) VALUE 42.";
    check_shown(data, "EXAMINE A TALLYING ALL 'A' DISPLAY TALLY.", "00003");
    check_shown(data, "EXAMINE A TALLYING UNTIL FIRST 'X' REPLACING BY '-' DISPLAY TALLY A.", "00004----XA");
    check_shown(data, "EXAMINE A REPLACING LEADING 'A' BY 'Z' DISPLAY A.", "ZBABXA");
    check_shown(data, "TRANSFORM A FROM 'AB' TO '12' DISPLAY A.", "1212X1");
    check_shown(data, "TRANSFORM A CHARACTERS FROM 'X' TO SPACE DISPLAY A.", "ABAB A");
    check_shown(data, "EXHIBIT NAMED A N. EXHIBIT 'AT' N.", "A = ABABXA N = 042\nAT 042");
    let twice = "PERFORM SHOW 3 TIMES GOBACK.\nSHOW.\nEXHIBIT CHANGED NAMED A N. EXHIBIT CHANGED A N. EXHIBIT CHANGED NAMED 'X' A ADD 1 TO N.";
    let expected =
        "A = ABABXA N = 042\nABABXA 042\nX A = ABABXA\nN = 043\n       043\nX\nN = 044\n       044\nX";
    check_shown(data, twice, expected);
    // Behind a list of operands, without a full stop in front; but an item may have such a name.
    check_shown(
        data,
        "DISPLAY A EXHIBIT NAMED N EXAMINE A TALLYING ALL 'B' ADD 1 TO N EXHIBIT N.",
        "ABABXA\nN = 042\n043",
    );
    let item = "01 A PIC X VALUE '1'.\n01 EXHIBIT PIC X VALUE '2'.";
    check_shown(item, "DISPLAY A EXHIBIT A.", "121");
    let same = "PERFORM SHOW 2 TIMES GOBACK.\nSHOW.\nEXHIBIT CHANGED N DISPLAY 'BEHIND'.";
    check_shown(data, same, "042\nBEHIND\nBEHIND");
    check_shown(data, "STOP 'WAITING' DISPLAY 'ON'.", "WAITING\nON");
}

#[test]
fn corresponding_sums() {
    let data = "01 G.\n 05 A PIC 9(2) VALUE 5.\n 05 B PIC S9(3)V9 COMP-3 VALUE 1.5.\n 05 C PIC X VALUE 'C'.\n\
                01 H.\n 05 C PIC X VALUE 'D'.\n 05 B PIC 9(3) VALUE 10.\n 05 A PIC 9(2) VALUE 96.";
    check_shown(data, "ADD CORRESPONDING G TO H DISPLAY H.", "D01101");
    check_shown(data, "SUBTRACT CORR G FROM H ROUNDED DISPLAY H.", "D00991");
    check_shown(
        data,
        "ADD CORR G TO H ON SIZE ERROR DISPLAY 'E' NOT ON SIZE ERROR DISPLAY 'N' END-ADD DISPLAY H.",
        "E\nD01196",
    );
}

#[test]
fn evaluate_of_conditions() {
    let data = "01 A PIC 9 VALUE 1.\n01 B PIC 9 VALUE 2.";
    check_shown(
        data,
        "EVALUATE A = 2 WHEN B = 1 DISPLAY 'SAME' WHEN OTHER DISPLAY 'NOT' END-EVALUATE.",
        "SAME",
    );
    check_shown(
        data,
        "EVALUATE A = 1 WHEN B = 1 DISPLAY 'SAME' WHEN OTHER DISPLAY 'NOT' END-EVALUATE.",
        "NOT",
    );
}

#[test]
fn procedure_pointers_hold_names() {
    let data = "01 P PROCEDURE-POINTER.\n01 Q PROCEDURE-POINTER.\n01 N PIC X(8) VALUE 'OTHER'.\n01 A PIC X VALUE 'A'.";
    let text = support::program(
        data,
        "SET P TO ENTRY 'Callee' CALL P USING A SET Q TO P CALL Q SET P TO ENTRY N CALL P SET P TO NULL CALL P.",
    );
    let names = |call: &String| call.split_once(") ").map(|(_, name)| name.trim_end().to_owned());
    let ran = run_with(&text, KeptHost::default());
    let calls: Vec<_> = ran.host.calls.iter().filter_map(names).collect();
    assert_eq!(calls, ["CALLEE  A", "CALLEE", "OTHER", "\0\0\0\0\0\0\0\0"]);
}

#[test]
fn procedure_pointers_are_compared() {
    let data = "01 P PROCEDURE-POINTER.\n01 Q PROCEDURE-POINTER.\n01 G. 02 R PROCEDURE-POINTER.";
    let is = |statements: &str, condition: &str| {
        check_shown(data, &format!("{statements} IF {condition} DISPLAY 'Y' ELSE DISPLAY 'N'."), "Y");
    };
    is("", "P = NULL AND NULL = Q AND P = Q");
    is("SET P TO ENTRY 'ONE'", "P NOT = NULL AND P NOT = Q");
    is("SET P TO ENTRY 'ONE' SET Q TO ENTRY 'one' SET R TO P", "P = Q AND R AND R = G");
    is("SET P TO ENTRY 'ONE' SET Q TO ENTRY 'TWO'", "NOT P = Q");
    is("SET P TO ENTRY 'ONE' SET P TO NULL", "P = NULL");
}

#[test]
fn a_table_within_a_table_is_sorted() {
    let data = "01 T.\n 02 A OCCURS 2.\n  03 N PIC 9.\n  03 B OCCURS 3 ASCENDING KEY K.\n   04 K PIC X.\n   04 V PIC X.\n\
                01 L REDEFINES T PIC X(14). 01 I PIC 9 VALUE 2.";
    let fill = "MOVE '1c1a2b32b5c6a4' TO L";
    check_shown(data, &format!("{fill} SORT B(1) DISPLAY L."), "1a2b3c12b5c6a4");
    check_shown(data, &format!("{fill} SORT B(I ALL) DESCENDING KEY V DISPLAY L."), "1c1a2b32c6b5a4");
    check_shown(data, &format!("{fill} SORT A DESCENDING KEY N DISPLAY L."), "2b5c6a41c1a2b3");
    for (statement, expected) in [
        ("SORT B.", "13 SORT of a table within others needs to know which one"),
        ("SORT B(1 2).", "13 SORT of a table within others needs to know which one"),
        ("SORT B(1 ALL ALL).", "SPCK012 B takes 2 subscripts, not 3"),
    ] {
        let told = lowered(&support::program(data, statement)).err().unwrap_or_default();
        assert_eq!(told, expected, "{statement}");
    }
}

#[test]
fn classes_of_places_and_without_is() {
    let classes = "SPECIAL-NAMES.\n CLASS ONLY-A IS 66 CLASS A-TO-D IS 69 THRU 66 CLASS VOWEL 'A' 'E'.";
    let statements = "IF 'AA' ONLY-A DISPLAY 'ONLY A' END-IF IF A NOT ONLY-A DISPLAY 'OTHERS' END-IF\n\
                      IF A A-TO-D DISPLAY 'A TO D' END-IF IF A VOWEL DISPLAY 'VOWELS' ELSE DISPLAY 'NO VOWELS' END-IF.";
    let expected = "OTHERS\nA TO D\nNO VOWELS";
    check_with("", classes, "01 A PIC X(4) VALUE 'ADCB'.", &statements.replace("'AA'", "A (1:2)"), expected);
}

#[test]
fn stop_with_a_figurative_constant_and_alter_of_numbers() {
    let data = "01 A PIC X.";
    check_shown(data, "STOP QUOTE STOP ZERO STOP 'WAIT' STOP RUN.", "\"\n0\nWAIT");
    let statements =
        "ALTER 10 TO PROCEED TO 30. GO TO 10.\n10. GO TO 20.\n20. DISPLAY 'TWENTY'.\n30. DISPLAY 'THIRTY'.";
    check_shown(data, statements, "THIRTY");
}

#[test]
fn initialize_edits_spaces() {
    let data = "01 G.\n 02 E PIC XXBXX/XX.\n 02 F PIC X.";
    check_shown(data, "MOVE ALL '*' TO G INITIALIZE G DISPLAY '(' G ')'.", "(     /   )");
}

#[test]
fn what_is_shared_lies_in_one_place() {
    let text = "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 G GLOBAL PIC 9(3) VALUE 5.\n\
                01 E EXTERNAL PIC 9(3).\nPROCEDURE DIVISION.\nMOVE 1 TO E.\nCALL 'INNER'.\nCALL 'INNER'.\nDISPLAY G ' ' E.\n\
                ID DIVISION.\nPROGRAM-ID. INNER.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 E EXTERNAL.\n 02 F PIC 9(3).\n\
                PROCEDURE DIVISION.\nADD F TO G.\nADD 1 TO F.\nEND PROGRAM INNER.\nEND PROGRAM T.\n";
    assert_eq!(shown_by_all(text).as_deref(), Ok("008 003\n"));
}

#[test]
fn what_is_shared_and_not_built_is_refused() {
    let refused = |outer: &str, inner: &str, expected: &str| {
        let text = format!(
            "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\n{outer}\nPROCEDURE DIVISION.\nGOBACK.\n\
             ID DIVISION.\nPROGRAM-ID. INNER.\nPROCEDURE DIVISION.\n{inner}\nEND PROGRAM INNER.\nEND PROGRAM T.\n"
        );
        let told = lowered(&text).expect_err("it is not built");
        assert!(told.contains(expected), "{told}");
    };
    refused(
        "WORKING-STORAGE SECTION.\n01 E EXTERNAL PIC 9 VALUE 1.",
        "CONTINUE.",
        "an EXTERNAL item has no VALUE",
    );
    refused("WORKING-STORAGE SECTION.\n01 E PIC 9.", "MOVE 1 TO E.", "there is no item E");
}

/// LOCAL-STORAGE that programs within see begins with its values at each CALL, by an ENTRY, too; what is not GLOBAL lies beside it.
#[test]
fn local_storage_is_shared_with_programs_within() {
    let text = "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 W PIC 9 VALUE 0.\nPROCEDURE DIVISION.\n\
                CALL 'OUTER'. CALL 'OUTER'. CALL 'OUTER'. GOBACK.\n\
                ID DIVISION.\nPROGRAM-ID. OUTER.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 W PIC 9 VALUE 0.\n\
                LOCAL-STORAGE SECTION.\n01 P PIC X(3) VALUE 'abc'.\n01 G GLOBAL.\n 02 N PIC 9(3) VALUE 5.\n 02 T PIC 9 OCCURS 3 VALUE 4.\n\
                PROCEDURE DIVISION.\nP1. ADD 1 TO W MOVE 'zz' TO P CALL 'INNER' CALL 'INNER' DISPLAY W P N T(2).\n\
                ID DIVISION.\nPROGRAM-ID. INNER.\nPROCEDURE DIVISION.\nADD 1 TO N T(2).\nEND PROGRAM INNER.\n\
                END PROGRAM OUTER.\nEND PROGRAM T.\n";
    assert_eq!(shown_by_all(text).as_deref(), Ok("1zz 0076\n2zz 0076\n3zz 0076\n"));
}

/// EXIT PROGRAM leaves a program that was CALLed; a main program goes on.
#[test]
fn a_main_program_goes_on_behind_exit_program() {
    let text = "ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nA. PERFORM B. DISPLAY 'ON'. CALL 'SUB'. CALL 'SUB'. EXIT PROGRAM.\n\
                DISPLAY 'STILL'. GOBACK.\nB. EXIT PROGRAM.\nEND PROGRAM T.\n\
                ID DIVISION.\nPROGRAM-ID. SUB.\nPROCEDURE DIVISION.\nPERFORM C. DISPLAY 'NEVER'. GOBACK.\nC. DISPLAY 'SUB'. EXIT PROGRAM.\n\
                END PROGRAM SUB.\n";
    assert_eq!(shown_by_all(text).as_deref(), Ok("ON\nSUB\nSUB\nSTILL\n"));
}

/// The euro has the byte of code page 1140; national and UTF-8 items have the character itself.
#[test]
fn the_euro_is_that_of_code_page_1140() {
    let data = "01 X PIC X(2) VALUE '5\u{20ac}'.\n01 N PIC N(2) VALUE '5\u{20ac}'.\n01 U PIC U(2).";
    check_shown(data, "DISPLAY FUNCTION HEX-OF(X) ' ' FUNCTION HEX-OF(N).", "35A4 003520AC");
    check_shown(data, "MOVE '5\u{20ac}' TO U MOVE U TO N DISPLAY FUNCTION HEX-OF(N).", "003520AC");
    check_shown(data, "IF X = '5\u{20ac}' AND N = '5\u{20ac}' DISPLAY 'SAME' ELSE DISPLAY 'OTHER'.", "SAME");
    let sign = "SPECIAL-NAMES. CURRENCY SIGN IS '\u{20ac}' WITH PICTURE SYMBOL '$'.";
    let amount = "01 A PIC $$9.99.";
    check_with("", sign, amount, "MOVE 1.5 TO A DISPLAY FUNCTION HEX-OF(A).", "20A4312E3530");
    let symbol = "SPECIAL-NAMES. CURRENCY SIGN IS '\u{20ac}'.";
    let amount = "01 A PIC \u{20ac}\u{20ac}9.99.";
    check_with("", symbol, amount, "MOVE 1.5 TO A DISPLAY FUNCTION HEX-OF(A).", "20A4312E3530");
    let name = "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 G.\n 05 A PIC X.\n01 T PIC X(80).\n\
                PROCEDURE DIVISION.\nJSON GENERATE T FROM G NAME OF A IS '\u{20ac}'.\n";
    let told = lowered(name).expect_err("no name");
    assert!(told.contains("a name has no euro here"), "{told}");
}

/// A number with decimals is no text, wherever one stands.
#[test]
fn numbers_with_decimals_are_no_text() {
    for number in ["PIC S9(5)V99 COMP-3", "PIC 9(3)V9", "PIC S9(4)V9 COMP"] {
        let text = format!(
            "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 A {number}.\n01 X PIC X(9).\n\
             PROCEDURE DIVISION.\nSTRING A DELIMITED BY SIZE INTO X.\n"
        );
        let told = lowered(&text).expect_err("it is a mistake");
        assert!(told.contains("A has decimals, and is no text"), "{told}");
    }
}

/// A form that no compiler takes is a mistake, and the message names it.
#[test]
fn mistakes_of_strangers_are_named() {
    let check = |text: &str, expected: &str| {
        let told = lowered(text).expect_err("it is a mistake");
        assert!(told.contains(expected), "{told}");
    };
    check(
        "ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nDISPLAY '5 \u{2013}'.\n",
        "programs have no character \u{2013}",
    );
    check(
        "ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nEXIT PERFORM.\n",
        "EXIT PERFORM stands in none",
    );
    let switch = "ID DIVISION.\nPROGRAM-ID. T.\nENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\nSPECIAL-NAMES.\n SWITCH-1 IS S ON STATUS IS IS-ON.\n\
                  PROCEDURE DIVISION.\nIF IS-ON DISPLAY 'ON'.\n";
    check(switch, "SWITCH-1 is no switch");
}

#[test]
fn a_paragraph_stays_altered_from_one_call_to_the_next() {
    let text = "ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nCALL 'SUB'.\nCALL 'SUB'.\n\
                ID DIVISION.\nPROGRAM-ID. SUB.\nPROCEDURE DIVISION.\nMAIN.\nGO TO FIRST-TIME.\n\
                FIRST-TIME.\nALTER MAIN TO PROCEED TO AGAIN.\nDISPLAY 'FIRST'.\nGOBACK.\nAGAIN.\nDISPLAY 'AGAIN'.\n\
                END PROGRAM SUB.\nEND PROGRAM T.\n";
    assert_eq!(shown_by_all(text).as_deref(), Ok("FIRST\nAGAIN\n"));
}

#[test]
fn names_of_programs_far_around() {
    const LEVELS: usize = 40;
    let mut text = String::new();
    for level in 0..LEVELS {
        let data = format!("01 G{level} GLOBAL PIC 99 VALUE {level}.");
        let call =
            if level + 1 < LEVELS { format!("CALL 'P{}'.", level + 1) } else { "DISPLAY G0 G7 G39.".into() };
        text.push_str(&format!(
            "ID DIVISION.\nPROGRAM-ID. P{level}.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{data}\nPROCEDURE DIVISION.\n{call}\n"
        ));
    }
    (0..LEVELS).rev().for_each(|level| text.push_str(&format!("END PROGRAM P{level}.\n")));
    assert_eq!(shown_by_all(&text).as_deref(), Ok("000739\n"));
}

#[test]
fn special_names_hold_for_programs_within() {
    let text = "ID DIVISION.\nPROGRAM-ID. T.\nENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\nSPECIAL-NAMES.\n DECIMAL-POINT IS COMMA\n\
                UPSI-0 IS SW ON STATUS IS IS-ON\n CLASS VOWEL IS 'A' 'E'.\nPROCEDURE DIVISION.\nSET SW TO ON.\nCALL 'INNER'.\n\
                ID DIVISION.\nPROGRAM-ID. INNER.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 N PIC 9(4)V99 VALUE 1234,5.\n\
                01 E PIC Z.ZZ9,99.\n01 A PIC X VALUE 'E'.\nPROCEDURE DIVISION.\nMOVE N TO E DISPLAY E.\n\
                IF IS-ON AND A VOWEL DISPLAY 'BOTH'.\nEND PROGRAM INNER.\nEND PROGRAM T.\n";
    assert_eq!(shown_by_all(text).as_deref(), Ok("1.234,50\nBOTH\n"));
}

/// A register that is as long as its event makes it belongs to the program that parses, and LINAGE-COUNTER to that of the file.
#[test]
fn registers_that_the_programs_of_a_source_do_not_share() {
    let within = |outer: &str, inner: &str| {
        lowered(&format!(
            "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 DOC PIC X(20) VALUE '<a>b</a>'.\n\
             PROCEDURE DIVISION.\nXML PARSE DOC PROCESSING PROCEDURE SEE.\nGOBACK.\nSEE. {outer}\n\
             ID DIVISION.\nPROGRAM-ID. INNER.\nPROCEDURE DIVISION.\n{inner}\nEND PROGRAM INNER.\nEND PROGRAM T.\n"
        ))
    };
    let told = within("DISPLAY XML-TEXT.", "DISPLAY XML-TEXT.").unwrap_err();
    assert_eq!(
        told,
        "13 the compiler does not know the register XML-TEXT of another program of the source yet"
    );
    assert!(within("DISPLAY XML-EVENT.", "DISPLAY XML-TEXT XML-EVENT.").is_ok());
}

#[test]
fn registers_are_those_of_the_outermost_program() {
    let text = "ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nMOVE 3 TO RETURN-CODE.\nCALL 'INNER'.\nDISPLAY RETURN-CODE TALLY.\n\
                ID DIVISION.\nPROGRAM-ID. INNER.\nPROCEDURE DIVISION.\nADD RETURN-CODE TO RETURN-CODE TALLY.\n\
                END PROGRAM INNER.\nEND PROGRAM T.\n";
    assert_eq!(shown_by_all(text).as_deref(), Ok("000600003\n"));
}
