//! Programs that follow a seed: items of every form with values that fit, and statements on them.

/// A small generator of numbers that follow a seed.
pub struct Seeded(pub u64);

impl Seeded {
    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }

    /// One of some.
    pub fn one<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        let at = self.below(list.len());
        &list[at]
    }
}

/// Kinds of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Number { digits: usize, scale: usize, signed: bool },
    Edited,
    Text,
}

/// An item of a generated program.
#[derive(Clone, Debug)]
pub struct Item {
    pub name: String,
    pub kind: Kind,
    pub description: String,
    pub length: usize,
}

/// Pictures of edited items, with their lengths.
const EDITED: [(&str, usize); 12] = [
    ("ZZZ,ZZ9.99-", 11),
    ("$$$,$$9.99", 10),
    ("Z(6)9", 7),
    ("-(7)9.9", 10),
    ("+9(5)", 6),
    ("9(4).99CR", 9),
    ("***,**9.99", 10),
    ("99/99/99", 8),
    ("Z,ZZZ.ZZ", 8),
    ("9(3)B9(3)", 7),
    ("$ZZ,ZZ9.99DB", 12),
    ("+++,++9", 7),
];

/// A program: its items and statements.
pub struct Generated {
    pub items: Vec<Item>,
    pub statements: Vec<String>,
    flag: Item,
}

/// Items that are not shown: each statement that uses them gives them values first. Floating point lies otherwise in
/// programs by GnuCOBOL.
const BESIDE: &str = "01 FL COMP-2 VALUE 0.\n01 SUB PIC 9 VALUE 2.\n01 TAB.\n 05 T PIC S9(6)V99 COMP-3 OCCURS 4 VALUE 1.5.\n\
                      01 WIDE.\n 05 OD PIC 9(2) COMP VALUE 2.\n 05 OT PIC X(3) OCCURS 1 TO 5 DEPENDING ON OD VALUE 'abc'.\n";

/// Number of items of each kind.
const NUMBERS: usize = 14;
const TEXTS: usize = 5;

impl Generated {
    /// The program of a seed.
    pub fn new(seed: u64, statements: usize) -> Self {
        let mut random = Seeded(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(seed));
        random.below(2);
        let mut items: Vec<Item> = (0..NUMBERS).map(|at| number_item(&mut random, at)).collect();
        items.extend((0..4).map(|at| edited_item(&mut random, at)));
        items.extend((0..TEXTS).map(|at| text_item(&mut random, at)));
        let mut generated = Self::with(items, Vec::new());
        generated.statements = (0..statements).map(|_| generated.statement(&mut random)).collect();
        generated
    }

    /// A program of these items and statements.
    pub fn with(items: Vec<Item>, statements: Vec<String>) -> Self {
        let flag =
            Item { name: "FLAG".to_owned(), kind: Kind::Text, description: "PIC X".to_owned(), length: 1 };
        Self { items, statements, flag }
    }

    /// Its text: every statement begins with the same values, and the record is shown behind each.
    pub fn text(&self) -> String {
        let described: String =
            self.items.iter().map(|item| format!(" 05 {} {}.\n", item.name, item.description)).collect();
        let plain: String =
            self.items.iter().map(|item| format!(" 05 FILLER {}.\n", item.description)).collect();
        let mut text = format!(
            "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 REC.\n{described} 05 FLAG PIC X VALUE '-'.\n\
             01 SAVED.\n{plain} 05 FILLER PIC X VALUE '-'.\n{BESIDE}PROCEDURE DIVISION.\n"
        );
        for (at, statement) in self.statements.iter().enumerate() {
            text.push_str(&format!("P{at}.\nMOVE SAVED TO REC.\n{statement}.\nDISPLAY REC.\n"));
        }
        text.push_str("STOP RUN.\n");
        text
    }

    /// Bytes of the record.
    pub fn length(&self) -> usize {
        self.items.iter().map(|item| item.length).sum::<usize>() + 1
    }

