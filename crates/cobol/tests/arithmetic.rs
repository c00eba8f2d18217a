//! COMPUTE and conditions: what the mainframe's compiler makes of them, with the decimal places that its table of
//! intermediate results gives each quotient. `ARITHMETIC_SEEDS=0..5000` tries other programs of made-up expressions.

mod support;

use std::fmt;
use std::ops::Range;

use fastrand::Rng;
use support::{Source, Workshop, lines_of};

/// Fields with values, for the table.
const STORAGE: &str = "\
01 ONE      PIC 9(5) VALUE 1.
01 THREE    PIC 9(5) VALUE 3.
01 HUNDRED  PIC 9(3) VALUE 100.
01 N        PIC 9(5) VALUE 427.
01 AMOUNT   PIC S9(7)V99 COMP-3 VALUE 10.00.
01 RATE     PIC S9V9(4) COMP-3 VALUE 0.0525.
01 HALF     PIC 9V9 VALUE 0.5.
01 DEBT     PIC S9(4) COMP VALUE -7.
01 BIG      PIC S9(9) COMP-5 VALUE 1000000.
01 FLOATED   COMP-2 VALUE 3.
01 ZERO-NOW PIC 9 VALUE 0.
01 R0       PIC S9(9).
01 R1       PIC S9(9)V9.
01 R2       PIC S9(9)V99.
01 R4       PIC S9(9)V9(4).
";

