//! BMS maps: outline, and a map as its user will see it.

use bms::{Cursor, Display, Erase, ExtendedSet, Map, MapOptions, Mapset, send_map};
use ebcdic::CodePage;
use tn3270::datastream::{Capabilities, Size};
use tn3270::screen::Screen;

use crate::features::outline::{OutlineEntry, Part, spread};
use crate::text::{Lines, Position, range_of, units};

/// The screen of most terminals.
const USUAL: Size = Size { rows: 24, columns: 80 };

/// A macro with its label.
struct Macro<'a> {
    line: usize,
    label: &'a str,
    operation: String,
}

/// The macros of maps in a text, in their order.
fn macros<'a>(text: &'a str, lines: &'a Lines) -> impl Iterator<Item = Macro<'a>> {
    (0..lines.count()).filter_map(move |line| {
        let row = lines.line(text, line);
        if row.starts_with('*') {
            return None;
        }
        let labelled = !row.starts_with(char::is_whitespace);
        let mut words = row.split_whitespace();
        let label = if labelled { words.next()? } else { "" };
        let operation = words.next()?.to_ascii_uppercase();
        operation.starts_with("DFHM").then_some(Macro { line, label, operation })
    })
}

/// The mapsets, maps and named fields of a text.
pub fn outline(text: &str, lines: &Lines) -> Vec<OutlineEntry> {
    let mut entries: Vec<OutlineEntry> = Vec::new();
    for one in macros(text, lines).filter(|one| !one.label.is_empty()) {
        let row = lines.line(text, one.line);
        let selection = range_of(row, one.line + 1, 1, one.label.chars().count());
        let entry = |part, detail: &str| OutlineEntry::new(one.label, detail.to_owned(), part, selection);
        match one.operation.as_str() {
            "DFHMSD" => entries.push(entry(Part::Program, "mapset")),
            "DFHMDI" => match entries.last_mut() {
                Some(mapset) => mapset.parts.push(entry(Part::Map, "map")),
                None => entries.push(entry(Part::Map, "map")),
            },
            "DFHMDF" => {
                let map = entries.last_mut().and_then(|mapset| mapset.parts.last_mut());
                if let Some(map) = map {
                    map.parts.push(entry(Part::Field, "field"));
                }
            }
            _ => {}
        }
    }
    let width = |line: usize| units(lines.line(text, line));
    spread(&mut entries, lines.count().saturating_sub(1), &width);
    entries
}

/// The name of the map in whose macros a place is.
pub fn map_at(text: &str, lines: &Lines, at: Position) -> Option<String> {
    let before = macros(text, lines).take_while(|one| one.line <= at.line);
    before.filter(|one| one.operation == "DFHMDI").last().map(|one| one.label.to_ascii_uppercase())
}

/// A map as a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The map's name.
    pub map: String,
    /// Names of all maps of the text.
    pub maps: Vec<String>,
    /// The picture.
    pub svg: String,
}

/// The picture of a map of these mapsets: the named one, else the first.
///
/// # Errors
/// The reason why there is none.
pub fn preview(mapsets: &[Mapset], name: Option<&str>) -> Result<Preview, String> {
    let all: Vec<&Map> = mapsets.iter().flat_map(|mapset| &mapset.maps).collect();
    let named = name.and_then(|name| all.iter().find(|map| map.name.eq_ignore_ascii_case(name)));
    let map = named.or(all.first()).ok_or("the text holds no map that can be assembled")?;
    let maps = all.iter().map(|map| map.name.clone()).collect();
    Ok(Preview { map: map.name.clone(), maps, svg: picture(map)? })
}

fn picture(map: &Map) -> Result<String, String> {
    let size = Size { rows: map.size.rows.max(USUAL.rows), columns: map.size.columns.max(USUAL.columns) };
    let mut capabilities = Capabilities::unqueried(size);
    capabilities.default_size = size;
    (capabilities.colour, capabilities.highlight) = (true, true);
    let display = Display {
        screen: bms::Screen::of(size),
        features: ExtendedSet::from(&capabilities),
        code_page: CodePage::default(),
    };
    let options = MapOptions { erase: Erase::Default, cursor: Cursor::AsMap, ..MapOptions::default() };
    let stream = send_map(map, &options, None, &display).map_err(|error| error.to_string())?;
    let mut screen = Screen::new(capabilities, display.code_page);
    screen.apply(&stream).map_err(|error| error.to_string())?;
    Ok(screen.picture())
}
