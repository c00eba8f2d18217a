//! Questions to a database about a package: each statement is prepared, nothing is executed, and each error gets a
//! place in the user's text.

use crate::package::{Action, Form, Package, Spot, Statement, Text};

/// A statement to be prepared.
#[derive(Clone, Debug)]
pub struct Question<'p> {
    /// The statement.
    pub statement: &'p Statement,
    package: &'p Package,
    sql: &'p Text,
}

/// The name under which statements are prepared.
const NAME: &str = "db2_check";

impl Package {
    /// The statements that PostgreSQL's PREPARE takes.
    pub fn questions(&self) -> impl Iterator<Item = Question<'_>> {
        self.statements.iter().filter_map(|statement| {
            let sql = preparable(statement)?;
            Some(Question { statement, package: self, sql })
        })
    }
}

impl Question<'_> {
    /// Prepares the statement and forgets it again.
    pub fn script(&self) -> String {
        format!("{}{};\nDEALLOCATE {NAME}", self.front(), self.sql.sql)
    }

    /// Words in front of the statement's own text.
    fn front(&self) -> String {
        let types =
            self.statement.inputs.iter().map(|variable| type_name(variable.form).unwrap_or("unknown"));
        let types: Vec<&str> = types.take(markers(&self.sql.sql)).collect();
        match types.as_slice() {
            [] => format!("PREPARE {NAME} AS "),
            types => format!("PREPARE {NAME} ({}) AS ", types.join(", ")),
        }
    }

    /// The user's source and the place in it that an objection is about, by its position in the script (a character, from
    /// 1; 0: it says none). A position outside of the statement's own words is that of the whole statement.
    pub fn place(&self, position: u32) -> (&str, Spot) {
        let own = position.checked_sub(self.front().chars().count() as u32).filter(|own| *own > 0);
        let spot = own.and_then(|own| self.sql.spot(own)).filter(|spot| spot.line > 0);
        let spot = spot.unwrap_or(self.statement.at);
        (self.package.sources.get(usize::from(spot.source)).map_or("", String::as_str), spot)
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
    // A declared temporary table is there only while the program runs.
    let is_there = !statement.sql.sql.contains("pg_temp.");
    (prepares && is_there && !statement.sql.sql.is_empty()).then_some(&statement.sql)
}

/// The greatest `$n` of a text: inputs behind it are no parameters (FOR n ROWS).
fn markers(sql: &str) -> usize {
    let numbers = sql.split('$').skip(1).filter_map(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest[..digits].parse::<usize>().ok()
    });
    numbers.max().unwrap_or(0)
}

/// The type that a host variable gives its parameter; `None`: PostgreSQL finds it, for texts are compared with everything.
pub fn type_name(form: Form) -> Option<&'static str> {
    Some(match form {
        Form::Binary { scale: 0, bytes: 2, .. } => "int2",
        Form::Binary { scale: 0, bytes: 4, .. } => "int4",
        Form::Binary { scale: 0, .. } => "int8",
        Form::Packed { scale: 0, digits: ..=18, .. } | Form::Zoned { scale: 0, digits: ..=18, .. } => "int8",
        Form::Binary { .. } | Form::Packed { .. } | Form::Zoned { .. } => "numeric",
        Form::Float { bytes: 4, .. } => "float4",
        Form::Float { .. } => "float8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::{Mark, Variable};

    #[test]
    fn an_objection_is_at_the_users_word() {
        let spot = |line, column| Spot { source: 0, line, column, width: 6 };
        let sql = Text {
            sql: "SELECT NOSUCH FROM T WHERE A = $1".into(),
            marks: vec![Mark { from: 0, spot: spot(7, 12) }, Mark { from: 7, spot: spot(8, 20) }],
        };
        let form = Form::Binary { bytes: 4, digits: 9, scale: 0, signed: true };
        let input = Variable { name: "A".into(), argument: 0, offset: 0, form, indicator: None, array: None };
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
        let sources = vec!["A.cbl".to_string()];
        let package = Package { sources, statements: vec![statement], ..Package::default() };
        let question = package.questions().next().expect("a question");
        let script = question.script();
        assert!(script.starts_with("PREPARE db2_check (int4) AS SELECT NOSUCH"));
        let position = script.find("NOSUCH").expect("the column") as u32 + 1;
        assert_eq!(question.place(position), ("A.cbl", spot(8, 20)));
        assert_eq!(question.place(0), ("A.cbl", spot(7, 12)));
    }
}
