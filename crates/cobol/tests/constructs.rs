//! Whatever a program does, its next run begins as its first did, and so does one that runs in between: no construct of the
//! language leaves anything behind for another run. A new construct is a line of the table here, and perhaps one of
//! `tests/support/made_up.rs`. `STATE_SEEDS=0..5000` tries other made-up programs.

mod support;

use cobol::{FileOperation, Host, OpenMode, Program, Run, Step, Task};
use support::made_up::made_up;
use support::{PRODUCT, Source, Workshop};

/// Fields of the program in the table.
const STORAGE: &str = "\
01 WS-PAUSE PIC X VALUE 'P'.
01 P        PIC S9(5)V99 VALUE 12.34.
01 RATE     PIC S9(3)V9(6) VALUE 0.01.
01 N        PIC 9(3) VALUE 12.
01 N-20     PIC 9(20) VALUE 42.
01 K        PIC S9(4) COMP VALUE 7.
01 PK       PIC S9(5)V9(3) COMP-3 VALUE -1.5.
01 C5       PIC S9(9) COMP-5 VALUE 1000.
01 F8       COMP-2 VALUE 2.5.
01 F4       COMP-1 VALUE 0.25.
01 R0       PIC S9(9).
01 R2       PIC S9(9)V99.
01 R4       PIC S9(9)V9(4).
01 SHOWN    PIC -(9)9.9(4).
01 EDITED   PIC $$$,$$9.99CR.
01 TX       PIC X(20) VALUE 'alpha,beta,gamma'.
01 TY       PIC X(20).
01 TZ       PIC X(20).
01 LINES-OF PIC X(200).
01 AT-NOW   PIC 9(4).
01 TABLE-OF.
   05 ITEM OCCURS 5 ASCENDING KEY ITEM-KEY INDEXED BY IX.
      10 ITEM-KEY PIC 9(3).
      10 ITEM-TEXT PIC X(2).
01 VARIABLE.
   05 COUNT-OF PIC 99 VALUE 3.
   05 PART PIC X(2) OCCURS 1 TO 9
      DEPENDING ON COUNT-OF.
01 GROUP-A.
   05 NAME-A PIC X(5) VALUE 'abc'.
   05 NUMBER-A PIC 9(3) VALUE 42.
      88 IS-LARGE VALUE 40 THRU 99.
01 GROUP-B.
   05 NUMBER-A PIC 9(5).
   05 NAME-A PIC X(3).
01 A-POINTER POINTER.
01 SWITCH-NOW PIC X.
";

/// What stands before the DATA DIVISION of all programs, and its header.
const SWITCHES: &str = "ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       SPECIAL-NAMES.
           UPSI-0 IS A-SWITCH ON STATUS IS A-SWITCH-ON.
       DATA DIVISION.";