    /// The items whose bytes differ, with both.
    pub fn differing<'g>(&'g self, left: &'g [u8], right: &'g [u8]) -> Vec<(&'g Item, &'g [u8], &'g [u8])> {
        let mut at = 0;
        let mut differing = Vec::new();
        for item in self.items.iter().chain([&self.flag]) {
            let range = at..at + item.length;
            let bytes = |all: &'g [u8]| all.get(range.clone()).unwrap_or_default();
            if bytes(left) != bytes(right) {
                differing.push((item, bytes(left), bytes(right)));
            }
            at += item.length;
        }
        differing
    }

    /// The descriptions of the items that a statement names.
    pub fn operands(&self, statement: &str) -> String {
        let named = |item: &&Item| statement.split([' ', '(']).any(|word| word == item.name);
        let all = self.items.iter().filter(named).map(|item| format!("{} {}", item.name, item.description));
        all.collect::<Vec<_>>().join("; ")
    }

    fn numbers(&self) -> Vec<&Item> {
        self.items.iter().filter(|item| matches!(item.kind, Kind::Number { .. })).collect()
    }

    fn of(&self, random: &mut Seeded, kind: impl Fn(&Kind) -> bool) -> &Item {
        let fitting: Vec<&Item> = self.items.iter().filter(|item| kind(&item.kind)).collect();
        fitting[random.below(fitting.len())]
    }

    fn number(&self, random: &mut Seeded) -> String {
        self.of(random, |kind| matches!(kind, Kind::Number { .. })).name.clone()
    }

    fn integer(&self, random: &mut Seeded) -> String {
        self.of(random, |kind| matches!(kind, Kind::Number { scale: 0, .. })).name.clone()
    }

    fn text_name(&self, random: &mut Seeded) -> String {
        self.of(random, |kind| *kind == Kind::Text).name.clone()
    }

    /// An operand of arithmetic.
    fn operand(&self, random: &mut Seeded) -> String {
        if random.below(4) == 0 { literal(random) } else { self.number(random) }
    }

    fn result(&self, random: &mut Seeded, edited: bool) -> String {
        let name = match random.below(6) {
            0 if edited => self.of(random, |kind| *kind == Kind::Edited).name.clone(),
            _ => self.number(random),
        };
        if random.below(3) == 0 { format!("{name} ROUNDED") } else { name }
    }

    fn statement(&self, random: &mut Seeded) -> String {
        let error = |random: &mut Seeded, verb: &str| match random.below(2) {
            0 => String::new(),
            _ => format!(" ON SIZE ERROR MOVE 'E' TO FLAG NOT ON SIZE ERROR MOVE 'N' TO FLAG END-{verb}"),
        };
        match random.below(29) {
            0..=4 => {
                let from = self.operand(random);
                let to = match random.below(4) {
                    0 => self.of(random, |kind| *kind == Kind::Edited).name.clone(),
                    _ => self.number(random),
                };
                format!("MOVE {from} TO {to}")
            }
            5 => format!("MOVE {} TO {}", self.text_name(random), self.text_name(random)),
            6 => {
                let (from, to) = (self.integer(random), self.text_name(random));
                format!("MOVE {from} TO {to}")
            }
            7 => {
                let constant =
                    *random.one(&["SPACES", "ZEROS", "LOW-VALUES", "HIGH-VALUES", "ALL 'XY'", "'Q'"]);
                format!("MOVE {constant} TO {}", self.text_name(random))
            }
            8 => {
                let (from, to) = (self.text_name(random), self.text_name(random));
                let start = 1 + random.below(2);
                format!("MOVE {from}({start}:2) TO {to}(1:2)")
            }
            9 | 10 => {
                let (from, to) = (self.operand(random), self.result(random, false));
                let verb = *random.one(&["ADD", "SUBTRACT"]);
                let word = if verb == "ADD" { "TO" } else { "FROM" };
                format!("{verb} {from} {word} {to}{}", error(random, verb))
            }
            11 => {
                let (a, b, to) = (self.operand(random), self.number(random), self.result(random, true));
                format!("ADD {a} {b} GIVING {to}{}", error(random, "ADD"))
            }
            12 => {
                let (a, b, to) = (self.operand(random), self.number(random), self.result(random, true));
                format!("MULTIPLY {a} BY {b} GIVING {to}{}", error(random, "MULTIPLY"))
            }
            13 => {
                let (a, b, to) = (self.operand(random), self.number(random), self.result(random, false));
                format!("DIVIDE {a} BY {b} GIVING {to} ON SIZE ERROR MOVE 'E' TO FLAG END-DIVIDE")
            }
            14 | 15 => {
                let operators = ["+", "-", "*"];
                let mut expression = self.operand(random);
                for _ in 0..1 + random.below(3) {
                    expression.push_str(&format!(" {} {}", random.one(&operators), self.operand(random)));
                }
                format!("COMPUTE {} = {expression}{}", self.result(random, true), error(random, "COMPUTE"))
            }
            16..=18 => {
                let relation = *random.one(&["=", ">", "<", "NOT =", ">=", "<="]);
                let (left, right) = (self.operand(random), self.number(random));
                format!("IF {left} {relation} {right} MOVE 'Y' TO FLAG END-IF")
            }
            19 => {
                let relation = *random.one(&["=", ">", "<"]);
                let right = match random.below(3) {
                    0 => "SPACES".to_owned(),
                    1 => "'AB'".to_owned(),
                    _ => self.text_name(random),
                };
                format!("IF {} {relation} {right} MOVE 'Y' TO FLAG END-IF", self.text_name(random))
            }
            22 => {
                let (a, b, to) = (self.operand(random), self.number(random), self.result(random, true));
                format!("COMPUTE {to} = {a} / {b} ON SIZE ERROR MOVE 'E' TO FLAG END-COMPUTE")
            }
            23 => {
                let (a, b) = (self.operand(random), self.operand(random));
                let (c, to) = (self.number(random), self.result(random, false));
                format!("COMPUTE {to} = {a} * {b} / {c} ON SIZE ERROR MOVE 'E' TO FLAG END-COMPUTE")
            }
            24 | 25 => self.floating(random),
            26 => {
                let (a, b, to) = (self.number(random), self.operand(random), self.result(random, false));
                let at = *random.one(&["SUB", "SUB + 1", "SUB - 1", "4"]);
                format!(
                    "MOVE 1.5 TO T(1) T(2) T(3) T(4) MOVE {a} TO T({at}) ADD {b} TO T(3) T(SUB) SUBTRACT T(SUB + 2) FROM {to}"
                )
            }
            27 => {
                // Powers of more digits are floating point by the published rule.
                let short = |kind: &Kind| matches!(kind, Kind::Number { digits, .. } if *digits < 10);
                let some = self.items.iter().any(|item| short(&item.kind));
                let a = if some { self.of(random, short).name.clone() } else { "1.5".to_owned() };
                let to = self.result(random, false);
                let power = *random.one(&["2", "SUB", "3"]);
                format!("COMPUTE {to} = {a} ** {power}{}", error(random, "COMPUTE"))
            }
            28 => {
                let (from, to) = (self.text_name(random), self.text_name(random));
                let count = 1 + random.below(5);
                format!(
                    "MOVE ALL 'pq' TO WIDE(3:15) MOVE {count} TO OD MOVE {from} TO OT(SUB) MOVE WIDE(3:) TO {to}"
                )
            }
            20 => {
                let numbers = self.numbers();
                format!("INITIALIZE {} {}", numbers[random.below(numbers.len())].name, self.text_name(random))
            }
            _ => {
                let item = self.text_name(random);
                format!(
                    "EVALUATE {item} WHEN 'AB' THRU 'M' MOVE '1' TO FLAG WHEN OTHER MOVE '2' TO FLAG END-EVALUATE"
                )
            }
        }
    }
}

