//! The look of each position of a screen, as a word of letters: first the colour (`b r p g t y n`), then `R` reverse, `U`
//! underscored, `K` blinking, `H` bright, `E` where the user may type, `N` where only digits go; a background is `/` and its colour.

use tn3270::datastream::{Colour, Extended, FieldAttribute, Highlight, Visibility};
use tn3270::screen::{Cell, Screen};

/// The words of all positions, in their order.
pub(crate) fn words(screen: &Screen) -> Vec<String> {
    let size = screen.size();
    // The first characters may belong to the last field.
    let mut field = screen.fields().last().map(|field| (field.attribute, field.extended)).unwrap_or_default();
    let places = (1..=size.rows).flat_map(|row| (1..=size.columns).map(move |column| (row, column)));
    let word = |(row, column)| {
        let cell = screen.cell(row, column);
        if let Some(attribute) = cell.field {
            field = (attribute, cell.extended);
        }
        word(&cell, field)
    };
    places.map(word).collect()
}

/// The word of a position: a character's own attributes come before its field's; the start of a field is a blank.
fn word(cell: &Cell, (attribute, of_field): (FieldAttribute, Extended)) -> String {
    let starts = cell.field.is_some();
    let own = |own: u8, field: u8| if own != 0 && !starts { own } else { field };
    let highlight = Highlight::of(own(cell.extended.highlight, of_field.highlight));
    let (shown, entry) = (attribute.shown(), !attribute.is_protected());
    let flags = [
        (highlight == Highlight::Reverse, 'R'),
        (highlight == Highlight::Underscore && shown != Visibility::Dark, 'U'),
        (highlight == Highlight::Blink, 'K'),
        (shown == Visibility::Bright, 'H'),
        (entry, 'E'),
        (entry && attribute.is_numeric(), 'N'),
    ];
    let mut word =
        String::from(letter(base(Colour::of(own(cell.extended.colour, of_field.colour)), attribute)));
    word.extend(flags.iter().filter(|(on, _)| *on && !starts).map(|(_, flag)| flag));
    let background = Colour::of(own(cell.extended.background, of_field.background));
    if background != Colour::Default && !starts {
        word.push('/');
        word.push(letter(background));
    }
    word
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

fn letter(colour: Colour) -> char {
    match colour {
        Colour::Blue => 'b',
        Colour::Red => 'r',
        Colour::Pink => 'p',
        Colour::Green => 'g',
        Colour::Turquoise => 't',
        Colour::Yellow => 'y',
        Colour::Default | Colour::Neutral | Colour::Other(_) => 'n',
    }
}

#[cfg(test)]
mod tests {
    use tn3270::datastream::attribute;

    use super::*;

    #[test]
    fn attributes_are_in_the_word() {
        let mut own = Extended::default();
        for (kind, value) in [
            (attribute::COLOUR, Colour::Pink.code()),
            (attribute::BACKGROUND, Colour::Blue.code()),
            (attribute::HIGHLIGHT, Highlight::Reverse.code()),
        ] {
            own.set(kind, value);
        }
        let entry = FieldAttribute::default();
        let character = Cell { extended: own, ..Cell::default() };
        assert_eq!(word(&character, (entry, Extended::default())), "pRE/b");
        assert_eq!(word(&Cell::default(), (entry.numeric(true), Extended::default())), "gEN");
        let label = entry.protected(true).visibility(Visibility::Bright);
        assert_eq!(word(&Cell::default(), (label, own)), "pRH/b");
        assert_eq!(word(&Cell { field: Some(label), ..Cell::default() }, (label, Extended::default())), "n");
    }
}
