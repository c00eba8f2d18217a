//! Refusals: SQLCODEs, places and words.

use db2::{Arithmetic, Letters};
use db2_syntax::tree::Statement;
use db2_syntax::{Catalogue, Reason, Refusal, Setting, Type, Variable, read};

const TABLES: [&str; 3] = [
    "CREATE TABLE BANK.CONTACT (ID INTEGER NOT NULL, NAME CHAR(20) NOT NULL WITH DEFAULT, NOTE VARCHAR(100),
     AMOUNT DECIMAL(11,2) NOT NULL WITH DEFAULT 0, STAMP TIMESTAMP NOT NULL WITH DEFAULT, BORN DATE, PRIMARY KEY (ID))
     IN BANKDB.BANKTS AUDIT NONE DATA CAPTURE NONE CCSID EBCDIC",
    "CREATE TABLE PAYEE (PAYEE# SMALLINT NOT NULL PRIMARY KEY, LIMIT DECIMAL(9,0), TOKEN CHAR(8) FOR BIT DATA)",
    "CREATE UNIQUE INDEX BANK.XNAME ON BANK.CONTACT (NAME ASC, BORN DESC) USING STOGROUP SYSDEFLT ERASE NO BUFFERPOOL BP0 CLOSE NO",
];

/// The type of a variable: its name's first letter says it.
fn variable(token: &db2::Token) -> Option<Variable> {
    let kind = match token.text.as_bytes().first()? {
        b'N' => Type::Integer,
        b'D' => Type::Decimal { precision: 7, scale: 2 },
        b'T' => Type::Char(26),
        _ => return None,
    };
    Some(Variable { number: token.text.len() as u32, kind })
}

fn reads(catalogue: &Catalogue, text: &str) -> Result<Statement, Refusal> {
    let setting = Setting { catalogue, arithmetic: Arithmetic::default(), variables: &variable };
    read(&Letters::plain(text), &setting)
}

fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::default();
    for text in TABLES {
        let is_new = match reads(&catalogue, text) {
            Ok(Statement::CreateTable(create)) => catalogue.create_table(create),
            Ok(Statement::CreateIndex(create)) => catalogue.create_index(create),
            other => panic!("{text}: {other:?}"),
        };
        assert!(is_new, "{text}");
    }
    catalogue
}

#[test]
fn mistakes_have_their_codes_and_places() {
    let catalogue = catalogue();
    for (text, code, column) in [
        ("SELECT NAME FROM CONTACTS", -204, 18),
        ("INSERT INTO NOBODY (ID) VALUES (1)", -204, 13),
        ("SELECT NAMES FROM CONTACT", -206, 8),
        ("SELECT C.NAME FROM CONTACT B", -206, 8),
        ("SELECT NAME FROM CONTACT WHERE AGE > 5", -206, 32),
        ("UPDATE CONTACT SET AGE = 5", -206, 20),
        ("DELETE FROM CONTACT WHERE CONTACT.AGE = 5", -206, 27),
        ("INSERT INTO CONTACT (ID, AGE) VALUES (1, 2)", -206, 26),
        ("SELECT NAME FROM CONTACT WHERE BORN = 5", -401, 37),
        ("SELECT NAME FROM CONTACT WHERE BORN IN ('2000-01-01', :N)", -401, 40),
        ("SELECT NAME + 1 FROM CONTACT", -401, 13),
        ("UPDATE CONTACT SET BORN = :N", -408, 27),
        ("INSERT INTO CONTACT (ID, BORN) VALUES (1, AMOUNT)", -206, 43),
        ("INSERT INTO CONTACT (ID, BORN) VALUES (1, 2)", -408, 43),
        ("INSERT INTO CONTACT (ID, NAME) VALUES (1)", -117, 39),
        ("INSERT INTO CONTACT (ID) VALUES (1, 2)", -117, 33),
        ("INSERT INTO CONTACT (ID, ID) VALUES (1, 2)", -121, 26),
        ("UPDATE CONTACT SET NAME = 'A', (NOTE, NAME) = ('B', 'C')", -121, 39),
        ("INSERT INTO CONTACT (NAME) VALUES ('A')", -407, 35),
        ("UPDATE CONTACT SET NAME = NULL", -407, 27),
        ("UPDATE CONTACT SET ID = DEFAULT", -407, 25),
        ("SELECT NAME, COUNT(*) FROM CONTACT", -122, 8),
        ("SELECT NAME FROM CONTACT WHERE COUNT(*) > 1", -120, 32),
        ("SELECT MAX(COUNT(*)) FROM CONTACT", -112, 12),
        ("SELECT SUM(NAME) FROM CONTACT", -402, 8),
        ("SELECT NAME || ID FROM CONTACT", -171, 13),
        ("SELECT SUBSTR(NAME, 0, 1) FROM CONTACT", -138, 8),
        ("SELECT SUBSTR(NAME, 15, 7) FROM CONTACT", -138, 8),
        ("SELECT LENGTH(NAME, 1) FROM CONTACT", -170, 8),
        ("SELECT DIGITS(NAME) FROM CONTACT", -171, 8),
        ("SELECT NAME FROM CONTACT WHERE ID LIKE 'A%'", -414, 40),
        ("SELECT NAME FROM CONTACT ORDER BY 2", -125, 35),
        ("SELECT NAME INTO :X FROM CONTACT", -312, 18),
        ("SELECT 12345678901234567890123456789012 FROM CONTACT", -102, 8),
        ("SELECT DECIMAL(AMOUNT, 15, 0) / DECIMAL(AMOUNT, 5, 1) FROM CONTACT", -419, 31),
        ("DECLARE C CURSOR FOR SELECT NAME FROM CONTACT ORDER BY NAME FOR UPDATE", -510, 65),
        ("SELECT NAME FROM", -104, 13),
        ("SELECT NAME FROM CONTACT WHERE", -104, 26),
        ("SELECT NAME FROM CONTACT WHERE NAME", -104, 32),
        ("SELECT NAME FROM CONTACT WHERE ID = 1 5", -104, 39),
        ("SELECT 'A FROM CONTACT", -10, 8),
        ("CREATE TABLE CONTACT (A INTEGER)", -601, 14),
        ("CREATE TABLE T (A INTEGER, A CHAR(1))", -612, 28),
        ("CREATE TABLE T (A INTEGER PRIMARY KEY)", -542, 17),
        ("CREATE TABLE T (A INTEGER NOT NULL, PRIMARY KEY (B))", -205, 50),
        ("CREATE TABLE T (A DECIMAL(32))", -604, 26),
        ("CREATE TABLE T (A CHAR(256))", -604, 23),
        ("CREATE TABLE T (A INTEGER NOT NULL DEFAULT NULL)", -574, 17),
        ("CREATE INDEX X ON CONTACT (AGE)", -206, 28),
        ("CREATE INDEX XNAME ON CONTACT (NAME)", -601, 14),
    ] {
        let refusal = reads(&catalogue, text).expect_err(text);
        assert_eq!((refusal.reason, refusal.spot.column), (Reason::Code(code), column), "{text}: {refusal}");
    }
}

