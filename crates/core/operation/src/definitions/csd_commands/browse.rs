//! The browses of the texts: lists, groups, groups of a list, resources of a group. A browse sees what was there when it began.

use std::collections::VecDeque;

use csd::{Definition, Verb};
use spec::{cond, opt};

use super::conditions::resp2;
use super::inquire::{attributes, content};
use super::request;
use kernel::exec::value::Value;
use kernel::exec::{Call, Waiting};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{Task, TaskPart};

/// Characters of a name in a program's area.
const NAME_LENGTH: usize = 8;

/// The browses of a task.
#[derive(Default)]
struct Browses {
    lists: Option<VecDeque<String>>,
    groups: Option<VecDeque<String>>,
    groups_of_list: Option<VecDeque<String>>,
    resources: Option<VecDeque<Definition>>,
}

impl TaskPart for Browses {}

fn browses(task: &mut Task) -> &mut Browses {
    task.kept.part::<Browses>()
}

fn begins(conflicts: bool) -> Outcome {
    if conflicts { Err(cond::ILLOGIC.raise(resp2::BROWSES)) } else { Ok(()) }
}

pub(super) fn start_lists<'a>(task: &'a mut Task, _: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let own = browses(task);
        begins(own.lists.is_some() || own.groups.is_some())?;
        let csd = content(task).await?;
        browses(task).lists = Some(csd.lists().map(str::to_owned).collect());
        Ok(())
    })
}

pub(super) fn start_groups<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let list = request(Verb::View, call)?.list;
        let own = browses(task);
        begins(match list {
            None => own.groups.is_some() || own.lists.is_some(),
            Some(_) => own.groups_of_list.is_some() || own.resources.is_some(),
        })?;
        let csd = content(task).await?;
        match list {
            None => browses(task).groups = Some(csd.groups().map(str::to_owned).collect()),
            Some(list) if csd.list(&list).is_empty() => return Err(cond::NOTFND.raise(resp2::LIST)),
            Some(list) => browses(task).groups_of_list = Some(csd.list(&list).iter().cloned().collect()),
        }
        Ok(())
    })
}

pub(super) fn start_resources<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let group = request(Verb::View, call)?.group.unwrap_or_default();
        let own = browses(task);
        begins(own.resources.is_some() || own.groups_of_list.is_some())?;
        let csd = content(task).await?;
        if csd.group(&group).is_empty() {
            return Err(cond::NOTFND.raise(resp2::GROUP));
        }
        browses(task).resources = Some(csd.group(&group).iter().cloned().collect());
        Ok(())
    })
}

/// The next of a browse.
fn next<T>(browse: &mut Option<VecDeque<T>>) -> Outcome<T> {
    let browse = browse.as_mut().ok_or_else(|| cond::ILLOGIC.raise(resp2::NO_BROWSE))?;
    browse.pop_front().ok_or_else(|| cond::END.raise(resp2::NO_MORE))
}

fn ended<T>(browse: &mut Option<VecDeque<T>>) -> Outcome {
    browse.take().map(drop).ok_or_else(|| cond::ILLOGIC.raise(resp2::NO_BROWSE))
}

pub(super) fn next_list(task: &mut Task, call: &Call<'_>) -> Outcome {
    let list = next(&mut browses(task).lists)?;
    call.put_value(opt::LIST, &Value::padded(&list, NAME_LENGTH))
}

pub(super) fn next_group(task: &mut Task, call: &Call<'_>) -> Outcome {
    let own = browses(task);
    let group = next(if call.given(opt::LIST) { &mut own.groups_of_list } else { &mut own.groups })?;
    call.put_value(opt::GROUP, &Value::padded(&group, NAME_LENGTH))
}

pub(super) fn next_resource(task: &mut Task, call: &Call<'_>) -> Outcome {
    let definition = next(&mut browses(task).resources)?;
    call.put_value(opt::RESID, &Value::padded(&definition.name, NAME_LENGTH))?;
    if call.given(opt::RESTYPE) {
        call.put_value(opt::RESTYPE, &Value::Cvda(definition.resource.name()))?;
    }
    if call.given(opt::GROUP) {
        call.put_value(opt::GROUP, &Value::padded(&definition.group, NAME_LENGTH))?;
    }
    attributes(&definition, call)
}

pub(super) fn end_lists(task: &mut Task, _: &Call<'_>) -> Outcome {
    ended(&mut browses(task).lists)
}

pub(super) fn end_groups(task: &mut Task, call: &Call<'_>) -> Outcome {
    let own = browses(task);
    ended(if call.keyword(opt::LIST) { &mut own.groups_of_list } else { &mut own.groups })
}

pub(super) fn end_resources(task: &mut Task, _: &Call<'_>) -> Outcome {
    ended(&mut browses(task).resources)
}

/// CSD DISCONNECT: the task has no browses any more.
pub(super) fn disconnect(task: &mut Task, _: &Call<'_>) -> Outcome {
    *browses(task) = Browses::default();
    Ok(())
}
