//! From a name to where it is described, and to everywhere that it is used.

use std::path::Path;

use cobol_source::{Kind, Token};
use cobol_syntax::Executor;

use crate::analysis::{Spot, Symbol};
use crate::layout::Language;
use crate::text::{Position, range_of, word_at};
use crate::view::{Location, View};

/// Ending of the name of a source that is made of a map.
const SYMBOLIC: &str = " (symbolic map)";

/// The places at which the name at a place is described.
pub fn definition(view: &View<'_>, at: Position) -> Vec<Location> {
    if let Some((_, symbol)) = view.symbol(at) {
        return description(view, symbol).into_iter().collect();
    }
    let found = copied(view, at).or_else(|| named(view, at)).or_else(|| cursor(view, at));
    found.into_iter().collect()
}

fn description(view: &View<'_>, symbol: &Symbol) -> Option<Location> {
    if symbol.supplied {
        return None;
    }
    let file = &view.analysis.index().files[symbol.spot.file];
    match file.name.strip_suffix(SYMBOLIC) {
        Some(map) => field_of_map(view, map, &symbol.name),
        None => view.place(symbol.spot, symbol.name.chars().count()),
    }
}

/// The macro of a field or map, by the name of an item of its symbolic map.
fn field_of_map(view: &View<'_>, map: &str, item: &str) -> Option<Location> {
    let path = view.folder.drafts.path(map)?;
    let text = view.folder.drafts.text(&path, view.unsaved)?;
    let label = item.get(..item.len().checked_sub(1)?)?;
    label_of(&path, &text, label).or_else(|| label_of(&path, &text, item))
}

/// The line of a map's source with a label.
fn label_of(path: &Path, text: &str, label: &str) -> Option<Location> {
    let is_it = |line: &str| line.split(' ').next().is_some_and(|own| own.eq_ignore_ascii_case(label));
    let at = text.lines().position(is_it)?;
    let range = range_of(text.lines().nth(at)?, at + 1, 1, label.chars().count());
    Some(Location { path: path.to_owned(), range })
}

/// The beginning of a file.
fn beginning(path: std::path::PathBuf) -> Location {
    Location { path, range: Default::default() }
}

/// The member of COPY or INCLUDE.
fn copied(view: &View<'_>, at: Position) -> Option<Location> {
    let line = view.line(at.line);
    let (start, word) = word_at(line, view.byte(at));
    let before = line[..start].trim_end_matches(['\'', '"']).trim_end().to_ascii_uppercase();
    let copies = before.ends_with("COPY") || before.ends_with("INCLUDE");
    let library = {
        let rest = line[start + word.len()..].trim_start();
        let mut words = rest.split_whitespace();
        let of =
            words.next().is_some_and(|word| ["OF", "IN"].iter().any(|one| word.eq_ignore_ascii_case(one)));
        words.next().filter(|_| of).map(|word| word.trim_end_matches('.').to_owned())
    };
    let found = view.folder.drafts.copied_file(word, library.as_deref());
    found.filter(|_| copies && !word.is_empty()).map(beginning)
}

/// The program, mapset or map that a literal names, in CALL or in an option of a command.
fn named(view: &View<'_>, at: Position) -> Option<Location> {
    let spot = view.spot(at)?;
    let draft = view.analysis.drafts.iter().find_map(|draft| {
        let token = literal_at(view, draft, spot)?;
        Some((draft, token))
    });
    let (draft, token) = draft?;
    let tokens = &draft.checked.tokens;
    let name = tokens[token].literal_value()?.trim_end().to_ascii_uppercase();
    let before = tokens.get(token.checked_sub(1)?)?;
    if before.is("CALL") {
        return program(view, &name);
    }
    if !before.is_symbol("(") {
        return None;
    }
    let option = tokens.get(token.checked_sub(2)?)?.upper();
    match option.as_str() {
        "PROGRAM" => program(view, &name),
        "MAPSET" => view.folder.drafts.map_file(&name).map(beginning),
        "MAP" => map(view, draft, token, &name),
        _ => None,
    }
}

