//! Statements and the trees that they become.

use db2::{Arithmetic, Letters};
use db2_syntax::tree::{
    Comparison, Condition, Expression, Isolation, Join, Locks, Node, OrderBy, Statement, Which,
};
use db2_syntax::{Catalogue, DefaultValue, Setting, Type, Variable, read};

fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::default();
    let text = "CREATE TABLE CONTACT (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(20) NOT NULL WITH DEFAULT, NOTE VARCHAR(100),
                AMOUNT DECIMAL(11,2) NOT NULL WITH DEFAULT -1.5, BORN DATE)";
    match reads(&catalogue, text) {
        Statement::CreateTable(create) => assert!(catalogue.create_table(create)),
        other => panic!("{other:?}"),
    }
    catalogue
}

fn reads(catalogue: &Catalogue, text: &str) -> Statement {
    let variables = |token: &db2::Token| {
        Some(Variable { number: u32::from(token.text.as_bytes()[0]), kind: Type::Integer })
    };
    let setting = Setting { catalogue, arithmetic: Arithmetic::default(), variables: &variables };
    read(&Letters::plain(text), &setting).unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
}

fn query(text: &str) -> db2_syntax::tree::Query {
    match reads(&catalogue(), text) {
        Statement::Query(query) => query,
        other => panic!("{other:?}"),
    }
}

fn column(number: usize, kind: Type, is_nullable: bool) -> Expression {
    Expression { node: Node::Column(number), kind, is_nullable }
}

#[test]
fn a_table_knows_its_columns_defaults_and_key() {
    let catalogue = catalogue();
    let table = catalogue.table("CONTACT").expect("the table");
    let defaults: Vec<_> = table.columns.iter().map(|column| column.default.clone()).collect();
    let constant = DefaultValue::Constant("-1.5".into());
    assert_eq!(
        defaults,
        [
            None,
            Some(DefaultValue::OfType),
            Some(DefaultValue::Null),
            Some(constant),
            Some(DefaultValue::Null)
        ]
    );
    assert_eq!(table.key, [0]);
}

#[test]
fn outputs_have_names_and_types() {
    let found = query("SELECT C.NAME, AMOUNT / 3 AS THIRD, C.*, NOTE || 'x' FROM BANK.CONTACT C WITH UR");
    let outputs: Vec<_> =
        found.outputs.iter().map(|output| (output.name.as_deref(), output.value.kind)).collect();
    let amount = Type::Decimal { precision: 11, scale: 2 };
    assert_eq!(outputs[0], (Some("NAME"), Type::Char(20)));
    assert_eq!(outputs[1], (Some("THIRD"), Type::Decimal { precision: 15, scale: 6 }));
    assert_eq!(
        outputs[2..7].iter().map(|output| output.0).collect::<Vec<_>>(),
        ["ID", "NAME", "NOTE", "AMOUNT", "BORN"].map(Some)
    );
    assert_eq!((outputs[5].1, outputs[7]), (amount, (None, Type::VarChar(101))));
    assert_eq!(found.isolation, Some(Isolation::Uncommitted));
    assert!(!found.outputs[0].value.is_nullable && found.outputs[7].value.is_nullable);
}

#[test]
fn functions_of_all_rows_make_one_row() {
    let found = query(
        "SELECT COALESCE(MAX(ID), 0) + 1, SUM(DISTINCT AMOUNT) INTO :A, :B:I FROM CONTACT WHERE (ID + 1) * 2 > :K",
    );
    assert!(found.grouped);
    assert_eq!(found.outputs[0].value.kind, Type::Integer);
    assert_eq!(found.outputs[1].value.kind, Type::Decimal { precision: 15, scale: 2 });
    assert_eq!(
        found.targets.iter().map(|target| (target.number, target.has_indicator)).collect::<Vec<_>>(),
        [(65, false), (66, true)]
    );
    assert!(matches!(found.condition, Some(Condition::Compare { comparison: Comparison::Greater, .. })));
}

