//! A program's storage in a dump: each item by the user's own name, with its value as its PICTURE says.

use copybook::{Choices, Layout, Leaf, Usage, leaves};

use crate::bytes;
use crate::limits::DUMP_RECORD_BYTES_MAX;
use crate::programs::{Section, StorageItem};
use crate::storage::{POINTER_LENGTH, StorageAddress};

/// What reads storage of the task; false where there is none.
pub(super) type Reader<'a> = &'a dyn Fn(StorageAddress, &mut [u8]) -> bool;

/// The compiler begins each item of LOCAL-STORAGE at a multiple of this.
const LOCAL_ALIGNMENT: usize = 16;
/// Columns of a name before its value.
const NAME_WIDTH: usize = 34;
/// The item that a program has its COMMAREA as, and its EXEC interface block.
pub(super) const COMMAREA: &str = "DFHCOMMAREA";
pub(super) const INTERFACE_BLOCK: &str = "DFHEIBLK";

/// One section of a program: its items that have storage, each with its values.
pub(super) fn section(
    items: &[StorageItem],
    wanted: Section,
    entered: &cobol::Entered,
    read: Reader<'_>,
) -> String {
    let mut dump = String::new();
    let mut unused = Vec::new();
    let mut local = entered.local.map(StorageAddress::of_host);
    for item in items.iter().filter(|item| item.section == wanted) {
        let name = item.layout.name().unwrap_or("FILLER");
        if name == COMMAREA || name == INTERFACE_BLOCK {
            continue;
        }
        if let Some(redefined) = &item.layout.root.redefines {
            dump += &format!("  {name} redefines {redefined}\n");
            continue;
        }
        let place = match wanted {
            Section::Local => {
                let place = local;
                let length = item.layout.length().next_multiple_of(LOCAL_ALIGNMENT);
                local = local.and_then(|at| at.behind(length));
                place
            }
            _ => found(item, entered).map(|(address, _)| address),
        };
        let address = match (wanted, place) {
            (Section::Linkage, Some(pointer)) => match pointed(pointer, read) {
                Some(address) => address,
                None => {
                    dump += &format!("  {name} is not addressed\n");
                    continue;
                }
            },
            (_, Some(address)) => address,
            (_, None) => {
                unused.push(name);
                continue;
            }
        };
        dump += &record(&item.layout, address, read);
    }
    if !unused.is_empty() && wanted == Section::Working {
        dump += &format!("  without storage, since no statement uses them: {}\n", unused.join(", "));
    }
    dump
}

/// The COMMAREA or the interface block by the program's own description, if it has one.
pub(super) fn described(items: &[StorageItem], commarea: bool) -> Option<&Layout> {
    let wanted = if commarea { COMMAREA } else { INTERFACE_BLOCK };
    items.iter().map(|item| &item.layout).find(|layout| layout.name() == Some(wanted))
}

fn found(item: &StorageItem, entered: &cobol::Entered) -> Option<(StorageAddress, usize)> {
    let number = item.number?;
    let (_, address, length) = entered.items.iter().find(|(known, ..)| *known == number)?;
    Some((StorageAddress::of_host(*address), *length))
}

/// Where an item of LINKAGE lies; none if it is not addressed.
fn pointed(pointer: StorageAddress, read: Reader<'_>) -> Option<StorageAddress> {
    let mut bytes = [0; POINTER_LENGTH];
    let address = read(pointer, &mut bytes).then(|| StorageAddress::from_pointer(bytes))?;
    (address != StorageAddress::NULL).then_some(address)
}

fn record(layout: &Layout, address: StorageAddress, read: Reader<'_>) -> String {
    let mut bytes = vec![0; layout.length().min(DUMP_RECORD_BYTES_MAX)];
    if !read(address, &mut bytes) {
        return format!("  {} is not readable\n", layout.name().unwrap_or("FILLER"));
    }
    fields(layout, &bytes)
}

