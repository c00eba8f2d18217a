//! Statements of packages as sessions of one thread know them.

use ebcdic::Characters;
use std::rc::Rc;

use db2::package::{Package, Statement as Source};
use foldhash::HashMap;
use sql::Statement;
use sql::value::sent;

use crate::form;

/// The number of statements that a thread remembers; when it is reached, the thread forgets them all.
const STATEMENTS_MAX: usize = 10_000;

/// Statements by the package's token, the statement's number and the text after their own.
#[derive(Default)]
pub(crate) struct Statements(HashMap<(u64, u16, String), Rc<Statement>>);

impl Statements {
    /// The statement of a number, with some more text after its own.
    pub(crate) fn get(&mut self, token: u64, number: u16, source: &Source, more: &str) -> Rc<Statement> {
        if self.0.len() >= STATEMENTS_MAX {
            self.0.clear();
        }
        let key = (token, number, more.to_owned());
        let made = self.0.entry(key).or_insert_with(|| {
            let count = parameters(source);
            let kind = |form| form::field(form).map_or(0, |field| field.type_of_parameter());
            let types: Vec<u32> = source.inputs.iter().take(count).map(|input| kind(input.form)).collect();
            Statement::new(sent(&format!("{}{more}", source.sql.sql)), &types)
        });
        Rc::clone(made)
    }
}

/// Returns the number of a statement's inputs that are parameters of its text: other inputs follow them.
pub(crate) fn parameters(source: &Source) -> usize {
    use db2::package::{Action, Count, Orientation};
    let counts = |count: &Count| usize::from(matches!(count, Count::Input(_)));
    let others = match &source.action {
        Action::ChangeRows { rows, .. } => counts(rows),
        Action::Positioned { row: Some(row), .. } | Action::Execute { rows: Some(row), .. } => counts(row),
        Action::Prepare { attributes: Some(_), .. } => 1,
        Action::Fetch { orientation, rows, .. } => {
            let orientation = match orientation {
                Orientation::Absolute(count) | Orientation::Relative(count) => counts(count),
                _ => 0,
            };
            orientation + rows.as_ref().map_or(0, counts)
        }
        _ => 0,
    };
    source.inputs.len() - others.min(source.inputs.len())
}

/// The texts that programs have.
pub(crate) const SESSION: Characters = Characters::Latin1;

/// The package's statement of a number from 1.
pub(crate) fn find(package: &Package, number: u16) -> Option<&Source> {
    package.statement(number)
}