#[test]
fn what_is_not_built_is_refused_by_name() {
    let catalogue = catalogue();
    for (text, what) in [
        ("SELECT A.ID FROM CONTACT A, PAYEE P", "a join"),
        ("SELECT A.ID FROM CONTACT A LEFT JOIN PAYEE P ON 1 = 1", "a join"),
        ("SELECT ID FROM CONTACT WHERE ID IN (SELECT ID FROM CONTACT)", "a subquery"),
        ("SELECT ID FROM CONTACT WHERE ID = (SELECT MAX(ID) FROM CONTACT)", "a subquery"),
        ("SELECT ID FROM CONTACT WHERE EXISTS (SELECT 1 FROM CONTACT)", "EXISTS"),
        ("SELECT COUNT(*) FROM CONTACT GROUP BY NAME", "GROUP"),
        ("SELECT ID FROM CONTACT UNION SELECT ID FROM CONTACT", "UNION"),
        ("SELECT ID FROM (SELECT ID FROM CONTACT) X", "a query in FROM"),
        ("SELECT BORN + 1 MONTH FROM CONTACT", "arithmetic with dates and times"),
        ("SELECT STAMP - BORN FROM CONTACT", "arithmetic with dates and times"),
        ("SELECT CASE WHEN ID > 1 THEN 1 END FROM CONTACT", "CASE"),
        ("SELECT SOUNDEX(NAME) FROM CONTACT", "the function SOUNDEX"),
        ("SELECT STRIP(NAME, BOTH, '0') FROM CONTACT", "the side of STRIP or TRIM"),
        ("SELECT CURRENT SQLID FROM CONTACT", "this special register"),
        ("SELECT ID FROM CONTACT WHERE ID = ?", "a parameter marker"),
        ("SELECT ID FROM CONTACT WITH RS USE AND KEEP UPDATE LOCKS", "USE AND KEEP … LOCKS"),
        ("SELECT ID FROM CONTACT SKIP LOCKED DATA", "SKIP LOCKED DATA"),
        ("DECLARE C SCROLL CURSOR FOR SELECT ID FROM CONTACT", "a SCROLL cursor"),
        (
            "DECLARE C CURSOR WITH ROWSET POSITIONING FOR SELECT ID FROM CONTACT",
            "a cursor with rowsets, or for a result set",
        ),
        ("DECLARE C CURSOR FOR STMT", "a cursor for a prepared statement"),
        ("INSERT INTO CONTACT (ID) SELECT ID FROM CONTACT", "INSERT with a query"),
        ("INSERT INTO CONTACT (ID) VALUES (:N) FOR 10 ROWS", "INSERT of several rows"),
        ("DELETE FROM CONTACT WHERE CURRENT OF C FOR ROW 1 OF ROWSET", "a row of a rowset"),
        ("MERGE INTO CONTACT USING PAYEE ON 1 = 1", "MERGE"),
        ("CREATE TABLE T (A INTEGER GENERATED ALWAYS AS IDENTITY)", "GENERATED"),
        ("CREATE TABLE T (A INTEGER, CHECK (A > 1))", "CHECK"),
        ("CREATE TABLE T (A CLOB(1M))", "the type CLOB"),
        ("CREATE TABLE T (A INTEGER) PARTITION BY RANGE (A)", "PARTITION"),
        ("CREATE UNIQUE WHERE NOT NULL INDEX X ON CONTACT (ID)", "UNIQUE WHERE NOT NULL"),
        ("CREATE INDEX X ON CONTACT (UPPER(NAME))", "an index on an expression"),
        ("CREATE INDEX X ON CONTACT (NAME) INCLUDE (NOTE)", "INCLUDE"),
        ("CREATE VIEW V AS SELECT ID FROM CONTACT", "CREATE VIEW"),
        ("DECLARE GLOBAL TEMPORARY TABLE T (A INTEGER)", "DECLARE GLOBAL TEMPORARY TABLE"),
    ] {
        let refusal = reads(&catalogue, text).expect_err(text);
        assert_eq!(refusal.reason, Reason::NotBuilt, "{text}: {refusal}");
        assert_eq!(refusal.message, format!("{what} is not built yet in the region's own tables"), "{text}");
    }
}

