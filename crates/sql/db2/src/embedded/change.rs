//! INSERT, UPDATE, DELETE, MERGE.

use super::number::{Number, row_count};
use super::{Executable, change_of, with_tail};
use crate::mistake::Mistake;
use crate::package::Action;
use crate::print::print;
use crate::rewrite;
use crate::words::Words;

/// Reads a change.
pub(super) fn read(mut words: Words) -> Result<Executable, Mistake> {
    let change = change_of(&words);
    if let Some(at) = words.find(0, &["WHERE", "CURRENT", "OF"]) {
        return positioned(words, at);
    }
    let rows = row_count(&words, 0);
    let mut atomic = true;
    let mut count = None;
    if let Some((at, number)) = rows {
        let mut end = at + 3;
        if words.is(end, &["NOT", "ATOMIC", "CONTINUE", "ON", "SQLEXCEPTION"]) {
            atomic = false;
            end += 5;
        } else if words.is(end, &["ATOMIC"]) {
            end += 1;
        }
        words.cut(at..end);
        count = Some(number);
    }
    let tail = rewrite::statement(&mut words);
    let (text, mut inputs) = print(&words);
    let action = match count {
        Some(number) => Action::ChangeRows { change, rows: number.behind(&mut inputs), atomic },
        None => Action::Change(change),
    };
    Ok(with_tail(Executable::new(action, text, inputs), tail, true))
}

/// UPDATE or DELETE WHERE CURRENT OF C [FOR ROW n OF ROWSET].
fn positioned(mut words: Words, at: usize) -> Result<Executable, Mistake> {
    let change = change_of(&words);
    let Some((name, range)) = words.host_name(at + 3) else {
        return Err(Mistake::new(words.spot(at), "WHERE CURRENT OF without a cursor"));
    };
    let spot = words.spot(range.start).to(words.spot(range.end - 1));
    let row = words.is(range.end, &["FOR", "ROW"]).then(|| Number::at(&words, range.end + 2));
    words.cut(at..words.len());
    let tail = rewrite::statement(&mut words);
    let (text, mut inputs) = print(&words);
    let row = row.flatten().map(|number| number.behind(&mut inputs));
    let action = Action::Positioned { change, cursor: 0, row };
    let executable = with_tail(Executable::new(action, text, inputs), tail, true);
    Ok(Executable { cursor: Some((name, spot)), ..executable })
}
