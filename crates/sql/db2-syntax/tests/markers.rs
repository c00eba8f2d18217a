//! Parameter markers and their types.

use db2::{Arithmetic, Letters};
use db2_syntax::tree::Statement;
use db2_syntax::{Catalogue, Prepared, Reason, Refusal, Setting, Type, prepare, read};

const TABLE: &str =
    "CREATE TABLE CONTACT (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(20) NOT NULL WITH DEFAULT,
     NOTE VARCHAR(100), AMOUNT DECIMAL(11,2), STAMP TIMESTAMP, BORN DATE)";

fn prepared(text: &str) -> Result<Prepared, Refusal> {
    let mut catalogue = Catalogue::default();
    let setting =
        Setting { catalogue: &Catalogue::default(), arithmetic: Arithmetic::default(), variables: &|_| None };
    match read(&Letters::plain(TABLE), &setting) {
        Ok(Statement::CreateTable(create)) => assert!(catalogue.create_table(create)),
        other => panic!("{other:?}"),
    }
    prepare(&Letters::plain(text), &Setting { catalogue: &catalogue, ..setting })
}

#[test]
fn a_marker_has_the_type_of_what_it_stands_beside() {
    const AMOUNT: Type = Type::Decimal { precision: 11, scale: 2 };
    const DURATION: Type = Type::Decimal { precision: 15, scale: 0 };
    const TEXT: Type = Type::VarChar(4000);
    for (text, kinds) in [
        ("SELECT NAME FROM CONTACT WHERE ID = ?", &[Type::Integer][..]),
        ("SELECT NAME FROM CONTACT WHERE ? < AMOUNT AND NAME <> ?", &[AMOUNT, Type::Char(20)]),
        ("SELECT NAME FROM CONTACT WHERE AMOUNT BETWEEN ? AND ?", &[AMOUNT, AMOUNT]),
        ("SELECT NAME FROM CONTACT WHERE ? BETWEEN ID AND 9", &[Type::Integer]),
        ("SELECT NAME FROM CONTACT WHERE ? IN (1, ID, ?)", &[Type::Integer, Type::Integer]),
        ("SELECT NAME FROM CONTACT WHERE ? IN (SELECT BORN FROM CONTACT)", &[Type::Date]),
        ("SELECT NAME FROM CONTACT WHERE NOTE LIKE ? ESCAPE ?", &[TEXT, TEXT]),
        ("SELECT NAME FROM CONTACT WHERE AMOUNT = ? * 2", &[Type::Integer]),
        ("SELECT BORN + ? DAYS FROM CONTACT", &[DURATION]),
        ("SELECT COALESCE(NOTE, ?) || ? FROM CONTACT", &[Type::VarChar(100), Type::VarChar(100)]),
        (
            "SELECT CASE ID WHEN ? THEN ? ELSE 1.5 END FROM CONTACT",
            &[Type::Integer, Type::Decimal { precision: 2, scale: 1 }],
        ),
        ("SELECT CAST(? AS DATE) FROM CONTACT", &[Type::Date]),
        ("SELECT ? FROM CONTACT", &[TEXT]),
        (
            "INSERT INTO CONTACT (ID, NAME, STAMP) VALUES (?, ?, ?)",
            &[Type::Integer, Type::Char(20), Type::Timestamp(6)],
        ),
        (
            "UPDATE CONTACT SET AMOUNT = ?, NOTE = ? WHERE ID = ?",
            &[AMOUNT, Type::VarChar(100), Type::Integer],
        ),
        ("DELETE FROM CONTACT WHERE NAME = UPPER(?)", &[TEXT]),
    ] {
        assert_eq!(prepared(text).map(|prepared| prepared.markers).as_deref(), Ok(kinds), "{text}");
    }
}

#[test]
fn markers_without_a_type_are_refused() {
    for (text, code) in [
        ("SELECT NAME FROM CONTACT WHERE ? = ?", -417),
        ("SELECT ? + ? FROM CONTACT", -417),
        ("SELECT BORN - ? FROM CONTACT", -418),
        ("SELECT NAME INTO ? FROM CONTACT", -104),
        ("SELECT NAME FROM CONTACT WHERE ID = :ID", -312),
        ("SELECT NAME FROM ?", -104),
    ] {
        assert_eq!(prepared(text).map_err(|refusal| refusal.reason), Err(Reason::Code(code)), "{text}");
    }
}
