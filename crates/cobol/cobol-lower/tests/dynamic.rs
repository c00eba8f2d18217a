//! Items of DYNAMIC LENGTH, as the language reference has them.

mod support;

use support::{check_shown, lowered, program};

const DATA: &str = "01 D PIC X DYNAMIC LENGTH LIMIT IS 10.\n01 V PIC X DYNAMIC VALUE 'value'.\n01 BESIDE PIC X(5) VALUE 'BSIDE'.\n\
                    77 E PIC X DYNAMIC LENGTH LIMIT 6.\n01 G.\n 05 A PIC X(4) VALUE 'ab'.\n 05 N PIC 9(3) VALUE 42.\n01 P PIC 99.\n01 S PIC S9(4) COMP.\n\
                    01 B PIC X(8).\n01 H.\n 05 H1 PIC X(3) VALUE 'hhh'.\n 05 H2 PIC X(3) VALUE 'HHH'.";

/// Checks the content and the length of an item.
fn check(statements: &str, item: &str, expected: &str) {
    let shown = format!("{statements} DISPLAY '<' {item} '>' LENGTH OF {item} BESIDE.");
    check_shown(DATA, &shown, &format!("{expected}BSIDE"));
}

#[test]
fn an_item_is_as_long_as_what_it_takes() {
    check("CONTINUE", "D", "<>000000000");
    check("CONTINUE", "V", "<value>000000005");
    check("MOVE 'abc' TO D", "D", "<abc>000000003");
    check("MOVE 'abc' TO D MOVE '' TO D", "D", "<>000000000");
    check("MOVE 'a longer text' TO D", "D", "<a longer t>000000010");
    check("MOVE A TO D", "D", "<ab  >000000004");
    check("MOVE N TO D", "D", "<042>000000003");
    check("MOVE H TO D", "D", "<hhhHHH>000000006");
    check("MOVE FUNCTION TRIM(A) TO D", "D", "<ab>000000002");
    check("MOVE V TO D E", "E", "<value>000000005");
    check("MOVE 'seven..' TO V MOVE V TO E", "E", "<seven.>000000006");
    // By themselves figurative constants have one character, or those of their literal.
    check("MOVE 'abc' TO D MOVE SPACES TO D", "D", "< >000000001");
    check("MOVE ALL 'xy' TO D", "D", "<xy>000000002");
    // It may be its own sender.
    check("MOVE 'abcdef' TO D MOVE D(3:3) TO D", "D", "<cde>000000003");
    check("MOVE D TO D", "D", "<>000000000");
}

#[test]
fn a_sender_is_as_long_as_it_is() {
    check_shown(
        DATA,
        "MOVE 'abc' TO D MOVE D TO B DISPLAY B '.' FUNCTION LENGTH(D) FUNCTION REVERSE(D).",
        "abc     .3cba",
    );
    check_shown(
        DATA,
        "IF D = SPACES OR D = '' DISPLAY 'EMPTY' END-IF IF V = 'value   ' DISPLAY 'PADDED'.",
        "EMPTY\nPADDED",
    );
    check_shown(DATA, "MOVE D TO B DISPLAY '<' B '>'.", "<        >");
    check_shown(DATA, "MOVE '12' TO D MOVE D TO N ADD 1 TO N DISPLAY N.", "013");
    check_shown(DATA, "STRING V '/' D '/' A DELIMITED BY SPACE INTO B DISPLAY B.", "value//a");
    check_shown(
        DATA,
        "INSPECT V TALLYING TALLY FOR CHARACTERS REPLACING ALL 'a' BY 'A' DISPLAY V TALLY.",
        "vAlue00005",
    );
}

#[test]
fn a_part_lies_in_what_the_item_is_now() {
    check("MOVE 'abcdef' TO D MOVE 'XY' TO D(2:2)", "D", "<aXYdef>000000006");
    check("MOVE 'abcdef' TO D MOVE 'XY' TO D(5:)", "D", "<abcdXY>000000006");
    check("MOVE 'abcdef' TO D MOVE D(4:) TO V", "V", "<def>000000003");
    let ranges = format!(
        "CBL SSRANGE\n{}",
        program(DATA, "MOVE 'abc' TO D DISPLAY D D(2:) V(5:1) MOVE '' TO V DISPLAY V D(1:11).")
    );
    let ran = support::run_with(&ranges, support::KeptHost::default());
    assert_eq!(ran.host.shown, "abcbce\n");
    assert!(ran.left.is_err(), "{:?}", ran.left);
}

#[test]
fn its_length_is_set() {
    check("MOVE 'abcdef' TO D SET LENGTH OF D TO 2", "D", "<ab>000000002");
    check("MOVE 'abcdef' TO D MOVE -3 TO S SET LENGTH OF D TO S", "D", "<>000000000");
    check("MOVE 'abcdef' TO D SET LENGTH OF D TO 2 SET LENGTH OF D TO 4", "D", "<abcd>000000004");
    check("MOVE 'abcdefghij' TO D SET LENGTH OF D TO 400", "D", "<abcdefghij>000000010");
}

