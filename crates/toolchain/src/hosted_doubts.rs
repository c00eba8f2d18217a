//! Places of a program at which GnuCOBOL computes something else than Enterprise COBOL: warned of where the source shows them.

use std::path::Path;
use std::sync::Arc;

use cobol_source::{At, Format, Token, read};
use diagnostics::{Diagnostic, Severity, Source};

use crate::deck::{self, Kind};
use crate::facts::Shape;
use crate::library::CopyLibrary;
use crate::{Member, Toolchain, codes, text};

/// Options of CBL cards that GnuCOBOL passes over: name and value, any value where that is empty.
const OPTIONS: [(&str, &str); 4] = [("INTDATE", "LILIAN"), ("SSRANGE", ""), ("DEFINE", ""), ("APOST", "")];

impl Toolchain {
    /// Warnings about a program that the configuration leaves to GnuCOBOL; none for others.
    pub(crate) fn hosted_doubts(&self, name: &str) -> Vec<Diagnostic> {
        if !self.is_hosted(name) {
            return Vec::new();
        }
        let Some(path) = self.sources.programs.find(name) else { return Vec::new() };
        let told = format!("{name} is compiled by GnuCOBOL, as [cobol] says");
        let first = Diagnostic::warning(codes::HOSTED, told).help(
            "its COMP-5, COMP-1, COMP-2, pointers and SYNCHRONIZED items are not those of z/OS, and more is not: docs/compiler.md",
        );
        std::iter::once(first).chain(self.places(name, &path)).collect()
    }

    fn places(&self, name: &str, path: &Path) -> Vec<Diagnostic> {
        let Ok(content) = text::read(path) else { return Vec::new() };
        let source = deck::member(Kind::Program, name, &Source::new(self.sources.name(path), content));
        of_source(&source, &CopyLibrary::new(&self.sources))
    }

    /// Warnings of records of natively compiled programs that programs by GnuCOBOL see otherwise, in a region with both.
    pub fn records_of_both(&self) -> Vec<Diagnostic> {
        if !self.choice.is_mixed() {
            return Vec::new();
        }
        let programs = self.members().into_iter().filter_map(|member| match member {
            Member::Program(name) => Some(name),
            Member::Mapset(_) => None,
        });
        let known: Vec<_> = programs.filter_map(|name| Some((self.look(&name)?, name))).collect();
        let with = |shape: Shape, hosted: bool| {
            known.iter().filter(move |(facts, name)| {
                self.is_hosted(name) == hosted && facts.holds.iter().any(|held| held.shape == shape)
            })
        };
        let mut told = Vec::new();
        for shape in Shape::ALL {
            let Some((_, hosted)) = with(shape, true).next() else { continue };
            for (facts, native) in with(shape, false) {
                let Some(held) = facts.holds(shape) else { continue };
                let programs = format!("{hosted}, which is compiled by GnuCOBOL");
                let mut warning = held.differs(&programs, &self.sources);
                (warning.severity, warning.code) = (Severity::Warning, codes::DECIDED);
                told.push(warning.help(format!(
                    "where {native} and {hosted} see the same bytes, name both in `gnucobol` of [cobol], or none"
                )));
            }
        }
        told
    }
}

fn of_source(source: &Arc<Source>, library: &dyn translator::Library) -> Vec<Diagnostic> {
    let mut text = read(source, library, Format::Detect, 4);
    let mut found: Vec<(At, &str, &str)> = Vec::new();
    let words = &text.tokens;
    for (at, word) in words.iter().enumerate() {
        let next = |by: usize| words.get(at + by);
        let is = |by: usize, name: &str| next(by).is_some_and(|word| word.is(name));
        if word.is("BY") && is(1, "VALUE") && next(2).is_some_and(is_name) {
            let what = "BY VALUE passes a binary item with its bytes in the processor's order";
            found.push((word.at, what, "pass it BY CONTENT, or have our compiler take the program"));
        }
        if power(words, at) && next(2).is_some_and(is_operand) && power(words, at + 3) {
            let what = "powers in a row are computed from the right";
            found.push((word.at, what, "write parentheses: (A ** B) ** C"));
        }
        if word.is("NUMVAL-C") || word.is("NUMVAL-F") {
            let what = "NUMVAL-C with a long currency sign, and NUMVAL-F with an exponent, give zero";
            found.push((word.at, what, "have our compiler take the program"));
        }
        if word.is("INSPECT") && is(2, "TALLYING") && next(1).zip(next(3)).is_some_and(same_name) {
            let what = "INSPECT changes the item that it counts in before it looks at it";
            found.push((word.at, what, "count in another item"));
        }
    }
    for option in &text.options {
        let passed_over = |(name, value): &&(&str, &str)| {
            option.name.eq_ignore_ascii_case(name)
                && (value.is_empty() || option.value.eq_ignore_ascii_case(value))
        };
        if OPTIONS.iter().any(|known| passed_over(&known))
            && let Some(first) = text.tokens.first()
        {
            found.push((
                first.at,
                "an option of CBL has no effect: INTDATE(LILIAN), APOST, SSRANGE or DEFINE",
                "have our compiler take the program",
            ));
        }
    }
    let before = text.messages.list.len();
    for (at, what, help) in found {
        let message = Diagnostic::warning(codes::HOSTED_PLACE, format!("by GnuCOBOL, {what}"));
        text.messages.add(at, message.help(help));
    }
    text.messages.list.split_off(before)
}

/// Returns true if `**` stands there.
fn power(words: &[Token], at: usize) -> bool {
    let star = |at: usize| words.get(at).is_some_and(|word| word.is_symbol("*"));
    star(at) && star(at + 1) && words[at + 1].is_glued()
}

fn is_operand(word: &Token) -> bool {
    word.text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

fn is_name(word: &Token) -> bool {
    word.text.starts_with(|c: char| c.is_ascii_alphabetic())
}

fn same_name((one, other): (&Token, &Token)) -> bool {
    one.text.eq_ignore_ascii_case(&other.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(statements: &str, expected: &[&str]) {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       PROCEDURE DIVISION.\n           {statements}.\n"
        );
        let found = of_source(&Source::new("P.cbl", text), &cobol_source::NoLibrary);
        let told: Vec<&str> = found.iter().map(|message| message.message.as_str()).collect();
        let fits = |(told, expected): (&&str, &&str)| told.contains(*expected);
        assert!(told.len() == expected.len() && told.iter().zip(expected).all(fits), "{told:?}");
    }

    #[test]
    fn what_gnucobol_computes_otherwise_is_told_where_the_source_shows_it() {
        check("CALL 'P' USING BY VALUE N", &["BY VALUE"]);
        check("CALL 'P' USING BY CONTENT N BY VALUE 5", &[]);
        check("COMPUTE A = 2 ** 3 ** 2", &["powers in a row"]);
        check("COMPUTE A = (2 ** 3) ** 2 + 3 ** 2", &[]);
        check("COMPUTE A = FUNCTION NUMVAL-C (B 'EUR')", &["NUMVAL-C"]);
        check("INSPECT N TALLYING N FOR ALL '1'", &["INSPECT"]);
        check("INSPECT M TALLYING N FOR ALL '1'", &[]);
    }

    #[test]
    fn options_without_effect_are_told() {
        let text = "       CBL SSRANGE\n       ID DIVISION.\n       PROGRAM-ID. P.\n";
        let found = of_source(&Source::new("P.cbl", text), &cobol_source::NoLibrary);
        assert!(found.len() == 1 && found[0].message.contains("SSRANGE"), "{found:?}");
    }
}