/// Statements, the field to look at, and what it holds then.
const STATEMENTS: &[(&str, &str, &str)] = &[
    // What is not a quotient keeps all its digits.
    ("COMPUTE R2 = N * 3 - N", "R2", "854.00"),
    ("COMPUTE R2 = N * 3 - N - N", "R2", "427.00"),
    ("COMPUTE R2 = N + 3.5 - N", "R2", "3.50"),
    ("COMPUTE R2 = AMOUNT * RATE * HUNDRED", "R2", "52.50"),
    ("COMPUTE R0 = AMOUNT * RATE * HUNDRED", "R0", "52"),
    // A quotient has the places of the result ...
    ("COMPUTE R2 = ONE / THREE * HUNDRED", "R2", "33.00"),
    ("COMPUTE R0 = ONE / THREE * HUNDRED", "R0", "0"),
    ("COMPUTE R4 = ONE / THREE * HUNDRED", "R4", "33.3300"),
    ("COMPUTE R2 = HUNDRED * ONE / THREE", "R2", "33.33"),
    ("COMPUTE R2 = DEBT / THREE * HUNDRED", "R2", "-233.00"),
    // ... one more if it is ROUNDED ...
    ("COMPUTE R2 ROUNDED = 2 / THREE * HUNDRED", "R2", "66.60"),
    ("COMPUTE R2 ROUNDED = 2 / THREE", "R2", "0.67"),
    // ... or of any operand that is neither divisor nor exponent ...
    ("COMPUTE R0 = ONE / THREE * HUNDRED + HALF", "R0", "30"),
    ("COMPUTE R0 = ONE / THREE * 100.00", "R0", "33"),
    ("COMPUTE R0 = AMOUNT / THREE * HUNDRED", "R0", "333"),
    ("COMPUTE R0 = ONE / HALF * HUNDRED", "R0", "200"),
    ("COMPUTE R0 = ONE / (HALF + 1) * HUNDRED", "R0", "0"),
    ("COMPUTE R0 = ONE / THREE ** 2 * HUNDRED", "R0", "0"),
    // A constant has the places that it is written with, also when it was added to what has more.
    ("COMPUTE R0 = ONE / THREE * HUNDRED + 1", "R0", "1"),
    // ... or what the dividend has more than the divisor.
    ("COMPUTE R0 = (AMOUNT * RATE) / HALF * 100000", "R0", "105000"),
    ("COMPUTE R1 = (HALF * HALF * HALF) / 3 * 1000", "R1", "41.0"),
    ("COMPUTE R1 = (ONE / THREE * HALF) / 3 * 1000", "R1", "50.0"),
    // A quotient of constants.
    ("COMPUTE R2 = N * (1 / 3)", "R2", "140.91"),
    // Interest: 0.05 / 12 is 0.004.
    ("COMPUTE R2 ROUNDED =\n  HUNDRED * (1 + 0.05 / 12) ** 12", "R2", "104.91"),
    // A quotient of a quotient.
    ("COMPUTE R2 = HUNDRED / THREE / THREE * HUNDRED", "R2", "1111.00"),
    // Floating point is not cut, and an exponent that varies makes it that.
    ("COMPUTE R2 = ONE / THREE * HUNDRED ** ONE", "R2", "33.33"),
    ("COMPUTE R2 = ONE / THREE * HUNDRED ** 1", "R2", "33.00"),
    ("COMPUTE R2 = ONE / FLOATED * HUNDRED", "R2", "33.33"),
    ("COMPUTE R2 = ONE / THREE * HUNDRED + FLOATED", "R2", "36.33"),
    // A division by zero leaves the field as it was.
    ("MOVE 5 TO R2\nCOMPUTE R2 = ONE / ZERO-NOW * 2\n  ON SIZE ERROR ADD 1 TO R2\nEND-COMPUTE", "R2", "6.00"),
    // Zero to the power of zero is one, and a size error where the statement asks.
    ("COMPUTE R2 = ZERO-NOW ** ZERO-NOW", "R2", "1.00"),
    (
        "MOVE 5 TO R2\nCOMPUTE R2 = ZERO-NOW ** ZERO-NOW + ONE\n  ON SIZE ERROR ADD 1 TO R2\nEND-COMPUTE",
        "R2",
        "6.00",
    ),
    (
        "MOVE 5 TO R2 R4\nCOMPUTE R2 R4 = ONE / THREE * ZERO-NOW ** ZERO-NOW\n  ON SIZE ERROR ADD R4 TO R2\nEND-COMPUTE",
        "R2",
        "10.00",
    ),
    (
        "IF ZERO-NOW ** ZERO-NOW = 1\n  COMPUTE R2 = ONE + HALF\n  ON SIZE ERROR MOVE 9 TO R2\nEND-COMPUTE\nEND-IF",
        "R2",
        "1.50",
    ),
    (
        "MOVE 0 TO R4\nPERFORM VARYING R0 FROM 0 BY 1 UNTIL R0 > 2\n  COMPUTE R2 = R0 ** R0\n  ON SIZE ERROR ADD 1 TO R4 END-ADD\n  NOT ON SIZE ERROR ADD R2 TO R4\n  END-COMPUTE\nEND-PERFORM",
        "R4",
        "6.0000",
    ),
    // In conditions, too.
    ("MOVE 0 TO R0\nIF DEBT / THREE < -2 MOVE 1 TO R0 END-IF", "R0", "0"),
    ("MOVE 0 TO R0\nIF DEBT / THREE < -2.1 MOVE 1 TO R0 END-IF", "R0", "1"),
    ("MOVE 0 TO R0\nIF ONE / THREE * HUNDRED = 33.00\n  MOVE 1 TO R0\nEND-IF", "R0", "1"),
    ("MOVE 0 TO R0\nIF ONE / THREE * HUNDRED = 33.3\n  MOVE 1 TO R0\nEND-IF", "R0", "0"),
    // Amounts as they are written.
    ("COMPUTE R2 = FUNCTION NUMVAL(' 12.50 CR ')", "R2", "-12.50"),
    ("COMPUTE R2 = FUNCTION NUMVAL('12.50db')", "R2", "-12.50"),
    ("COMPUTE R2 = FUNCTION NUMVAL(' - 12.50')", "R2", "-12.50"),
    ("COMPUTE R2 = FUNCTION NUMVAL('12.50')", "R2", "12.50"),
    ("COMPUTE R2 = FUNCTION NUMVAL-C('$1,234.50CR')", "R2", "-1234.50"),
    ("COMPUTE R2 = FUNCTION NUMVAL-C('$1,234.50')", "R2", "1234.50"),
    // Other statements have one operation.
    ("DIVIDE ONE BY THREE GIVING R4", "R4", "0.3333"),
    ("DIVIDE THREE INTO HUNDRED GIVING R2 ROUNDED", "R2", "33.33"),
];

