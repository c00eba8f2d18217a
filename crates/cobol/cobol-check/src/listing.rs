//! The listing: every record with offsets, lengths and types, and where each name is used.

use std::collections::HashMap;
use std::fmt::Write as _;

use cobol_data::{Area, Item, ItemId, Numeric, Type, Utf8Length};
use cobol_source::At;

use crate::names::NameTarget;
use crate::{Checked, CheckedProgram};

/// Columns that a line of references fills.
const WIDTH: usize = 118;

/// The listing of all programs of a source.
pub fn listing(checked: &Checked) -> String {
    let mut out = String::new();
    for program in &checked.programs {
        Listing { checked, program, references: references(program) }.write(&mut out);
    }
    out
}

/// The uses of each target, in the order of the source.
fn references(program: &CheckedProgram) -> HashMap<NameTarget, Vec<(At, bool)>> {
    let mut all: HashMap<NameTarget, Vec<(At, bool)>> = HashMap::new();
    for one in &program.uses {
        all.entry(one.target).or_default().push((one.at, one.changes));
    }
    all
}

struct Listing<'a> {
    checked: &'a Checked,
    program: &'a CheckedProgram,
    references: HashMap<NameTarget, Vec<(At, bool)>>,
}

impl Listing<'_> {
    fn write(&self, out: &mut String) {
        let _ = writeln!(out, "PROGRAM {}\n", self.program.syntax.name.text);
        self.data(out);
        self.files(out);
        self.procedures(out);
        for program in &self.program.contained {
            Listing { checked: self.checked, program, references: references(program) }.write(out);
        }
    }

    fn data(&self, out: &mut String) {
        let mut area = None;
        for &record in &self.program.records {
            let own = self.program.items.get(record).area;
            if area != Some(own) {
                area = Some(own);
                let _ = writeln!(out, "{}\n", self.heading(own));
                let _ = writeln!(
                    out,
                    "  {:<38} {:>7} {:>7}  {:<34} {:<16} references (* may change it)",
                    "item", "offset", "length", "type", "described"
                );
            }
            self.item(record, 0, out);
            out.push('\n');
        }
        let registers: Vec<ItemId> = self
            .program
            .items
            .all()
            .filter(|(_, item)| item.area == Area::Register)
            .map(|(id, _)| id)
            .collect();
        if !registers.is_empty() {
            let _ = writeln!(out, "REGISTERS\n");
            registers.into_iter().for_each(|id| self.line(id, 0, out));
            out.push('\n');
        }
    }

    fn heading(&self, area: Area) -> String {
        match area {
            Area::File(index) => {
                format!("FILE {}", self.program.syntax.data.files[index].name.text)
            }
            Area::WorkingStorage => "WORKING-STORAGE SECTION".to_owned(),
            Area::LocalStorage => "LOCAL-STORAGE SECTION".to_owned(),
            Area::Linkage => "LINKAGE SECTION".to_owned(),
            Area::Register => "REGISTERS".to_owned(),
            Area::Around(_) => "GLOBAL".to_owned(),
        }
    }

    fn item(&self, id: ItemId, depth: usize, out: &mut String) {
        self.line(id, depth, out);
        let item = self.program.items.get(id);
        for &condition in &item.conditions {
            self.line(condition, depth + 1, out);
        }
        for &index in item.occurs.iter().flat_map(|occurs| &occurs.indexes) {
            self.line(index, depth + 1, out);
        }
        for &part in &item.parts {
            self.item(part, depth + 1, out);
        }
        if depth == 0 {
            let renames =
                self.program.items.all().filter(|(_, other)| other.level == 66 && other.record == id);
            renames.for_each(|(id, _)| self.line(id, 1, out));
        }
    }

    fn line(&self, id: ItemId, depth: usize, out: &mut String) {
        let item = self.program.items.get(id);
        let level = if item.level == 0 { "  ".to_owned() } else { format!("{:02}", item.level) };
        let name = format!("{}{level} {}", "  ".repeat(depth.min(10)), item.display_name());
        let placed = !matches!(item.kind, Type::Condition | Type::IndexName | Type::Constant);
        let (offset, length) = match placed {
            true => (item.offset.to_string(), item.length.to_string()),
            false => (String::new(), String::new()),
        };
        let moves = if item.moves_behind.is_empty() || !placed { "" } else { "+" };
        let at = item.name.as_ref().map_or(item.at, |name| name.at);
        let head = format!(
            "  {name:<38} {offset:>7}{moves:<1}{length:>7}  {:<34} {:<16} ",
            self.kind_of(item),
            self.place(at)
        );
        self.with_references(&head, self.references.get(&NameTarget::Item(id)), out);
    }

    /// A line and the places of uses, as many lines as they need.
    fn with_references(&self, head: &str, uses: Option<&Vec<(At, bool)>>, out: &mut String) {
        let mut line = head.to_owned();
        let start = head.chars().count();
        for (at, changes) in uses.into_iter().flatten() {
            let place = format!("{}{} ", self.place(*at), if *changes { "*" } else { "" });
            if line.chars().count() + place.len() > WIDTH + 40 && line.chars().count() > start {
                let _ = writeln!(out, "{}", line.trim_end());
                line = " ".repeat(start);
            }
            line.push_str(&place);
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }

    /// A line, with its copybook where it stands in one.
    fn place(&self, at: At) -> String {
        let (line, member) = self.checked.line(at);
        match member {
            Some(member) => {
                let stem = member.rsplit('/').next().unwrap_or(member);
                format!("{}:{line}", stem.split('.').next().unwrap_or(stem))
            }
            None => line.to_string(),
        }
    }

    fn kind_of(&self, item: &Item) -> String {
        let mut text = match &item.kind {
            Type::Numeric(numeric) => numeric_text(numeric),
            Type::Group => "group".to_owned(),
            Type::Condition | Type::IndexName => item.kind.name().to_owned(),
            Type::Utf8(Utf8Length::Bytes(bytes)) => format!("{} U, {bytes} bytes", item.kind.name()),
            kind => match &item.picture {
                Some(picture) => format!("{} {picture}", kind.name()),
                None => kind.name().to_owned(),
            },
        };
        if let Some(occurs) = &item.occurs {
            let max = occurs.max.map_or("unbounded".to_owned(), |max| max.to_string());
            let _ = match &occurs.depending {
                Some(depending) => write!(text, " {}-{max} by {}", occurs.min, depending.name.text),
                None => write!(text, " × {max}"),
            };
        }
        if let Some(redefined) = item.redefines {
            let _ = write!(text, " redefines {}", self.program.items.get(redefined).display_name());
        }
        if item.slack > 0 {
            let _ = write!(text, " slack {}", item.slack);
        }
        text
    }

    fn files(&self, out: &mut String) {
        if self.program.files.is_empty() {
            return;
        }
        let _ = writeln!(out, "FILES\n");
        for (index, file) in self.program.files.iter().enumerate() {
            let head = format!(
                "  {:<38} record {:>7}  {:<8} ",
                file.name.text,
                file.record_length,
                self.place(file.name.at)
            );
            self.with_references(&head, self.references.get(&NameTarget::File(index)), out);
        }
        out.push('\n');
    }

    fn procedures(&self, out: &mut String) {
        if self.program.procedures.is_empty() {
            return;
        }
        let _ = writeln!(out, "PROCEDURES\n");
        for (index, procedure) in self.program.procedures.iter().enumerate() {
            let kind = if procedure.is_section { "section" } else { "paragraph" };
            let indent = if procedure.is_section || procedure.section.is_none() { "" } else { "  " };
            let name = format!("{indent}{}", procedure.name.text);
            let head = format!("  {name:<38} {kind:<10} {:<16} ", self.place(procedure.name.at));
            self.with_references(&head, self.references.get(&NameTarget::Procedure(index)), out);
        }
        out.push('\n');
    }
}

fn numeric_text(numeric: &Numeric) -> String {
    let sign = if numeric.signed { "signed " } else { "" };
    let name = Type::Numeric(*numeric).name();
    match numeric.scale {
        0 => format!("{sign}{name} {} digits", numeric.digits),
        scale => format!("{sign}{name} {} digits, scale {scale}", numeric.digits),
    }
}
