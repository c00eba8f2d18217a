//! Tables in memory, and statements run over them.

use std::sync::Arc;

use db2::{Arithmetic, Letters, Token};
use db2_run::{Failed, Limits, Plan, Run, Step};
use db2_syntax::tree::Statement;
use db2_syntax::{Catalogue, Setting, Type, Variable, read};
use db2_values::{Order, Timestamp, Value, text_of};

use crate::memory::{Cursor, Memory};

/// Tables with their rows, and the way in which statements run over them.
pub struct Tables {
    pub catalogue: Catalogue,
    pub rows: Memory,
    pub limits: Limits,
    pub order: Order,
}

/// A type of host variables by the first letter of their names.
fn variable(token: &Token) -> Option<Variable> {
    let letter = token.text.bytes().find(u8::is_ascii_alphabetic)?;
    let kind = match letter {
        b'N' => Type::Integer,
        b'D' => Type::Decimal { precision: 9, scale: 4 },
        b'T' => Type::Char(12),
        _ => return None,
    };
    Some(Variable { number: u32::from(letter), kind })
}

/// The outcome of a statement.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    /// Rows of results as text, NULL as `-`.
    pub rows: Vec<String>,
    pub count: u64,
    /// Number of times that it gave way, and that it waited.
    pub turns: u32,
    pub waits: u32,
}

impl Tables {
    pub fn new(definitions: &[&str]) -> Self {
        let mut tables = Self {
            catalogue: Catalogue::default(),
            rows: Memory::default(),
            limits: Limits::default(),
            order: Order::default(),
        };
        for text in definitions {
            match tables.read(text) {
                Statement::CreateTable(create) => assert!(tables.catalogue.create_table(create)),
                Statement::CreateIndex(create) => assert!(tables.catalogue.create_index(create)),
                Statement::CreateView(view) => assert!(tables.catalogue.create_view(view)),
                other => panic!("{other:?}"),
            }
        }
        tables.rows.catalogue = tables.catalogue.clone();
        tables
    }

    pub fn read(&self, text: &str) -> Statement {
        let setting =
            Setting { catalogue: &self.catalogue, arithmetic: Arithmetic::default(), variables: &variable };
        read(&Letters::plain(text), &setting).unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
    }

    pub fn plan(&self, text: &str) -> Arc<Plan> {
        Arc::new(
            Plan::of(&self.read(text), &self.catalogue).unwrap_or_else(|none| panic!("{text}: {none:?}")),
        )
    }

    pub fn setting(&self) -> db2_values::Setting {
        let now = Timestamp::parse(b"2026-11-29-10.30.00").expect("a timestamp");
        db2_values::Setting { order: self.order, ..db2_values::Setting::at(now) }
    }

    pub fn start(&self, text: &str, variables: Vec<Value>) -> Run<Cursor, i32> {
        Run::new(self.plan(text), variables, self.setting(), self.limits)
    }

    /// Runs a statement to its end.
    pub fn run(&mut self, text: &str, variables: Vec<Value>) -> Result<Outcome, Failed<i32>> {
        let mut run = self.start(text, variables);
        self.finish(&mut run)
    }

    fn finish(&mut self, run: &mut Run<Cursor, i32>) -> Result<Outcome, Failed<i32>> {
        let mut outcome = Outcome { rows: Vec::new(), count: 0, turns: 0, waits: 0 };
        loop {
            match run.next(&mut self.rows)? {
                Step::Row => outcome.rows.push(shown(run.row(), run.setting())),
                Step::GiveWay => outcome.turns += 1,
                Step::Later => outcome.waits += 1,
                Step::End => break,
            }
        }
        outcome.count = run.count();
        assert_eq!(self.rows.open_cursors, 0, "a cursor stays open");
        Ok(outcome)
    }

    /// The rows of a query.
    #[track_caller]
    pub fn query(&mut self, text: &str) -> Vec<String> {
        self.run(text, Vec::new()).unwrap_or_else(|failed| panic!("{text}: {failed:?}")).rows
    }

    /// The number of rows that a change changes.
    #[track_caller]
    pub fn change(&mut self, text: &str) -> u64 {
        self.run(text, Vec::new()).unwrap_or_else(|failed| panic!("{text}: {failed:?}")).count
    }

    /// The SQLCODE of a statement that fails.
    #[track_caller]
    pub fn code(&mut self, text: &str, variables: Vec<Value>) -> i32 {
        match self.run(text, variables) {
            Err(Failed::Refused(refused)) => refused.code,
            Err(Failed::Rows(code)) => code,
            Ok(outcome) => panic!("{text} does not fail: {outcome:?}"),
        }
    }
}

/// A row as text: values with blanks between them.
fn shown(row: &[Value], setting: &db2_values::Setting) -> String {
    let value = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        value => text_of(value, setting).trim_end().to_owned(),
    };
    row.iter().map(value).collect::<Vec<_>>().join(" ")
}
