//! Statements, each with its data and what it shows, as the language reference has them.

mod support;

use cobol_ir::{changed_working, verify};
use cobol_run::{Machine, Task};
use support::{check_shown, lowered, program};

#[test]
fn moves() {
    let data = "01 A PIC X(5) VALUE 'HELLO'.\n01 B PIC X(8).\n01 C PIC X(3).\n01 J PIC X(8) JUST.\n\
                01 N PIC 9(4) VALUE 42.\n01 S PIC S9(3)V99 VALUE -12.34.\n01 P PIC S9(5)V9 COMP-3.\n01 E PIC ZZ9.99-.\n\
                01 G.\n 05 G1 PIC 99.\n 05 G2 PIC X.";
    check_shown(data, "MOVE A TO B C J DISPLAY B '|' C '|' J '|'.", "HELLO   |HEL|   HELLO|");
    check_shown(data, "MOVE N TO B DISPLAY B '|'.", "0042    |");
    check_shown(data, "MOVE S TO E DISPLAY E.", " 12.34-");
    check_shown(data, "MOVE S TO P MOVE P TO S DISPLAY S.", "0123}");
    check_shown(data, "MOVE E TO S MOVE '007' TO N DISPLAY N.", "0007");
    check_shown(data, "MOVE SPACES TO G MOVE 5 TO G1 DISPLAY G '|'.", "05 |");
    check_shown(data, "MOVE ZEROS TO B MOVE ALL 'AB' TO A DISPLAY B A.", "00000000ABABA");
    check_shown(data, "MOVE A(2:3) TO B DISPLAY B '|' MOVE 'X' TO A(1:1) DISPLAY A.", "ELL     |\nXELLO");
    check_shown(data, "MOVE 123456 TO N DISPLAY N.", "3456");
    check_shown(data, "MOVE -1.239 TO S MOVE S TO E DISPLAY E.", "  1.23-");
}

/// A program that is begun again needs what it may have changed, and nothing else.
#[test]
fn the_bytes_that_a_program_may_change_are_known() {
    let data = "01 A PIC X(100) VALUE 'A'.\n01 B PIC X(200).\n01 C.\n 05 C1 PIC X(4).\n 05 E PIC X(4) OCCURS 200.\n\
                01 N PIC S9(8) COMP.\n01 P POINTER.\nLINKAGE SECTION.\n01 L PIC X(8).\n01 DFHCOMMAREA PIC X(8).";
    type Changed = Option<&'static [(usize, usize)]>;
    let cases: [(&str, Changed); 9] = [
        ("DISPLAY A B.", Some(&[])),
        ("MOVE A TO C1 MOVE 'X' TO DFHCOMMAREA.", Some(&[(304, 308)])),
        ("MOVE 1 TO N MOVE B TO A.", Some(&[(0, 100), (1112, 1116)])),
        ("EXEC CICS ASSIGN TASKPRIORITY(N) END-EXEC.", Some(&[(1112, 1116)])),
        // LENGTH may be greater than the item.
        ("EXEC CICS READQ TS QUEUE('Q') INTO(C1) END-EXEC.", Some(&[(304, 1128)])),
        ("MOVE A TO E(N).", None),
        ("MOVE A TO L.", None),
        ("SET P TO ADDRESS OF B.", None),
        ("CALL 'X' USING L.", None),
    ];
    for (statements, expected) in cases {
        let programs =
            lowered(&program(data, statements)).unwrap_or_else(|why| panic!("{statements}: {why}"));
        let changed = changed_working(&programs[0]);
        let changed: Option<Vec<_>> =
            changed.map(|changed| changed.iter().map(|range| (range.start, range.end)).collect());
        assert_eq!(changed.as_deref(), expected, "{statements}");
    }
    // RETURN-CODE is what a program or a service that is CALLed gives back.
    let programs = lowered(&program(data, "CALL 'X'.")).expect("a program");
    let (_, at) = programs[0].return_code.expect("it has RETURN-CODE");
    let own = at as usize..at as usize + 2;
    let changed = changed_working(&programs[0]).expect("nothing else");
    assert!(changed.iter().any(|range| range.start <= own.start && own.end <= range.end), "{changed:?}");
}