/// A record's fields and their values; its bytes, where they do not fit its description.
pub(super) fn fields(layout: &Layout, bytes: &[u8]) -> String {
    let name = layout.name().unwrap_or("FILLER");
    let known = match leaves(layout, &Choices::new(), bytes) {
        Ok(known) if bytes.len() == layout.length() => known,
        _ => {
            return format!(
                "  {:02} {name}, {} bytes\n{}",
                layout.root.level,
                bytes.len(),
                bytes::lines(bytes)
            );
        }
    };
    if let [one] = known.as_slice()
        && one.path().is_empty()
    {
        return line(1, layout.root.level, name, &value(one, bytes));
    }
    let mut dump = format!("  {:02} {name}\n", layout.root.level);
    let shown = known.iter().filter(|leaf| leaf.is_named()).map(|leaf| (leaf.path(), value(leaf, bytes)));
    for (path, value) in runs(shown) {
        dump += &line(3, 0, &path, &value);
    }
    dump
}

/// Elements of a table that follow each other with the same value are one line.
pub(super) fn runs(fields: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut lines: Vec<(String, Option<String>, String)> = Vec::new();
    for (path, value) in fields {
        match lines.last_mut() {
            Some((first, last, known))
                if *known == value && is_next(last.as_ref().unwrap_or(first), &path) =>
            {
                *last = Some(path);
            }
            _ => lines.push((path, None, value)),
        }
    }
    let shown = |(first, last, value): (String, Option<String>, String)| match last {
        Some(last) => (format!("{first} to {}", &last[last.rfind('(').unwrap_or(0)..]), value),
        None => (first, value),
    };
    lines.into_iter().map(shown).collect()
}

/// Whether two elements are of one table, at its innermost subscript.
fn is_next(before: &str, path: &str) -> bool {
    let table =
        |path: &str| path.strip_suffix(')').and_then(|path| Some(path.rsplit_once('(')?.0.to_owned()));
    table(before).is_some_and(|name| table(path) == Some(name))
}

pub(super) fn line(indent: usize, level: u8, name: &str, value: &str) -> String {
    let number = if level == 0 { String::new() } else { format!("{level:02} ") };
    let head = format!("{}{number}{name}", "  ".repeat(indent));
    format!("{head:<NAME_WIDTH$}  {value}\n")
}

/// Characters, or the figurative constant that they all are.
pub(super) fn shown_text(bytes: &[u8]) -> String {
    let all = |wanted: u8| !bytes.is_empty() && bytes.iter().all(|byte| *byte == wanted);
    match () {
        () if all(0) => String::from("LOW-VALUES"),
        () if all(u8::MAX) => String::from("HIGH-VALUES"),
        () if all(b' ') => String::from("SPACES"),
        () => bytes::shown(bytes.trim_ascii_end()),
    }
}

/// Returns true if a field holds bytes that are no number.
fn is_opaque(usage: Usage) -> bool {
    matches!(usage, Usage::Address | Usage::Index | Usage::Opaque)
}

fn value(leaf: &Leaf<'_>, record: &[u8]) -> String {
    let bytes = &record[leaf.offset..leaf.offset + leaf.length];
    match leaf.usage {
        Usage::Text => shown_text(bytes),
        usage => match leaf.value_text(record) {
            bad if bad.starts_with("X'") && !is_opaque(usage) => format!("{bad}  not a number"),
            good => good,
        },
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::Source;
    use expect_test::expect;

    use super::*;

    #[test]
    fn fields_have_their_values_and_equal_elements_are_one_line() {
        let text = "       01  WS-ORDER.\n           05  NUM   PIC 9(4).\n           05  AMT   PIC S9(5)V99 COMP-3.\n\
                    \x20          05  NAME  PIC X(6).\n           05  T     OCCURS 4 PIC 99.\n";
        let layout = &copybook::parse(&Source::new("o", text)).layouts[0];
        let bytes = b"0042\x00\x12\x34\x5dANN\0  01010199";
        let shown: String = fields(layout, bytes).lines().map(|line| format!("|{line}\n")).collect();
        expect![[r#"
            |  01 WS-ORDER
            |      NUM                           42
            |      AMT                           -123.45
            |      NAME                          X'414E4E00' 'ANN.'
            |      T(1) to (3)                   1
            |      T(4)                          99
        "#]]
        .assert_eq(&shown);
        let bad = b"4\x0022\x00\x12\x34\x55      01010199";
        let shown = fields(layout, bad);
        assert!(shown.contains("X'34003232'  not a number") && shown.contains("SPACES"), "{shown}");
    }
}
