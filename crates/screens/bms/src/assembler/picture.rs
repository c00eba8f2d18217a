//! The number of characters that a COBOL picture describes.

/// The length of an item of this picture in display form; `None` if the text is not a picture.
pub fn picture_length(picture: &str) -> Option<usize> {
    let mut length = 0;
    let mut rest = picture.chars().peekable();
    while let Some(symbol) = rest.next() {
        let width = match symbol.to_ascii_uppercase() {
            // An assumed decimal point, scaling and an overpunched sign take no room.
            'V' | 'P' | 'S' => 0,
            'C' | 'D' => {
                rest.next_if(|second| matches!(second.to_ascii_uppercase(), 'R' | 'B'))?;
                2
            }
            'A' | 'X' | '9' | 'Z' | '*' | 'B' | '0' | '/' | ',' | '.' | '+' | '-' | '$' | 'E' => 1,
            _ => return None,
        };
        length += width * repetition(&mut rest)?;
    }
    (length > 0).then_some(length)
}

/// The number in parentheses after a symbol; 1 if there is no parenthesis, `None` if it is malformed.
fn repetition(rest: &mut std::iter::Peekable<std::str::Chars>) -> Option<usize> {
    if rest.next_if_eq(&'(').is_none() {
        return Some(1);
    }
    let mut digits = String::new();
    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    rest.next_if_eq(&')')?;
    // No field is longer than a screen: larger numbers are not worth reading.
    digits.parse::<u16>().ok().map(usize::from)
}

#[cfg(test)]
mod tests {
    use super::picture_length;

    #[test]
    fn a_picture_describes_as_many_characters_as_it_shows() {
        let table = [
            ("X(8)", Some(8)),
            ("+ZZZ,ZZZ,ZZZ.99", Some(15)),
            ("$,$$0.00", Some(8)),
            ("S9(5)V99", Some(7)),
            ("9(4)CR", Some(6)),
            ("ZZ9DB", Some(5)),
            ("X(", None),
            ("", None),
            ("Q9", None),
        ];
        for (picture, length) in table {
            assert_eq!(picture_length(picture), length, "{picture}");
        }
    }
}
