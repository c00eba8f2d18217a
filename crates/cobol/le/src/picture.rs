//! Picture strings: the terms of `YYYY-MM-DD HH:MI:SS`.

use smallvec::SmallVec;

use crate::feedback::Feedback;

/// The most characters of a name of a month or a day of the week that a picture may ask for.
const MAX_NAME: usize = 20;

/// A term of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Term<'a> {
    /// Y, YY, YYY, YYYY: the last digits of the year.
    Year { digits: usize },
    /// MM, ZM.
    Month { suppress: bool },
    /// RRRR, RRRZ.
    Roman { suppress: bool },
    /// MMM, Mmm, Mmmmmmmmmz and so on: the picture's own letters give the case.
    MonthName { case: &'a [u8], suppress: bool },
    /// DD, ZD.
    Day { suppress: bool },
    /// DDD.
    DayOfYear,
    /// HH, ZH.
    Hour { suppress: bool },
    /// MI.
    Minute,
    /// SS.
    Second,
    /// 9, 99, 999.
    Fraction { digits: usize },
    /// AP, A.P. in either case.
    Half { dots: bool, lower: bool },
    /// W, WWW, Www, Wwwwwwwwwz and so on.
    Weekday { case: &'a [u8], suppress: bool },
    /// Any other character.
    Literal(u8),
}

/// The terms of a picture: few have more.
pub(crate) type Terms<'a> = SmallVec<[Term<'a>; 16]>;

/// A picture as its terms; blanks at its end do not belong to it.
pub(crate) fn terms(picture: &[u8]) -> Result<Terms<'_>, Feedback> {
    let mut reader = Reader { rest: picture.trim_ascii_end() };
    let mut terms = Terms::new();
    while let Some(&first) = reader.rest.first() {
        terms.push(reader.term(first)?);
    }
    Ok(terms)
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn term(&mut self, first: u8) -> Result<Term<'a>, Feedback> {
        Ok(match first {
            b'Y' => Term::Year { digits: self.run(b"Y", 4) },
            b'M' | b'm' => self.month(),
            b'W' | b'w' => {
                let case = self.name(b"Ww");
                Term::Weekday { case, suppress: self.take(b"z") || self.take(b"Z") }
            }
            b'D' if self.rest.starts_with(b"DDD") => self.fixed(3, Term::DayOfYear),
            b'D' if self.rest.starts_with(b"DD") => self.fixed(2, Term::Day { suppress: false }),
            b'H' if self.rest.starts_with(b"HH") => self.fixed(2, Term::Hour { suppress: false }),
            b'S' if self.rest.starts_with(b"SS") => self.fixed(2, Term::Second),
            b'R' if self.rest.starts_with(b"RRRR") => self.fixed(4, Term::Roman { suppress: false }),
            b'R' if self.rest.starts_with(b"RRRZ") => self.fixed(4, Term::Roman { suppress: true }),
            b'9' => Term::Fraction { digits: self.run(b"9", 3) },
            b'A' | b'a' => self.half(first),
            b'Z' => self.suppressed(),
            b'<' => return Err(Feedback::ERA),
            _ => self.fixed(1, Term::Literal(first)),
        })
    }

    fn fixed(&mut self, length: usize, term: Term<'a>) -> Term<'a> {
        self.rest = &self.rest[length..];
        term
    }

    fn take(&mut self, text: &[u8]) -> bool {
        let there = self.rest.starts_with(text);
        if there {
            self.rest = &self.rest[text.len()..];
        }
        there
    }

    /// Takes a run of certain letters, at most `most`; returns its length.
    fn run(&mut self, letters: &[u8], most: usize) -> usize {
        let length = self.rest.iter().take(most).take_while(|byte| letters.contains(byte)).count();
        self.rest = &self.rest[length..];
        length
    }

    /// Takes a run of letters that ask for a name.
    fn name(&mut self, letters: &[u8]) -> &'a [u8] {
        let all = self.rest;
        let length = self.run(letters, MAX_NAME);
        &all[..length]
    }

    /// MI, MM, or a name. In `MMMI` the last M belongs to MI.
    fn month(&mut self) -> Term<'a> {
        if self.take(b"MI") {
            return Term::Minute;
        }
        let letters = self.rest.iter().take_while(|byte| byte.eq_ignore_ascii_case(&b'M')).count();
        let before_minute = self.rest.get(letters) == Some(&b'I');
        match letters - usize::from(before_minute) {
            2 if self.rest.starts_with(b"MM") => self.fixed(2, Term::Month { suppress: false }),
            0..=2 => self.fixed(1, Term::Literal(self.rest[0])),
            length => {
                let all = self.rest;
                let length = length.min(MAX_NAME);
                self.rest = &all[length..];
                let suppress = self.take(b"z") || self.take(b"Z");
                Term::MonthName { case: &all[..length], suppress }
            }
        }
    }

    fn half(&mut self, first: u8) -> Term<'a> {
        let lower = first == b'a';
        for (text, dots) in [(&b"AP"[..], false), (b"ap", false), (b"A.P.", true), (b"a.p.", true)] {
            if self.take(text) {
                return Term::Half { dots, lower };
            }
        }
        self.fixed(1, Term::Literal(first))
    }

    /// Reads a term that starts with Z: a number without leading zeros.
    fn suppressed(&mut self) -> Term<'a> {
        for (text, term) in [
            (&b"ZYY"[..], Term::Year { digits: 3 }),
            (b"ZM", Term::Month { suppress: true }),
            (b"ZD", Term::Day { suppress: true }),
            (b"ZH", Term::Hour { suppress: true }),
        ] {
            if self.take(text) {
                return term;
            }
        }
        self.fixed(1, Term::Literal(b'Z'))
    }
}