/// What a construct is, its statements, and what they display.
const CONSTRUCTS: &[(&str, &str, &str)] = &[
    // A literal that is aligned, on both sides, with more places and with fewer.
    ("literal +", "COMPUTE R2 = P + 1\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "13.3400"),
    ("literal -", "COMPUTE R2 = P - 1.5\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "10.8400"),
    ("literal first", "COMPUTE R2 = 100 - P\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "87.6600"),
    ("literal *", "COMPUTE R4 = P * 1.5 * 2\nMOVE R4 TO SHOWN\nDISPLAY SHOWN", "37.0200"),
    ("literal /", "COMPUTE R4 = P / 4\nMOVE R4 TO SHOWN\nDISPLAY SHOWN", "3.0850"),
    ("literal **", "COMPUTE R4 = P ** 2\nMOVE R4 TO SHOWN\nDISPLAY SHOWN", "152.2756"),
    ("root", "COMPUTE R4 = 16 ** 0.5 + 2.25\nMOVE R4 TO SHOWN\nDISPLAY SHOWN", "6.2500"),
    (
        "annuity",
        "COMPUTE R2 ROUNDED = P * (RATE * (1 + RATE) ** N)\n  / (((1 + RATE) ** N) - 1)\nMOVE R2 TO SHOWN\nDISPLAY SHOWN",
        "1.1000",
    ),
    ("many places", "COMPUTE R4 = P + 1.000000000000000001\nMOVE R4 TO SHOWN\nDISPLAY SHOWN", "13.3400"),
    ("condition", "IF P + 1 > 13.339 AND P + 1 < 13.341 DISPLAY 'YES' END-IF", "YES"),
    ("condition of literals", "IF 13.34 = P + 1 AND 1 < P + 0.5\n  DISPLAY 'YES'\nEND-IF", "YES"),
    ("compared", "IF PK = -1.5 AND K = 7 AND C5 > 999.5\n  DISPLAY 'YES'\nEND-IF", "YES"),
    ("float", "COMPUTE F8 = F8 * 1.5 + 1\nIF F8 = 4.75 DISPLAY 'YES' END-IF\nMOVE 2.5 TO F8", "YES"),
    ("float and fixed", "COMPUTE R4 = F8 + P + F4 * 2\nMOVE R4 TO SHOWN\nDISPLAY SHOWN", "15.3400"),
    ("several results", "COMPUTE R2 R4 = P + 1.005\nMOVE R4 TO SHOWN\nDISPLAY SHOWN", "13.3450"),
    ("size error", "COMPUTE N = P * 1000\n  ON SIZE ERROR DISPLAY 'YES'\nEND-COMPUTE", "YES"),
    // The other statements.
    ("ADD", "MOVE P TO R2\nADD 1 1.5 TO R2\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "14.8400"),
    ("ADD GIVING", "ADD P 1.001 GIVING R4 ROUNDED\nMOVE R4 TO SHOWN\nDISPLAY SHOWN", "13.3410"),
    ("SUBTRACT", "SUBTRACT 0.5 P FROM 100 GIVING R2\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "87.1600"),
    ("MULTIPLY", "MOVE 2 TO R2\nMULTIPLY 1.25 BY R2\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "2.5000"),
    ("DIVIDE", "MOVE 5 TO R2\nDIVIDE 0.4 INTO R2 ROUNDED\nMOVE R2 TO SHOWN\nDISPLAY SHOWN", "12.5000"),
    (
        "REMAINDER",
        "DIVIDE P BY 5 GIVING R0 REMAINDER R2\nMOVE R2 TO SHOWN\nDISPLAY R0 SHOWN",
        "000000002+         2.3400",
    ),
    (
        "CORRESPONDING",
        "MOVE CORRESPONDING GROUP-A TO GROUP-B\nADD CORRESPONDING GROUP-A TO GROUP-B\nDISPLAY GROUP-B",
        "00084abc",
    ),
    ("MOVE edited", "MOVE -1234.5 TO R2\nMOVE R2 TO EDITED\nDISPLAY EDITED", "$1,234.50CR"),
    (
        "MOVE de-edited",
        "MOVE -1234.5 TO R2\nMOVE R2 TO EDITED\nMOVE EDITED TO R4\nMOVE R4 TO SHOWN\nDISPLAY SHOWN",
        "-1234.5000",
    ),
    ("MOVE ALL", "MOVE ALL 'ab' TO TY\nMOVE 'X' TO TY(3:1)\nDISPLAY TY", "abXbabababababababab"),
    (
        "INITIALIZE",
        "INITIALIZE TABLE-OF\n  REPLACING NUMERIC DATA BY 7 ALPHANUMERIC DATA BY '?'\nDISPLAY TABLE-OF",
        "007? 007? 007? 007? 007?",
    ),
    ("SET", "SET IX TO 3\nSET IX UP BY 1\nSET R0 TO IX\nDISPLAY R0", "000000004+"),
    ("SET pointer", "SET A-POINTER TO ADDRESS OF P\nIF A-POINTER = ADDRESS OF P DISPLAY 'YES' END-IF", "YES"),
    (
        "EVALUATE",
        "EVALUATE TRUE\nWHEN P + 1 < 13 DISPLAY 'NO'\nWHEN IS-LARGE OF GROUP-A DISPLAY 'YES'\nEND-EVALUATE",
        "YES",
    ),
    (
        "EVALUATE THRU",
        "EVALUATE P + 1 ALSO K\nWHEN 13.3 THRU 13.4 ALSO 7 DISPLAY 'YES'\nWHEN OTHER DISPLAY 'NO'\nEND-EVALUATE",
        "YES",
    ),
    (
        "class conditions",
        "IF TX ALPHABETIC OR N NOT NUMERIC OR PK POSITIVE\n  DISPLAY 'NO'\nELSE DISPLAY 'YES' END-IF",
        "YES",
    ),
    (
        "PERFORM VARYING",
        "MOVE 0 TO R2\nPERFORM VARYING K FROM 1 BY 2 UNTIL K + 0.5 > 7\n  ADD 0.25 TO R2\nEND-PERFORM\nMOVE 7 TO K\nMOVE R2 TO SHOWN\nDISPLAY SHOWN",
        "0.7500",
    ),
    (
        "PERFORM of a paragraph",
        "MOVE 0 TO R2\nPERFORM A-PARAGRAPH 3 TIMES\nMOVE R2 TO SHOWN\nDISPLAY SHOWN",
        "3.7500",
    ),
    // Text. What is between two pauses is the same statement's.
    (
        "STRING",
        "MOVE 1 TO AT-NOW\nMOVE SPACES TO TY\nSTRING TX DELIMITED BY ',' '-' TX(7:4) DELIMITED BY SIZE\n  INTO TY POINTER AT-NOW\nDISPLAY TY AT-NOW",
        "alpha-beta          0011",
    ),
    (
        "STRING overflow",
        "MOVE 19 TO AT-NOW\nSTRING TX DELIMITED BY SIZE INTO TY POINTER AT-NOW\n  ON OVERFLOW DISPLAY 'YES'\nEND-STRING",
        "YES",
    ),
    (
        "STRING of a function",
        "MOVE SPACES TO TY\nSTRING FUNCTION UPPER-CASE(TX) DELIMITED BY ','\n  FUNCTION TRIM(GROUP-A) DELIMITED BY SIZE INTO TY\nDISPLAY TY",
        "ALPHAabc  042",
    ),
    (
        "UNSTRING",
        "UNSTRING TX DELIMITED BY ',' OR ALL SPACES\n  INTO TY DELIMITER IN SWITCH-NOW COUNT IN AT-NOW TZ\nDISPLAY TY TZ SWITCH-NOW AT-NOW",
        "alpha               beta                ,0005",
    ),
    (
        "INSPECT TALLYING",
        "MOVE 0 TO AT-NOW\nINSPECT TX TALLYING AT-NOW FOR ALL 'a'\n  CHARACTERS BEFORE INITIAL ','\nDISPLAY AT-NOW",
        "0008",
    ),
    (
        "INSPECT REPLACING",
        "MOVE TX TO TY\nINSPECT TY REPLACING ALL 'a' BY 'A' FIRST ',' BY ';'\n  LEADING 'x' BY 'y'\nDISPLAY TY",
        "AlphA;betA,gAmmA",
    ),
    (
        "INSPECT CONVERTING",
        "MOVE TX TO TY\nINSPECT TY CONVERTING 'abc' TO 'xyz' AFTER ','\nDISPLAY TY",
        "alpha,yetx,gxmmx",
    ),
    // Tables.
    (
        "SORT of a table",
        "PERFORM FILL-TABLE\nSORT ITEM ON DESCENDING KEY ITEM-KEY\nDISPLAY TABLE-OF",
        "005E 004D 003C 002B 001A",
    ),
    (
        "SEARCH",
        "PERFORM FILL-TABLE\nSET IX TO 1\nSEARCH ITEM WHEN ITEM-KEY(IX) + 0.5 = 3.5\n  DISPLAY ITEM-TEXT(IX)\nEND-SEARCH",
        "C",
    ),
    (
        "SEARCH ALL",
        "PERFORM FILL-TABLE\nSEARCH ALL ITEM WHEN ITEM-KEY(IX) = 4\n  DISPLAY ITEM-TEXT(IX)\nEND-SEARCH",
        "D",
    ),
    (
        "OCCURS DEPENDING",
        "MOVE 3 TO COUNT-OF\nMOVE ALL 'xy' TO VARIABLE(3:)\nMOVE 2 TO COUNT-OF\nDISPLAY VARIABLE",
        "02xyxy",
    ),
    // Functions.
    ("SQRT", "COMPUTE R4 = FUNCTION SQRT(P + 1)\nMOVE R4 TO SHOWN\nDISPLAY SHOWN", "3.6523"),
    (
        "RANDOM",
        "COMPUTE R4 = FUNCTION RANDOM(7) + 1\nMOVE R4 TO SHOWN\nDISPLAY SHOWN\nPAUSE\nCOMPUTE R4 = FUNCTION RANDOM\nMOVE R4 TO SHOWN\nDISPLAY SHOWN",
        "",
    ),
    (
        "functions of numbers",
        "COMPUTE R4 = FUNCTION MAX(P 1 13.5) + FUNCTION MOD(17 5)\n  + FUNCTION INTEGER(P + 0.7) + FUNCTION REM(-7 2)\nMOVE R4 TO SHOWN\nDISPLAY SHOWN",
        "27.5000",
    ),
    (
        "more functions of numbers",
        "COMPUTE R4 = FUNCTION SUM(P 1 0.66) + FUNCTION MEAN(1 2)\n  + FUNCTION MEDIAN(1 2 9) + FUNCTION ABS(PK)\n  + FUNCTION FACTORIAL(5)\nMOVE R4 TO SHOWN\nDISPLAY SHOWN",
        "139.0000",
    ),
    (
        "floating functions",
        "COMPUTE R4 = FUNCTION EXP(1) + FUNCTION LOG(10)\n  + FUNCTION SIN(1) + FUNCTION ANNUITY(0.01 12)\nMOVE R4 TO SHOWN\nDISPLAY SHOWN",
        "",
    ),
    (
        "dates",
        "COMPUTE R0 = FUNCTION INTEGER-OF-DATE(20240229) + 1.0\nDISPLAY R0\nCOMPUTE R0 = FUNCTION DATE-OF-INTEGER(154558)\nDISPLAY R0",
        "",
    ),
    (
        "functions of text",
        "MOVE FUNCTION REVERSE(FUNCTION TRIM(TX)) TO TY\nDISPLAY TY FUNCTION LENGTH(TX)\n  FUNCTION UPPER-CASE(NAME-A OF GROUP-A)",
        "",
    ),
    ("SUBSTITUTE", "MOVE FUNCTION SUBSTITUTE(TX ',' ' - ') TO TY\nDISPLAY TY", "alpha - beta - gamma"),
    (
        "NUMVAL",
        "COMPUTE R2 = FUNCTION NUMVAL(' 12.5 ') + 1\n  + FUNCTION NUMVAL-C('$1,000.25')\nMOVE R2 TO SHOWN\nDISPLAY SHOWN",
        "1013.7500",
    ),
    // CALL, and what is behind it.
    ("CALL", "CALL 'SUB' USING P TX\nMOVE P TO SHOWN\nDISPLAY SHOWN\nMOVE 12.34 TO P", "14.8400"),
    (
        "CALL again",
        "CALL 'SUB' USING P TX\nCALL 'SUB' USING P TX\nMOVE P TO SHOWN\nDISPLAY SHOWN\nMOVE 12.34 TO P",
        "20.3400",
    ),
    (
        "CALL with a function's result",
        "CALL 'SUB' USING P\n  BY CONTENT FUNCTION UPPER-CASE(TX)\nMOVE 12.34 TO P",
        "ALPHA,BETA,GAMMA",
    ),
    (
        "CALL with a zoned number's amount",
        "CALL 'SUB' USING P\n  BY CONTENT FUNCTION ABS(N-20)\nMOVE 12.34 TO P",
        "00000000000000000042",
    ),
    (
        "CALL by name",
        "MOVE 'SUB' TO TY\nCALL TY USING P TX\nCANCEL TY\nCALL TY USING P TX\nMOVE P TO SHOWN\nDISPLAY SHOWN\nMOVE 12.34 TO P",
        "22.3400",
    ),
    (
        "CALL of a contained program",
        "CALL 'INNER' USING P\nCALL 'INNER' USING P\nMOVE P TO SHOWN\nDISPLAY SHOWN\nMOVE 12.34 TO P",
        "14.8500",
    ),
    (
        "CALL of an INITIAL program",
        "CALL 'FRESH' USING P\nCALL 'FRESH' USING P\nMOVE P TO SHOWN\nDISPLAY SHOWN\nMOVE 12.34 TO P",
        "17.3400",
    ),
    (
        "CALL of a contained INITIAL program",
        "CALL 'INNER-FRESH' USING P\nCALL 'INNER-FRESH' USING P\nMOVE P TO SHOWN\nDISPLAY SHOWN\nMOVE 12.34 TO P",
        "16.3400",
    ),
    ("CALL ON EXCEPTION", "CALL 'NOBODY' ON EXCEPTION DISPLAY 'YES' END-CALL", "YES"),
    (
        "CALL BY VALUE",
        "CALL 'VALUES' USING BY VALUE 5 BY CONTENT 7\n  BY CONTENT LENGTH OF TX BY REFERENCE R2\nMOVE R2 TO SHOWN\nDISPLAY SHOWN",
        "32.5000",
    ),
    (
        "procedure pointer",
        "CALL 'NOBODY' ON EXCEPTION\n  MOVE P TO SHOWN\n  DISPLAY SHOWN\nEND-CALL",
        "12.3400",
    ),
    // Streams, and the world outside.
    ("DISPLAY", "DISPLAY P ' ' K ' ' PK ' ' C5 ' ' TX(1:5) UPON SYSOUT", ""),
    ("DISPLAY NO ADVANCING", "DISPLAY 'A' WITH NO ADVANCING\nDISPLAY 'B'", "AB"),
    ("XML GENERATE", "XML GENERATE LINES-OF FROM GROUP-A COUNT AT-NOW\nDISPLAY LINES-OF", ""),
    ("JSON GENERATE", "JSON GENERATE LINES-OF FROM GROUP-A COUNT AT-NOW\nDISPLAY AT-NOW", ""),
    (
        "ALLOCATE",
        "ALLOCATE 100 CHARACTERS INITIALIZED RETURNING A-POINTER\nFREE A-POINTER\nIF A-POINTER = NULL DISPLAY 'YES' END-IF",
        "YES",
    ),
    ("LOCAL-STORAGE", "ADD 1.5 TO LOCAL-NUMBER\nMOVE LOCAL-NUMBER TO SHOWN\nDISPLAY SHOWN", "2.5000"),
    ("switch", "IF A-SWITCH-ON DISPLAY 'ON' ELSE DISPLAY 'OFF' END-IF\nSET A-SWITCH TO ON", "OFF"),
];

/// What the table's statements perform and call.
const BEHIND: &str = "
GOBACK.
A-PARAGRAPH.
ADD 1.25 TO R2.
FILL-TABLE.
MOVE '001A 002B 003C 004D 005E ' TO TABLE-OF.
LABEL-1.
GOBACK.
LABEL-2.
GOBACK.
IDENTIFICATION DIVISION.
PROGRAM-ID. INNER.
DATA DIVISION.
WORKING-STORAGE SECTION.
01 TOTAL PIC S9(5)V999 VALUE 1.
LINKAGE SECTION.
01 AMOUNT PIC S9(5)V99.
PROCEDURE DIVISION USING AMOUNT.
ADD 0.005 TO TOTAL.
COMPUTE AMOUNT = AMOUNT + TOTAL + 0.25.
GOBACK.
END PROGRAM INNER.
IDENTIFICATION DIVISION.
PROGRAM-ID. INNER-FRESH IS INITIAL.
DATA DIVISION.
WORKING-STORAGE SECTION.
01 TOTAL PIC S9(5)V999 VALUE 1.
LINKAGE SECTION.
01 AMOUNT PIC S9(5)V99.
PROCEDURE DIVISION USING AMOUNT.
ADD 1 TO TOTAL.
COMPUTE AMOUNT = AMOUNT + TOTAL.
GOBACK.
END PROGRAM INNER-FRESH.
END PROGRAM TABLED.";

/// What is CALLed: it remembers, it waits, and it has literals of its own.
const SUB: Source<'_> = Source {
    name: "SUB",
    storage: "01 WS-PAUSE PIC X.\n01 CALLS PIC 9(3) VALUE 0.\n01 LAST-TEXT PIC X(20).",
    linkage: "01 AMOUNT PIC S9(5)V99.\n01 A-TEXT PIC X(20).",
    using: "AMOUNT A-TEXT",
    code: "ADD 1 TO CALLS
MOVE FUNCTION REVERSE(A-TEXT) TO LAST-TEXT
CALL 'DFHEI1' USING WS-PAUSE
COMPUTE AMOUNT = AMOUNT + CALLS + 1.5
IF A-TEXT(1:1) = 'A' OR '0' DISPLAY A-TEXT END-IF
GOBACK.",
    local: "",
};

/// What is CALLed and begins as it was compiled each time.
const FRESH: Source<'_> = Source {
    name: "FRESH",
    storage: "01 WS-PAUSE PIC X.\n01 CALLS PIC 9(3) VALUE 0.",
    linkage: "01 AMOUNT PIC S9(5)V99.",
    using: "AMOUNT",
    code: "ADD 1 TO CALLS\nCALL 'DFHEI1' USING WS-PAUSE\nCOMPUTE AMOUNT = AMOUNT + CALLS + 1.5\nGOBACK.",
    local: "",
};

/// What is CALLed with values.
const VALUES: Source<'_> = Source {
    name: "VALUES",
    storage: "01 CALLS PIC 9(3) VALUE 0.",
    linkage: "01 A-VALUE PIC S9(9) COMP-5.\n01 B-VALUE PIC S9(9) COMP-5.\n01 C-VALUE PIC S9(9) COMP-5.\n01 D-VALUE PIC S9(9)V99.",
    using: "BY VALUE A-VALUE\n    BY REFERENCE B-VALUE C-VALUE D-VALUE",
    code: "COMPUTE D-VALUE = A-VALUE + B-VALUE + C-VALUE + 0.5\nGOBACK.",
    local: "",
};

/// Programs on a host.
struct Stage {
    host: Host,
    main: Program,
    called: Vec<Program>,
}

impl Stage {
    fn new(workshop: &Workshop, main: &Source<'_>) -> Self {
        let host = workshop.host();
        let load = |source: &Source<'_>| {
            let text = source.text().replacen("DATA DIVISION.", SWITCHES, 1);
            let text = text.replacen("PROGRAM-ID. FRESH.", "PROGRAM-ID. FRESH IS INITIAL.", 1);
            host.load(&workshop.compile_text(source.name, &text, PRODUCT)).expect("a program")
        };
        let (main, called) = (load(main), vec![load(&SUB), load(&FRESH), load(&VALUES)]);
        Self { host, main, called }
    }

    /// A run of the main program.
    fn start(&self, task: &Task) -> Act<'_> {
        let run = task.start(&self.main, 0, 0).expect("a stack");
        Act { called: &self.called, run, lines: Vec::new() }
    }

    /// What a whole run displays.
    fn whole(&self, task: &Task) -> Vec<String> {
        let mut act = self.start(task);
        while act.go_on() {}
        std::mem::take(&mut act.lines)
    }

    /// What two runs display, of which each goes on where the other waits; the second starts when the first has waited
    /// so often.
    fn interleaved(&self, ahead: usize) -> [Vec<String>; 2] {
        let (one, other) = (self.host.task(), self.host.task());
        let mut first = self.start(&one);
        (0..ahead).for_each(|_| _ = first.go_on());
        let mut second = self.start(&other);
        loop {
            let more = [first.go_on(), second.go_on()];
            if more == [false; 2] {
                return [std::mem::take(&mut first.lines), std::mem::take(&mut second.lines)];
            }
        }
    }

    /// What a run displays, and what each program displays that it links to: itself, wherever it waits and `link` says so.
    fn linked(&self, mut link: impl FnMut() -> bool) -> (Vec<String>, Vec<Vec<String>>) {
        let task = self.host.task();
        let mut act = self.start(&task);
        let mut inner = Vec::new();
        while act.go_on() {
            if link() {
                inner.push(self.whole(&task));
            }
        }
        (std::mem::take(&mut act.lines), inner)
    }
}

/// A run, and what it has displayed.
struct Act<'s> {
    called: &'s [Program],
    run: Run,
    lines: Vec<String>,
}

