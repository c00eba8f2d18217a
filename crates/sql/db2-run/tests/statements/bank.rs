//! The project's table of statements, 229 of them, as its judge has them: everything that is read has a plan, and comes to its end.

use db2::{Arithmetic, Letters, Token};
use db2_run::{Failed, Plan, Run, Step};
use db2_syntax::tree::Statement;
use db2_syntax::{Refusal, Setting, Type, Variable, read};
use db2_values::{Decimal, Value};

use crate::tables::Tables;

fn bank() -> Tables {
    let mut tables = Tables::new(&[
        "CREATE TABLE CONTACT (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(20) NOT NULL WITH DEFAULT, NOTE VARCHAR(100),
         AMOUNT DECIMAL(11,2) NOT NULL WITH DEFAULT 0, STAMP TIMESTAMP NOT NULL WITH DEFAULT, BORN DATE, OPENS TIME)",
        "CREATE TABLE PAYEE (PAYEE# SMALLINT NOT NULL WITH DEFAULT, CONTACT INTEGER NOT NULL, KIND CHAR(1) NOT NULL
         CHECK (KIND IN ('P', 'C')), LIMIT DECIMAL(9,0), TOKEN CHAR(8) FOR BIT DATA, CONSTRAINT PPAYEE PRIMARY KEY (PAYEE#),
         FOREIGN KEY FCONTACT (CONTACT) REFERENCES BANK.CONTACT (ID) ON DELETE RESTRICT ENFORCED)",
    ]);
    for text in [
        "INSERT INTO CONTACT (ID, NAME, NOTE, AMOUNT, BORN, OPENS) VALUES (1, '1234 A', 'out of', 12.5, '2000-02-29', '09.00.00')",
        "INSERT INTO CONTACT (ID, NAME, AMOUNT) VALUES (2, '7', -3)",
        "INSERT INTO PAYEE VALUES (1, 1, 'P', 700, X'C1C2C30000000000')",
    ] {
        assert_eq!(tables.change(text), 1, "{text}");
    }
    tables
}

/// The statement, its variables taken for characters, or for numbers, or for numbers by their names.
fn statement(tables: &Tables, text: &str) -> Result<Statement, Refusal> {
    let number = Type::Decimal { precision: 9, scale: 2 };
    let by_name =
        |token: &Token| if "DJKMNPW".contains(&token.text[..1]) { number } else { Type::VarChar(10) };
    let ways: [&dyn Fn(&Token) -> Type; 3] = [&by_name, &|_| number, &|_| Type::VarChar(10)];
    let way = |of: &&dyn Fn(&Token) -> Type| {
        let variables = |token: &Token| Some(Variable { number: 1, kind: of(token) });
        let setting = Setting {
            catalogue: &tables.catalogue,
            arithmetic: Arithmetic::default(),
            variables: &variables,
        };
        read(&Letters::plain(text), &setting)
    };
    ways[1..]
        .iter()
        .fold(way(&ways[0]), |found, next| found.or_else(|refusal| way(next).map_err(|_| refusal)))
}

fn run(tables: &mut Tables, plan: Plan) -> Result<(), Failed<i32>> {
    let value = |(_, kind): &(u32, Type)| match kind {
        Type::Decimal { .. } => Value::Decimal(Decimal { unscaled: 100, scale: 2 }),
        _ => Value::text("1"),
    };
    let variables = plan.variables().iter().map(value).collect();
    let is_positioned = plan.cursor().is_some();
    let mut run = Run::new(plan.into(), variables, tables.setting(), tables.limits);
    let mut steps = 0;
    loop {
        steps += 1;
        assert!(steps < 1000 && !is_positioned || steps == 1, "it does not end");
        if run.next(&mut tables.rows)? == Step::End {
            return Ok(());
        }
    }
}

#[test]
fn what_is_read_comes_to_its_end() {
    let statements = include_str!("../../../db2/tests/data/statements.sql");
    let (mut done, mut failed) = (0, Vec::new());
    for text in statements.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut tables = bank();
        let Ok(statement) = statement(&tables, text) else { continue };
        if !matches!(
            statement,
            Statement::Query(_)
                | Statement::Cursor(_)
                | Statement::Insert(_)
                | Statement::Update(_)
                | Statement::Delete(_)
                | Statement::Merge(_)
        ) {
            continue;
        }
        let plan = Plan::of(&statement, &tables.catalogue).unwrap_or_else(|none| panic!("{text}: {none:?}"));
        match run(&mut tables, plan) {
            Ok(()) => done += 1,
            Err(Failed::Refused(refused)) => failed.push(format!("{} {text}", refused.code)),
            Err(Failed::Rows(code)) => failed.push(format!("{code} {text}")),
        }
        assert_eq!(tables.rows.open_cursors, 0, "{text}");
    }
    assert_eq!((done, failed.len()), (107, 21), "{failed:#?}");
    // By the values that these have: rows that are there already, texts that are no dates, a contact with a payee, cursors on no row.
    let codes: Vec<&str> = failed.iter().filter_map(|failed| failed.split(' ').next()).collect();
    assert_eq!(
        codes,
        [
            "-420", "-180", "-20448", "-20448", "-180", "-803", "-803", "-803", "-803", "-407", "-508",
            "-508", "-508", "-508", "-532", "-532", "-803", "-545", "-532", "-803", "-803"
        ],
        "{failed:#?}"
    );
}