#[test]
fn comparisons_say_in_which_type() {
    let found = query(
        "SELECT ID FROM CONTACT WHERE (AMOUNT = :A OR BORN < '2000-01-01') AND NOT NAME BETWEEN 'A' AND 'BOB'",
    );
    let Some(Condition::And(parts)) = found.condition else { panic!("{found:?}") };
    let Condition::Or(either) = &parts[0] else { panic!("{parts:?}") };
    let kinds: Vec<_> = either
        .iter()
        .map(|part| match part {
            Condition::Compare { kind, .. } => *kind,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, [Type::Decimal { precision: 13, scale: 2 }, Type::Date]);
    let Condition::Not(between) = &parts[1] else { panic!("{parts:?}") };
    assert!(matches!(&**between, Condition::And(both) if both.len() == 2));
}

#[test]
fn orders_are_by_outputs_or_columns() {
    let found =
        query("SELECT NAME AS N, AMOUNT FROM CONTACT ORDER BY N, 2 DESC, BORN FETCH FIRST 5 ROWS ONLY");
    let order: Vec<_> = found.order.iter().map(|key| (key.by.clone(), key.is_descending)).collect();
    assert_eq!(order, [(OrderBy::Output(0), false), (OrderBy::Output(1), true), (OrderBy::Column(4), false)]);
    assert_eq!(found.first, Some(5));
}

#[test]
fn cursors_are_held_and_change_columns() {
    let text =
        "DECLARE C-TR-1 CURSOR WITH HOLD FOR SELECT ID FROM CONTACT WHERE ID > :K FOR UPDATE OF AMOUNT, NOTE";
    let Statement::Cursor(cursor) = reads(&catalogue(), text) else { panic!() };
    assert_eq!((cursor.name.as_str(), cursor.is_held), ("C-TR-1", true));
    assert_eq!(cursor.query.updates, Some(vec![3, 2]));
}

#[test]
fn changes_name_columns_by_number() {
    let Statement::Insert(insert) =
        reads(&catalogue(), "INSERT INTO CONTACT (ID, NOTE, NAME) VALUES (:A, NULL, DEFAULT)")
    else {
        panic!()
    };
    let columns: Vec<_> = insert.values.iter().map(|value| (value.column, value.value.is_some())).collect();
    assert_eq!(columns, [(0, true), (2, true), (1, false)]);
    let Statement::Update(update) = reads(
        &catalogue(),
        "UPDATE CONTACT A SET A.AMOUNT = A.AMOUNT + 1, (NAME, NOTE) = ('x', A.NAME) WHERE CURRENT OF C-1",
    ) else {
        panic!()
    };
    assert_eq!(update.values.iter().map(|value| value.column).collect::<Vec<_>>(), [3, 1, 2]);
    assert_eq!(update.which, Which::Current("C-1".into()));
    assert_eq!(update.values[2].value, Some(column(1, Type::Char(20), false)));
    let Statement::Delete(delete) = reads(&catalogue(), "DELETE FROM CONTACT WHERE ID = :K WITH RR") else {
        panic!()
    };
    assert_eq!(delete.isolation, Some(Isolation::RepeatableRead));
}

#[test]
fn the_last_clauses_say_what_is_locked() {
    let found = query("SELECT ID FROM CONTACT WITH RS USE AND KEEP UPDATE LOCKS SKIP LOCKED DATA");
    assert_eq!((found.isolation, found.locks), (Some(Isolation::ReadStability), Some(Locks::Update)));
    assert!(found.skips_locked && found.updates.is_none());
}

#[test]
fn sources_have_their_columns_one_behind_the_other() {
    let found = query(
        "SELECT A.ID, (SELECT MAX(X.ID) FROM CONTACT X WHERE X.NAME = B.NAME) FROM CONTACT A LEFT JOIN CONTACT B ON B.ID = A.ID",
    );
    assert_eq!(
        found.from.iter().map(|source| (source.first, source.join)).collect::<Vec<_>>(),
        [(0, Join::Inner), (5, Join::Left)]
    );
    let Node::Subquery(inner) = &found.outputs[1].value.node else { panic!("{found:?}") };
    assert_eq!(inner.from[0].first, 10);
    let Some(Condition::Compare { values, .. }) = &inner.condition else { panic!("{inner:?}") };
    // What is on the right of LEFT JOIN can be NULL.
    assert_eq!(values[0], column(11, Type::Char(20), false));
    assert_eq!(values[1], column(6, Type::Char(20), true));
}

#[test]
fn a_date_and_its_durations_have_types() {
    let found = query(
        "SELECT BORN + 1 MONTH, CURRENT DATE - BORN, YEAR(CURRENT DATE - BORN), CURRENT TIMESTAMP(3) FROM CONTACT",
    );
    let kinds: Vec<_> = found.outputs.iter().map(|output| output.value.kind).collect();
    assert_eq!(
        kinds,
        [Type::Date, Type::Decimal { precision: 8, scale: 0 }, Type::Integer, Type::Timestamp(3)]
    );
}
