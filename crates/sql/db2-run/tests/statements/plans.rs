//! Ways to rows: which index a statement takes, and that every way finds the same rows.

use expect_test::expect;
use fastrand::Rng;

use crate::tables::Tables;

#[test]
fn an_index_is_taken_for_what_it_knows() {
    let tables = Tables::new(&[
        "CREATE TABLE T (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(6) NOT NULL, NOTE VARCHAR(20), AMOUNT DECIMAL(7,2))",
        "CREATE INDEX XNAME ON T (NAME, AMOUNT DESC)",
        "CREATE UNIQUE INDEX XNOTE ON T (NOTE)",
    ]);
    let statements = [
        "SELECT * FROM T",
        "SELECT * FROM T WHERE ID = :N",
        "SELECT * FROM T WHERE ID = 1 AND NAME = 'A'",
        "SELECT * FROM T WHERE ID = 1.5E0",
        "SELECT * FROM T WHERE ID > 1 AND ID <= :N",
        "SELECT * FROM T WHERE NAME = 'A' AND AMOUNT < 5",
        "SELECT * FROM T WHERE NAME = 'A' ORDER BY AMOUNT",
        "SELECT * FROM T WHERE NAME = X'C1'",
        "SELECT * FROM T WHERE NOTE LIKE 'A%'",
        "SELECT * FROM T WHERE NOTE = 'A' OR ID = 1",
        "SELECT * FROM T ORDER BY ID DESC",
        "SELECT * FROM T ORDER BY NAME, AMOUNT DESC, ID",
        "SELECT * FROM T WHERE NAME > 'A' ORDER BY ID FETCH FIRST 3 ROWS ONLY",
        "SELECT DISTINCT NAME FROM T ORDER BY NAME",
        "SELECT MAX(ID) FROM T WHERE NAME < 'B'",
        "UPDATE T SET NAME = 'B' WHERE ID = ID",
        "DELETE FROM T WHERE ID IN (1, 2)",
        "DELETE FROM T WHERE CURRENT OF C1",
    ];
    let plans: Vec<String> =
        statements.iter().map(|text| format!("{text}\n    {}\n", tables.plan(text).in_words())).collect();
    expect![[r#"
        SELECT * FROM T
            scan of T
        SELECT * FROM T WHERE ID = :N
            one row of T by primary key on ID =
        SELECT * FROM T WHERE ID = 1 AND NAME = 'A'
            one row of T by primary key on ID =
        SELECT * FROM T WHERE ID = 1.5E0
            scan of T
        SELECT * FROM T WHERE ID > 1 AND ID <= :N
            rows of T by primary key on ID >, ID <=
        SELECT * FROM T WHERE NAME = 'A' AND AMOUNT < 5
            rows of T by index XNAME on NAME =, AMOUNT <
        SELECT * FROM T WHERE NAME = 'A' ORDER BY AMOUNT
            rows of T by index XNAME on NAME = backward
        SELECT * FROM T WHERE NAME = X'C1'
            scan of T
        SELECT * FROM T WHERE NOTE LIKE 'A%'
            rows of T by index XNOTE on NOTE LIKE
        SELECT * FROM T WHERE NOTE = 'A' OR ID = 1
            scan of T
        SELECT * FROM T ORDER BY ID DESC
            rows of T by primary key backward
        SELECT * FROM T ORDER BY NAME, AMOUNT DESC, ID
            scan of T, sort
        SELECT * FROM T WHERE NAME > 'A' ORDER BY ID FETCH FIRST 3 ROWS ONLY
            rows of T by index XNAME on NAME >, sort, first 3
        SELECT DISTINCT NAME FROM T ORDER BY NAME
            rows of T by index XNAME, each once
        SELECT MAX(ID) FROM T WHERE NAME < 'B'
            rows of T by index XNAME on NAME <, one row of all
        UPDATE T SET NAME = 'B' WHERE ID = ID
            update: scan of T
        DELETE FROM T WHERE ID IN (1, 2)
            delete: scan of T
        DELETE FROM T WHERE CURRENT OF C1
            delete: the row of C1
    "#]]
    .assert_eq(&plans.concat());
}

/// Number of random statements of each seed.
const STATEMENTS: u32 = 300;

#[test]
fn every_way_finds_the_same_rows() {
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let table =
            "CREATE TABLE T (A INTEGER NOT NULL, B DECIMAL(5,2), C CHAR(3), D VARCHAR(12), E DATE, F DOUBLE)";
        let indexed = ["A", "B DESC, A", "C", "D DESC", "E", "F", "C, B, A DESC", "D, C DESC"];
        let indexes: Vec<String> = indexed
            .iter()
            .enumerate()
            .map(|(at, columns)| format!("CREATE INDEX X{at} ON T ({columns})"))
            .collect();
        let mut plain = Tables::new(&[table]);
        let mut definitions = vec![table];
        definitions.extend(indexes.iter().map(String::as_str));
        let mut with_indexes = Tables::new(&definitions);
        if seed % 2 == 1 {
            let host = db2_values::Order::of(ebcdic::CodePage::Ibm037);
            for tables in [&mut plain, &mut with_indexes] {
                (tables.order, tables.rows.order) = (host, host);
            }
        }
        for _ in 0..25 {
            let values: Vec<String> =
                ('A'..='F').map(|column| value(&mut rng, column, column != 'A')).collect();
            let text = format!("INSERT INTO T VALUES ({})", values.join(", "));
            let counts = [&mut plain, &mut with_indexes].map(|tables| tables.run(&text, Vec::new()).is_ok());
            assert_eq!(counts[0], counts[1]);
        }
        for _ in 0..STATEMENTS {
            let text =
                format!("SELECT A, B, C, D, E, F FROM T WHERE {}{}", condition(&mut rng), order(&mut rng));
            let mut found = [&mut plain, &mut with_indexes].map(|tables| tables.query(&text));
            if !text.contains("ORDER BY") {
                found.iter_mut().for_each(|rows| rows.sort());
            }
            assert_eq!(found[0], found[1], "seed {seed}: {text}\n{}", with_indexes.plan(&text).in_words());
        }
    }
}

/// A value for a column, at times one that the column cannot hold.
fn value(rng: &mut Rng, column: char, is_nullable: bool) -> String {
    if is_nullable && rng.u8(0..8) == 0 {
        return "NULL".to_owned();
    }
    match column {
        'A' => rng.i32(-3..4).to_string(),
        'B' => format!("{}.{}", rng.i32(-2..3), ["0", "25", "5"][rng.usize(0..3)]),
        'C' => format!("'{}'", text(rng, 3)),
        'D' => format!("'{}'", text(rng, 12)),
        'E' => format!("'2024-0{}-01'", rng.u8(1..4)),
        _ => format!("{}E0", rng.i32(-2..3)),
    }
}

fn text(rng: &mut Rng, longest: usize) -> String {
    let length = rng.usize(0..=longest);
    (0..length).map(|_| ['A', 'B', ' ', '1', '\u{1}'][rng.usize(0..5)]).collect()
}

fn condition(rng: &mut Rng) -> String {
    let parts: Vec<String> = (0..rng.usize(1..4)).map(|_| predicate(rng)).collect();
    parts.join([" AND ", " AND ", " OR "][rng.usize(0..3)])
}

fn predicate(rng: &mut Rng) -> String {
    let column = ['A', 'B', 'C', 'D', 'E', 'F'][rng.usize(0..6)];
    let mut other = value(rng, column, false);
    if rng.u8(0..3) == 0 {
        other = match column {
            'A' | 'B' => ["0.125", "-1.5", "99999999999", "1E0"][rng.usize(0..4)].to_owned(),
            'C' => format!("'{}'", text(rng, 6)),
            'D' => format!("'{}'", text(rng, 15)),
            _ => other,
        };
    }
    match rng.u8(0..8) {
        0 if matches!(column, 'C' | 'D') => format!("{column} LIKE '{}%'", text(rng, 10)),
        1 => format!("{column} IS NULL"),
        2 => format!("NOT {column} = {other}"),
        _ => format!("{column} {} {other}", ["=", "=", "<", "<=", ">", ">="][rng.usize(0..6)]),
    }
}

/// An order in which no two rows are alike, or none.
fn order(rng: &mut Rng) -> String {
    let direction = |rng: &mut Rng| if rng.bool() { "" } else { " DESC" };
    if rng.bool() {
        return String::new();
    }
    let mut columns = ["A", "B", "C", "D", "E", "F"];
    rng.shuffle(&mut columns);
    let keys: Vec<String> = columns.iter().map(|column| format!("{column}{}", direction(rng))).collect();
    format!(" ORDER BY {}", keys.join(", "))
}
