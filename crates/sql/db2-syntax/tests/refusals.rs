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
        ("SELECT ID FROM CONTACT WHERE ID = ?", -104, 35),
        ("INSERT INTO CONTACT (ID) VALUES (:N) FOR 10", -104, 42),
        ("DELETE FROM CONTACT WHERE CURRENT OF C FOR ROW 1", -104, 48),
        ("SELECT NAME FROM CONTACT A, CONTACT B", -203, 8),
        ("SELECT A.NAME FROM CONTACT A, CONTACT A", -212, 39),
        (
            "MERGE INTO CONTACT A USING CONTACT B ON A.ID = B.ID WHEN MATCHED THEN UPDATE SET NAME = NAME",
            -203,
            89,
        ),
        ("MERGE INTO CONTACT A USING CONTACT B ON ID = 1 WHEN MATCHED THEN DELETE", -203, 41),
        ("SELECT ID FROM CONTACT C WHERE EXISTS (SELECT 1 FROM PAYEE WHERE X = C.ID)", -206, 66),
        ("SELECT ID FROM CONTACT, (SELECT LIMIT FROM PAYEE WHERE LIMIT = ID) X", -206, 64),
        ("SELECT NAME FROM CONTACT GROUP BY ID", -122, 8),
        ("SELECT YEAR(BORN) FROM CONTACT GROUP BY MONTH(BORN)", -122, 13),
        ("SELECT ID FROM CONTACT GROUP BY ID HAVING NAME > 'A'", -122, 43),
        ("SELECT ID FROM CONTACT GROUP BY ID ORDER BY NAME", -122, 45),
        (
            "SELECT ID FROM CONTACT GROUP BY ID HAVING (SELECT LIMIT FROM PAYEE WHERE LIMIT = BORN) > 1",
            -401,
            80,
        ),
        (
            "SELECT ID FROM CONTACT GROUP BY ID HAVING (SELECT LIMIT FROM PAYEE WHERE LIMIT > AMOUNT) > 1",
            -122,
            82,
        ),
        ("SELECT ID, NAME FROM CONTACT UNION SELECT ID FROM CONTACT", -421, 36),
        ("SELECT ID FROM CONTACT UNION SELECT NAME FROM CONTACT", -415, 30),
        ("SELECT ID FROM CONTACT WHERE ID IN (SELECT ID, NAME FROM CONTACT)", -412, 36),
        ("SELECT (SELECT ID, NAME FROM CONTACT) FROM CONTACT", -412, 8),
        ("SELECT DISTINCT NAME FROM CONTACT ORDER BY ID", -214, 44),
        ("SELECT ID FROM CONTACT X (A, B)", -158, 27),
        ("SELECT BORN + 1 FROM CONTACT", -182, 13),
        ("SELECT BORN + 2 HOURS FROM CONTACT", -182, 13),
        ("SELECT BORN + BORN FROM CONTACT", -182, 13),
        ("SELECT 1 DAY FROM CONTACT", -182, 14),
        ("SELECT BORN + 2 * 3 DAYS FROM CONTACT", -104, 21),
        ("WITH T (N) AS (SELECT N FROM T) SELECT N FROM T", -345, 30),
        ("WITH T (N) AS (SELECT 1 FROM CONTACT UNION SELECT N + 1 FROM T) SELECT N FROM T", -342, 44),
        ("WITH T (N) AS (SELECT 1 FROM CONTACT UNION ALL SELECT 'A' FROM T) SELECT N FROM T", -344, 48),
        ("SELECT CASE WHEN ID = 1 THEN NULL END FROM CONTACT", -580, 8),
        ("SELECT CASE WHEN ID = 1 THEN 1 ELSE 'X' END FROM CONTACT", -581, 8),
        ("SELECT CAST(BORN AS TIME) FROM CONTACT", -461, 13),
        ("SELECT YEAR(ID) FROM CONTACT", -171, 8),
        ("SELECT MOD(ID) FROM CONTACT", -170, 8),
        ("INSERT INTO CONTACT (ID) SELECT ID, NAME FROM CONTACT", -117, 26),
        ("INSERT INTO CONTACT (ID, BORN) SELECT ID, AMOUNT FROM CONTACT", -408, 32),
        ("DECLARE C CURSOR FOR SELECT A.ID FROM CONTACT A, PAYEE FOR UPDATE", -510, 60),
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
        ("CREATE TABLE T (A INTEGER, CHECK (B > 1))", -206, 35),
        ("CREATE TABLE T (A INTEGER CHECK (A > CURRENT DATE))", -546, 38),
        ("CREATE TABLE T (A INTEGER, CHECK (A > 1 5))", -104, 41),
        ("CREATE TABLE T (A INTEGER REFERENCES NOBODY)", -204, 38),
        ("CREATE TABLE T (A INTEGER, FOREIGN KEY (B) REFERENCES CONTACT)", -205, 41),
        ("CREATE TABLE T (A INTEGER, FOREIGN KEY (A) REFERENCES CONTACT (NAME))", -573, 55),
        ("CREATE TABLE T (A DATE, FOREIGN KEY (A) REFERENCES CONTACT)", -538, 25),
        ("CREATE TABLE T (A INTEGER NOT NULL REFERENCES CONTACT ON DELETE SET NULL)", -629, 36),
        ("CREATE INDEX X ON CONTACT (AGE)", -206, 28),
        ("CREATE INDEX XNAME ON CONTACT (NAME)", -601, 14),
    ] {
        let refusal = reads(&catalogue, text).expect_err(text);
        assert_eq!((refusal.reason, refusal.spot.column), (Reason::Code(code), column), "{text}: {refusal}");
    }
}