/// A mistake of the program has a message of its own; it is nothing that the compiler does not know yet.
#[test]
fn mistakes_are_no_gaps_of_the_compiler() {
    let data = "01 A PIC 9(4).\n01 T.\n 05 E PIC X OCCURS 3.";
    for (statement, expected) in [
        ("MOVE 12345678901234567890123456789012345 TO A.", "this number has more digits than any item"),
        ("SORT E.", "SORT of this table has no key"),
        (
            "EXEC CICS SEND MAP('NOMAP') MAPSET('NOSET') END-EXEC.",
            "map NOMAP has no area NOMAPO in this program",
        ),
    ] {
        let found = lowered(&program(data, statement)).map(|_| ()).unwrap_err();
        assert!(found.contains(expected) && !found.contains("does not know"), "{statement}: {found}");
    }
}

#[test]
fn arithmetic() {
    let data = "01 A PIC S9(3) VALUE 7.\n01 B PIC S9(3) COMP-3 VALUE 3.\n01 C PIC S9(4)V99 VALUE 0.\n\
                01 D PIC S9(4) COMP VALUE 10.\n01 E PIC -(6)9.99.\n01 X PIC X VALUE 'N'.";
    check_shown(data, "ADD A B TO C GIVING D DISPLAY D.", "0010");
    check_shown(data, "ADD A TO B D MOVE B TO E DISPLAY E MOVE D TO E DISPLAY E.", "     10.00\n     17.00");
    check_shown(data, "ADD A TO A B MOVE A TO E DISPLAY E MOVE B TO E DISPLAY E.", "     14.00\n     10.00");
    check_shown(data, "SUBTRACT 10 FROM A MOVE A TO E DISPLAY E.", "     -3.00");
    check_shown(data, "MULTIPLY A BY B MOVE B TO E DISPLAY E.", "     21.00");
    check_shown(data, "DIVIDE A BY B GIVING C ROUNDED MOVE C TO E DISPLAY E.", "      2.33");
    check_shown(data, "DIVIDE B INTO D GIVING A REMAINDER C MOVE C TO E DISPLAY E.", "      1.00");
    check_shown(data, "COMPUTE C ROUNDED = (A + B) / 6 - 1 MOVE C TO E DISPLAY E.", "      0.67");
    check_shown(data, "COMPUTE C = A ** 3 - -B MOVE C TO E DISPLAY E.", "    346.00");
    check_shown(data, "COMPUTE A = 999 + B ON SIZE ERROR MOVE 'Y' TO X END-COMPUTE DISPLAY A X.", "00GY");
    check_shown(
        data,
        "DIVIDE A BY 0 GIVING D ON SIZE ERROR DISPLAY 'E' NOT ON SIZE ERROR DISPLAY 'N' END-DIVIDE DISPLAY D.",
        "E\n0010",
    );
    check_shown(data, "ADD 1 TO A ON SIZE ERROR DISPLAY 'E' NOT ON SIZE ERROR DISPLAY 'N'.", "N");
    check_shown(data, "COMPUTE A = 1000 + B MOVE A TO E DISPLAY E.", "      3.00");
}