impl Generated {
    /// Statements of floating point whose results are the same in binary and in hexadecimal: whole numbers and eighths.
    fn floating(&self, random: &mut Seeded) -> String {
        let small = |random: &mut Seeded| {
            let small = |kind: &Kind| matches!(kind, Kind::Number { scale: 0, digits, .. } if *digits < 10);
            let some = self.items.iter().any(|item| small(&item.kind));
            if some { self.of(random, small).name.clone() } else { "7".to_owned() }
        };
        let (a, b, to) = (small(random), small(random), self.number(random));
        match random.below(4) {
            0 => format!("MOVE {a} TO FL DIVIDE 8 INTO FL COMPUTE {to} ROUNDED = FL"),
            1 => format!("COMPUTE FL = {a} / 4 - {b} COMPUTE {to} ROUNDED = FL * 2"),
            2 => format!("MOVE {a} TO FL ADD 0.5 TO FL IF FL > {b} MOVE 'Y' TO FLAG END-IF"),
            _ => format!(
                "MOVE {a} TO FL SUBTRACT {b} FROM FL COMPUTE {to} ROUNDED = FL ON SIZE ERROR MOVE 'E' TO FLAG END-COMPUTE"
            ),
        }
    }
}

fn digits(random: &mut Seeded, count: usize) -> String {
    let count = if random.below(3) == 0 { 1 + random.below(count) } else { count };
    match random.below(6) {
        0 => "0".to_owned(),
        1 => "9".repeat(count),
        _ => (0..count).map(|_| char::from(b'0' + random.below(10) as u8)).collect(),
    }
}

