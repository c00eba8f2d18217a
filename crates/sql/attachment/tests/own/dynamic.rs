//! Statements that a program makes at run time.

use db2::package::{Action, Form, Using, Variable};

use crate::TABLES;
use crate::program::{INT, Region, Task, ready};

const NAME: Form = Form::Char { length: 6 };

/// EXECUTE of a prepared statement with these values; its number.
fn execute(task: &mut Task, name: &str, inputs: &[Variable]) -> u16 {
    let using = if inputs.is_empty() { Using::Nothing } else { Using::Variables };
    let action = Action::Execute { name: name.to_owned(), using, rows: None };
    task.statement(action, "EXECUTE", inputs, &[])
}

#[test]
fn a_prepared_change_takes_values_for_its_markers() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let (id, name) = (task.variable(INT, false), task.variable(NAME, true));
    let insert = execute(&mut task, "S1", &[id.clone(), name.clone()]);
    assert_eq!(task.run(insert), -518);
    assert_eq!(task.prepare("S1", "INSERT INTO ACCT (ID, NAME) VALUES (?, ?)"), 0);
    task.set(0, 4);
    task.storage.0[1] = b"DAN   ".to_vec();
    assert_eq!([task.run(insert), task.run(insert)], [0, -803]);
    task.storage.0[2] = (-1_i16).to_be_bytes().to_vec();
    task.set(0, 5);
    assert_eq!(task.run(insert), -407);
    let too_few = execute(&mut task, "S1", &[id]);
    assert_eq!(task.run(too_few), -313);
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT WHERE NAME = 'DAN'"), 1);
}

#[test]
fn what_cannot_be_prepared_or_run_has_its_code() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    for (text, code) in [
        ("SELECT AGE FROM ACCT WHERE ID = ?", -206),
        ("SELECT ID FROM NOWHERE", -204),
        ("SELECT ID FROM ACCT WHERE ? = ?", -417),
        ("OPEN C1", -84),
        ("SELEC ID FROM ACCT", -104),
        ("SELECT ID FROM ACCT WHERE ID = :ID", -104),
        ("SELECT ID FROM ACCT", 0),
    ] {
        assert_eq!(task.prepare("S1", text), code, "{text}");
    }
    let run = execute(&mut task, "S1", &[]);
    assert_eq!([task.run(run), task.immediate("SELECT ID FROM ACCT")], [-518, -84]);
    assert_eq!(task.prepare("S1", "DELETE FROM ACCT"), 0);
    let cursor = task.declare_prepared("S1");
    let open = task.statement(Action::Open { cursor, using: Using::Nothing }, "OPEN C0", &[], &[]);
    assert_eq!(task.run(open), -517);
    let unknown = task.declare_prepared("S2");
    let open = task.statement(Action::Open { cursor: unknown, using: Using::Nothing }, "OPEN C1", &[], &[]);
    assert_eq!(task.run(open), -514);
}

#[test]
fn a_cursor_for_a_prepared_query() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let (least, id) = (task.variable(INT, false), task.variable(INT, false));
    let cursor = task.declare_prepared("S1");
    let open = Action::Open { cursor, using: Using::Variables };
    let open = task.statement(open, "OPEN C0 USING :V0", &[least], &[]);
    let fetch = task.next_row(cursor, &[id]);
    let close = task.statement(Action::Close { cursor }, "CLOSE C0", &[], &[]);
    const QUERY: &str = "SELECT ID FROM ACCT WHERE ID > ? FOR UPDATE OF NAME";
    assert_eq!(task.prepare("S1", QUERY), 0);
    task.set(0, 1);
    assert_eq!((task.run(open), task.run(fetch), task.number(1)), (0, 0, 2));
    assert_eq!(task.prepare("S1", QUERY), -519);
    assert_eq!(task.immediate("UPDATE ACCT SET NAME = 'NEW' WHERE CURRENT OF C0"), 0);
    assert_eq!(task.immediate("UPDATE ACCT SET NAME = 'NEW' WHERE CURRENT OF C9"), -504);
    assert_eq!([task.run(fetch), task.run(fetch), task.run(close)], [0, 100, 0]);
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT WHERE NAME = 'NEW' AND ID = 2"), 1);
}

#[test]
fn a_prepared_statement_sees_what_definitions_have_changed_since() {
    let region = Region::new(TABLES);
    let (mut task, mut other) = (region.task(), region.task());
    assert_eq!(task.prepare("S1", "UPDATE ACCT SET AMOUNT = 7 WHERE NAME = 'ADA'"), 0);
    let update = execute(&mut task, "S1", &[]);
    assert_eq!(task.run(update), 0);
    task.commit();
    assert_eq!(other.immediate("CREATE UNIQUE INDEX XWHOLE ON ACCT (NAME, ID)"), 0);
    other.commit();
    assert_eq!(task.run(update), 0);
    task.commit();
    assert_eq!(other.immediate("DROP TABLE ACCT"), 0);
    other.commit();
    assert_eq!(task.run(update), -204);
}