#[test]
fn a_quotient_has_the_places_that_its_statement_needs() {
    let displays = STATEMENTS.iter().map(|(code, field, _)| format!("{code}\n{}\n", shown(field)));
    let storage = format!("{STORAGE}01 SHOWN PIC -(9)9.9(4).\n");
    let lines = displayed(&storage, &displays.collect::<String>());
    assert_eq!(lines.len(), STATEMENTS.len());
    for ((code, field, expected), line) in STATEMENTS.iter().zip(&lines) {
        let number = |text: &str| text.trim().parse::<f64>().expect("a number");
        assert!((number(line) - number(expected)).abs() < 1e-9, "{code}: {field} is {line}, not {expected}");
    }
}

/// Displays a field with four decimal places.
fn shown(field: &str) -> String {
    format!("MOVE {field} TO SHOWN\nDISPLAY SHOWN")
}

#[test]
fn a_condition_that_divides_by_zero_ends_the_program() {
    let workshop = Workshop::new();
    let source = Source {
        name: "ZERODIV",
        storage: STORAGE,
        code: "IF ONE / ZERO-NOW > 1\n  CONTINUE\nEND-IF\nGOBACK.",
        ..Source::default()
    };
    let host = workshop.host();
    let ended = support::run(&host, &workshop.load(&host, &source));
    assert!(ended.contains("Arithmetic"), "{ended}");
    let after = Source {
        name: "AFTER",
        storage: STORAGE,
        code: "COMPUTE R2 = ONE / THREE * 3\nIF R2 = 0.99 DISPLAY 'AS EVER' END-IF\nGOBACK.",
        ..Source::default()
    };
    assert_eq!(lines_of(&host, &workshop.load(&host, &after)), ["AS EVER"]);
}

#[test]
fn made_up_expressions_come_to_what_the_table_says() {
    let seeds = std::env::var("ARITHMETIC_SEEDS").ok();
    let seeds = seeds.as_deref().and_then(|range| range.split_once("..")).map_or(0..12, |(from, to)| {
        let number = |text: &str| text.parse().expect("ARITHMETIC_SEEDS=FROM..TO");
        number(from)..number(to)
    });
    seeds.for_each(check_seed);
}

/// Statements of one made-up program.
const STATEMENTS_MAX: usize = 40;

/// Fields of made-up programs: name, description, decimal places, value without its decimal point.
const FIELDS: &[(&str, &str, u32, i128)] = &[
    ("A", "9(3)", 0, 7),
    ("B", "9(3)V9", 1, 125),
    ("C", "S9(3)V99 COMP-3", 2, -333),
    ("D", "S9(4) COMP", 0, 29),
    ("E", "S9(2)V999", 3, 1414),
    ("F", "9(4) COMP-5", 0, 1000),
    ("G", "S9(3)V9 COMP", 1, -9),
];

/// Digits of a result before its decimal point.
const RESULT_DIGITS: u32 = 12;

/// Decimal places of the results.
const RESULTS: Range<u32> = 0..5;

fn check_seed(seed: u64) {
    let mut dice = Rng::with_seed(seed);
    let mut storage = String::new();
    for (name, picture, places, value) in FIELDS {
        storage += &format!("01 {name} PIC {picture} VALUE {}.\n", Fixed { value: *value, places: *places });
    }
    for places in RESULTS {
        let decimals = if places > 0 { format!("V9({places})") } else { String::new() };
        storage += &format!(
            "01 R{places} PIC S9({RESULT_DIGITS}){decimals}.\n01 X{places} PIC -({RESULT_DIGITS})9.9(4).\n"
        );
    }
    let (mut code, mut expected) = (String::new(), Vec::new());
    while expected.len() < STATEMENTS_MAX {
        let expression = Expression::made_up(&mut dice, 3);
        let places = dice.u32(RESULTS);
        let rounded = dice.u8(..3) == 0;
        let most = expression.most().max(places + u32::from(rounded));
        let Some(value) = expression.value(most) else { continue };
        let result = value.stored(places, rounded);
        if result.stored(0, false).value.unsigned_abs() >= 10_u128.pow(RESULT_DIGITS) {
            continue;
        }
        let word = if rounded { " ROUNDED" } else { "" };
        let statement = format!("COMPUTE R{places}{word} =\n{expression}");
        code += &format!("{statement}\nMOVE R{places} TO X{places}\nDISPLAY X{places}\n");
        expected.push((statement, result.stored(4, false).to_string()));
    }
    let lines = displayed(&storage, &code);
    for ((statement, expected), line) in expected.iter().zip(&lines) {
        assert_eq!(line.trim(), expected, "seed {seed}: {statement}");
    }
    assert_eq!(lines.len(), expected.len());
}