/// Digits with a point in front of the last `scale`.
fn pointed(text: &str, scale: usize) -> String {
    let text = format!("{text:0>width$}", width = scale + 1);
    let (whole, decimals) = text.split_at(text.len() - scale);
    if decimals.is_empty() { whole.to_owned() } else { format!("{whole}.{decimals}") }
}

fn literal(random: &mut Seeded) -> String {
    let scale = random.below(4);
    let count = scale.max(1) + random.below(6);
    let sign = if random.below(4) == 0 { "-" } else { "" };
    format!("{sign}{}", pointed(&digits(random, count), scale))
}

fn number_item(random: &mut Seeded, at: usize) -> Item {
    let digit_count = match random.below(5) {
        0 => 1 + random.below(18),
        _ => 1 + random.below(9),
    };
    let scale = if at < 2 || random.below(2) == 0 { 0 } else { random.below(digit_count.min(4) + 1) };
    let signed = random.below(3) != 0;
    let (usage, length) = match random.below(7) {
        0 | 1 => ("", digit_count),
        2 if signed => (" SIGN LEADING SEPARATE", digit_count + 1),
        2 => ("", digit_count),
        3 | 4 => (" COMP-3", digit_count / 2 + 1),
        _ => (
            " COMP",
            if digit_count < 5 {
                2
            } else if digit_count < 10 {
                4
            } else {
                8
            },
        ),
    };
    let whole = digit_count - scale;
    let mut picture = if signed { "S".to_owned() } else { String::new() };
    if whole > 0 {
        picture.push_str(&format!("9({whole})"));
    }
    if scale > 0 {
        picture.push_str(&format!("V9({scale})"));
    }
    let value = digits(random, digit_count);
    let zero = value.bytes().all(|byte| byte == b'0');
    let sign = if signed && !zero && random.below(2) == 0 { "-" } else { "" };
    let description = format!("PIC {picture}{usage} VALUE {sign}{}", pointed(&value, scale));
    Item {
        name: format!("N{at}"),
        kind: Kind::Number { digits: digit_count, scale, signed },
        description,
        length,
    }
}

fn edited_item(random: &mut Seeded, at: usize) -> Item {
    let (picture, length) = *random.one(&EDITED);
    let description = format!("PIC {picture} VALUE '{}'", "?".repeat(length.min(3)));
    Item { name: format!("E{at}"), kind: Kind::Edited, description, length }
}

fn text_item(random: &mut Seeded, at: usize) -> Item {
    let length = 3 + random.below(10);
    let count = 1 + random.below(length);
    let value: String = (0..count).map(|_| char::from(*random.one(b"ABCMXYZ 019"))).collect();
    let justified = if random.below(6) == 0 { " JUST" } else { "" };
    let description = format!("PIC X({length}){justified} VALUE '{value}'");
    Item { name: format!("X{at}"), kind: Kind::Text, description, length }
}
