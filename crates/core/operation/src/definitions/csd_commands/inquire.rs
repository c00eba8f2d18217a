//! CSD INQUIREGROUP, INQUIRELIST and INQUIRERSRCE.

use csd::{Csd, Definition, Verb};
use spec::{cond, opt};

use super::conditions::{raised, resp2};
use super::request;
use crate::definitions::{Shelf, name_bytes};
use kernel::exec::{Call, Waiting};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::registry::Manager;
use kernel::task::Task;

/// The content of the texts.
pub(super) async fn content(task: &Task) -> Outcome<Csd> {
    Shelf::read(&Manager::of(task)).await?.map_err(raised)
}

pub(super) fn group<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let asked = request(Verb::View, call)?;
        let csd = content(task).await?;
        let group = asked.group.unwrap_or_default();
        let Some(list) = asked.list else {
            return found(!csd.group(&group).is_empty(), resp2::GROUP);
        };
        found(!csd.list(&list).is_empty(), resp2::LIST)?;
        found(csd.list(&list).contains(&group), resp2::GROUP)
    })
}

pub(super) fn list<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let list = request(Verb::View, call)?.list.unwrap_or_default();
        found(!content(task).await?.list(&list).is_empty(), resp2::LIST)
    })
}

pub(super) fn resource<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let asked = request(Verb::View, call)?;
        let csd = content(task).await?;
        let group = csd.group(asked.group.as_deref().unwrap_or_default());
        found(!group.is_empty(), resp2::GROUP)?;
        let is_it = |d: &&Definition| Some(d.resource) == asked.resource && d.name == asked.name;
        let definition = group.iter().find(is_it).ok_or_else(|| cond::NOTFND.raise(resp2::RESTYPE))?;
        attributes(definition, call)
    })
}

fn found(is_there: bool, resp2: i32) -> Outcome {
    if is_there { Ok(()) } else { Err(cond::NOTFND.raise(resp2)) }
}

/// Gives a program the attributes of a definition, defaults included: ATTRLEN is the room, and then their length.
pub(super) fn attributes(definition: &Definition, call: &Call<'_>) -> Outcome {
    if !call.given(opt::ATTRIBUTES) {
        return Ok(());
    }
    let text = name_bytes(&definition.complete_text());
    let room = match call.given(opt::ATTRLEN) {
        true => call.number(opt::ATTRLEN)?.and_then(|length| usize::try_from(length).ok()).unwrap_or(0),
        false => call.size(opt::ATTRIBUTES),
    };
    if call.given(opt::ATTRLEN) {
        call.put_number(opt::ATTRLEN, i64::try_from(text.len()).unwrap_or(i64::MAX))?;
    }
    call.put_area(opt::ATTRIBUTES, &text[..text.len().min(room)])?;
    if text.len() > room { Err(cond::LENGERR.raise(resp2::LENGTH)) } else { Ok(()) }
}
