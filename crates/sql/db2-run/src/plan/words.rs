//! Plans in words.

use db2_syntax::Table;
use db2_syntax::tree::Join;
use db2_syntax::tree::SetOperator;
use db2_values::Comparison;

use super::access::{Access, Reach};
use super::{Action, Asks, Block, Change, Core, From, Insert, Plan, Query};
use crate::rows::Path;

/// A plan in words.
pub(super) fn of(plan: &Plan) -> String {
    action(plan, &plan.action)
}

fn action(plan: &Plan, of: &Action) -> String {
    match of {
        Action::Through(through) => {
            format!("{}, then {}", action(plan, &through.change), query(plan, &through.query))
        }
        Action::Insert(of) => insert(plan, of),
        Action::Query(of) => query(plan, of),
        Action::Change(of) => change(plan, of),
        Action::Merge(merge) => {
            let parts = [
                merge.change.as_ref().map(|of| change(plan, of)),
                merge.insert.as_ref().map(|of| insert(plan, of)),
            ];
            parts.into_iter().flatten().collect::<Vec<_>>().join(", and ")
        }
    }
}

fn insert(plan: &Plan, insert: &Insert) -> String {
    let into = format!("insert into {}", plan.table());
    let is_of_values = insert.query.blocks.iter().all(|block| block.core.levels.is_empty());
    if is_of_values { into } else { format!("{into}: {}", query(plan, &insert.query)) }
}

fn change(plan: &Plan, change: &Change) -> String {
    let verb = if change.sets.is_some() { "update" } else { "delete" };
    match &change.cursor {
        None => format!("{verb}: {}", core(plan, &change.core)),
        Some(cursor) => format!("{verb}: the row of {cursor}"),
    }
}

fn query(plan: &Plan, query: &Query) -> String {
    let blocks: Vec<String> = query.blocks.iter().map(|of| block(plan, of)).collect();
    let mut text = blocks.join(", then ");
    if query.recursion.is_some() {
        text += ", for each of its rows";
    }
    for (operator, _) in query.sets.iter().skip(1) {
        text += match operator {
            SetOperator::Union => ", together",
            SetOperator::Except => ", without those behind",
            SetOperator::Intersect => ", those in both",
        };
    }
    if query.united > 0 {
        text += ", each once";
    }
    if !query.sort.is_empty() {
        text += ", sort";
    }
    if query.offset > 0 {
        text += &format!(", behind {}", query.offset);
    }
    if let Some(first) = query.first {
        text += &format!(", first {first}");
    }
    text
}

fn block(plan: &Plan, block: &Block) -> String {
    let mut text = core(plan, &block.core);
    match &block.groups {
        Some(groups) if groups.keys.is_empty() => text += ", one row of all",
        Some(_) => text += ", groups",
        None => {}
    }
    if block.is_distinct {
        text += ", each once";
    }
    text
}

fn core(plan: &Plan, core: &Core) -> String {
    let levels: Vec<String> = core
        .levels
        .iter()
        .map(|level| {
            let join = if level.join == Join::Left { "left " } else { "" };
            format!("{join}{}", from(plan, &level.from))
        })
        .collect();
    let mut text = if levels.is_empty() { "one row".to_owned() } else { levels.join(", with each ") };
    for (at, slot) in core.slots.iter().enumerate() {
        let when = match &slot.asks {
            _ if core.once.contains(&at) => "once",
            Asks::Compared { is_kept: true, .. } => "kept",
            _ => "each time",
        };
        text += &format!(", {when} ({})", query(plan, &slot.query));
    }
    text
}

fn from(plan: &Plan, from: &From) -> String {
    match from {
        From::Table { table, access, .. } => rows(&plan.tables[*table].table, access),
        From::Query(of, true) => format!("({}) kept", query(plan, of)),
        From::Query(of, false) => format!("({})", query(plan, of)),
        From::Itself(_) => "its own row".to_owned(),
        From::System(rows) if rows.len() == 1 => "one row".to_owned(),
        From::System(_) => "rows of the catalogue".to_owned(),
        From::Changed => "its rows".to_owned(),
    }
}

fn rows(table: &Table, access: &Access) -> String {
    let index = match access.path {
        Path::Scan => return format!("scan of {}", table.name),
        Path::Key => "primary key".to_owned(),
        Path::Index(at) => format!("index {}", table.indexes[at].name),
    };
    let name = |column: usize| &table.columns[column].name;
    let mut said: Vec<String> =
        access.equal.iter().map(|(column, _)| format!("{} =", name(column.column))).collect();
    if let Some((column, reach)) = &access.reach {
        said.extend(reach.iter().map(|reach| format!("{} {}", name(column.column), sign(reach))));
    }
    let said = if said.is_empty() { String::new() } else { format!(" on {}", said.join(", ")) };
    let kind = if access.is_one { "one row" } else { "rows" };
    let way = if access.is_backward { " backward" } else { "" };
    format!("{kind} of {} by {index}{said}{way}", table.name)
}

fn sign(reach: &Reach) -> &'static str {
    match reach {
        Reach::Than(Comparison::Less, _) => "<",
        Reach::Than(Comparison::AtMost, _) => "<=",
        Reach::Than(Comparison::Greater, _) => ">",
        Reach::Than(Comparison::AtLeast, _) => ">=",
        Reach::Than(..) => "=",
        Reach::Like(..) => "LIKE",
    }
}