#[test]
fn special_registers_are_what_the_task_has_set() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let name = Variable { name: "N".to_owned(), ..task.variable(Form::Char { length: 8 }, false) };
    let text = "SET :N = CURRENT SCHEMA";
    let ask = task.statement(Action::Row, text, &[], &[name]);
    assert_eq!((task.run(ask), task.text(0).as_str()), (0, "BANK"));
    assert_eq!(task.immediate("SET CURRENT SQLID = 'MILL'"), 0);
    assert_eq!((task.run(ask), task.text(0).as_str()), (0, "MILL"));
    assert_eq!(task.change("DELETE FROM ACCT").0, 0);
    let mut task = task.back_out();
    assert_eq!(task.count("SELECT COUNT(*) INTO :N FROM ACCT"), 3);
    assert_eq!((task.run(ask), task.text(0).as_str()), (0, "MILL"));
}

#[test]
fn a_change_without_where_is_marked() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    for (text, mark) in [("UPDATE ACCT SET AMOUNT = 0", b'W'), ("DELETE FROM ACCT WHERE ID = 1", b' ')] {
        let number = task.dynamic(text);
        assert_eq!(ready(task.execute(number)).sqlca.warnings[4], mark, "{text}");
    }
}

#[test]
fn an_identity_column_numbers_its_rows_and_goes_with_its_table() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    const TABLE: &str = "CREATE TABLE ORDERS (ID INTEGER NOT NULL GENERATED ALWAYS AS IDENTITY (START WITH 5) PRIMARY KEY, PART CHAR(4))";
    assert_eq!(task.immediate(TABLE), 0);
    for part in ["P001", "P002"] {
        assert_eq!(task.change(&format!("INSERT INTO ORDERS (PART) VALUES ('{part}')")), (0, 1));
    }
    assert_eq!(task.change("INSERT INTO ORDERS VALUES (9, 'P003')").0, -798);
    assert_eq!(task.count("SELECT MAX(ID) INTO :N FROM ORDERS"), 6);
    assert_eq!(task.count("SELECT IDENTITY_VAL_LOCAL() INTO :N FROM SYSIBM.SYSDUMMY1"), 6);
    let text = "SELECT ID INTO :N FROM FINAL TABLE (INSERT INTO ORDERS (PART) VALUES ('P003'))";
    assert_eq!(task.count(text), 7);
    task.commit();
    assert_eq!([task.immediate("DROP TABLE ORDERS"), task.immediate(TABLE)], [0, 0]);
    assert_eq!(task.count(text), 5);
}

#[test]
fn a_sequence_gives_each_number_once_over_a_backout_and_a_restart() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    assert_eq!(task.immediate("CREATE SEQUENCE FEW START WITH 1 MAXVALUE 30 NO CYCLE"), 0);
    assert_eq!(task.immediate("CREATE SEQUENCE FEW"), -601);
    task.commit();
    let next = "SELECT NEXT VALUE FOR FEW INTO :N FROM SYSIBM.SYSDUMMY1";
    assert_eq!([task.count(next), task.count(next)], [1, 2]);
    let mut task = task.back_out();
    assert_eq!(task.count("SELECT PREVIOUS VALUE FOR FEW INTO :N FROM SYSIBM.SYSDUMMY1"), 2);
    assert_eq!(task.count(next), 3);
    assert_eq!(task.count("SELECT PREVIOUS VALUE FOR FEW INTO :N FROM SYSIBM.SYSDUMMY1"), 3);
    task.commit();
    drop(task);
    let region = region.restarted();
    let mut task = region.task();
    // Numbers that were noted and not given out are lost with the machine.
    assert_eq!(task.count(next), 21);
    let number = Variable { name: "N".to_owned(), ..task.variable(INT, false) };
    let ask = task.statement(Action::Row, next, &[], &[number]);
    let last = (22..40).map(|_| task.run(ask)).find(|code| *code != 0);
    assert_eq!(last, Some(-359));
    assert_eq!([task.immediate("DROP SEQUENCE FEW"), task.run(ask)], [0, -204]);
}

#[test]
fn a_text_may_be_an_expression() {
    let region = Region::new(TABLES);
    let mut task = region.task();
    let name = task.variable(NAME, false);
    task.storage.0[0] = b"ACCT  ".to_vec();
    let text = "EXECUTE IMMEDIATE 'DELETE FROM ' || :V0 || ' WHERE ID < 3'";
    let delete = task.statement(Action::ExecuteImmediate, text, &[name], &[]);
    task.translated(delete, "SELECT 'DELETE FROM ' || $1 || ' WHERE ID < 3'");
    assert_eq!(ready(task.execute(delete)).sqlca.details[2], 2);
    let action = Action::SetRegister { name: "SCHEMA".to_owned() };
    let set = task.statement(action, "SET CURRENT SCHEMA = LOWER(USER)", &[], &[]);
    task.translated(set, "SELECT lower(db2.user())");
    assert_eq!(task.run(set), 0);
    let schema = Variable { name: "S".to_owned(), ..task.variable(Form::Char { length: 9 }, false) };
    let ask = task.statement(Action::Row, "SET :S = CURRENT SCHEMA", &[], &[schema]);
    assert_eq!((task.run(ask), task.text(1).as_str()), (0, "syncpoint"));
}
