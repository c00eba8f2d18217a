//! Programs that follow a seed, with statements on characters: INSPECT, STRING, UNSTRING, intrinsic functions.

use super::generator::{Generated, Item, Kind, Seeded};

/// Texts, in lengths that differ.
const LENGTHS: [usize; 6] = [3, 5, 8, 8, 12, 20];
/// Numbers: descriptions with their lengths.
const NUMBERS: [(&str, usize); 6] = [
    ("PIC 9(4) VALUE 1", 4),
    ("PIC 9(4) COMP VALUE 2", 2),
    ("PIC S9(5) COMP-3 VALUE 3", 3),
    ("PIC 9(3) VALUE 0", 3),
    ("PIC S9(5)V99 VALUE -12.75", 7),
    ("PIC S9(7)V9(3) COMP-3 VALUE 1234.567", 6),
];
/// Counters are the whole ones of these.
const COUNTERS: usize = 4;
/// Texts that are numbers.
const WRITTEN: [&str; 6] = ["12.5", " - 42", "7-", "0012CR", "+.25", " 123.450 "];
const LETTERS: [&str; 8] = ["A", "B", "C", "AB", "BA", "CC", " ", "ABA"];

/// The program of a seed.
pub fn generated(seed: u64, count: usize) -> Generated {
    let mut random = Seeded(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(seed));
    random.below(2);
    let mut items: Vec<Item> =
        LENGTHS.iter().enumerate().map(|(at, length)| text(&mut random, at, *length)).collect();
    items.extend(NUMBERS.iter().enumerate().map(|(at, (description, length))| Item {
        name: format!("N{at}"),
        kind: Kind::Text,
        description: (*description).to_owned(),
        length: *length,
    }));
    let statements = (0..count).map(|_| statement(&mut random)).collect();
    Generated::with(items, statements)
}

fn text(random: &mut Seeded, at: usize, length: usize) -> Item {
    let count = 1 + random.below(length);
    let value: String = (0..count).map(|_| char::from(*random.one(b"AABBCabc 12"))).collect();
    let justified = if at == 3 { " JUST" } else { "" };
    let description = format!("PIC X({length}){justified} VALUE '{value}'");
    Item { name: format!("X{at}"), kind: Kind::Text, description, length }
}

fn name(random: &mut Seeded) -> String {
    format!("X{}", random.below(LENGTHS.len()))
}

/// Two different texts.
fn two(random: &mut Seeded) -> (String, String) {
    let first = random.below(LENGTHS.len());
    let second = (first + 1 + random.below(LENGTHS.len() - 1)) % LENGTHS.len();
    (format!("X{first}"), format!("X{second}"))
}

fn counter(random: &mut Seeded) -> String {
    format!("N{}", random.below(COUNTERS))
}

fn number(random: &mut Seeded) -> String {
    match random.below(3) {
        0 => format!("{}", random.below(50)),
        1 => format!("-{}", 1 + random.below(50)),
        _ => format!("N{}", random.below(NUMBERS.len())),
    }
}

fn whole(random: &mut Seeded) -> String {
    match random.below(2) {
        0 => format!("{}", 1 + random.below(50)),
        _ => counter(random),
    }
}

fn borders(random: &mut Seeded) -> String {
    match random.below(4) {
        0 => format!(" BEFORE INITIAL '{}'", random.one(&LETTERS)),
        1 => format!(" AFTER INITIAL '{}'", random.one(&LETTERS)),
        2 if random.below(3) == 0 => format!(" BEFORE '{}' AFTER INITIAL 'A'", random.one(&LETTERS)),
        _ => String::new(),
    }
}

fn statement(random: &mut Seeded) -> String {
    match random.below(14) {
        0 | 1 => tallying(random),
        2 | 3 => replacing(random),
        4 => {
            let (one, other) = *random.one(&[("ABC", "XYZ"), ("AB", "BA"), ("AAB", "xyz"), ("abc", "ABC")]);
            format!("INSPECT {} CONVERTING '{one}' TO '{other}'{}", name(random), borders(random))
        }
        5 | 6 => string(random),
        7 | 8 => unstring(random),
        9 => {
            let function = text_function(random);
            format!("MOVE {function} TO {}", name(random))
        }
        10 => {
            let relation = *random.one(&["=", ">", "<"]);
            let (left, right) = (text_function(random), name(random));
            format!("IF {left} {relation} {right} MOVE 'Y' TO FLAG END-IF")
        }
        _ => {
            let to = *random.one(&["N1", "N2", "N4", "N5"]);
            format!("COMPUTE {to} = {}", number_function(random))
        }
    }
}

fn tallying(random: &mut Seeded) -> String {
    let mut phrases = String::new();
    for _ in 0..1 + random.below(3) {
        let phrase = match random.below(4) {
            0 => "CHARACTERS".to_owned(),
            1 => format!("LEADING '{}'", random.one(&LETTERS)),
            _ => format!("ALL '{}'", random.one(&LETTERS)),
        };
        phrases.push_str(&format!(" {} FOR {phrase}{}", counter(random), borders(random)));
    }
    match random.below(5) {
        0 => format!("INSPECT FUNCTION REVERSE({}) TALLYING N0 FOR LEADING SPACES", name(random)),
        _ => format!("INSPECT {} TALLYING{phrases}", name(random)),
    }
}

