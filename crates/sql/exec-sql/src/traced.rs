//! Statements in traces: each is a span, under the names that the conventions have for databases.
//!
//! PostgreSQL itself gets nothing of a trace: a comment in each statement would make each another one, and none could be prepared
//! once and used again.

use attachment::{Done, Failed};
use kernel::spans::ClientSpan;
use kernel::task::Task;
use otlp::Value;

use crate::here::Asked;

/// A statement begins. Its text is the program's own, with the names of host variables and without what they hold.
pub(crate) fn asks(task: &Task, asked: &Asked) -> Option<Box<ClientSpan>> {
    let statement = asked.package.statement(asked.number);
    let text = statement.map_or("", |statement| statement.text.as_str());
    let operation = text.split_whitespace().next().unwrap_or("SQL").to_ascii_uppercase();
    let mut span = task.asks(|| operation.clone())?;
    span.tells("db.system.name", Value::text("postgresql"));
    span.tells("db.operation.name", Value::text(operation));
    span.tells("db.query.text", Value::text(text));
    span.tells("cics.program", Value::text(asked.package.program.as_str()));
    Some(span)
}

/// It has come to this.
pub(crate) fn answered(span: Option<Box<ClientSpan>>, done: &Result<Done, Failed>) {
    let Some(mut span) = span else { return };
    match done {
        Ok(Done { sqlca, .. }) => {
            span.tells("cics.sqlcode", Value::Count(sqlca.code.into()));
            if sqlca.code < 0 {
                let state = String::from_utf8_lossy(&sqlca.state).into_owned();
                span.tells("db.response.status_code", Value::text(state));
                span.fails(format!("SQLCODE {}", sqlca.code));
            }
        }
        Err(failed) => span.fails(failed.to_string()),
    }
}
