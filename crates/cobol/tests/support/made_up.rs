//! Made-up programs that calculate with literals, handle text, call and wait.

use fastrand::Rng;

/// Statements of a program.
const STATEMENTS: usize = 50;

/// Fields: name, description.
const FIELDS: &[(&str, &str)] = &[
    ("A", "9(3) VALUE 7"),
    ("B", "S9(5)V99 VALUE -12.34"),
    ("C", "S9(3)V9(4) COMP-3 VALUE 1.0625"),
    ("D", "S9(4) COMP VALUE 29"),
    ("E", "9(4) COMP-5 VALUE 1000"),
    ("F", "S9(3)V9 COMP VALUE 0.9"),
    ("G", "9(2)V9(6) VALUE 0.000125"),
];

/// Results: name, description.
const RESULTS: &[(&str, &str)] = &[
    ("R0", "S9(9)"),
    ("R2", "S9(9)V99"),
    ("R4", "S9(7)V9(4) COMP-3"),
    ("R5", "S9(9) COMP-5"),
    ("R8", "S9(5)V9(8)"),
];

/// Statements about text and tables; each leaves what it did in TX, TY or R0.
const TEXTS: &[&str] = &[
    "STRING TX DELIMITED BY ',' TY DELIMITED BY SPACE\n  INTO TX",
    "UNSTRING TX DELIMITED BY ',' OR ' ' INTO TY TX",
    "INSPECT TX REPLACING ALL 'a' BY 'e' FIRST 'b' BY 'a'",
    "INSPECT TX TALLYING R0 FOR ALL 'a' LEADING 'b'",
    "INSPECT TY CONVERTING 'abcde' TO 'bcdea'",
    "MOVE FUNCTION UPPER-CASE(TX) TO TY",
    "MOVE FUNCTION REVERSE(FUNCTION TRIM(TX)) TO TX",
    "MOVE FUNCTION SUBSTITUTE(TX 'a' 'bc' 'b' 'a') TO TX",
    "MOVE 'alpha,beta,gamma' TO TX",
    "CALL 'SUB' USING B TX",
    "CALL 'SUB' USING B BY CONTENT FUNCTION UPPER-CASE(TX)",
    "SORT ITEM ON ASCENDING KEY ITEM-KEY",
    "MOVE '5 3 9 1 ' TO TABLE-OF",
    "COMPUTE R8 = FUNCTION RANDOM",
    "COMPUTE R8 = FUNCTION RANDOM(5)",
];

/// The storage and the statements of the program with this seed.
pub fn made_up(seed: u64) -> (String, String) {
    let mut dice = Rng::with_seed(seed);
    let mut storage = String::from(
        "01 WS-PAUSE PIC X.\n01 TX PIC X(20) VALUE 'alpha,beta,gamma'.\n01 TY PIC X(20) VALUE 'abc'.\n\
         01 TABLE-OF VALUE '3 1 2 5 '.\n   05 ITEM OCCURS 4 INDEXED BY IX.\n      10 ITEM-KEY PIC X(2).\n",
    );
    for (name, description) in FIELDS.iter().chain(RESULTS) {
        storage += &format!("01 {name} PIC {description}.\n");
    }
    let code: String = (0..STATEMENTS).map(|_| statement(&mut dice)).collect();
    (storage, code + "GOBACK.")
}

fn statement(dice: &mut Rng) -> String {
    let result = RESULTS[dice.usize(..RESULTS.len())].0;
    let rounded = if dice.bool() { " ROUNDED" } else { "" };
    let shown = format!("DISPLAY {result}\n");
    match dice.u8(..10) {
        0..4 => {
            let value = expression(dice, 3);
            format!("COMPUTE {result}{rounded} =\n{value}\n  ON SIZE ERROR DISPLAY 'S'\nEND-COMPUTE\n{shown}")
        }
        4..6 => {
            let (one, other) = (expression(dice, 2), expression(dice, 1));
            let relation = ["<", "=", ">", "NOT ="][dice.usize(..4)];
            format!("IF {one}\n{relation} {other}\n  DISPLAY 'T' ELSE DISPLAY 'F' END-IF\n")
        }
        6 => {
            let (one, other) = (operand(dice), operand(dice));
            let statement = match dice.u8(..4) {
                0 => format!("ADD {one} TO {result}{rounded}"),
                1 => format!("SUBTRACT {one} FROM {other} GIVING {result}{rounded}"),
                2 => format!("MULTIPLY {one} BY {other} GIVING {result}{rounded}"),
                _ => format!("DIVIDE {one} INTO {other} GIVING {result}{rounded}"),
            };
            {
                let verb = statement.split(' ').next().unwrap_or_default();
                format!("{statement}\n  ON SIZE ERROR DISPLAY 'S'\nEND-{verb}\n{shown}")
            }
        }
        7 => "CALL 'DFHEI1' USING WS-PAUSE\n".to_owned(),
        _ => format!("{}\nDISPLAY TX TY R0 R8\n", TEXTS[dice.usize(..TEXTS.len())]),
    }
}

/// A literal with up to six decimal places.
fn literal(dice: &mut Rng) -> String {
    let whole = dice.u32(..100);
    match dice.usize(..7) {
        0 => whole.to_string(),
        places => format!("{whole}.{:0places$}", dice.u32(..10_u32.pow(places as u32))),
    }
}

fn operand(dice: &mut Rng) -> String {
    if dice.bool() { literal(dice) } else { FIELDS[dice.usize(..FIELDS.len())].0.to_owned() }
}

fn expression(dice: &mut Rng, depth: usize) -> String {
    if depth == 0 || dice.u8(..5) == 0 {
        return operand(dice);
    }
    let first = expression(dice, depth - 1);
    match dice.u8(..12) {
        0 => format!("({first}\n** {})", dice.u8(..5)),
        1 => format!("FUNCTION MAX({first}\n{})", operand(dice)),
        2 => format!("FUNCTION SQRT({})", FIELDS[0].0),
        _ => {
            let operation = ["+", "-", "*", "/"][dice.usize(..4)];
            format!("({first}\n{operation} {})", expression(dice, depth - 1))
        }
    }
}
