//! Renaming: every place of a name at once, or a refusal that says why.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cobol_check::NameTarget;
use cobol_source::reference_format::MARGIN;

use crate::analysis::{Index, Spot, Symbol};
use crate::layout::Layout;
use crate::text::{Edit, Position, Range, unit_of_character, units};
use crate::view::View;

/// Characters of a COBOL word.
const WORD_MAX: usize = 30;

/// The changes of each file.
pub type Edits = BTreeMap<PathBuf, Vec<Edit>>;

/// The word that would be renamed, and where it stands.
///
/// # Errors
/// The reason why it cannot be renamed.
pub fn prepare(view: &View<'_>, at: Position) -> Result<(Range, String), String> {
    let (found, symbol) = view.symbol(at).ok_or("no name of this program stands here")?;
    let index = view.analysis.index();
    check_places(view, index, found.symbol)?;
    Ok((index.files[found.spot.file].range(found.spot, found.width), symbol.name.clone()))
}

/// The source and place at which a name is described, if other programs may copy it.
pub fn shared(view: &View<'_>, at: Position) -> Option<(PathBuf, Spot, String)> {
    let (_, symbol) = view.symbol(at)?;
    let file = &view.analysis.index().files[symbol.spot.file];
    let path = view.file(&file.name)?;
    (path != view.analysis.path).then(|| (path, symbol.spot, symbol.name.clone()))
}

/// The changes that give the name at a place another name, in the program of the view.
///
/// # Errors
/// The reason why it cannot be renamed.
pub fn rename(view: &View<'_>, at: Position, to: &str) -> Result<Edits, String> {
    let (found, symbol) = view.symbol(at).ok_or("no name of this program stands here")?;
    check_word(to, matches!(symbol.target, NameTarget::Procedure(_)))?;
    of_symbol(view, found.symbol, to)
}

/// The same for the name that is described at a line and column of a file.
///
/// # Errors
/// The reason why it cannot be renamed.
pub fn rename_described(view: &View<'_>, file: &str, spot: Spot, to: &str) -> Result<Edits, String> {
    let index = view.analysis.index();
    let Some(file) = index.file(file) else { return Ok(Edits::new()) };
    let symbols = index.symbols.iter().enumerate();
    let same =
        symbols.filter(|(_, one)| one.spot == Spot { file, ..spot }).map(|(at, _)| at).collect::<Vec<_>>();
    match same[..] {
        [] => Ok(Edits::new()),
        [symbol] => of_symbol(view, symbol, to),
        _ => Err(format!("COPY with REPLACING makes several names of this one in {}", view.analysis.name)),
    }
}

fn of_symbol(view: &View<'_>, symbol: usize, to: &str) -> Result<Edits, String> {
    let index = view.analysis.index();
    check_places(view, index, symbol)?;
    let capitals = to.to_ascii_uppercase();
    if index.symbols.iter().any(|other| other.name == capitals) {
        return Err(format!("{} has a {capitals} already", view.analysis.name));
    }
    let mut lines: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for one in index.of(symbol) {
        lines.entry((one.spot.file, one.spot.line)).or_default().push((one.spot.column, one.width));
    }
    let mut edits = Edits::new();
    for ((file, line), places) in lines {
        let source = &index.files[file];
        let spot = Spot { file, line, column: 1 };
        let location = view.place(spot, 1).ok_or_else(|| format!("{} is no file", source.name))?;
        let edit = line_with(
            source.line(line),
            line,
            &places,
            to,
            Layout::of(&source.source.text).free || view.layout.free,
        )
        .ok_or_else(|| format!("line {line} of {} would go beyond column {MARGIN}", source.name))?;
        edits.entry(location.path).or_default().extend(edit);
    }
    Ok(edits)
}

/// The changes of one line; `None` if its text would run over the margin.
fn line_with(
    line: &str,
    number: usize,
    places: &[(usize, usize)],
    to: &str,
    free: bool,
) -> Option<Vec<Edit>> {
    let length = line.chars().count();
    let growth: isize = places.iter().map(|(_, width)| to.chars().count() as isize - *width as isize).sum();
    let beyond = length > MARGIN && !free;
    if free || line.contains('\t') || !beyond && length as isize + growth <= MARGIN as isize {
        return Some(places.iter().map(|(column, width)| edit(line, number, *column, *width, to)).collect());
    }
    // What stands behind the margin stays there: blanks in front of it give way.
    let characters: Vec<char> = line.chars().collect();
    let mut head: Vec<char> = characters.iter().take(MARGIN).copied().collect();
    for (column, width) in places.iter().rev() {
        let from = column - 1;
        head.splice(from..(from + width).min(head.len()), to.chars());
    }
    while head.len() > MARGIN && head.last() == Some(&' ') {
        head.pop();
    }
    if head.len() > MARGIN {
        return None;
    }
    let tail: String = characters.iter().skip(MARGIN).collect();
    if !tail.is_empty() {
        head.resize(MARGIN, ' ');
    }
    let text: String = head.into_iter().chain(tail.chars()).collect();
    let line_number = number - 1;
    let end = Position { line: line_number, unit: units(line) };
    Some(vec![Edit { range: Range { start: Position { line: line_number, unit: 0 }, end }, text }])
}