#[test]
fn conditions() {
    let data = "01 A PIC 9(3) VALUE 7.\n 88 SMALL VALUE 0 THRU 9.\n 88 ODD VALUE 1 3 5 7 9.\n01 X PIC X(3) VALUE 'AB'.\n\
                01 P PIC S9(3) COMP-3 VALUE -2.\n01 T PIC X(3) VALUE '12A'.\n01 Z PIC S9(3) VALUE 5.";
    let yes = |condition: &str, expected: bool| {
        let statements = format!("IF {condition} DISPLAY 'YES' ELSE DISPLAY 'NO'.");
        check_shown(data, &statements, if expected { "YES" } else { "NO" });
    };
    yes("A = 7", true);
    yes("A > 7 OR X = 'AB'", true);
    yes("A = 1 OR 7", true);
    yes("A = 1 OR 2 AND 7", false);
    yes("A NOT = 7 OR 8", true);
    yes("A NOT = 7 AND 8", false);
    yes("NOT (A = 7 AND X = 'AB')", false);
    yes("SMALL AND ODD", true);
    yes("NOT SMALL", false);
    yes("X = 'AB '", true);
    yes("X < 'AC'", true);
    yes("X > SPACES AND X NOT = LOW-VALUES", true);
    yes("P < 0 AND P IS NEGATIVE", true);
    yes("P + A = 5", true);
    yes("T NUMERIC", false);
    yes("T(1:2) IS NUMERIC", true);
    yes("X IS ALPHABETIC", true);
    yes("Z NUMERIC AND A NUMERIC", true);
    yes("A = '007'", true);
    yes("A >= 7 AND <= 9", true);
    yes("A = ZERO", false);
}

#[test]
fn performs() {
    let data = "01 I PIC 9(3) COMP VALUE 0.\n01 K PIC 99 VALUE 0.\n01 N PIC 99.";
    check_shown(
        data,
        "PERFORM A THRU B. DISPLAY 'END'. GOBACK.\nA. DISPLAY 'A'.\nB. DISPLAY 'B'.\nC. DISPLAY 'C'.",
        "A\nB\nEND",
    );
    check_shown(data, "PERFORM A 3 TIMES. STOP RUN.\nA. ADD 1 TO K DISPLAY K NO ADVANCING.", "010203");
    check_shown(
        data,
        "PERFORM VARYING I FROM 1 BY 2 UNTIL I > 5 MOVE I TO N DISPLAY N NO ADVANCING END-PERFORM.",
        "010305",
    );
    check_shown(
        data,
        "PERFORM VARYING I FROM 1 BY 1 UNTIL I > 2 AFTER K FROM 1 BY 1 UNTIL K > 2\nMOVE I TO N DISPLAY N K ' ' NO ADVANCING END-PERFORM.",
        "0101 0102 0201 0202",
    );
    check_shown(data, "PERFORM WITH TEST AFTER UNTIL K > 0 ADD 1 TO K DISPLAY K END-PERFORM.", "01");
    check_shown(
        data,
        "PERFORM UNTIL K = 9 ADD 1 TO K IF K = 2 EXIT PERFORM CYCLE END-IF IF K = 4 EXIT PERFORM END-IF DISPLAY K NO ADVANCING END-PERFORM.",
        "0103",
    );
    check_shown(
        data,
        "PERFORM S. DISPLAY 'END'. STOP RUN.\nS SECTION.\nA. DISPLAY 'A'. GO TO B.\nX. DISPLAY 'X'.\nB. DISPLAY 'B'.\nT SECTION.\nC. DISPLAY 'C'.",
        "A\nB\nEND",
    );
    // GO TO out of a range leaves its return cell set: who passes that end goes back.
    check_shown(
        data,
        "PERFORM A. DISPLAY 'BACK'. STOP RUN.\nA. ADD 1 TO K. IF K = 1 GO TO B.\nA1. DISPLAY 'A1'. STOP RUN.\nB. DISPLAY 'B'. GO TO A.",
        "B\nBACK",
    );
    check_shown(
        data,
        "GO TO A B C DEPENDING ON K. DISPLAY 'NONE'. MOVE 2 TO K. GO TO A B C DEPENDING ON K.\nA. DISPLAY 'A'.\nB. DISPLAY 'B'. STOP RUN.\nC. DISPLAY 'C'.",
        "NONE\nB",
    );
    check_shown(
        data,
        "IF K = 0 IF K = 0 NEXT SENTENCE ELSE DISPLAY 'X' END-IF DISPLAY 'Y'. DISPLAY 'Z'.",
        "Z",
    );
    check_shown(
        data,
        "PERFORM A. DISPLAY 'E'. GOBACK.\nA. IF K = 0 EXIT PARAGRAPH END-IF DISPLAY 'X'.\nB. DISPLAY 'B'.",
        "E",
    );
}

