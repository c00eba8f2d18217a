//! The text of the counted mix: statements with the weights of a survey of public programs, and programs of them.

/// Their data.
pub const DATA: &str = "01 TURNS PIC 9(9) COMP.\n01 WA PIC X(20) VALUE 'HELLO WORLD'.\n01 WB PIC X(20) VALUE 'A'.\n\
    01 WC PIC X(10) VALUE 'ABCDEFGHIJ'.\n01 WD PIC X(30) VALUE 'BANANA BREAD'.\n01 WE PIC X(200) VALUE 'LONG'.\n\
    01 WF PIC X(200) VALUE 'X'.\n01 P1 PIC S9(7)V99 COMP-3 VALUE 12345.67.\n01 P2 PIC S9(7)V99 COMP-3 VALUE 1.01.\n\
    01 P3 PIC S9(9)V99 COMP-3 VALUE 0.\n01 P4 PIC S9(3)V9(4) COMP-3 VALUE 1.0525.\n01 PN PIC S9(9) COMP-3 VALUE 0.\n\
    01 Z1 PIC S9(7)V99 VALUE 100.50.\n01 Z2 PIC S9(7)V99 VALUE 3.25.\n01 Z5 PIC 9(5) VALUE 123.\n01 Z4 PIC 9(4) VALUE 44.\n\
    01 B1 PIC S9(8) COMP VALUE 5.\n01 B2 PIC S9(8) COMP VALUE 7.\n01 B3 PIC S9(9) COMP VALUE 0.\n01 I PIC S9(4) COMP VALUE 3.\n\
    01 CNT PIC S9(9) COMP-5 VALUE 0.\n01 ED PIC ZZZ,ZZZ,ZZ9.99-.\n01 W1 PIC S9(15)V99 COMP-3 VALUE 1234567890123.45.\n\
    01 W2 PIC S9(15)V99 COMP-3 VALUE 0.\n01 TAB.\n 05 ROW OCCURS 50.\n  10 TX PIC X(12) VALUE 'ROW'.\n  10 TN PIC S9(5)V99 COMP-3 VALUE 1.";

/// The statements, each with its weight in the mix.
pub const STATEMENTS: [(&str, usize); 26] = [
    ("CONTINUE", 0),
    ("ADD 1 TO CNT", 14),
    ("MOVE WA TO WB", 8),
    ("MOVE WC TO WD", 16),
    ("MOVE 'LITERAL TEXT' TO WB", 2),
    ("MOVE WE TO WF", 1),
    ("MOVE P1 TO ED", 3),
    ("MOVE Z5 TO P3", 3),
    ("MOVE PN TO B1", 2),
    ("MOVE B2 TO Z5", 3),
    ("MOVE Z4 TO Z5", 2),
    ("ADD 1 TO PN", 2),
    ("ADD P2 TO P3", 2),
    ("ADD Z2 TO Z1", 0),
    ("COMPUTE P3 = P1 * P4 + Z2", 1),
    ("COMPUTE W2 = W1 * 1.05 + P1", 0),
    ("COMPUTE P3 = P1 / P4", 0),
    ("COMPUTE B3 = B1 + B2 * 2", 2),
    ("IF P1 > P2 ADD 1 TO CNT END-IF", 4),
    ("IF B1 > 3 ADD 1 TO CNT END-IF", 4),
    ("IF Z5 = 123 ADD 1 TO CNT END-IF", 10),
    ("IF WC = 'ABCDEFGHIJ' ADD 1 TO CNT END-IF", 10),
    ("IF WA = WB ADD 1 TO CNT END-IF", 2),
    ("PERFORM COUNT-UP", 3),
    ("PERFORM VARYING I FROM 1 BY 1 UNTIL I > 10 ADD 1 TO CNT END-PERFORM", 1),
    ("MOVE TX(5) TO WB MOVE 5 TO I MOVE TX(I) TO WB ADD TN(I) TO P3", 3),
];

/// Paragraphs of a program of some 2,000 statements.
pub const PARAGRAPHS: usize = 120;

/// A program of statements.
pub fn program(statements: &str) -> String {
    format!(
        "ID DIVISION.\nPROGRAM-ID. MIX.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{DATA}\nPROCEDURE DIVISION.\n{statements}\nGOBACK.\nCOUNT-UP.\nADD 1 TO CNT.\n"
    )
}

/// Statements with the weights of the survey, in so many paragraphs that are all performed.
pub fn large(paragraphs: usize) -> String {
    let bag: Vec<&str> =
        STATEMENTS.iter().flat_map(|(text, weight)| std::iter::repeat_n(*text, *weight)).collect();
    let mut seed = 11_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bag[(seed >> 33) as usize % bag.len()]
    };
    let mut text: String = (0..paragraphs).map(|at| format!("PERFORM P-{at}.\n")).collect();
    text.push_str("GOBACK.\n");
    for at in 0..paragraphs {
        text.push_str(&format!("P-{at}.\n"));
        (0..14).for_each(|_| text.push_str(&format!("{}.\n", next())));
    }
    program(&text)
}
