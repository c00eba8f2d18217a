//! CSD INSTALL: a resource, a group or a list.

use csd::{Csd, Definition, Request, Verb};
use spec::cond;

use super::conditions::{raised, resp2};
use super::request;
use crate::definitions::{NotMade, Shelf, install_one};
use kernel::exec::{Call, Waiting};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::Manager;
use kernel::task::Task;

/// RESP2 of INCOMPLETE.
const SOME: i32 = 1;

pub(super) fn install<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let asked = request(Verb::Install, call)?;
        let by = Manager::of(task);
        let csd = Shelf::read(&by).await?.map_err(raised)?;
        let chosen = chosen(&csd, &asked)?;
        let mut refused = Vec::new();
        for definition in &chosen {
            if let Err(not_made) = install_one(&by, definition).await {
                refused.push(note(definition, not_made)?);
            }
        }
        match refused.pop() {
            None => task.syncpoint().await,
            Some(raise) => {
                task.rollback().await;
                Err(if asked.resource.is_some() { raise } else { cond::INCOMPLETE.raise(SOME) })
            }
        }
    })
}

/// Logs why a definition is not installed. An abend goes on.
fn note(definition: &Definition, NotMade { raise, why }: NotMade) -> Outcome<Raise> {
    if !matches!(raise, Raise::Condition(..)) {
        return Err(raise);
    }
    let Definition { resource, name, group, .. } = definition;
    tracing::warn!(target: "RD", "{resource} {name} of group {group} is not installed: {why}");
    Ok(raise)
}

/// The definitions that a request means, each once.
pub(crate) fn chosen(csd: &Csd, asked: &Request) -> Outcome<Vec<Definition>> {
    let (name, missing) = match (&asked.list, &asked.group) {
        (Some(list), _) if !csd.list(list).is_empty() => (list, 0),
        (Some(list), _) => (list, resp2::LIST),
        (None, Some(group)) if !csd.group(group).is_empty() => (group, 0),
        (None, Some(group)) => (group, resp2::GROUP),
        (None, None) => return Err(cond::INVREQ.raise(resp2::GROUP)),
    };
    if missing != 0 {
        return Err(cond::NOTFND.raise(missing));
    }
    let fits = |d: &&&Definition| asked.resource.is_none_or(|of| d.resource == of && d.name == asked.name);
    let (all, _) = csd.installed(&[name]);
    let chosen: Vec<Definition> = all.iter().filter(fits).map(|d| (*d).clone()).collect();
    if chosen.is_empty() { Err(cond::NOTFND.raise(resp2::RESTYPE)) } else { Ok(chosen) }
}
