//! Programs that follow a seed, with statements on parts of items that vary in place and length, on long items, and with numbers
//! that nearly always fit into 64 bits.

use super::generator::{Generated, Item, Kind, Seeded};

/// Texts: descriptions with their lengths.
const TEXTS: [(&str, usize); 6] = [
    ("PIC X(20) VALUE 'ABCDEFGHIJKLMNOPQRST'", 20),
    ("PIC X(12) VALUE '12345678ab  '", 12),
    ("PIC X(300) VALUE ALL 'xyz1'", 300),
    ("PIC X(280) VALUE SPACES", 280),
    ("PIC X(8) JUST VALUE 'j'", 8),
    ("PIC X(70) VALUE ALL 'AB '", 70),
];
/// An item that is too short for parts.
const JUSTIFIED: &str = "X4";
/// Numbers that say where parts are, and how long.
const PLACES: [(&str, usize); 6] = [
    ("PIC 9(4) COMP VALUE 3", 2),
    ("PIC S9(3) COMP-3 VALUE 5", 2),
    ("PIC 99 VALUE 2", 2),
    ("PIC S9(9) COMP VALUE 7", 4),
    ("PIC S9(15) COMP-3 VALUE 4", 8),
    ("PIC S9(3)V99 VALUE 6.75", 5),
];
/// Numbers of many digits.
const NUMBERS: [(&str, usize); 8] = [
    ("PIC S9(18) COMP VALUE 999999999999999999", 8),
    ("PIC S9(15)V99 COMP-3 VALUE -123456789012345.67", 9),
    ("PIC S9(13)V99 COMP-3 VALUE 1234567890123.45", 8),
    ("PIC 9(18) VALUE 900000000000000007", 18),
    ("PIC S9(9)V9(4) VALUE -12.3456", 13),
    ("PIC 9(18) COMP VALUE 17", 8),
    ("PIC S9(7)V99 COMP-3 VALUE 3.25", 5),
    ("PIC S9(4) COMP VALUE -9", 2),
];
/// Receivers, with their lengths.
const RESULTS: [(&str, usize); 6] = [
    ("PIC S9(15) COMP-3 VALUE 1", 8),
    ("PIC S9(9)V99 VALUE 2", 11),
    ("PIC S9(18) COMP VALUE 3", 8),
    ("PIC 9(5) VALUE 4", 5),
    ("PIC ZZZ,ZZZ,ZZ9.99-", 15),
    ("PIC S9(4)V9 COMP-3 VALUE 5", 3),
];

/// The program of a seed.
pub fn generated(seed: u64, count: usize) -> Generated {
    let mut random = Seeded(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(seed));
    random.below(2);
    let rows = [("X", &TEXTS[..]), ("P", &PLACES[..]), ("N", &NUMBERS[..]), ("R", &RESULTS[..])];
    let mut items = Vec::new();
    for (letter, rows) in rows {
        items.extend(rows.iter().enumerate().map(|(at, (description, length))| Item {
            name: format!("{letter}{at}"),
            kind: Kind::Text,
            description: (*description).to_owned(),
            length: *length,
        }));
    }
    let statements = (0..count).map(|_| statement(&mut random)).collect();
    Generated::with(items, statements)
}

fn named(random: &mut Seeded, letter: &str, count: usize) -> String {
    format!("{letter}{}", random.below(count))
}

fn text(random: &mut Seeded) -> String {
    named(random, "X", TEXTS.len())
}

fn place(random: &mut Seeded) -> String {
    match random.below(5) {
        0 => format!("{}", 1 + random.below(9)),
        1 => format!("{} + {}", named(random, "P", PLACES.len()), random.below(3)),
        _ => named(random, "P", PLACES.len()),
    }
}

/// An item, or a part of one.
fn part(random: &mut Seeded) -> String {
    let item = text(random);
    if item == JUSTIFIED {
        return item;
    }
    match random.below(5) {
        0 => item,
        1 => format!("{item}({}:)", place(random)),
        2 => format!("{item}(1:{})", place(random)),
        _ => format!("{item}({}:{})", place(random), place(random)),
    }
}

/// Numbers say something else, now and then.
fn set(random: &mut Seeded) -> String {
    match random.below(3) {
        0 => format!("MOVE {} TO {} ", 1 + random.below(8), named(random, "P", PLACES.len())),
        _ => String::new(),
    }
}

fn relation(random: &mut Seeded) -> &'static str {
    random.one::<&str>(&["=", "NOT =", "<", ">", ">=", "<="])
}

