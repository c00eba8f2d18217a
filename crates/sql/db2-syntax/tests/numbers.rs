//! Sequences and identity columns.

use db2::{Arithmetic, Letters};
use db2_syntax::tree::Statement;
use db2_syntax::{Catalogue, Generated, Numbers, Reason, Refusal, Setting, Type, read};

const TABLE: &str =
    "CREATE TABLE ORDERS (ID INTEGER NOT NULL GENERATED ALWAYS AS IDENTITY (START WITH 10, INCREMENT BY 5),
     PART CHAR(4))";

fn reads(catalogue: &Catalogue, text: &str) -> Result<Statement, Refusal> {
    read(
        &Letters::plain(text),
        &Setting { catalogue, arithmetic: Arithmetic::default(), variables: &|_| None },
    )
}

fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::default();
    match reads(&catalogue, TABLE) {
        Ok(Statement::CreateTable(create)) => assert!(catalogue.create_table(create)),
        other => panic!("{other:?}"),
    }
    catalogue.add_sequence("FEW", Type::Integer);
    catalogue
}

#[test]
fn a_sequence_has_the_published_limits_where_none_are_said() {
    const MOST: i64 = i32::MAX as i64;
    for (options, start, increment, least, greatest, cycles) in [
        ("", 1, 1, 1, MOST, false),
        ("START WITH 10 INCREMENT BY 5 NO CACHE", 10, 5, 10, MOST, false),
        ("INCREMENT BY -1 START WITH 7 MINVALUE 3 CYCLE", 7, -1, 3, 7, true),
        ("AS SMALLINT MAXVALUE 2 NO CYCLE CACHE 20 ORDER", 1, 1, 1, 2, false),
        ("AS DECIMAL(3,0) INCREMENT BY -2", -1, -2, -999, -1, false),
        ("AS BIGINT NO MAXVALUE", 1, 1, 1, i64::MAX, false),
    ] {
        let create = match reads(&Catalogue::default(), &format!("CREATE SEQUENCE S {options}")) {
            Ok(Statement::CreateSequence(create)) => create,
            other => panic!("{other:?}"),
        };
        assert_eq!(create.numbers, Numbers { start, increment, least, greatest, cycles }, "{options}");
    }
}

#[test]
fn an_identity_column_is_never_null_and_has_numbers() {
    let Ok(Statement::CreateTable(create)) = reads(&Catalogue::default(), TABLE) else { panic!("a table") };
    let column = &create.table.columns[0];
    assert_eq!((column.generated, column.is_nullable), (Some(Generated::Always), false));
    assert_eq!(create.numbers.map(|numbers| (numbers.start, numbers.increment)), Some((10, 5)));
}

#[test]
fn a_number_stands_where_it_has_a_row_of_its_own() {
    let catalogue = catalogue();
    for (text, code) in [
        ("SELECT NEXT VALUE FOR FEW, PREVIOUS VALUE FOR FEW FROM ORDERS", 0),
        ("INSERT INTO ORDERS (PART) VALUES (NEXT VALUE FOR FEW)", 0),
        ("UPDATE ORDERS SET PART = NEXT VALUE FOR BANK.FEW", 0),
        ("SELECT ID FROM ORDERS WHERE ID = PREVIOUS VALUE FOR FEW", 0),
        ("SELECT IDENTITY_VAL_LOCAL() FROM SYSIBM.SYSDUMMY1", 0),
        ("SELECT NEXT VALUE FOR MANY FROM ORDERS", -204),
        ("SELECT ID FROM ORDERS WHERE ID = NEXT VALUE FOR FEW", -348),
        ("SELECT DISTINCT NEXT VALUE FOR FEW FROM ORDERS", -348),
        ("SELECT MAX(NEXT VALUE FOR FEW) FROM ORDERS", -348),
        ("SELECT ID FROM ORDERS WHERE ID IN (SELECT NEXT VALUE FOR FEW FROM ORDERS)", -348),
        ("SELECT NEXT VALUE FOR FEW FROM ORDERS UNION ALL SELECT 1 FROM ORDERS", -348),
        ("INSERT INTO ORDERS (ID, PART) VALUES (1, 'P001')", -798),
        ("INSERT INTO ORDERS (ID, PART) VALUES (DEFAULT, 'P001')", 0),
        ("INSERT INTO ORDERS SELECT 1, 'P001' FROM SYSIBM.SYSDUMMY1", -798),
        ("UPDATE ORDERS SET ID = 7", -151),
        ("CREATE SEQUENCE FEW", -601),
        ("CREATE SEQUENCE S AS CHAR(3)", -846),
        (
            "CREATE TABLE T (A INTEGER GENERATED ALWAYS AS IDENTITY, B INTEGER GENERATED ALWAYS AS IDENTITY)",
            -372,
        ),
        ("CREATE TABLE T (A INTEGER GENERATED ALWAYS AS IDENTITY DEFAULT 3)", -373),
    ] {
        let found = match reads(&catalogue, text) {
            Ok(_) => 0,
            Err(Refusal { reason: Reason::Code(code), .. }) => code,
            Err(refusal) => panic!("{text}: {refusal}"),
        };
        assert_eq!(found, code, "{text}");
    }
}
