//! Joins: which rows come together, by which way, and what they cost.

use expect_test::expect;
use fastrand::Rng;

use crate::tables::Tables;

/// Customers, their accounts, and what was booked on these.
pub fn bank() -> Tables {
    let mut tables = Tables::new(&[
        "CREATE TABLE CUSTOMER (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(6) NOT NULL, CITY VARCHAR(10))",
        "CREATE TABLE ACCOUNT (NUMBER INTEGER NOT NULL PRIMARY KEY, OWNER INTEGER, BALANCE DECIMAL(7,2) NOT NULL)",
        "CREATE INDEX XOWNER ON ACCOUNT (OWNER)",
        "CREATE TABLE BOOKING (ACCOUNT INTEGER NOT NULL, DAY DATE NOT NULL, AMOUNT DECIMAL(7,2) NOT NULL)",
        "CREATE INDEX XBOOKED ON BOOKING (ACCOUNT, DAY DESC)",
    ]);
    for text in [
        "INSERT INTO CUSTOMER VALUES (1, 'ADA', 'LONDON')",
        "INSERT INTO CUSTOMER VALUES (2, 'BEA', NULL)",
        "INSERT INTO CUSTOMER VALUES (3, 'CLEO', 'PARIS')",
        "INSERT INTO ACCOUNT VALUES (10, 1, 100)",
        "INSERT INTO ACCOUNT VALUES (11, 1, -20.5)",
        "INSERT INTO ACCOUNT VALUES (12, 3, 0)",
        "INSERT INTO ACCOUNT VALUES (13, NULL, 7)",
        "INSERT INTO BOOKING VALUES (10, '2024-02-28', 60)",
        "INSERT INTO BOOKING VALUES (10, '2024-02-29', 40)",
        "INSERT INTO BOOKING VALUES (11, '2024-03-01', -20.5)",
    ] {
        assert_eq!(tables.change(text), 1, "{text}");
    }
    tables
}

#[test]
fn rows_that_belong_together() {
    let mut tables = bank();
    for (from, rows) in [
        ("CUSTOMER C, ACCOUNT A WHERE C.ID = A.OWNER", "ADA 10, ADA 11, CLEO 12"),
        ("CUSTOMER C JOIN ACCOUNT A ON C.ID = A.OWNER", "ADA 10, ADA 11, CLEO 12"),
        ("CUSTOMER C INNER JOIN ACCOUNT A ON A.OWNER = C.ID AND BALANCE > 0", "ADA 10"),
        ("CUSTOMER C LEFT JOIN ACCOUNT A ON C.ID = A.OWNER", "ADA 10, ADA 11, BEA -, CLEO 12"),
        ("CUSTOMER C LEFT OUTER JOIN ACCOUNT A ON C.ID = A.OWNER AND BALANCE > 0", "ADA 10, BEA -, CLEO -"),
        ("CUSTOMER C LEFT JOIN ACCOUNT A ON C.ID = A.OWNER WHERE BALANCE > 0", "ADA 10"),
        ("CUSTOMER C LEFT JOIN ACCOUNT A ON C.ID = A.OWNER WHERE NUMBER IS NULL", "BEA -"),
        ("CUSTOMER C CROSS JOIN ACCOUNT A WHERE NUMBER = 13", "ADA 13, BEA 13, CLEO 13"),
        ("CUSTOMER, ACCOUNT WHERE ID = 2 AND OWNER IS NULL", "BEA 13"),
        ("ACCOUNT A RIGHT JOIN CUSTOMER C ON C.ID = A.OWNER AND BALANCE > 0", "ADA 10, BEA -, CLEO -"),
        (
            "ACCOUNT A RIGHT OUTER JOIN CUSTOMER C ON C.ID = A.OWNER JOIN BOOKING ON NUMBER = ACCOUNT WHERE AMOUNT < 0",
            "ADA 11",
        ),
        // NULL is equal to nothing.
        ("ACCOUNT A JOIN ACCOUNT B ON A.OWNER = B.OWNER, CUSTOMER WHERE ID = B.OWNER AND A.NUMBER = 13", ""),
    ] {
        let columns = if from.starts_with("ACCOUNT A JOIN") { "NAME, A.NUMBER" } else { "NAME, NUMBER" };
        let found = tables.query(&format!("SELECT {columns} FROM {from} ORDER BY 1, 2"));
        assert_eq!(found.join(", "), rows, "FROM {from}");
    }
}