#[test]
fn initialize_moves_a_space_or_the_value() {
    check("MOVE 'abc' TO D INITIALIZE D", "D", "< >000000001");
    check("MOVE 'abc' TO V INITIALIZE V ALL TO VALUE", "V", "<value>000000005");
    check("MOVE 'abc' TO V INITIALIZE V REPLACING ALPHANUMERIC DATA BY 'xy'", "V", "<xy>000000002");
    check("MOVE 'abc' TO V INITIALIZE V REPLACING NUMERIC DATA BY 7", "V", "<abc>000000003");
}

#[test]
fn string_fills_it() {
    check("STRING 'ab' 'cd' DELIMITED BY SIZE INTO D", "D", "<abcd>000000004");
    check("MOVE 'longer' TO D STRING V DELIMITED BY 'l' INTO D", "D", "<va>000000002");
    check(
        "MOVE 3 TO P MOVE 'ABCDEF' TO D STRING 'xy' DELIMITED BY SIZE INTO D POINTER P",
        "D",
        "<ABxy>000000004",
    );
    check("STRING V V V DELIMITED BY SIZE INTO D ON OVERFLOW DISPLAY 'O'", "D", "O\n<valuevalue>000000010");
    check(
        "MOVE 'abc' TO D MOVE 0 TO P STRING 'x' DELIMITED BY SIZE INTO D POINTER P ON OVERFLOW DISPLAY 'O'",
        "D",
        "O\n<abc>000000003",
    );
}

#[test]
fn local_storage_begins_without_characters_each_time() {
    let text = "ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nCALL 'INNER'.\nCALL 'INNER'.\n\
                ID DIVISION.\nPROGRAM-ID. INNER.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 W PIC X DYNAMIC LENGTH LIMIT 5.\n\
                LOCAL-STORAGE SECTION.\n01 L PIC X DYNAMIC LENGTH LIMIT 5 VALUE 'L'.\nPROCEDURE DIVISION.\nDISPLAY '<' W L '>'.\n\
                MOVE 'www' TO W MOVE 'lll' TO L.\nEND PROGRAM INNER.\nEND PROGRAM T.\n";
    assert_eq!(support::shown_by_all(text).as_deref(), Ok("<L>\n<wwwL>\n"));
}

#[test]
fn what_is_not_built_is_refused() {
    let refused = |data: &str, statements: &str, expected: &str| {
        let told = lowered(&program(data, statements)).unwrap_err();
        assert!(told.contains(expected), "{told}");
    };
    let statement = |text: &str, expected: &str| refused(DATA, text, expected);
    statement("ACCEPT D.", "a result in D (DYNAMIC LENGTH) of this statement");
    statement("UNSTRING B DELIMITED BY ',' INTO D.", "a result in D (DYNAMIC LENGTH) of this statement");
    statement("CALL 'X' USING D.", "D (DYNAMIC LENGTH) as an argument of CALL");
    statement("JSON GENERATE D FROM G.", "D (DYNAMIC LENGTH) as an argument of JSON GENERATE");
    refused(
        "01 G.\n 05 D PIC X DYNAMIC LENGTH.",
        "CONTINUE.",
        "DYNAMIC LENGTH of a part of a group is not built",
    );
    refused("01 D PIC U DYNAMIC LENGTH.", "CONTINUE.", "DYNAMIC LENGTH of UTF-8 is not built");
    refused("01 D PIC X(3) DYNAMIC LENGTH.", "CONTINUE.", "an item of DYNAMIC LENGTH has the picture X");
    refused(
        "01 D PIC X DYNAMIC LIMIT 2000000.",
        "CONTINUE.",
        "with a LIMIT of more than 1048576 is not built",
    );
    refused("01 D PIC X DYNAMIC LIMIT 0.", "CONTINUE.", "a LIMIT is a number of characters that is not zero");
    refused(
        "LINKAGE SECTION.\n01 D PIC X DYNAMIC.",
        "CONTINUE.",
        "DYNAMIC LENGTH is for WORKING-STORAGE and LOCAL-STORAGE",
    );
    refused(
        "01 A PIC X.\n01 D REDEFINES A PIC X DYNAMIC.",
        "CONTINUE.",
        "DYNAMIC LENGTH goes without OCCURS, REDEFINES",
    );
    refused(
        "01 D PIC X DYNAMIC LIMIT 9.\n01 A REDEFINES D PIC X.",
        "CONTINUE.",
        "an item of DYNAMIC LENGTH is not redefined",
    );
    statement("SET LENGTH OF B TO 3.", "this cannot be set");
    statement("SET LENGTH OF D(1:2) TO 3.", "this cannot be set");
}