#[test]
fn evaluates() {
    let data = "01 A PIC 99 VALUE 5.\n01 B PIC X VALUE 'X'.\n 88 IS-X VALUE 'X'.";
    check_shown(
        data,
        "EVALUATE A WHEN 1 THRU 4 DISPLAY 'L' WHEN 5 WHEN 6 DISPLAY 'M' WHEN OTHER DISPLAY 'O' END-EVALUATE.",
        "M",
    );
    check_shown(
        data,
        "EVALUATE TRUE WHEN A > 5 DISPLAY 'G' WHEN IS-X AND A = 5 DISPLAY 'X' END-EVALUATE.",
        "X",
    );
    check_shown(
        data,
        "EVALUATE A ALSO B WHEN 5 ALSO 'Y' DISPLAY '1' WHEN ANY ALSO 'X' DISPLAY '2' END-EVALUATE.",
        "2",
    );
    check_shown(data, "EVALUATE A WHEN NOT 5 DISPLAY 'N' WHEN OTHER DISPLAY 'O' END-EVALUATE.", "O");
    check_shown(data, "EVALUATE IS-X WHEN FALSE DISPLAY 'F' WHEN TRUE DISPLAY 'T' END-EVALUATE.", "T");
}

#[test]
fn tables_and_sets() {
    let data = "01 T.\n 05 R OCCURS 3 INDEXED BY I.\n  10 N PIC 99.\n  10 C PIC X OCCURS 2.\n01 K PIC 9 COMP VALUE 2.\n\
                01 F PIC X VALUE 'N'.\n 88 ON-F VALUE 'Y' WHEN SET TO FALSE 'N'.\n01 V PIC 9 VALUE 2.\n\
                01 O.\n 05 OT PIC X OCCURS 1 TO 5 DEPENDING ON V.";
    check_shown(data, "INITIALIZE T MOVE 7 TO N(K) MOVE 'Z' TO C(3 1) DISPLAY T.", "00  07  00Z");
    check_shown(
        data,
        "SET I TO 2 MOVE 4 TO N(I) SET I UP BY 1 MOVE 5 TO N(I) IF I = 3 DISPLAY N(2) N(I).",
        "0405",
    );
    check_shown(data, "SET ON-F TO TRUE DISPLAY F SET ON-F TO FALSE DISPLAY F.", "Y\nN");
    check_shown(
        data,
        "MOVE 4 TO V MOVE SPACES TO O MOVE 2 TO V MOVE 'ABCDE' TO O MOVE 4 TO V DISPLAY O '|' MOVE 1 TO V DISPLAY O '|'.",
        "AB  |\nA|",
    );
    check_shown(data, "MOVE LENGTH OF T TO V DISPLAY LENGTH OF R(1) ' ' LENGTH OF O.", "000000004 000000002");
    check_shown(
        data,
        "PERFORM VARYING I FROM 1 BY 1 UNTIL I > 3 MOVE ALL '9' TO R(I) END-PERFORM DISPLAY T.",
        "999999999999",
    );
}

