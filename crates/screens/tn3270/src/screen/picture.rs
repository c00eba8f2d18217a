//! A screen as a picture: SVG text that any browser, and any Markdown page, can show.

use std::fmt::Write as _;

use super::{Look, Screen};
use crate::datastream::Colour;

/// One character's place, in pixels.
const CELL_WIDTH: u32 = 9;
const CELL_HEIGHT: u32 = 18;
/// From a row's top to the line of its characters.
const BASELINE: u32 = 14;
/// Around the screen.
const MARGIN: u32 = 8;
const BACKGROUND: &str = "#101418";
const CURSOR: &str = "#e0e0e0";

/// The paint of a run of characters.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Paint {
    colour: &'static str,
    reverse: bool,
    underscore: bool,
}

impl Screen {
    /// An SVG picture of the screen, cursor included. Blinking characters are shown as they are when lit.
    pub fn picture(&self) -> String {
        let size = self.size();
        let width = u32::from(size.columns) * CELL_WIDTH + 2 * MARGIN;
        let height = u32::from(size.rows) * CELL_HEIGHT + 2 * MARGIN;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             font-family=\"monospace\" font-size=\"15\" xml:space=\"preserve\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{BACKGROUND}\"/>\n"
        );
        let looks = self.looks();
        for (row, (text, looks)) in
            self.rows().iter().zip(looks.chunks(usize::from(size.columns))).enumerate()
        {
            let characters: Vec<(char, Paint)> = text.chars().zip(looks.iter().map(paint)).collect();
            put_row(&mut svg, row as u32, &characters);
        }
        let (row, column) = self.cursor_row_column();
        let (x, y) = (place(u32::from(column) - 1, CELL_WIDTH), place(u32::from(row), CELL_HEIGHT) - 3);
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL_WIDTH}\" height=\"3\" fill=\"{CURSOR}\"/>"
        );
        svg.push_str("</svg>\n");
        svg
    }
}

fn paint(look: &Look) -> Paint {
    Paint { colour: colour(look.colour), reverse: look.reverse, underscore: look.underscore }
}

fn colour(colour: Colour) -> &'static str {
    match colour {
        Colour::Blue => "#7890f0",
        Colour::Red => "#f06060",
        Colour::Pink => "#f080d0",
        Colour::Green => "#50d050",
        Colour::Turquoise => "#50d8d8",
        Colour::Yellow => "#f0e060",
        Colour::Default | Colour::Neutral | Colour::Other(_) => "#f0f0f0",
    }
}

fn put_row(svg: &mut String, row: u32, characters: &[(char, Paint)]) {
    let mut column = 0;
    for run in characters.chunk_by(|a, b| a.1 == b.1) {
        let text: String = run.iter().map(|(character, _)| character).collect();
        put_run(svg, (column, row), text.trim_end(), run.len() as u32, run[0].1);
        column += run.len() as u32;
    }
}

fn put_run(svg: &mut String, (column, row): (u32, u32), text: &str, len: u32, paint: Paint) {
    let (x, y) = (place(column, CELL_WIDTH), place(row, CELL_HEIGHT));
    let width = len * CELL_WIDTH;
    let fill = if paint.reverse { BACKGROUND } else { paint.colour };
    if paint.reverse {
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{CELL_HEIGHT}\" fill=\"{}\"/>",
            paint.colour
        );
    }
    if paint.underscore {
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{}\" width=\"{width}\" height=\"1\" fill=\"{fill}\"/>",
            y + CELL_HEIGHT - 2
        );
    }
    let skipped = text.len() - text.trim_start().len();
    let text = text.trim_start();
    if !text.is_empty() {
        let (x, y) = (x + skipped as u32 * CELL_WIDTH, y + BASELINE);
        let width = text.chars().count() as u32 * CELL_WIDTH;
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ =
            writeln!(svg, "<text x=\"{x}\" y=\"{y}\" textLength=\"{width}\" fill=\"{fill}\">{text}</text>");
    }
}

/// The pixel at which a row or a column begins.
fn place(index: u32, cell: u32) -> u32 {
    MARGIN + index * cell
}