/// The tables of the project's table of statements, without what is not built of them, and variables of characters,
/// which stand for numbers and dates.
fn bank() -> Catalogue {
    const BANK: [&str; 2] = [
        "CREATE TABLE CONTACT (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(20) NOT NULL WITH DEFAULT, NOTE VARCHAR(100),
         AMOUNT DECIMAL(11,2) NOT NULL WITH DEFAULT 0, STAMP TIMESTAMP NOT NULL WITH DEFAULT, BORN DATE, OPENS TIME)",
        "CREATE TABLE PAYEE (PAYEE# SMALLINT NOT NULL WITH DEFAULT, CONTACT INTEGER NOT NULL, KIND CHAR(1) NOT NULL,
         LIMIT DECIMAL(9,0), TOKEN CHAR(8) FOR BIT DATA, PRIMARY KEY (PAYEE#))",
    ];
    let mut catalogue = Catalogue::default();
    for text in BANK {
        let Ok(Statement::CreateTable(create)) = reads(&catalogue, text) else { panic!("{text}") };
        catalogue.create_table(create);
    }
    catalogue
}

#[test]
fn everything_in_the_table_of_statements_is_read_or_refused() {
    let catalogue = bank();
    let variables = |_: &db2::Token| Some(Variable { number: 1, kind: Type::VarChar(10) });
    let setting = Setting { catalogue: &catalogue, arithmetic: Arithmetic::default(), variables: &variables };
    let statements = include_str!("../../db2/tests/data/statements.sql");
    let [mut are_read, mut not_built, mut wrong] = [0; 3];
    for line in statements.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match read(&Letters::plain(line), &setting) {
            Ok(_) => are_read += 1,
            Err(Refusal { reason: Reason::NotBuilt, .. }) => not_built += 1,
            // SYSIBM's tables and views are not there; characters are no operand of arithmetic.
            Err(Refusal { reason: Reason::Code(-204 | -401), .. }) => wrong += 1,
            Err(refusal) => panic!("{line}: {refusal} {:?}", refusal.reason),
        }
    }
    assert_eq!([are_read, not_built, wrong], [35, 172, 22]);
}

#[test]
fn no_statement_cut_off_anywhere_panics() {
    let catalogue = catalogue();
    let statements = include_str!("../../db2/tests/data/statements.sql");
    for line in statements.lines() {
        for (end, _) in line.char_indices() {
            let _ = reads(&catalogue, &line[..end]);
        }
    }
}

#[test]
fn a_statement_nested_without_end_is_refused() {
    let catalogue = catalogue();
    for (before, inside) in [("(", "1"), ("- ", "1"), ("LENGTH(", "'A'"), ("1 + (", "1")] {
        let text = format!("SELECT {}{inside} FROM CONTACT", before.repeat(10_000));
        // FROM stands in parentheses that are not closed, or is found.
        let refusal = reads(&catalogue, &text).expect_err(before);
        assert!(matches!(refusal.reason, Reason::Code(-101 | -104)), "{before}: {refusal}");
        let text = format!("DELETE FROM CONTACT WHERE ID = {}{inside}", before.repeat(10_000));
        let refusal = reads(&catalogue, &text).expect_err(before);
        assert_eq!(refusal.reason, Reason::Code(-101), "{before}: {refusal}");
    }
    for before in ["(", "NOT ", "ID = 1 AND (", "NOT ("] {
        let text = format!("DELETE FROM CONTACT WHERE {}ID = 1", before.repeat(10_000));
        assert_eq!(reads(&catalogue, &text).expect_err(before).reason, Reason::Code(-101), "{before}");
    }
    let text = format!(
        "DELETE FROM CONTACT WHERE {}ID = {}1{}{}",
        "(".repeat(25),
        "(".repeat(25),
        ")".repeat(25),
        ")".repeat(25)
    );
    assert!(reads(&catalogue, &text).is_ok());
}