#[test]
fn a_statement_names_so_many_tables_at_most() {
    let from: Vec<String> = (0..300).map(|number| format!("PAYEE P{number}")).collect();
    let text = format!("SELECT 1 FROM {}", from.join(", "));
    assert_eq!(reads(&catalogue(), &text).expect_err("too many").reason, Reason::Code(-129));
}

#[test]
fn what_is_not_built_is_refused_by_name() {
    let catalogue = catalogue();
    for (text, what) in [
        (
            "SELECT 1 FROM CONTACT A JOIN PAYEE P ON 1 = 1 RIGHT JOIN PAYEE Q ON 1 = 1",
            "RIGHT JOIN behind another join",
        ),
        (
            "SELECT 1 FROM CONTACT A JOIN PAYEE P ON 1 = 1 FULL OUTER JOIN PAYEE Q ON 1 = 1",
            "FULL JOIN behind another join",
        ),
        (
            "SELECT A.ID FROM CONTACT A LEFT JOIN (PAYEE P JOIN CONTACT B ON 1 = 1) ON 1 = 1",
            "a join in parentheses",
        ),
        ("SELECT COUNT(*) FROM CONTACT GROUP BY ROLLUP(NAME)", "ROLLUP"),
        ("SELECT ROW_NUMBER() OVER(ORDER BY ID) FROM CONTACT", "the function ROW_NUMBER"),
        ("SELECT SUM(ID) OVER(ORDER BY ID) FROM CONTACT", "OVER"),
        (
            "WITH T (N) AS (SELECT 1 FROM CONTACT UNION ALL SELECT N + 1 FROM T UNION ALL SELECT 2 FROM CONTACT) SELECT N FROM T",
            "a query behind a recursive one",
        ),
        (
            "INSERT INTO PAYEE (PAYEE#) SELECT ID FROM FINAL TABLE (INSERT INTO CONTACT (ID) VALUES (1))",
            "FINAL TABLE or OLD TABLE in this place",
        ),
        ("SELECT 1 FROM OLD TABLE (DELETE FROM CONTACT), PAYEE", "FINAL TABLE beside other tables"),
        ("SELECT CHAR(BORN, LOCAL) FROM CONTACT", "this style of dates"),
        ("SELECT CURRENT SQLID FROM CONTACT", "this special register"),
        ("DELETE FROM CONTACT SKIP LOCKED DATA", "SKIP LOCKED DATA of a change"),
        ("CREATE TABLE T (A CHAR(8) DEFAULT USER)", "a special register as a default"),
        ("DECLARE C SCROLL CURSOR FOR SELECT ID FROM CONTACT", "a SCROLL cursor"),
        (
            "DECLARE C CURSOR WITH ROWSET POSITIONING FOR SELECT ID FROM CONTACT",
            "a cursor with rowsets, or for a result set",
        ),
        ("DECLARE C CURSOR FOR STMT", "a cursor for a prepared statement"),
        ("SET CURRENT SQLID = 'BANK'", "SET"),
        (
            "MERGE INTO CONTACT USING PAYEE ON 1 = 1 WHEN MATCHED THEN DELETE NOT ATOMIC CONTINUE ON SQLEXCEPTION",
            "NOT ATOMIC of MERGE",
        ),
        (
            "CREATE TABLE T (A INTEGER GENERATED ALWAYS AS (1 + 1))",
            "a generated column that is no identity column",
        ),
        ("CREATE TABLE T (A INTEGER, UNIQUE (A))", "UNIQUE"),
        ("CREATE TABLE T (A INTEGER, FOREIGN KEY (A) REFERENCES CONTACT NOT ENFORCED)", "NOT ENFORCED"),
        ("CREATE TABLE T (A CLOB(1M))", "the type CLOB"),
        ("CREATE TABLE T (A INTEGER) PARTITION BY RANGE (A)", "PARTITION"),
        ("CREATE UNIQUE WHERE NOT NULL INDEX X ON CONTACT (ID)", "UNIQUE WHERE NOT NULL"),
        ("CREATE INDEX X ON CONTACT (UPPER(NAME))", "an index on an expression"),
        ("CREATE INDEX X ON CONTACT (NAME) INCLUDE (NOTE)", "INCLUDE"),
        ("DROP TRIGGER T", "DROP TRIGGER"),
        ("RENAME TABLE CONTACT TO C", "RENAME TABLE"),
        ("ALTER PROCEDURE P", "ALTER PROCEDURE"),
        ("CREATE PROCEDURE P () BEGIN END", "CREATE PROCEDURE"),
        ("ALTER TABLE CONTACT DROP COLUMN NAME", "DROP of a column"),
        ("CREATE TRIGGER T AFTER INSERT ON CONTACT FOR EACH ROW SET X = 1", "CREATE TRIGGER"),
        ("DECLARE GLOBAL TEMPORARY TABLE T (A INTEGER)", "DECLARE GLOBAL TEMPORARY TABLE"),
    ] {
        let refusal = reads(&catalogue, text).expect_err(text);
        assert_eq!(refusal.reason, Reason::NotBuilt, "{text}: {refusal}");
        assert_eq!(refusal.message, format!("{what} is not built yet in the region's own tables"), "{text}");
    }
}