fn statement(random: &mut Seeded) -> String {
    let before = set(random);
    let own = match random.below(12) {
        0..=2 => format!("MOVE {} TO {}", part(random), part(random)),
        3 => {
            let constant = *random.one(&["SPACES", "ZEROS", "LOW-VALUES", "ALL 'XY'", "ALL 'abc'", "'lit'"]);
            format!("MOVE {constant} TO {}", part(random))
        }
        4 | 5 => {
            let right = match random.below(3) {
                0 => (*random.one(&["SPACES", "'AB'", "ALL 'AB'", "ZEROS", "HIGH-VALUES"])).to_owned(),
                _ => part(random),
            };
            format!("IF {} {} {right} MOVE 'Y' TO FLAG END-IF", part(random), relation(random))
        }
        6 => {
            let class = *random.one(&["NUMERIC", "ALPHABETIC", "ALPHABETIC-UPPER", "ALPHABETIC-LOWER"]);
            let not = *random.one(&["", "NOT "]);
            format!("IF {} {not}{class} MOVE 'Y' TO FLAG END-IF", part(random))
        }
        7 => string(random),
        _ => arithmetic(random),
    };
    before + &own
}

fn string(random: &mut Seeded) -> String {
    let mut pieces = String::new();
    for _ in 0..1 + random.below(4) {
        let piece = match random.below(4) {
            0 => "'literal'".to_owned(),
            1 => "SPACE".to_owned(),
            2 => text(random),
            _ => part(random),
        };
        let delimiter = *random.one(&["SIZE", "SIZE", "SIZE", "SPACE", "'B'", "X1(9:2)"]);
        pieces.push_str(&format!("{piece} DELIMITED BY {delimiter} "));
    }
    let into = *random.one(&["X0", "X1", "X2", "X3", "X5", "X5(3:20)", "X0(P0:P3)"]);
    let pointer = *random.one(&["", "", " POINTER P0", " POINTER P2", " POINTER P3"]);
    format!(
        "STRING {pieces}INTO {into}{pointer} ON OVERFLOW MOVE 'O' TO FLAG NOT ON OVERFLOW MOVE 'N' TO FLAG END-STRING"
    )
}

fn number(random: &mut Seeded) -> String {
    match random.below(6) {
        0 => format!("{}", random.below(1000)),
        1 => format!("-{}.{}", random.below(100), 1 + random.below(98)),
        2 => named(random, "P", PLACES.len()),
        3 => format!("FUNCTION ABS({})", named(random, "N", NUMBERS.len())),
        _ => named(random, "N", NUMBERS.len()),
    }
}

/// A number that is not zero.
fn divisor(random: &mut Seeded) -> String {
    match random.below(3) {
        0 => format!("{}", 1 + random.below(1000)),
        1 => format!("{}.{}", random.below(10), 1 + random.below(98)),
        _ => named(random, "N", NUMBERS.len()),
    }
}

/// An expression; what divides in it may be zero only where a size error is asked for.
fn expression(random: &mut Seeded, checked: bool) -> String {
    let divisor = |random: &mut Seeded| if checked { number(random) } else { divisor(random) };
    match random.below(9) {
        0 => format!("FUNCTION MIN({} {} {})", number(random), number(random), number(random)),
        1 => format!("FUNCTION MAX({} {}) - {}", number(random), number(random), number(random)),
        2 => format!("FUNCTION MOD({} {}) + 1", named(random, "N", NUMBERS.len()), 1 + random.below(99)),
        3 => format!("FUNCTION REM({} {})", number(random), divisor(random)),
        4 => format!("FUNCTION INTEGER({}) + FUNCTION INTEGER-PART({})", number(random), number(random)),
        5 => format!("{} / {}", number(random), divisor(random)),
        6 => format!("{} * {} / {}", number(random), number(random), divisor(random)),
        _ => {
            let operators = ["+", "-", "*"];
            format!(
                "{} {} {} {} {}",
                number(random),
                random.one(&operators),
                number(random),
                random.one(&operators),
                number(random)
            )
        }
    }
}

fn arithmetic(random: &mut Seeded) -> String {
    let rounded = *random.one(&["", " ROUNDED"]);
    let to = named(random, "R", RESULTS.len());
    match random.below(5) {
        0 => format!(
            "IF {} {} {} MOVE 'Y' TO FLAG END-IF",
            expression(random, false),
            relation(random),
            number(random)
        ),
        1 => format!("MOVE {} TO {to}", named(random, "N", NUMBERS.len())),
        2 => format!("MOVE X1(1:{}) TO R{}", 1 + random.below(8), *random.one(&[0, 2, 3])),
        _ => format!(
            "COMPUTE {to}{rounded} = {} ON SIZE ERROR MOVE 'E' TO FLAG NOT ON SIZE ERROR MOVE 'N' TO FLAG END-COMPUTE",
            expression(random, true)
        ),
    }
}
