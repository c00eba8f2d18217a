//! The looks of positions as words of letters, for a browser: first the colour (`b r p g t y n`), then `R` reverse, `U` underscored,
//! `K` blinking, `H` bright, `E` where the user may type, `N` where only digits go; a background is `/` and its colour.

use tn3270::datastream::Colour;
use tn3270::screen::{Look, Screen};

/// The words of all positions, in their order.
pub(crate) fn words(screen: &Screen) -> Vec<String> {
    screen.looks().iter().map(word).collect()
}

fn word(look: &Look) -> String {
    let flags = [
        (look.reverse, 'R'),
        (look.underscore, 'U'),
        (look.blink, 'K'),
        (look.bright, 'H'),
        (look.entry, 'E'),
        (look.numeric, 'N'),
    ];
    let mut word = String::from(letter(look.colour));
    word.extend(flags.iter().filter(|(on, _)| *on).map(|(_, flag)| flag));
    if look.background != Colour::Default {
        word.push('/');
        word.push(letter(look.background));
    }
    word
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
    use super::*;

    #[test]
    fn a_word_has_all_of_a_look() {
        let plain = Look {
            colour: Colour::Green,
            background: Colour::Default,
            reverse: false,
            underscore: false,
            blink: false,
            bright: false,
            entry: true,
            numeric: true,
        };
        assert_eq!(word(&plain), "gEN");
        let painted = Look { reverse: true, background: Colour::Blue, entry: false, numeric: false, ..plain };
        assert_eq!(word(&painted), "gR/b");
        let all = Look { underscore: true, blink: true, bright: true, ..painted };
        assert_eq!(word(&all), "gRUKH/b");
    }
}