/// The tables and the sequence of the project's table of statements.
fn bank() -> Catalogue {
    const BANK: [&str; 2] = [
        "CREATE TABLE CONTACT (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(20) NOT NULL WITH DEFAULT, NOTE VARCHAR(100),
         AMOUNT DECIMAL(11,2) NOT NULL WITH DEFAULT 0, STAMP TIMESTAMP NOT NULL WITH DEFAULT, BORN DATE, OPENS TIME)",
        "CREATE TABLE PAYEE (PAYEE# SMALLINT NOT NULL WITH DEFAULT, CONTACT INTEGER NOT NULL, KIND CHAR(1) NOT NULL
         CHECK (KIND IN ('P', 'C')), LIMIT DECIMAL(9,0), TOKEN CHAR(8) FOR BIT DATA, CONSTRAINT PPAYEE PRIMARY KEY (PAYEE#),
         FOREIGN KEY FCONTACT (CONTACT) REFERENCES BANK.CONTACT (ID) ON DELETE RESTRICT ENFORCED)",
    ];
    let mut catalogue = Catalogue::default();
    for text in BANK {
        let Ok(Statement::CreateTable(create)) = reads(&catalogue, text) else { panic!("{text}") };
        catalogue.create_table(create);
    }
    catalogue.add_sequence("NUMBERS", Type::Integer);
    catalogue
}

#[test]
fn everything_in_the_table_of_statements_is_read_or_refused() {
    let catalogue = bank();
    // Nothing says what the variables of these statements hold: all are characters, or numbers, or numbers by their names.
    let number = Type::Decimal { precision: 9, scale: 2 };
    let by_name =
        |token: &db2::Token| if "DJKMNPW".contains(&token.text[..1]) { number } else { Type::VarChar(10) };
    let ways: [&dyn Fn(&db2::Token) -> Type; 3] = [&|_| Type::VarChar(10), &|_| number, &by_name];
    let reads = |line: &str| {
        let way = |of: &&dyn Fn(&db2::Token) -> Type| {
            let variables = |token: &db2::Token| Some(Variable { number: 1, kind: of(token) });
            let setting =
                Setting { catalogue: &catalogue, arithmetic: Arithmetic::default(), variables: &variables };
            read(&Letters::plain(line), &setting)
        };
        ways[1..]
            .iter()
            .fold(way(&ways[0]), |found, next| found.or_else(|refusal| way(next).map_err(|_| refusal)))
    };
    let statements = include_str!("../../db2/tests/data/statements.sql");
    let [mut are_read, mut not_built, mut wrong] = [0; 3];
    for line in statements.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match reads(line) {
            Ok(_) => are_read += 1,
            Err(Refusal { reason: Reason::NotBuilt, .. }) => not_built += 1,
            // A view and a table are not there.
            Err(Refusal { reason: Reason::Code(-204), .. }) => wrong += 1,
            Err(refusal) => panic!("{line}: {refusal} {:?}", refusal.reason),
        }
    }
    assert_eq!([are_read, not_built, wrong], [139, 85, 5]);
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
