//! Groups of records with the same values: SELECT, UNIQUE, OCCUR.

use access::Client;

use crate::dd::Dds;
use crate::output::Output;
use crate::sort::{Field, Plan, Route, gave_up, sorter, taken};
use crate::utility_records::{Desk, Failed};

use super::ToolTarget;
use super::operators::Chosen;

/// Bytes of the records of one group that are held until its size is known.
const GROUP_MAX: usize = 256 << 20;

/// Bytes by which records come in the order of their fields.
fn key(fields: &[Field], record: &[u8]) -> Vec<u8> {
    fields.iter().flat_map(|field| field.ordered(record)).collect()
}

fn key_length(fields: &[Field]) -> usize {
    fields.iter().map(Field::ordered_length).sum()
}

/// Takes the first record of a group and its size.
type GroupTaker<'t> = &'t mut dyn FnMut(&[u8], &mut Client, u64) -> Result<(), Failed>;

/// Gives the first record of each group, in the order of the fields, and the group's size.
pub(super) fn each(
    fields: &[Field],
    plan: &Plan,
    route: &Route,
    client: &mut Client,
    group: GroupTaker<'_>,
) -> Result<(), Failed> {
    let length = key_length(fields);
    let mut sorter = sorter(length);
    taken(plan, route, client, &mut |_, record| {
        let whole = [key(fields, &record), record].concat();
        sorter.release(whole).map(drop).map_err(gave_up)
    })?;
    sorter.turn().map_err(gave_up)?;
    let mut open: Option<(Vec<u8>, u64)> = None;
    while let Some(whole) = sorter.next().map_err(gave_up)? {
        match &mut open {
            Some((first, size)) if first[..length] == whole[..length] => *size += 1,
            _ => {
                if let Some((first, size)) = open.replace((whole, 1)) {
                    group(&first[length..], client, size)?;
                }
            }
        }
    }
    match open {
        Some((first, size)) => group(&first[length..], client, size),
        None => Ok(()),
    }
}

/// Writes the records that are chosen, and the others, each to its target, if it has one.
pub(super) fn select(
    fields: &[Field],
    chosen: Chosen,
    targets: [Option<&str>; 2],
    (plan, route): (&Plan, &Route),
    desk: &mut Desk<'_>,
) -> Result<(), Failed> {
    let Desk { dds, client, output } = desk;
    let (client, output) = (&mut **client, &mut **output);
    let length = key_length(fields);
    let mut sorter = sorter(length);
    let read = taken(plan, route, client, &mut |_, record| {
        let whole = [key(fields, &record), record].concat();
        sorter.release(whole).map(drop).map_err(gave_up)
    })?;
    sorter.turn().map_err(gave_up)?;
    let mut writing = Writing::open(targets, plan, route, dds, client)?;
    let mut group: Vec<Vec<u8>> = Vec::new();
    let mut bytes = 0;
    loop {
        let next = sorter.next().map_err(gave_up)?;
        let is_same = match (&next, group.first()) {
            (Some(next), Some(first)) => next[..length] == first[..length],
            (_, None) => true,
            (None, Some(_)) => false,
        };
        if !is_same {
            let size = group.len() as u64;
            for (record, place) in group.drain(..).zip(0..) {
                writing.write(&record[length..], chosen.takes(place, size), client, output)?;
            }
            bytes = 0;
        }
        let Some(next) = next else { break };
        bytes += next.len();
        if bytes > GROUP_MAX {
            let what = format!("the records with one value have more than {} MB", GROUP_MAX >> 20);
            return Err(Failed::Other(what));
        }
        group.push(next);
    }
    let written = writing.finish(client)?;
    output.display(&format!("RECORDS - IN: {read}, OUT: {written}"));
    Ok(())
}

/// The targets of SELECT while they are written.
struct Writing {
    targets: [Option<ToolTarget>; 2],
    front: usize,
    written: u64,
}

impl Writing {
    fn open(
        targets: [Option<&str>; 2],
        plan: &Plan,
        route: &Route,
        dds: &Dds,
        client: &mut Client,
    ) -> Result<Self, Failed> {
        let mut open = [None, None];
        for (target, ddname) in open.iter_mut().zip(targets) {
            if let Some(ddname) = ddname {
                *target = Some(ToolTarget::open(ddname, plan.shape(route), dds, client)?);
            }
        }
        Ok(Self { targets: open, front: route.front(), written: 0 })
    }

    fn write(
        &mut self,
        record: &[u8],
        is_chosen: bool,
        client: &mut Client,
        output: &mut dyn Output,
    ) -> Result<(), Failed> {
        let [to, discard] = &mut self.targets;
        self.written += u64::from(is_chosen);
        match if is_chosen { to } else { discard } {
            Some(target) => {
                target.write(record.get(self.front..).unwrap_or_default().to_vec(), client, output)
            }
            None => Ok(()),
        }
    }

    fn finish(self, client: &mut Client) -> Result<u64, Failed> {
        for target in self.targets.into_iter().flatten() {
            target.finish(client)?;
        }
        Ok(self.written)
    }
}
