//! Programs that are made: data descriptions of every kind with statements on them, and commands with whatever options.

use fastrand::Rng;

const HEAD: &str = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. MADE.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n";

/// Fixed format ends here, and statements begin there.
const LAST_COLUMN: usize = 72;
const AREA_B: usize = 11;

const PICTURES: [&str; 30] = [
    "X",
    "X(5)",
    "X(300)",
    "A(3)",
    "9",
    "9(4)",
    "S9(4)",
    "S9(9)",
    "S9(18)",
    "9(31)",
    "S9(5)V99",
    "SV9(4)",
    "9PPP",
    "PP9",
    "ZZ9",
    "Z(5)9.99-",
    "$$$,$$9.99CR",
    "**9",
    "-(4)9",
    "99/99/99",
    "XBX0X",
    "N(3)",
    "N",
    "U(4)",
    "U",
    "+9.9E+99",
    "X(0)",
    "9(40)",
    "S9(3)S",
    "G(2)",
];
const USAGES: [&str; 14] = [
    "COMP",
    "COMP-1",
    "COMP-2",
    "COMP-3",
    "COMP-5",
    "BINARY",
    "DISPLAY",
    "NATIONAL",
    "UTF-8",
    "INDEX",
    "POINTER",
    "PROCEDURE-POINTER",
    "PACKED-DECIMAL",
    "DISPLAY-1",
];
const VALUES: [&str; 12] = [
    "0",
    "-1",
    "12.34",
    "1.5E3",
    "'AB'",
    "SPACES",
    "ZERO",
    "HIGH-VALUES",
    "ALL 'XY'",
    "X'00FF'",
    "N'ab'",
    "NULL",
];
const CLAUSES: [&str; 12] = [
    "JUSTIFIED RIGHT",
    "BLANK WHEN ZERO",
    "SYNC",
    "SIGN LEADING SEPARATE",
    "SIGN TRAILING",
    "GLOBAL",
    "EXTERNAL",
    "DYNAMIC LENGTH",
    "DYNAMIC LIMIT 9",
    "BYTE-LENGTH 7",
    "GROUP-USAGE NATIONAL",
    "VOLATILE",
];

/// Descriptions that go together, each with a value.
const IN_ORDER: [(&str, &str); 16] = [
    ("PIC X(5)", "'AB'"),
    ("PIC X(300)", "ALL 'XY'"),
    ("PIC A(3)", "SPACES"),
    ("PIC 9(4)", "12"),
    ("PIC S9(4) COMP", "-1"),
    ("PIC S9(9) COMP-5", "ZERO"),
    ("PIC S9(5)V99 COMP-3", "12.34"),
    ("PIC SV9(4) SIGN LEADING SEPARATE", "-0.5"),
    ("PIC 9PPP", "ZERO"),
    ("COMP-2", "1.5E3"),
    ("PIC ZZ9.99-", "'  1.00 '"),
    ("PIC XBX0X", "'A B0C'"),
    ("PIC N(3)", "N'ab'"),
    ("PIC U(4)", "U'ab'"),
    ("PIC X(3) JUSTIFIED RIGHT", "X'00FF41'"),
    ("PIC S9(18) COMP SYNC", "-5"),
];

fn pick<'t>(random: &mut Rng, from: &[&'t str]) -> &'t str {
    from[random.usize(..from.len())]
}

/// The name of one of the items, or of none.
fn name(random: &mut Rng, items: usize) -> String {
    format!("I{}", random.usize(..=items))
}

/// A description that is in order: by itself, in a group, in a table.
fn entry_in_order(random: &mut Rng, items: usize) -> String {
    let (description, value) = IN_ORDER[random.usize(..IN_ORDER.len())];
    match random.u8(..8) {
        0 => format!(
            "01 I{items}. 02 FILLER PIC X. 02 J{items} {description} OCCURS 1 TO 9 DEPENDING ON I0 INDEXED BY X{items}."
        ),
        1 => format!("01 I{items}. 05 J{items} {description} OCCURS 4. 05 K{items} PIC 9(3) OCCURS 2."),
        2 => format!("01 I{items} {description}. 01 J{items} REDEFINES I{items} PIC X(2)."),
        3 => format!("01 I{items} PIC X DYNAMIC LENGTH LIMIT {}.", random.u32(1..400)),
        4 | 5 => format!("01 I{items} {description} VALUE {value}."),
        _ => format!("77 I{items} {description}."),
    }
}

