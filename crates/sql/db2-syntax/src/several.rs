//! The words of statements about several rows. How many is the program's to say when they run: here they are only read.

use db2::Kind;

use crate::context::Context;
use crate::refusal::Refusal;

/// Reads `n ROWS` and what follows it, behind FOR of an INSERT.
pub(crate) fn rows(context: &mut Context<'_>) -> Result<(), Refusal> {
    number(context)?;
    if !context.reader.take("ROW") {
        context.reader.want("ROWS")?;
    }
    if context.reader.take_all(&["NOT", "ATOMIC"]) {
        return context.reader.want_all(&["CONTINUE", "ON", "SQLEXCEPTION"]);
    }
    context.reader.take("ATOMIC");
    Ok(())
}

/// Reads `ROW n OF ROWSET`, behind FOR of a positioned change.
pub(crate) fn row_of_rowset(context: &mut Context<'_>) -> Result<(), Refusal> {
    context.reader.want("ROW")?;
    number(context)?;
    context.reader.want_all(&["OF", "ROWSET"])
}

fn number(context: &mut Context<'_>) -> Result<(), Refusal> {
    if context.reader.peek(0).is_some_and(|token| token.kind == Kind::Host) {
        context.reader.next();
        return Ok(());
    }
    context.reader.unsigned("a number").map(|_| ())
}