impl Act<'_> {
    /// Goes on until the program waits; whether it has not ended.
    fn go_on(&mut self) -> bool {
        if self.lines.last().is_some_and(|line| line.starts_with(END)) {
            return false;
        }
        loop {
            match self.run.resume(0) {
                Step::Display(line) => self.lines.push(line),
                Step::Exec(_) => return true,
                Step::NeedProgram(name) => {
                    if let Some(called) = self.called.iter().find(|called| called.name() == name) {
                        self.run.provide(called);
                    }
                }
                end => {
                    self.lines.push(format!("{END}{end:?}"));
                    return false;
                }
            }
        }
    }
}

/// Before a run's last step, as a line of it.
const END: &str = "# ";

/// The program of the whole table: each construct behind a pause, with its name before what it displays.
fn tabled() -> String {
    let mut code = String::new();
    for (at, (_, statements, _)) in CONSTRUCTS.iter().enumerate() {
        code += &format!("PAUSE\nDISPLAY '#{at}'\n{statements}\n");
    }
    code.replace("PAUSE\n", "CALL 'DFHEI1' USING WS-PAUSE\n") + BEHIND
}

/// The lines of each construct.
fn by_construct(lines: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for line in lines {
        if line.starts_with('#') && !line.starts_with(END) {
            found.push(String::new());
        } else if let Some(last) = found.last_mut() {
            *last += line;
            last.push('\n');
        }
    }
    found
}