/// A statement that takes items of most kinds.
fn statement_in_order(random: &mut Rng, items: usize) -> String {
    let [a, b, c] = [0; 3].map(|_| format!("I{}", random.usize(..items)));
    match random.u8(..8) {
        0 => format!("DISPLAY {a} {b} LENGTH OF {c}"),
        1 => format!("INITIALIZE {a} {b}"),
        2 => format!("MOVE SPACES TO {a} MOVE {b} TO {b}"),
        3 => format!("IF {a} = {a} DISPLAY {b} ELSE MOVE {c} TO {c} END-IF"),
        4 => format!("STRING {a} DELIMITED BY SIZE INTO {b}"),
        5 => format!("CALL 'OTHER' USING {a} BY CONTENT {b}"),
        6 => format!("MOVE {a}(1:1) TO {b}"),
        _ => format!("MOVE {a} TO {b}"),
    }
}

/// One description; `items` came before it.
fn entry(random: &mut Rng, items: usize) -> String {
    let level = [1, 1, 2, 3, 5, 5, 10, 49, 66, 77, 88][random.usize(..11)];
    let mut text = format!("{level:02} I{items}");
    if level == 88 {
        return format!("{text} VALUE {} THRU {}.", pick(random, &VALUES), pick(random, &VALUES));
    }
    if level == 66 {
        return format!("{text} RENAMES {} THRU {}.", name(random, items), name(random, items));
    }
    if random.u8(..8) == 0 {
        text += &format!(" REDEFINES {}", name(random, items));
    }
    if random.u8(..3) > 0 {
        text += &format!(" PIC {}", pick(random, &PICTURES));
    }
    if random.u8(..3) == 0 {
        text += &format!(" {}", pick(random, &USAGES));
    }
    text += &match random.u8(..12) {
        0 => format!(" OCCURS {} TIMES", random.u32(..2000)),
        1 => format!(
            " OCCURS 1 TO {} DEPENDING ON {} INDEXED BY X{items}",
            random.u32(1..300),
            name(random, items)
        ),
        2 => format!(" OCCURS 3 ASCENDING KEY {} INDEXED BY X{items}", name(random, items)),
        3 => " OCCURS UNBOUNDED DEPENDING ON I1".to_owned(),
        _ => String::new(),
    };
    for _ in 0..random.u8(..3) / 2 {
        text += &format!(" {}", pick(random, &CLAUSES));
    }
    if random.u8(..4) == 0 {
        text += &format!(" VALUE {}", pick(random, &VALUES));
    }
    text + "."
}

/// An operand of a statement.
fn operand(random: &mut Rng, items: usize) -> String {
    let name = name(random, items);
    match random.u8(..10) {
        0 => pick(random, &VALUES).to_owned(),
        1 => format!("{name}({})", random.u8(..5)),
        2 => format!("{name}({}:{})", random.u8(..4), random.u8(..9)),
        3 => format!("FUNCTION LENGTH({name})"),
        4 => format!("LENGTH OF {name}"),
        5 => format!("{name} OF I1"),
        _ => name,
    }
}