fn replacing(random: &mut Seeded) -> String {
    let mut phrases = String::new();
    for _ in 0..1 + random.below(2) {
        let wanted = *random.one(&LETTERS);
        let by = match random.below(3) {
            0 => "ZEROS".to_owned(),
            _ => format!("'{}'", "xyz".split_at(wanted.len()).0),
        };
        let phrase = match random.below(6) {
            0 => "CHARACTERS BY '*'".to_owned(),
            1 => format!("LEADING '{wanted}' BY {by}"),
            2 => format!("FIRST '{wanted}' BY {by}"),
            _ => format!("ALL '{wanted}' BY {by}"),
        };
        phrases.push_str(&format!(" {phrase}{}", borders(random)));
    }
    format!("INSPECT {} REPLACING{phrases}", name(random))
}

fn string(random: &mut Seeded) -> String {
    let (into, first) = two(random);
    let mut pieces = format!("{first} DELIMITED BY {}", random.one(&["SIZE", "SPACE", "'A'", "'BA'"]));
    if random.below(2) == 0 {
        pieces.push_str(" 'lit' N0 DELIMITED BY SIZE");
    }
    let pointer = if random.below(2) == 0 { format!(" POINTER {}", counter(random)) } else { String::new() };
    // A receiver that is JUSTIFIED is not allowed.
    let into = if into == "X3" || into == first { "X5".to_owned() } else { into };
    let first = if first == into { "X1" } else { "" };
    let pieces = if first.is_empty() { pieces } else { format!("{first} DELIMITED BY SIZE") };
    format!(
        "STRING {pieces} INTO {into}{pointer} ON OVERFLOW MOVE 'O' TO FLAG NOT ON OVERFLOW MOVE 'N' TO FLAG END-STRING"
    )
}

fn unstring(random: &mut Seeded) -> String {
    let from = *random.one(&["X4", "X5"]);
    let delimited = match random.below(4) {
        0 => String::new(),
        1 => " DELIMITED BY ALL 'A' OR 'B'".to_owned(),
        2 => format!(" DELIMITED BY '{}'", random.one(&LETTERS)),
        _ => " DELIMITED BY ALL SPACES OR 'BA'".to_owned(),
    };
    let more = if delimited.is_empty() { "" } else { " DELIMITER IN X1 COUNT IN N1" };
    let last = *random.one(&["X2", "X3", "X2 X3"]);
    let pointer = if random.below(3) == 0 { " POINTER N0" } else { "" };
    let tallying = if random.below(2) == 0 { " TALLYING N2" } else { "" };
    format!(
        "UNSTRING {from}{delimited} INTO X0{more} {last}{pointer}{tallying} ON OVERFLOW MOVE 'O' TO FLAG NOT ON OVERFLOW MOVE 'N' TO FLAG END-UNSTRING"
    )
}

fn text_function(random: &mut Seeded) -> String {
    let item = name(random);
    match random.below(8) {
        0 => format!("FUNCTION UPPER-CASE({item})"),
        1 => format!("FUNCTION LOWER-CASE({item})"),
        2 => format!("FUNCTION REVERSE({item})"),
        3 => format!("FUNCTION TRIM({item})"),
        4 => format!("FUNCTION TRIM({item} {})", random.one(&["LEADING", "TRAILING"])),
        5 => format!("FUNCTION UPPER-CASE(FUNCTION REVERSE({item}))"),
        6 => format!("FUNCTION REVERSE({item})(2:2)"),
        _ => format!("FUNCTION UPPER-CASE({item}(2:2))"),
    }
}

fn number_function(random: &mut Seeded) -> String {
    match random.below(12) {
        0 => format!("FUNCTION LENGTH({})", name(random)),
        1 => format!("FUNCTION LENGTH(FUNCTION TRIM({})) + 1", name(random)),
        2 => format!("FUNCTION NUMVAL('{}')", random.one(&WRITTEN)),
        3 => "FUNCTION NUMVAL-C('$1,234.50')".to_owned(),
        4 => format!("FUNCTION MOD({}, {})", whole(random), 1 + random.below(9)),
        5 => format!("FUNCTION INTEGER({})", number(random)),
        6 => format!("FUNCTION INTEGER-PART({})", number(random)),
        7 => format!("FUNCTION MAX({}, {}, {})", number(random), number(random), number(random)),
        8 => format!("FUNCTION MIN({} {}) * 2", number(random), number(random)),
        9 => format!("FUNCTION REM({}, {})", number(random), 1 + random.below(9)),
        10 => {
            format!("FUNCTION INTEGER-OF-DATE(20{:02}0{}28) - 140000", random.below(90), 1 + random.below(9))
        }
        _ => format!("FUNCTION ORD({}(1:1)) + FUNCTION ABS({})", name(random), number(random)),
    }
}