#[test]
fn all_columns_of_all_or_one() {
    let mut tables = bank();
    let of = "FROM CUSTOMER C LEFT JOIN ACCOUNT A ON OWNER = ID WHERE ID = 2";
    assert_eq!(tables.query(&format!("SELECT * {of}")), ["2 BEA - - - -"]);
    assert_eq!(tables.query(&format!("SELECT A.*, C.ID {of}")), ["- - - 2"]);
    let right = "SELECT * FROM ACCOUNT RIGHT JOIN CUSTOMER ON OWNER = ID WHERE ID = 2";
    assert_eq!(tables.query(right), ["- - - 2 BEA -"]);
}

#[test]
fn three_tables() {
    let mut tables = bank();
    let found = tables.query(
        "SELECT NAME, NUMBER, DAY FROM CUSTOMER LEFT JOIN ACCOUNT ON OWNER = ID
         LEFT JOIN BOOKING ON ACCOUNT = NUMBER AND DAY > '2024-02-28' ORDER BY NAME, NUMBER, DAY",
    );
    assert_eq!(found, ["ADA 10 2024-02-29", "ADA 11 2024-03-01", "BEA - -", "CLEO 12 -"]);
}

#[test]
fn the_table_with_the_best_way_comes_first() {
    let tables = bank();
    let statements = [
        "SELECT NAME FROM CUSTOMER, ACCOUNT WHERE ID = OWNER",
        "SELECT NAME FROM ACCOUNT, CUSTOMER WHERE ID = OWNER AND ID = :N",
        "SELECT NAME FROM BOOKING B, ACCOUNT, CUSTOMER WHERE ACCOUNT = NUMBER AND OWNER = ID AND NAME = 'ADA'",
        "SELECT NAME FROM CUSTOMER LEFT JOIN ACCOUNT ON ID = OWNER WHERE NUMBER = 5",
        "SELECT DAY FROM ACCOUNT, BOOKING WHERE ACCOUNT = NUMBER AND NUMBER = 10 ORDER BY DAY",
        "SELECT NUMBER FROM ACCOUNT JOIN CUSTOMER ON ID = OWNER ORDER BY NUMBER",
    ];
    let plans: Vec<String> =
        statements.iter().map(|text| format!("{text}\n    {}\n", tables.plan(text).in_words())).collect();
    expect![[r#"
        SELECT NAME FROM CUSTOMER, ACCOUNT WHERE ID = OWNER
            scan of CUSTOMER, with each rows of ACCOUNT by index XOWNER on OWNER =
        SELECT NAME FROM ACCOUNT, CUSTOMER WHERE ID = OWNER AND ID = :N
            one row of CUSTOMER by primary key on ID =, with each rows of ACCOUNT by index XOWNER on OWNER =
        SELECT NAME FROM BOOKING B, ACCOUNT, CUSTOMER WHERE ACCOUNT = NUMBER AND OWNER = ID AND NAME = 'ADA'
            scan of BOOKING, with each one row of ACCOUNT by primary key on NUMBER =, with each one row of CUSTOMER by primary key on ID =
        SELECT NAME FROM CUSTOMER LEFT JOIN ACCOUNT ON ID = OWNER WHERE NUMBER = 5
            scan of CUSTOMER, with each left rows of ACCOUNT by index XOWNER on OWNER =
        SELECT DAY FROM ACCOUNT, BOOKING WHERE ACCOUNT = NUMBER AND NUMBER = 10 ORDER BY DAY
            one row of ACCOUNT by primary key on NUMBER =, with each rows of BOOKING by index XBOOKED on ACCOUNT =, sort
        SELECT NUMBER FROM ACCOUNT JOIN CUSTOMER ON ID = OWNER ORDER BY NUMBER
            rows of ACCOUNT by primary key, with each one row of CUSTOMER by primary key on ID =
    "#]].assert_eq(&plans.concat());
}

#[test]
fn a_join_by_an_index_looks_at_few_rows() {
    let mut tables = bank();
    tables.rows.looked = 0;
    tables.query("SELECT NAME, NUMBER FROM CUSTOMER, ACCOUNT WHERE ID = OWNER AND ID = 1");
    assert_eq!(tables.rows.looked, 3);
}

/// Number of random statements of each seed.
const STATEMENTS: u32 = 200;

#[test]
fn every_way_finds_the_same_rows() {
    for seed in 0..4 {
        let mut rng = Rng::with_seed(seed);
        let names = ["R", "S", "T"];
        let mut plain: Vec<String> = names
            .iter()
            .map(|name| format!("CREATE TABLE {name} (K INTEGER NOT NULL, A INTEGER, B CHAR(2))"))
            .collect();
        let definitions: Vec<&str> = plain.iter().map(String::as_str).collect();
        let mut without = Tables::new(&definitions);
        for name in names {
            plain.push(format!("CREATE UNIQUE INDEX X{name}K ON {name} (K)"));
            plain.push(format!("CREATE INDEX X{name}A ON {name} (A, B DESC)"));
        }
        let definitions: Vec<&str> = plain.iter().map(String::as_str).collect();
        let mut with = Tables::new(&definitions);
        for name in names {
            for key in 0..rng.i32(0..8) {
                let a = if rng.u8(0..4) == 0 { "NULL".to_owned() } else { rng.i32(0..4).to_string() };
                let text =
                    format!("INSERT INTO {name} VALUES ({key}, {a}, '{}')", ["A", "B", ""][rng.usize(0..3)]);
                assert_eq!([without.change(&text), with.change(&text)], [1, 1]);
            }
        }
        for _ in 0..STATEMENTS {
            let text = statement(&mut rng);
            let found = [&mut without, &mut with].map(|tables| tables.query(&text));
            assert_eq!(found[0], found[1], "seed {seed}: {text}\n{}", with.plan(&text).in_words());
        }
    }
}

/// A join of two or three tables with a random condition, in an order that tells all rows apart.
fn statement(rng: &mut Rng) -> String {
    let join = |rng: &mut Rng, of: &str, before: &[&str]| match rng.u8(0..3) {
        0 => format!(" LEFT JOIN {of} ON {}", condition(rng, &[before, &[of]].concat())),
        1 => format!(" JOIN {of} ON {}", condition(rng, &[before, &[of]].concat())),
        _ => format!(" CROSS JOIN {of}"),
    };
    let mut from = match rng.u8(0..4) {
        0 => format!("R RIGHT JOIN S ON {}", condition(rng, &["R", "S"])),
        _ => format!("R{}", join(rng, "S", &["R"])),
    };
    let mut tables = vec!["R", "S"];
    if rng.bool() {
        from += &join(rng, "T", &tables);
        tables.push("T");
    }
    let columns: Vec<String> =
        tables.iter().map(|table| format!("{table}.K, {table}.A, {table}.B")).collect();
    let order: Vec<String> = (1..=tables.len() * 3).map(|at| at.to_string()).collect();
    format!(
        "SELECT {} FROM {from} WHERE {} ORDER BY {}",
        columns.join(", "),
        condition(rng, &tables),
        order.join(", ")
    )
}

fn condition(rng: &mut Rng, tables: &[&str]) -> String {
    let column = |rng: &mut Rng| {
        format!("{}.{}", tables[rng.usize(0..tables.len())], if rng.bool() { "K" } else { "A" })
    };
    let part = |rng: &mut Rng| match rng.u8(0..6) {
        0 => format!("{} IS NULL", column(rng)),
        1 => format!("{}.B = '{}'", tables[rng.usize(0..tables.len())], ["A", "B", ""][rng.usize(0..3)]),
        2 => format!("{} < {}", column(rng), rng.i32(0..6)),
        3 => format!("EXISTS (SELECT 1 FROM S X WHERE X.A = {})", column(rng)),
        _ => format!("{} = {}", column(rng), column(rng)),
    };
    let parts: Vec<String> = (0..rng.usize(1..4)).map(|_| part(rng)).collect();
    parts.join([" AND ", " AND ", " OR "][rng.usize(0..3)])
}