#[test]
fn searches() {
    let data = "01 T.\n 05 R OCCURS 5 ASCENDING KEY K DESCENDING KEY L INDEXED BY I J.\n  10 K PIC 9.\n   88 IS-3 VALUE 3.\n  10 L PIC X.\n\
                01 N PIC 9 VALUE 4.\n01 V PIC 9 VALUE 0.\n01 O.\n 05 W PIC X OCCURS 1 TO 5 DEPENDING ON N INDEXED BY X.";
    let filled = "MOVE '1B1A3D3C7X' TO T MOVE 'ABCDE' TO O SET I J X TO 1";
    let check = |statements: &str, expected: &str| {
        check_shown(data, &format!("{filled}\n{statements}"), expected);
    };
    check(
        "SEARCH R AT END DISPLAY 'E' WHEN K(I) = 3 AND L(I) = 'C' DISPLAY 'F' L(I) END-SEARCH SET V TO I DISPLAY V.",
        "FC\n4",
    );
    check(
        "SEARCH R AT END DISPLAY 'E' WHEN K(I) = 9 DISPLAY 'F' WHEN L(I) = 'X' DISPLAY 'X' END-SEARCH.",
        "X",
    );
    check("SET I TO 3 SEARCH R AT END DISPLAY 'E' WHEN K(I) = 1 DISPLAY 'F' END-SEARCH.", "E");
    check("SEARCH R VARYING J WHEN K(J) = 7 SET V TO J DISPLAY V SET V TO I DISPLAY V END-SEARCH.", "5\n1");
    check("SEARCH R VARYING V WHEN IS-3(I) DISPLAY V END-SEARCH.", "2");
    check("SEARCH W AT END DISPLAY 'E' WHEN W(X) = 'E' DISPLAY 'F' END-SEARCH.", "E");
    check(
        "SET I TO 6 SEARCH R AT END DISPLAY 'E' WHEN K(I) = 1 NEXT SENTENCE END-SEARCH DISPLAY 'X'. DISPLAY 'Y'.",
        "E\nX\nY",
    );
    check("SEARCH R WHEN K(I) = 3 NEXT SENTENCE END-SEARCH DISPLAY 'X'. DISPLAY 'Y'.", "Y");
    check(
        "SEARCH ALL R AT END DISPLAY 'E' WHEN K(I) = 3 AND L(I) = 'D' SET V TO I DISPLAY V END-SEARCH.",
        "3",
    );
    check(
        "SEARCH ALL R AT END DISPLAY 'E' WHEN L(I) = 'A' AND 1 = K(I) SET V TO I DISPLAY V END-SEARCH.",
        "2",
    );
    check(
        "SEARCH ALL R AT END DISPLAY 'E' WHEN IS-3(I) AND L(I) = 'C' SET V TO I DISPLAY V END-SEARCH.",
        "4",
    );
    check("SEARCH ALL R AT END DISPLAY 'E' WHEN K(I) = 3 AND L(I) = 'Z' DISPLAY 'F' END-SEARCH.", "E");
    check("SEARCH ALL R AT END DISPLAY 'E' WHEN K(I) = 7 SET V TO I DISPLAY V END-SEARCH.", "5");
    check("SEARCH ALL R AT END DISPLAY 'E' WHEN K(I) = 9 DISPLAY 'F' END-SEARCH.", "E");
}

#[test]
fn entries() {
    let text = "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 W PIC X VALUE 'W'.\nLINKAGE SECTION.\n\
                01 A PIC X(2).\n01 B PIC X(3).\nPROCEDURE DIVISION USING A.\nDISPLAY 'MAIN' A. PERFORM P.\nENTRY 'OTHER' USING B A.\n\
                DISPLAY 'ENTRY' A. IF ADDRESS OF B NOT = NULL DISPLAY B.\nGOBACK.\nENTRY 'LAST'.\nDISPLAY 'LAST' W.\nP. DISPLAY 'P'.\n";
    let programs = lowered(text).expect("it is in order");
    let own = &programs[0];
    verify(own).expect("it is sound");
    let names: Vec<&str> = own.entries.iter().map(|entry| &*entry.name).collect();
    assert_eq!(names, ["OTHER", "LAST"]);
    let shown = |entry: Option<usize>| {
        let mut task = Task::new(1 << 16);
        let [two, three] = [task.allocate(2).unwrap(), task.allocate(3).unwrap()];
        task.bytes_mut(two, 2).copy_from_slice(b"ab");
        task.bytes_mut(three, 3).copy_from_slice(b"xyz");
        let arguments = if entry.is_some() { [three, two] } else { [two, three] };
        let activation = task.enter(own, &arguments).unwrap();
        let mut machine = Machine::new(own, &mut task, activation);
        if let Some(entry) = entry {
            machine = machine.at_entry(entry, &arguments);
        }
        let mut host = support::KeptHost::default();
        machine.run(&mut host).unwrap();
        host.shown
    };
    // Who performs nothing falls through an ENTRY, which is no statement that does anything.
    assert_eq!(shown(None), "MAINab\nP\nENTRYab\n");
    assert_eq!(shown(Some(0)), "ENTRYab\nxyz\n");
    assert_eq!(shown(Some(1)), "LASTW\nP\n");
}