/// Names the first construct that did something else.
fn check_same(what: &str, lines: &[String], expected: &[String]) {
    let (found, expected) = (by_construct(lines), by_construct(expected));
    for ((found, expected), (name, statements, _)) in found.iter().zip(&expected).zip(CONSTRUCTS) {
        assert_eq!(found, expected, "{what}: {name}: {statements}");
    }
    assert_eq!(found.len(), expected.len(), "{what}");
}

#[test]
fn each_construct_does_the_same_in_every_run() {
    let workshop = Workshop::new();
    let code = tabled();
    let main = Source {
        name: "TABLED",
        storage: STORAGE,
        local: "01 LOCAL-NUMBER PIC S9(5)V9(3) VALUE 1.",
        code: &code,
        ..Source::default()
    };
    let stage = Stage::new(&workshop, &main);
    let task = stage.host.task();
    let first = stage.whole(&task);
    let shown = by_construct(&first);
    let others = CONSTRUCTS.iter().zip(&shown).filter(|((_, _, expected), shown)| {
        !expected.is_empty() && shown.lines().next().map(str::trim) != Some(*expected)
    });
    let others: Vec<_> = others.map(|((name, ..), shown)| (name, shown)).collect();
    assert!(others.is_empty(), "{others:#?}");
    assert_eq!((shown.len(), first.last().map(String::as_str)), (CONSTRUCTS.len(), Some("# Returned(0)")));
    check_same("again in the task", &stage.whole(&task), &first);
    check_same("in another task", &stage.whole(&stage.host.task()), &first);
    for ahead in [0, 1, 7] {
        for lines in stage.interleaved(ahead) {
            check_same("beside another run", &lines, &first);
        }
    }
    let (outer, inner) = stage.linked(|| true);
    check_same("around links to itself", &outer, &first);
    inner.iter().for_each(|lines| check_same("linked to by itself", lines, &first));
    assert_eq!(stage.main.stray_pointers(), Vec::<usize>::new(), "nothing else that runs share");
}