fn statement(random: &mut Rng, items: usize) -> String {
    let [a, b, c] = [0; 3].map(|_| operand(random, items));
    match random.u8(..20) {
        0..5 => format!("MOVE {a} TO {b} {c}"),
        5 => format!("ADD {a} TO {b}"),
        6 => format!("COMPUTE {a} ROUNDED = {b} ** 2 + {c}"),
        7 => format!("IF {a} > {b} DISPLAY {c} END-IF"),
        8 => format!("STRING {a} DELIMITED BY {b} INTO {c}"),
        9 => format!("UNSTRING {a} DELIMITED BY {b} INTO {c}"),
        10 => format!("INSPECT {a} REPLACING ALL {b} BY {c}"),
        11 => format!("INITIALIZE {a} REPLACING NUMERIC DATA BY {b}"),
        12 => format!("SET {a} TO {b}"),
        13 => format!("SEARCH {a} WHEN {b} = {c} CONTINUE END-SEARCH"),
        14 => format!("JSON GENERATE {a} FROM {b}"),
        15 => format!("XML GENERATE {a} FROM {b} COUNT IN {c}"),
        16 => format!("DIVIDE {a} BY {b} GIVING {c}"),
        17 => format!("SORT {a} ASCENDING KEY {b}"),
        18 => format!("CALL {a} USING {b} BY CONTENT {c}"),
        _ => format!("EVALUATE {a} WHEN {b} DISPLAY {c} END-EVALUATE"),
    }
}

/// Lines of fixed format: what is too long goes on in the next one.
fn lines(into: &mut String, indent: usize, list: impl Iterator<Item = String>) {
    for line in list {
        let mut line = format!("{:indent$}{line}", "");
        while let Some(at) =
            line.get(..LAST_COLUMN).and_then(|front| front.rfind(' ')).filter(|at| *at > AREA_B)
        {
            into.push_str(&line[..at]);
            into.push('\n');
            line = format!("{:AREA_B$}{}", "", &line[at + 1..]);
        }
        into.push_str(&line);
        into.push('\n');
    }
}

/// Random data, and statements on them.
pub fn data(random: &mut Rng) -> String {
    let (wild, items) = (random.bool(), random.usize(1..25));
    let mut text = HEAD.to_owned();
    let describe = if wild { entry } else { entry_in_order };
    let entries: Vec<String> = (0..items).map(|at| describe(random, at)).collect();
    lines(&mut text, 7, ["01 I0 PIC 9(3).".to_owned()].into_iter().chain(entries.into_iter().skip(1)));
    text += "       PROCEDURE DIVISION.\n";
    let count = random.usize(..if wild { 8 } else { 4 });
    let state = if wild { statement } else { statement_in_order };
    let statements: Vec<String> = (0..count).map(|_| state(random, items) + ".").collect();
    lines(&mut text, 11, statements.into_iter());
    text + "           GOBACK.\n"
}

const ARGUMENTS: [&str; 16] = [
    "N",
    "REC",
    "PTR",
    "'LITERAL'",
    "5",
    "-1",
    "LENGTH OF REC",
    "ADDRESS OF REC",
    "REC(1:4)",
    "N + 1",
    "DFHRESP(NORMAL)",
    "SPACES",
    "TBL(2)",
    "UNKNOWN",
    "",
    "FUNCTION TRIM(REC)",
];

/// Commands with whatever options.
pub fn commands(random: &mut Rng) -> String {
    let mut text = HEAD.to_owned();
    let items = [
        "01 N PIC S9(8) COMP.",
        "01 REC PIC X(80).",
        "01 PTR POINTER.",
        "01 TBL-1.",
        "    05 TBL PIC X(4) OCCURS 4.",
    ];
    lines(&mut text, 7, items.into_iter().map(str::to_owned));
    text += "       PROCEDURE DIVISION.\n       MAIN-PART.\n";
    let count = random.usize(1..6);
    let all = spec::commands();
    for _ in 0..count {
        let command = &all[random.usize(..all.len())];
        let mut words = vec![format!("EXEC CICS {}", command.name)];
        let own = command.options;
        for _ in 0..random.usize(..6) {
            let option = match own.is_empty() || random.u8(..10) == 0 {
                true => "NOSUCHOPTION",
                false => own[random.usize(..own.len())].name,
            };
            words.push(match random.u8(..5) {
                0 => option.to_owned(),
                _ => format!("{option}({})", pick(random, &ARGUMENTS)),
            });
        }
        if random.u8(..6) > 0 {
            words.push("END-EXEC".to_owned());
        }
        lines(&mut text, 11, words.into_iter());
    }
    text + "           .\n           GOBACK.\n"
}