fn literal_at(view: &View<'_>, draft: &toolchain::Draft, spot: Spot) -> Option<usize> {
    let file = &view.analysis.index().files[spot.file].name;
    let is_it = |token: &Token| {
        let (line, column) = (token.at.line as usize, usize::from(token.at.column));
        token.kind == Kind::Literal
            && line == spot.line
            && (column..=column + usize::from(token.at.width)).contains(&spot.column)
            && draft.checked.frames().source_name(token.at.frame) == *file
    };
    draft.checked.tokens.iter().position(is_it)
}

fn program(view: &View<'_>, name: &str) -> Option<Location> {
    let own = view.analysis.drafts.iter().flat_map(|draft| {
        let all = draft.checked.all_programs().into_iter();
        all.map(move |program| draft.checked.frames().origin(program.syntax.name.at).place)
            .zip(draft.checked.all_programs().into_iter().map(|program| program.syntax.name.text.to_string()))
    });
    for (place, own) in own {
        if own.eq_ignore_ascii_case(name)
            && let Some(path) = view.file(&place.source.name)
        {
            let line = place.source.text.lines().nth(place.line.saturating_sub(1)).unwrap_or("");
            return Some(Location { path, range: range_of(line, place.line, place.column, name.len()) });
        }
    }
    view.folder.drafts.program_file(name).map(beginning)
}

/// A map: of the mapset that the same command names, or of the one with its own name.
fn map(view: &View<'_>, draft: &toolchain::Draft, token: usize, name: &str) -> Option<Location> {
    let block = draft.checked.blocks.iter().find(|block| block.range.contains(&token))?;
    let mapset = block.items.iter().find(|item| item.name == "MAPSET").and_then(|item| {
        let argument = item.argument.as_ref()?;
        argument.first()?.literal_value()
    });
    let mapset = mapset.unwrap_or_else(|| name.to_owned());
    let path = view.folder.drafts.map_file(&mapset)?;
    let text = view.folder.drafts.text(&path, view.unsaved)?;
    label_of(&path, &text, name).or_else(|| Some(beginning(path)))
}

/// The declaration of an SQL cursor.
fn cursor(view: &View<'_>, at: Position) -> Option<Location> {
    let lines = view.all_lines();
    let open = crate::layout::open(&lines, view.layout, at.line, view.byte(at))?;
    let name = view.word(at);
    if open.language != Language::Sql || name.is_empty() {
        return None;
    }
    for draft in &view.analysis.drafts {
        let blocks = draft.checked.blocks.iter().filter(|block| block.executor == Executor::Sql);
        for block in blocks {
            let tokens = &draft.checked.tokens[block.range.clone()];
            let declares = |pair: &[Token]| {
                pair[0].is("DECLARE")
                    && pair[1].upper() == name
                    && (pair[2].is("CURSOR") || pair[2].is("TABLE"))
            };
            let Some(found) = tokens.windows(3).find(|words| declares(words)) else { continue };
            let place = draft.checked.frames().origin(found[1].at).place;
            let line = place.source.text.lines().nth(place.line.saturating_sub(1)).unwrap_or("");
            let range = range_of(line, place.line, place.column, place.length);
            let path = view.file(&place.source.name)?;
            return Some(Location { path, range });
        }
    }
    None
}

/// The places of the name at a place, in the program and its copybooks.
pub fn references(view: &View<'_>, at: Position, with_description: bool) -> Vec<Location> {
    let Some((found, _)) = view.symbol(at) else { return Vec::new() };
    let all = view.analysis.index().of(found.symbol);
    all.filter(|one| with_description || !one.definition).filter_map(|one| view.location(one)).collect()
}

/// The places of the name at a place in the document itself, each with whether the statement there may change it.
pub fn highlights(view: &View<'_>, at: Position) -> Vec<(crate::text::Range, bool)> {
    let Some((found, _)) = view.symbol(at) else { return Vec::new() };
    let index = view.analysis.index();
    let here = index.of(found.symbol).filter(|one| one.spot.file == found.spot.file);
    here.map(|one| (index.files[one.spot.file].range(one.spot, one.width), one.changes)).collect()
}