#[test]
fn programs_within_programs() {
    let head = |name: &str| {
        format!(
            "ID DIVISION.\nPROGRAM-ID. {name}.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 A PIC X VALUE 'A'.\n"
        )
    };
    let inner = format!("{}PROCEDURE DIVISION.\nDISPLAY A.\nEND PROGRAM IN-A.\n", head("IN-A COMMON"));
    let other = format!("{}PROCEDURE DIVISION.\nDISPLAY A.\nEND PROGRAM IN-B.\n", head("IN-B INITIAL"));
    let text = format!(
        "{}PROCEDURE DIVISION.\nCALL 'IN-A'.\nGOBACK.\n{inner}{other}END PROGRAM OUT.\n{}PROCEDURE DIVISION.\nGOBACK.\nEND PROGRAM NEXT-ONE.\n",
        head("OUT"),
        head("NEXT-ONE")
    );
    let programs = lowered(&text).expect("they are in order");
    let told: Vec<_> =
        programs.iter().map(|own| (&*own.name, own.container, own.common, own.initial)).collect();
    let expected = [
        ("OUT", None, false, false),
        ("IN-A", Some(0), true, false),
        ("IN-B", Some(0), false, true),
        ("NEXT-ONE", None, false, false),
    ];
    assert_eq!(told, expected);
    let global =
        text.replacen("01 A PIC X", "01 A GLOBAL PIC X", 1).replacen("01 A PIC X VALUE 'A'", "01 B PIC X", 1);
    assert_eq!(support::shown_by_all(&global).as_deref(), Ok("A\n"), "that of the program around");
}

#[test]
fn initial_values_and_registers() {
    let data = "01 G VALUE 'ABCDEF'.\n 05 A PIC X(2).\n 05 B PIC X(4).\n01 N.\n 05 P PIC S9(3) COMP-3.\n 05 E PIC ZZ9.\n 05 FILLER PIC X VALUE '!'.\n\
                01 R PIC X(4) VALUE '1234'.\n01 RR REDEFINES R.\n 05 R1 PIC 99.\n 05 R2 PIC 99.\n01 T.\n 05 TT PIC X(2) VALUE 'AB' OCCURS 3.";
    check_shown(data, "DISPLAY A B E R2 TT(3).", "ABCDEF\0\0\x0034AB");
    check_shown(data, "ADD R1 R2 GIVING P DISPLAY P MOVE 4 TO RETURN-CODE DISPLAY RETURN-CODE.", "046\n0004");
}

#[test]
fn registers() {
    let data = "01 A PIC X(16).\n01 N PIC 9(6).\n01 K PIC 9(3).\n01 D PIC X(8).\n 88 TODAY VALUE '11/23/26'.";
    check_shown(data, "MOVE CURRENT-DATE TO D DISPLAY D IF TODAY DISPLAY 'T'.", "11/23/26\nT");
    check_shown(data, "IF CURRENT-DATE = '11/23/26' MOVE TIME-OF-DAY TO N DISPLAY N.", "140509");
    check_shown(data, "MOVE WHEN-COMPILED TO A DISPLAY A.", "11/23/2614.05.09");
    check_shown(data, "IF SHIFT-OUT = X'0E' AND SHIFT-IN = X'0F' DISPLAY 'S'.", "S");
    check_shown(
        data,
        "MOVE 'ABA' TO D INSPECT D TALLYING TALLY FOR ALL 'A' MOVE TALLY TO K DISPLAY K SORT-RETURN XML-CODE.",
        "0020000000000000",
    );
    let refused = lowered(&program(data, "MOVE XML-INFORMATION TO A.")).unwrap_err();
    assert_eq!(refused, "11 the compiler does not know the register XML-INFORMATION yet");
}