/// A fixed-point number: `value` / 10^`places`.
#[derive(Clone, Copy)]
struct Fixed {
    value: i128,
    places: u32,
}

impl Fixed {
    fn with(self, places: u32) -> i128 {
        self.value * 10_i128.pow(places - self.places)
    }

    /// With more places, or with fewer, cut off or rounded.
    fn stored(self, places: u32, rounded: bool) -> Self {
        if places >= self.places {
            return Self { value: self.with(places), places };
        }
        let unit = 10_i128.pow(self.places - places);
        let half = if rounded { unit / 2 * self.value.signum() } else { 0 };
        Self { value: (self.value + half) / unit, places }
    }
}

impl fmt::Display for Fixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = 10_u128.pow(self.places);
        let (whole, rest) = (self.value.unsigned_abs() / unit, self.value.unsigned_abs() % unit);
        let sign = if self.value < 0 { "-" } else { "" };
        match self.places as usize {
            0 => write!(f, "{sign}{whole}"),
            places => write!(f, "{sign}{whole}.{rest:0places$}"),
        }
    }
}

enum Expression {
    Field(usize),
    Literal(Fixed),
    Operation(char, Box<Expression>, Box<Expression>),
}

impl Expression {
    fn made_up(dice: &mut Rng, depth: usize) -> Self {
        match dice.u8(..if depth == 0 { 4 } else { 9 }) {
            0 => Self::Literal(Fixed { value: dice.i128(1..100), places: dice.u32(..3) }),
            1..4 => Self::Field(dice.usize(..FIELDS.len())),
            _ => {
                let operation = ['+', '-', '*', '/', '/'][dice.usize(..5)];
                let first = Self::made_up(dice, depth - 1);
                let mut second = Self::made_up(dice, depth - 1);
                // The compiler itself calculates with literals.
                if let (Self::Literal(_), Self::Literal(_)) = (&first, &second) {
                    second = Self::Field(0);
                }
                Self::Operation(operation, Box::new(first), Box::new(second))
            }
        }
    }

    /// The most decimal places of its operands, divisors left out.
    fn most(&self) -> u32 {
        match self {
            Self::Field(at) => FIELDS[*at].2,
            Self::Literal(number) => number.places,
            Self::Operation('/', dividend, _) => dividend.most(),
            Self::Operation(_, first, second) => first.most().max(second.most()),
        }
    }

    /// What it comes to, in a statement that needs so many places; nothing if it divides by zero.
    fn value(&self, most: u32) -> Option<Fixed> {
        let (operation, first, second) = match self {
            Self::Field(at) => return Some(Fixed { value: FIELDS[*at].3, places: FIELDS[*at].2 }),
            Self::Literal(number) => return Some(*number),
            Self::Operation(operation, first, second) => (operation, first.value(most)?, second.value(most)?),
        };
        let places = first.places.max(second.places);
        Some(match operation {
            '+' => Fixed { value: first.with(places) + second.with(places), places },
            '-' => Fixed { value: first.with(places) - second.with(places), places },
            '*' => Fixed { value: first.value * second.value, places: first.places + second.places },
            _ => {
                let places = first.places.saturating_sub(second.places).max(most);
                Fixed { value: first.with(places + second.places).checked_div(second.value)?, places }
            }
        })
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(at) => f.write_str(FIELDS[*at].0),
            Self::Literal(number) => number.fmt(f),
            Self::Operation(operation, first, second) => write!(f, "({first}\n{operation} {second})"),
        }
    }
}

/// Compiles and runs statements, and gives what they display.
fn displayed(storage: &str, code: &str) -> Vec<String> {
    let workshop = Workshop::new();
    let host = workshop.host();
    let source = Source { name: "COMPUTES", storage, code: &format!("{code}GOBACK."), ..Source::default() };
    lines_of(&host, &workshop.load(&host, &source))
}
