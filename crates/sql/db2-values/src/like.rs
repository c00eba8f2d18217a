//! LIKE.

use crate::unfit::Unfit;

/// A pattern of LIKE: `%` for any characters, `_` for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<Piece>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Any,
    One,
    Character(u8),
}

impl Pattern {
    /// Reads a pattern, with the character that takes the meaning from the next where it has one.
    ///
    /// # Errors
    /// -130: that character is not one, or stands before none of `%`, `_` and itself.
    pub fn parse(text: &[u8], escape: Option<&[u8]>) -> Result<Self, Unfit> {
        let escape = match escape {
            None => None,
            Some([escape]) => Some(*escape),
            Some(_) => return Err(Unfit { state: b"22019", ..Unfit::ESCAPE }),
        };
        let mut pieces = Vec::with_capacity(text.len());
        let mut rest = text.iter().copied();
        while let Some(byte) = rest.next() {
            pieces.push(match byte {
                _ if Some(byte) == escape => match rest.next() {
                    Some(next) if matches!(next, b'%' | b'_') || Some(next) == escape => {
                        Piece::Character(next)
                    }
                    _ => return Err(Unfit::ESCAPE),
                },
                b'%' => Piece::Any,
                b'_' => Piece::One,
                byte => Piece::Character(byte),
            });
        }
        Ok(Self(pieces))
    }

    /// Returns true if a text is as the pattern says. Blanks count as other characters do.
    pub fn matches(&self, text: &[u8]) -> bool {
        let (mut at, mut piece) = (0, 0);
        // The last `%`, and the place in the text behind what it has taken so far.
        let mut any: Option<(usize, usize)> = None;
        while at < text.len() {
            match self.0.get(piece) {
                Some(Piece::Any) => {
                    any = Some((piece, at));
                    piece += 1;
                }
                Some(Piece::One) => (at, piece) = (at + 1, piece + 1),
                Some(Piece::Character(byte)) if *byte == text[at] => (at, piece) = (at + 1, piece + 1),
                _ => {
                    let Some((of_any, taken)) = any else { return false };
                    any = Some((of_any, taken + 1));
                    (piece, at) = (of_any + 1, taken + 1);
                }
            }
        }
        self.0[piece..].iter().all(|piece| *piece == Piece::Any)
    }

    /// The characters that each text begins with.
    pub fn prefix(&self) -> Vec<u8> {
        let characters = self.0.iter().map_while(|piece| match piece {
            Piece::Character(byte) => Some(*byte),
            Piece::Any | Piece::One => None,
        });
        characters.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn like(text: &str, pattern: &str, escape: Option<&str>) -> Result<bool, i32> {
        Pattern::parse(pattern.as_bytes(), escape.map(str::as_bytes))
            .map(|pattern| pattern.matches(text.as_bytes()))
            .map_err(|unfit| unfit.code)
    }

    #[test]
    fn patterns() {
        for (text, pattern, expected) in [
            ("SMITH", "SMITH", true),
            ("SMITH   ", "SMITH", false),
            ("SMITH   ", "SMITH%", true),
            ("SMITH", "_M%H", true),
            ("ABABAC", "%ABAC", true),
            ("ABABAC", "A%B_", false),
            ("", "%", true),
            ("", "", true),
            ("", "_", false),
            ("A", "", false),
            ("AB", "%%B%", true),
        ] {
            assert_eq!(like(text, pattern, None), Ok(expected), "{text} LIKE {pattern}");
        }
    }

    #[test]
    fn escape_takes_the_meaning_away() {
        assert_eq!(like("5%", "_+%", Some("+")), Ok(true));
        assert_eq!(like("55", "_+%", Some("+")), Ok(false));
        assert_eq!(like("+", "++", Some("+")), Ok(true));
        assert_eq!(like("x", "+x", Some("+")), Err(-130));
        assert_eq!(like("x", "x+", Some("+")), Err(-130));
        assert_eq!(like("x", "x", Some("")), Err(-130));
    }
}