#[test]
fn strings() {
    let data = "01 A PIC X(8) VALUE 'AB CD'.\n01 N PIC 9(3) VALUE 42.\n01 R PIC X(10) VALUE '----------'.\n01 P PIC 99 VALUE 3.";
    check_shown(data, "STRING A DELIMITED BY SPACE '/' N DELIMITED BY SIZE INTO R DISPLAY R.", "AB/042----");
    check_shown(data, "STRING A DELIMITED BY 'CD' INTO R POINTER P DISPLAY R P.", "--AB -----06");
    check_shown(
        data,
        "STRING A A DELIMITED BY SIZE INTO R ON OVERFLOW DISPLAY 'O' NOT ON OVERFLOW DISPLAY 'N' END-STRING DISPLAY R '|'.",
        "O\nAB CD   AB|",
    );
    check_shown(
        data,
        "MOVE 11 TO P STRING 'X' DELIMITED BY SIZE INTO R POINTER P ON OVERFLOW DISPLAY 'O' R P.",
        "O----------11",
    );
}

#[test]
fn accepts() {
    let data = "01 D PIC 9(8).\n01 A PIC X(4).";
    let text = program(data, "ACCEPT D FROM DATE YYYYMMDD. ACCEPT A. ACCEPT A FROM TIME. DISPLAY D A.");
    let ran = support::run_with(&text, support::KeptHost::default());
    assert_eq!(ran.host.calls, ["Accept(\"DATE YYYYMMDD\") ", "Accept(\"\") ", "Accept(\"TIME\") "]);
    assert_eq!(ran.host.shown, "202611231405\n", "what the host of the test gives, moved as numbers are");
}

#[test]
fn what_ends_a_program() {
    let data = "01 P PIC S9(3) COMP-3 VALUE 1.\n01 X REDEFINES P PIC X(2).\n01 K PIC 9(5) VALUE 1.\n01 Z PIC 9 VALUE 0.\n\
                01 T.\n 05 C PIC X OCCURS 10.";
    check_shown(data, "MOVE SPACES TO X.\nADD 1 TO P.", "data exception at line 13 of T");
    check_shown(data, "COMPUTE K = 5 / Z.", "divide exception at line 12 of T");
    check_shown(data, "A.\nGO TO A.", "stopped at line 13 of T");
    check_shown(data, "PERFORM UNTIL Z = 1 CONTINUE END-PERFORM.", "stopped at line 12 of T");
    check_shown(
        "01 K PIC S9(9) COMP VALUE 99999999.\n01 T.\n 05 C PIC X OCCURS 10.",
        "MOVE 'A' TO C(K).",
        "protection exception at line 9 of T",
    );
    check_shown("01 K PIC 9 VALUE 0.\n01 T PIC X(5).", "MOVE 'A' TO T(1:K).", "");
}

#[test]
fn what_is_refused_is_named() {
    let refused = |data: &str, statements: &str, expected: &str| {
        assert_eq!(lowered(&program(data, statements)).unwrap_err(), expected);
    };
    let know = |line: usize, what: &str| format!("{line} the compiler does not know {what} yet");
    refused(
        "01 N PIC 9 VALUE 1.\n01 T.\n 05 E PIC X OCCURS 1 TO 3 DEPENDING ON N.",
        "EXHIBIT CHANGED T.\nEXHIBIT CHANGED T.",
        &format!(
            "{}\n{}",
            know(9, "EXHIBIT CHANGED of an item whose length varies"),
            know(10, "EXHIBIT CHANGED of an item whose length varies")
        ),
    );
    refused("01 A PIC +9.9E+99.", "MOVE 1 TO A.", &know(7, "external floating-point items"));
    refused(
        "01 A PIC X(9).",
        "IF A = 'B'\nDISPLAY FUNCTION CONTENT-OF(ADDRESS OF A).",
        &know(8, "FUNCTION CONTENT-OF of an address"),
    );
}