fn edit(line: &str, number: usize, column: usize, width: usize, to: &str) -> Edit {
    let unit = |character| unit_of_character(line, character);
    let line = number - 1;
    let start = Position { line, unit: unit(column - 1) };
    Edit {
        range: Range { start, end: Position { line, unit: unit(column - 1 + width) } },
        text: to.to_owned(),
    }
}

/// Refuses a name some of whose places cannot be changed.
fn check_places(view: &View<'_>, index: &Index, symbol: usize) -> Result<(), String> {
    let Symbol { name, supplied, .. } = &index.symbols[symbol];
    if *supplied {
        return Err(format!("{name} is no name of the program's own"));
    }
    if index.ambiguous.contains(name) {
        return Err(format!("some uses of {name} do not say which of several is meant"));
    }
    for one in index.of(symbol) {
        let file = &index.files[one.spot.file];
        if !one.as_written {
            return Err(format!("{name} comes from REPLACING, at line {} of {}", one.spot.line, file.name));
        }
        let path = view.place(one.spot, one.width).map(|location| location.path);
        let root = view.folder.drafts.root();
        match path {
            Some(path) if path.canonicalize().unwrap_or(path.clone()).starts_with(root) => {}
            Some(path) => return Err(format!("{} lies outside of {}", path.display(), root.display())),
            None => {
                return Err(format!("{name} stands in {}, which is no file of the application", file.name));
            }
        }
    }
    let broken = view.analysis.drafts.iter().flat_map(|draft| &draft.messages);
    let error = broken.filter(|message| message.severity == diagnostics::Severity::Error).count();
    match error {
        0 => Ok(()),
        _ => Err("the program has errors: some uses of the name may not have been found".to_owned()),
    }
}

fn check_word(word: &str, may_be_number: bool) -> Result<(), String> {
    let is_character = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_word = (1..=WORD_MAX).contains(&word.len())
        && word.chars().all(is_character)
        && !word.starts_with(['-', '_'])
        && !word.ends_with(['-', '_'])
        && (may_be_number || word.contains(|c: char| c.is_ascii_alphabetic()));
    if !is_word {
        return Err(format!("{word:?} is no COBOL word of at most {WORD_MAX} characters"));
    }
    match cobol_syntax::is_reserved(&word.to_ascii_uppercase()) {
        true => Err(format!("{word} is a reserved word")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(line: &str, places: &[(usize, usize)], to: &str) -> Option<String> {
        let edits = line_with(line, 1, places, to, false)?;
        let mut text = line.to_owned();
        for edit in edits.iter().rev() {
            text.replace_range(edit.range.start.unit..edit.range.end.unit, &edit.text);
        }
        Some(text)
    }

    #[test]
    fn what_stands_behind_the_margin_stays_there() {
        let line = format!("{:72}00000100", "           MOVE A TO B.");
        let longer = changed(&line, &[(17, 1)], "LONGER").expect("there is room");
        assert_eq!(longer, format!("{:72}00000100", "           MOVE LONGER TO B."));
        let full = format!("{:<71}A00000100", "           MOVE");
        assert_eq!(changed(&full, &[(72, 1)], "AB"), None);
        assert_eq!(changed(&format!("{:<71}A", "           MOVE"), &[(72, 1)], "AB"), None);
        assert_eq!(
            changed("           ADD A TO A", &[(16, 1), (21, 1)], "BC"),
            Some("           ADD BC TO BC".to_owned())
        );
    }

    #[test]
    fn a_new_name_is_a_word_that_is_not_reserved() {
        for (word, may_be_number, is_fine) in [
            ("CUST-1", false, true),
            ("MOVE", false, false),
            ("100", false, false),
            ("100", true, true),
            ("-A", false, false),
            ("A B", false, false),
            ("", false, false),
            ("A234567890123456789012345678901", false, false),
        ] {
            assert_eq!(check_word(word, may_be_number).is_ok(), is_fine, "{word}");
        }
    }
}
