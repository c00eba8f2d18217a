//! FROM FINAL TABLE (…), FROM OLD TABLE (…): a query over the rows that a change has made or found.
//!
//! The change is read before the query around it, since the columns of its table are the first of the statement.

use crate::catalogue::Meant;
use crate::change;
use crate::context::{Changed, Context};
use crate::refusal::Refusal;
use crate::tree::{DataChange, Statement};

/// Words before TABLE; true: the rows as they were before.
const WORDS: [(&str, bool); 3] = [("FINAL", false), ("NEW", false), ("OLD", true)];

/// Reads the change of a query, if the query has one, and goes back to its beginning.
pub(crate) fn first(context: &mut Context<'_>) -> Result<(), Refusal> {
    if !context.reader.is_any(&["SELECT", "DECLARE"]) {
        return Ok(());
    }
    let reader = &context.reader;
    let is_there = |ahead: usize| {
        reader.is_ahead(ahead, "FROM")
            && WORDS.iter().any(|(word, _)| reader.is_ahead(ahead + 1, word))
            && reader.is_ahead(ahead + 2, "TABLE")
            && reader.is_ahead(ahead + 3, "(")
    };
    let mut ahead = (0..).take_while(|ahead| reader.peek(*ahead).is_some());
    let Some(ahead) = ahead.find(|ahead| is_there(*ahead)) else { return Ok(()) };
    let begin = context.reader.mark();
    let at = begin + ahead + 1;
    context.reader.go(at);
    let is_old = WORDS.iter().any(|(word, is_old)| context.reader.take(word) && *is_old);
    context.reader.want_all(&["TABLE", "("])?;
    let statement = context.apart(|context| changing(context, is_old))?;
    context.reader.want(")")?;
    let behind = context.reader.mark();
    let change = DataChange { statement: Box::new(statement), is_old };
    context.changed = Some(Changed { at, behind, change });
    context.reader.go(begin);
    Ok(())
}

fn changing(context: &mut Context<'_>, is_old: bool) -> Result<Statement, Refusal> {
    refuse_view(context)?;
    if context.reader.is("INSERT") && !is_old {
        context.reader.want("INSERT")?;
        return change::insert(context).map(Statement::Insert);
    }
    if context.reader.take("UPDATE") {
        return change::update(context).map(Statement::Update);
    }
    if context.reader.is("DELETE") && is_old {
        context.reader.want("DELETE")?;
        return change::delete(context).map(Statement::Delete);
    }
    if context.reader.is("MERGE") {
        return Err(context.reader.not_built("MERGE in a query"));
    }
    let wanted = if is_old { "UPDATE or DELETE" } else { "INSERT or UPDATE" };
    Err(context.reader.unexpected(wanted))
}

/// Refuses a change through a view, whose columns are others than those of its table.
fn refuse_view(context: &mut Context<'_>) -> Result<(), Refusal> {
    let begin = context.reader.mark();
    let is_change = ["INSERT", "UPDATE", "DELETE"].iter().any(|verb| context.reader.take(verb));
    context.reader.take("INTO");
    context.reader.take("FROM");
    if is_change {
        let (schema, name) = context.reader.qualified("a table")?;
        if let Meant::View(_) = context.meant(schema.as_deref(), &name)? {
            return Err(context.reader.not_built("FINAL TABLE or OLD TABLE of a view"));
        }
    }
    context.reader.go(begin);
    Ok(())
}