#[test]
fn tables_are_sorted() {
    let data = "01 N PIC 9 VALUE 4.\n01 T.\n 05 E OCCURS 1 TO 6 DEPENDING ON N ASCENDING KEY K DESCENDING KEY V INDEXED BY I.\n  10 K PIC X(2).\n  \
                10 V PIC S9(3) COMP-3.\n01 W.\n 05 D PIC 9 OCCURS 5.";
    let fill = "MOVE 6 TO N MOVE 'zz' TO K(5) K(6) MOVE 4 TO N MOVE 'b' TO K(1) MOVE 1 TO V(1) MOVE 'a' TO K(2) MOVE -5 TO V(2) MOVE 'b' TO K(3) MOVE 9 TO V(3) \
                MOVE 'a' TO K(4) MOVE 3 TO V(4) ";
    let show = "PERFORM VARYING I FROM 1 BY 1 UNTIL I > 4 DISPLAY K(I) NO ADVANCING MOVE V(I) TO D(1) DISPLAY D(1) NO ADVANCING END-PERFORM.";
    check_shown(data, &format!("{fill} SORT E. {show}"), "a 3a 5b 9b 1");
    check_shown(data, &format!("{fill} SORT E ON ASCENDING KEY V. {show}"), "a 5b 1a 3b 9");
    // Those with equal keys stay in their order.
    check_shown(
        data,
        &format!("{fill} SORT E DESCENDING K WITH DUPLICATES IN ORDER. {show}"),
        "b 1b 9a 5a 3",
    );
    check_shown(data, "MOVE '31524' TO W SORT D ON DESCENDING KEY D DISPLAY W.", "54321");
    check_shown(
        data,
        "MOVE '31524' TO W SORT D ASCENDING DISPLAY W SORT D DESCENDING DISPLAY W.",
        "12345\n54321",
    );
}

#[test]
fn inspect_of_a_number_with_a_sign_leaves_the_sign() {
    let data = "01 N PIC S9(4) VALUE -1201.\n01 L PIC S9(3) SIGN LEADING SEPARATE VALUE -110.\n01 T PIC 99 VALUE 0.\n01 X REDEFINES N PIC X(4).";
    check_shown(data, "INSPECT N TALLYING T FOR ALL '1' DISPLAY T X.", "02120J");
    check_shown(data, "INSPECT N REPLACING ALL '1' BY '5' DISPLAY X.", "520N");
    check_shown(data, "MOVE 1201 TO N INSPECT N CONVERTING '12' TO '34' DISPLAY X.", "340C");
    check_shown(data, "MOVE '1  2' TO X INSPECT N REPLACING ALL ' ' BY ZEROS DISPLAY X.", "1002");
    check_shown(data, "INSPECT L REPLACING ALL '1' BY '2' DISPLAY L.", "-220");
}

#[test]
fn a_picture_may_begin_with_its_decimal_point() {
    check_shown(
        "01 R.\n 05 P PIC .ZZZ-.\n 05 Q PIC .99.\n",
        "MOVE -.12 TO P MOVE .5 TO Q DISPLAY P '|' Q.",
        ".120-|.50",
    );
}

/// Without SSRANGE a part that its item does not have is what lies there; what no storage has is an abend, and nothing is refused.
#[test]
fn parts_beyond_an_item() {
    let data = "01 A PIC X VALUE 'a'.\n01 B PIC X(4) VALUE 'bcde'.";
    check_shown(data, "MOVE 'X' TO A(10:1) DISPLAY B A(9:3).", "bXdebXd");
    check_shown(data, "DISPLAY A(9999999:1).", "protection exception at line 8 of T");
    check_shown(data, "MOVE A TO A(1:9999999).", "protection exception at line 8 of T");
    let ran = support::run_with(
        &format!("CBL SSRANGE\n{}", program(data, "DISPLAY A(9:3).")),
        support::KeptHost::default(),
    );
    assert!(ran.left.is_err() && ran.host.shown.is_empty(), "{:?}", ran.left);
}