#[test]
fn made_up_programs_do_the_same_in_every_run() {
    let seeds = std::env::var("STATE_SEEDS").ok();
    let seeds = seeds.as_deref().and_then(|range| range.split_once("..")).map_or(0..4, |(from, to)| {
        let number = |text: &str| text.parse().expect("STATE_SEEDS=FROM..TO");
        number(from)..number(to)
    });
    seeds.for_each(check_seed);
}

fn check_seed(seed: u64) {
    let (storage, code) = made_up(seed);
    let workshop = Workshop::new();
    let main = Source { name: "MADEUP", storage: &storage, code: &code, ..Source::default() };
    let stage = Stage::new(&workshop, &main);
    let first = stage.whole(&stage.host.task());
    let check = |what: &str, lines: &[String]| assert_eq!(lines, first, "seed {seed}, {what}:\n{code}");
    check("again", &stage.whole(&stage.host.task()));
    for lines in stage.interleaved(usize::from(seed % 2 == 1)) {
        check("beside another run", &lines);
    }
    let mut dice = fastrand::Rng::with_seed(seed);
    let (outer, inner) = stage.linked(|| dice.bool());
    check("around links to itself", &outer);
    inner.iter().for_each(|lines| check("linked to by itself", lines));
}

/// A file that a run leaves open is closed for the next one: what the runtime keeps of it is the handler's to say.
#[test]
fn a_file_left_open_is_closed_in_the_next_run() {
    const TEXT: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LEAVES.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT A-FILE ASSIGN TO AFILE FILE STATUS A-STATUS.
       DATA DIVISION.
       FILE SECTION.
       FD A-FILE.
       01 A-RECORD PIC X(80).
       WORKING-STORAGE SECTION.
       01 A-STATUS PIC XX.
       01 A-POINTER POINTER.
       01 A-LABEL PIC S9(9) COMP-5.
       PROCEDURE DIVISION.
           CALL 'DFHEIN' USING 'LEAVES  ' A-POINTER
             RETURNING A-LABEL.
           OPEN INPUT A-FILE.
           DISPLAY 'OPEN ' A-STATUS.
           READ A-FILE.
           DISPLAY 'READ ' A-STATUS.
           STOP RUN.
";
    let workshop = Workshop::new();
    let host = workshop.host();
    let options = [PRODUCT, &["-fcallfh=EXTFH"]].concat();
    let program = host.load(&workshop.compile_text("LEAVES", TEXT, &options)).expect("a program");
    let run = || {
        let mut run = host.task().start(&program, 0, 0).expect("a stack");
        let mut lines = Vec::new();
        loop {
            match run.resume(0) {
                Step::Display(line) => lines.push(line),
                Step::File(call) => {
                    let file = call.control().expect("a file");
                    lines.push(format!("{:?} {:?}", call.operation(), file.open));
                    if matches!(call.operation(), FileOperation::Open(_)) {
                        call.set_open(Some(OpenMode::Input), 7).expect("storage");
                    }
                    call.set_status(*b"00").expect("storage");
                }
                end => {
                    lines.push(format!("{end:?}"));
                    return lines;
                }
            }
        }
    };
    let first = run();
    assert_eq!(first.len(), 5, "{first:?}");
    (0..3).for_each(|_| assert_eq!(run(), first));
}
