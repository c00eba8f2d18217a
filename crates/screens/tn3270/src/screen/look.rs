//! The look of each position of a screen: a character's own attributes come before its field's.

use super::Screen;
use super::buffer::Cell;
use crate::datastream::{Colour, Extended, FieldAttribute, Highlight, Visibility};

/// The look of a position. The start of a field is a blank in its field's colour, whatever else the field looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The colour of the character: one of the four base colours where field and character have none.
    pub colour: Colour,
    /// The colour behind it; the default where there is none.
    pub background: Colour,
    /// Character and background change places.
    pub reverse: bool,
    /// A line stands below it.
    pub underscore: bool,
    /// It blinks.
    pub blink: bool,
    /// It is intensified.
    pub bright: bool,
    /// The user may type here.
    pub entry: bool,
    /// Digits alone go here.
    pub numeric: bool,
}

impl Screen {
    /// The look of each position, in the order of the buffer.
    pub fn looks(&self) -> Vec<Look> {
        let cells = self.buffer.cells();
        // The first characters may belong to the last field.
        let last = cells.iter().rev().find_map(|cell| Some((cell.field?, cell.extended)));
        let mut field = last.unwrap_or_default();
        let of_cell = |cell: &Cell| {
            if let Some(attribute) = cell.field {
                field = (attribute, cell.extended);
            }
            look(cell, field)
        };
        cells.iter().map(of_cell).collect()
    }
}

fn look(cell: &Cell, (attribute, of_field): (FieldAttribute, Extended)) -> Look {
    let shows = cell.field.is_none();
    let own = |own: u8, field: u8| if own != 0 && shows { own } else { field };
    let highlight = Highlight::of(own(cell.extended.highlight, of_field.highlight));
    let background = Colour::of(own(cell.extended.background, of_field.background));
    let entry = shows && !attribute.is_protected();
    Look {
        colour: base(Colour::of(own(cell.extended.colour, of_field.colour)), attribute),
        background: if shows { background } else { Colour::Default },
        reverse: shows && highlight == Highlight::Reverse,
        underscore: shows && highlight == Highlight::Underscore && attribute.shown() != Visibility::Dark,
        blink: shows && highlight == Highlight::Blink,
        bright: shows && attribute.shown() == Visibility::Bright,
        entry,
        numeric: entry && attribute.is_numeric(),
    }
}

/// Without a colour of its own a field has one of the four base colours.
fn base(colour: Colour, attribute: FieldAttribute) -> Colour {
    match (colour, attribute.is_protected(), attribute.shown() == Visibility::Bright) {
        (Colour::Default, false, false) => Colour::Green,
        (Colour::Default, false, true) => Colour::Red,
        (Colour::Default, true, false) => Colour::Blue,
        (Colour::Default, true, true) => Colour::Neutral,
        (colour, ..) => colour,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datastream::attribute;

    const PLAIN: Look = Look {
        colour: Colour::Green,
        background: Colour::Default,
        reverse: false,
        underscore: false,
        blink: false,
        bright: false,
        entry: true,
        numeric: false,
    };

    #[test]
    fn a_characters_own_attributes_come_first() {
        let mut own = Extended::default();
        for (kind, value) in [
            (attribute::COLOUR, Colour::Pink.code()),
            (attribute::BACKGROUND, Colour::Blue.code()),
            (attribute::HIGHLIGHT, Highlight::Reverse.code()),
        ] {
            own.set(kind, value);
        }
        let entry = FieldAttribute::default();
        let label = entry.protected(true).visibility(Visibility::Bright);
        let none = Extended::default();
        let character = Cell { extended: own, ..Cell::default() };
        let painted = Look { colour: Colour::Pink, background: Colour::Blue, reverse: true, ..PLAIN };
        assert_eq!(look(&character, (entry, none)), painted);
        assert_eq!(look(&Cell::default(), (entry.numeric(true), none)), Look { numeric: true, ..PLAIN });
        let of_field = Look { entry: false, bright: true, ..painted };
        assert_eq!(look(&Cell::default(), (label, own)), of_field);
        let start = Cell { field: Some(label), ..Cell::default() };
        assert_eq!(look(&start, (label, none)), Look { colour: Colour::Neutral, entry: false, ..PLAIN });
        let start = look(&start, (label, own));
        assert!(!start.reverse && start.background == Colour::Default, "the start of a field is a blank");
    }

    #[test]
    fn what_is_dark_has_no_line_below_it() {
        let mut of_field = Extended::default();
        of_field.set(attribute::HIGHLIGHT, Highlight::Underscore.code());
        let entry = FieldAttribute::default();
        assert!(look(&Cell::default(), (entry, of_field)).underscore);
        assert!(!look(&Cell::default(), (entry.visibility(Visibility::Dark), of_field)).underscore);
    }
}
