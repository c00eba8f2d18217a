//! The statements of a package prepared on a database, and what it objects to at the user's lines.
//!
//! Whoever has a session answers [`Database`]; nothing is executed.

use crate::package::{Action, Form, Package, Spot, Statement, Text};

/// A session that prepares statements.
pub trait Database {
    /// Prepares a statement whose parameters have these types as far as they are known: names of PostgreSQL's types.
    ///
    /// # Errors
    /// What PostgreSQL objects to.
    fn prepare(&mut self, sql: &str, types: &[Option<&'static str>]) -> Result<(), Objection>;
}

/// What PostgreSQL objects to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// Its words.
    pub message: String,
    /// Its SQLSTATE.
    pub sqlstate: String,
    /// The character of the text that it is about, from 1.
    pub position: Option<u32>,
}

/// An objection to a statement of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding<'p> {
    /// The statement.
    pub statement: &'p Statement,
    /// The user's source, by the name that messages show.
    pub source: &'p str,
    /// Where in it: the word that the objection is about, else where the statement begins.
    pub spot: Spot,
    /// What it is.
    pub objection: Objection,
}

impl Package {
    /// Prepares every statement that can be prepared.
    pub fn check(&self, database: &mut dyn Database) -> Vec<Finding<'_>> {
        let mut findings = Vec::new();
        for statement in &self.statements {
            let Some(sql) = preparable(statement) else { continue };
            let types: Vec<Option<&'static str>> =
                statement.inputs.iter().map(|variable| type_name(variable.form)).collect();
            let Err(objection) = database.prepare(&sql.sql, &types) else { continue };
            let position = objection.position.and_then(|position| sql.spot(position));
            let spot = position.filter(|spot| spot.line > 0).unwrap_or(statement.at);
            let source = self.sources.get(usize::from(spot.source)).map_or("", String::as_str);
            findings.push(Finding { statement, source, spot, objection });
        }
        findings
    }
}

/// The text of a statement that PostgreSQL's PREPARE takes.
fn preparable(statement: &Statement) -> Option<&Text> {
    let prepares = match statement.action {
        Action::Row
        | Action::Change(_)
        | Action::ChangeRows { .. }
        | Action::Positioned { .. }
        | Action::Open { .. } => true,
        // Their texts are no statements of the application, or PREPARE does not take them.
        _ => false,
    };
    (prepares && !statement.sql.sql.is_empty()).then_some(&statement.sql)
}

/// The type that a host variable gives its parameter; `None`: PostgreSQL finds it. Texts are compared with everything.
pub fn type_name(form: Form) -> Option<&'static str> {
    Some(match form {
        Form::Binary { scale: 0, bytes: 2, .. } => "int2",
        Form::Binary { scale: 0, bytes: 4, .. } => "int4",
        Form::Binary { scale: 0, .. } => "int8",
        Form::Packed { scale: 0, digits: ..=18, .. } | Form::Zoned { scale: 0, digits: ..=18, .. } => "int8",
        Form::Binary { .. } | Form::Packed { .. } | Form::Zoned { .. } => "numeric",
        Form::Float { bytes: 4 } => "float4",
        Form::Float { .. } => "float8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::{Array, Mark, Variable};

    struct NoSuchColumn;

    impl Database for NoSuchColumn {
        fn prepare(&mut self, sql: &str, types: &[Option<&'static str>]) -> Result<(), Objection> {
            assert_eq!(types, [Some("int4")]);
            let position = sql.find("NOSUCH").map(|at| at as u32 + 1);
            Err(Objection { message: "no such column".into(), sqlstate: "42703".into(), position })
        }
    }

    #[test]
    fn an_objection_is_at_the_users_word() {
        let spot = |line, column| Spot { source: 0, line, column, width: 6 };
        let sql = Text {
            sql: "SELECT NOSUCH FROM T WHERE A = $1".into(),
            marks: vec![Mark { from: 0, spot: spot(7, 12) }, Mark { from: 7, spot: spot(8, 20) }],
        };
        let form = Form::Binary { bytes: 4, digits: 9, scale: 0, signed: true, native: false };
        let array: Option<Array> = None;
        let input = Variable { name: "A".into(), argument: 0, offset: 0, form, indicator: None, array };
        let statement = Statement {
            action: Action::Row,
            sql,
            inputs: vec![input],
            targets: Vec::new(),
            isolation: None,
            has_effects: false,
            at: spot(7, 12),
            text: String::new(),
        };
        let package =
            Package { sources: vec!["A.cbl".into()], statements: vec![statement], ..Package::default() };
        let findings = package.check(&mut NoSuchColumn);
        assert_eq!((findings[0].source, findings[0].spot), ("A.cbl", spot(8, 20)));
    }
}
