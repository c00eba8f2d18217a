//! Savepoints, the ends of units of work, connections.

use super::Executable;
use crate::mistake::Mistake;
use crate::package::Action;
use crate::words::Words;

pub(super) fn read(words: &Words) -> Result<Executable, Mistake> {
    let action = match &*words.list[0].text.to_uppercase() {
        "SAVEPOINT" => {
            Action::Savepoint { name: name(words, 1)?, unique: words.find(2, &["UNIQUE"]).is_some() }
        }
        "RELEASE" if words.is_any(1, &["SAVEPOINT", "TO"]) => {
            let to = usize::from(words.is(1, &["TO"]));
            Action::ReleaseSavepoint { name: name(words, 2 + to)? }
        }
        "CONNECT" if words.is_any(1, &["TO", "RESET"]) => Action::Connect,
        "RELEASE" | "CONNECT" => Action::Connection,
        "ROLLBACK" => match words.find(1, &["TO"]) {
            Some(to) => {
                let at = to + 1 + usize::from(words.is(to + 1, &["SAVEPOINT"]));
                Action::RollbackTo { name: words.host_name(at).map(|(name, _)| name) }
            }
            None => Action::Rollback,
        },
        _ => Action::Commit,
    };
    let has_effects = !matches!(action, Action::Connection | Action::Connect);
    Ok(Executable { has_effects, ..Executable::plain(action) })
}

fn name(words: &Words, at: usize) -> Result<String, Mistake> {
    let name = words.host_name(at).map(|(name, _)| name);
    name.ok_or_else(|| Mistake::new(words.spot(at), "a savepoint has a name"))
}
