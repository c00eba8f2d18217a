//! Plans in words.

use db2_values::Comparison;

use super::access::{Access, Reach};
use super::{Action, Plan, Which};
use crate::rows::Path;

/// A plan in words.
pub(super) fn of(plan: &Plan) -> String {
    let rows = |access: &Access| rows(plan, access);
    match &plan.action {
        Action::Insert(_) => format!("insert into {}", plan.table.name),
        Action::Query(query) => {
            let mut text = rows(&query.source.access);
            if query.is_grouped {
                text += ", one row of all";
            }
            if query.is_distinct {
                text += ", each once";
            }
            if !query.sort.is_empty() {
                text += ", sort";
            }
            if let Some(first) = query.first {
                text += &format!(", first {first}");
            }
            text
        }
        Action::Change(change) => {
            let verb = if change.sets.is_some() { "update" } else { "delete" };
            match &change.which {
                Which::Searched(source) => format!("{verb}: {}", rows(&source.access)),
                Which::Current(cursor) => format!("{verb}: the row of {cursor}"),
            }
        }
    }
}

fn rows(plan: &Plan, access: &Access) -> String {
    let table = &plan.table;
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
