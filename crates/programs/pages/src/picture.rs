//! A screen as the text of a test: its rows, or its fields with their attributes.

use tn3270::datastream::{Colour, FieldAttribute, Highlight, Visibility};
use tn3270::screen::{Screen, ScreenField};

/// Its rows without trailing blanks, and without the empty ones at the end.
pub fn rows(screen: &Screen) -> Vec<String> {
    screen.text().lines().map(str::to_owned).collect()
}

/// Those of its rows that are asked for, each as `row|text`.
pub fn some_rows(screen: &Screen, wanted: &[String]) -> Vec<String> {
    let rows = screen.rows();
    let number = |line: &String| line.split_once('|').and_then(|(number, _)| number.trim().parse().ok());
    let row = |number: usize| rows.get(number.wrapping_sub(1)).map_or("", |row| row.trim_end());
    wanted.iter().filter_map(number).map(|number: usize| format!("{number:2}|{}", row(number))).collect()
}

/// Its fields, each as `row,column attributes "text"`, and the cursor's place.
pub fn fields(screen: &Screen) -> Vec<String> {
    let mut lines: Vec<String> = screen.fields().into_iter().map(|field| line(screen, field)).collect();
    let (row, column) = screen.cursor_row_column();
    lines.push(format!("cursor {row},{column}"));
    lines
}

fn line(screen: &Screen, field: ScreenField) -> String {
    let columns = screen.size().columns;
    // A field's place is that of its first character, behind the attribute.
    let at = (field.start.0 + 1) % screen.size().addresses();
    let text = screen.field_text(field);
    let attributes = [
        Some(entry(field.attribute)),
        shown(field.attribute),
        field.attribute.is_modified().then_some("modified"),
        colour(Colour::of(field.extended.colour)),
        highlight(Highlight::of(field.extended.highlight)),
    ];
    let words: Vec<&str> = attributes.into_iter().flatten().collect();
    format!("{},{} {} \"{}\"", at / columns + 1, at % columns + 1, words.join(" "), text.trim_end())
}

fn entry(attribute: FieldAttribute) -> &'static str {
    match (attribute.is_protected(), attribute.is_numeric()) {
        (true, true) => "skipped",
        (true, false) => "protected",
        (false, true) => "numeric",
        (false, false) => "open",
    }
}

fn shown(attribute: FieldAttribute) -> Option<&'static str> {
    match attribute.shown() {
        Visibility::Normal => None,
        Visibility::Detectable => Some("detectable"),
        Visibility::Bright => Some("bright"),
        Visibility::Dark => Some("dark"),
    }
}

fn colour(colour: Colour) -> Option<&'static str> {
    match colour {
        Colour::Default => None,
        Colour::Blue => Some("blue"),
        Colour::Red => Some("red"),
        Colour::Pink => Some("pink"),
        Colour::Green => Some("green"),
        Colour::Turquoise => Some("turquoise"),
        Colour::Yellow => Some("yellow"),
        Colour::Neutral => Some("neutral"),
        Colour::Other(_) => Some("another colour"),
    }
}

fn highlight(highlight: Highlight) -> Option<&'static str> {
    match highlight {
        Highlight::Default | Highlight::Normal => None,
        Highlight::Blink => Some("blinking"),
        Highlight::Reverse => Some("reversed"),
        Highlight::Underscore => Some("underscored"),
        Highlight::Other(_) => Some("another highlight"),
    }
}
