//! Messages of Syncpoint by their codes, read where each crate keeps its own: the comments of `codes.rs`, and the tables in
//! READMEs whose rows stand for one code or several.

/// Files that give codes their names, each with a comment.
const NAMED: [&str; 8] = [
    include_str!("../../../command-line/src/codes.rs"),
    include_str!("../../../../text/config/src/codes.rs"),
    include_str!("../../../../storage/datasets/src/codes.rs"),
    include_str!("../../../../core/region/src/codes.rs"),
    include_str!("../../../../cobol/toolchain/src/codes.rs"),
    include_str!("../../../../storage/unseal/src/codes.rs"),
    include_str!("../cards/codes.rs"),
    include_str!("../codes.rs"),
];
/// Pages with a table of codes: `| SPTR020 – 023 | meaning |`.
const TABLES: [&str; 2] = [
    include_str!("../../../../cobol/cobol-syntax/README.md"),
    include_str!("../../../../cobol/cobol-exec/README.md"),
];
/// Letters before the number of a code.
const PREFIX: usize = 4;

/// The meaning of a code; `None` if no crate has written it down.
pub(super) fn meaning(code: &str) -> Option<String> {
    NAMED
        .iter()
        .find_map(|file| named(file, code))
        .or_else(|| TABLES.iter().find_map(|page| tabled(page, code)))
}

/// The comment in front of the constant that has a code.
fn named(file: &str, code: &str) -> Option<String> {
    let lines: Vec<&str> = file.lines().collect();
    let at = lines.iter().position(|line| line.ends_with(&format!("= \"{code}\";")))?;
    let comments = lines[..at].iter().rev().map_while(|line| line.strip_prefix("/// "));
    let mut words: Vec<&str> = comments.collect();
    words.reverse();
    Some(words.join(" ")).filter(|text| !text.is_empty())
}

/// The meaning in the row of a table that covers a code.
fn tabled(page: &str, code: &str) -> Option<String> {
    let (prefix, number) = code.split_at_checked(PREFIX)?;
    let number: u32 = number.parse().ok()?;
    page.lines().find_map(|line| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (codes, meaning) = (cells.next()?.strip_prefix(prefix)?, cells.next()?);
        covers(codes, number).then(|| sentence(meaning))
    })
}

/// Returns true if a list of numbers and ranges has a number: `020 – 023, 030`.
fn covers(codes: &str, number: u32) -> bool {
    codes.split(',').any(|part| {
        let mut ends = part.split('–').map(|end| end.trim().parse::<u32>().ok());
        match (ends.next().flatten(), ends.next().flatten()) {
            (Some(first), Some(last)) => (first..=last).contains(&number),
            (Some(one), None) => one == number,
            _ => false,
        }
    })
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).chain(['.']).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_by_its_comment_or_by_its_row() {
        let table = [
            ("SPCF002", "A key that the file does not have."),
            ("SPCL031", "A transaction that was run from outside ended with an abend."),
            ("SPTR011", "COPY: no such member"),
            ("SPSY005", "PROGRAM-ID"),
        ];
        for (code, says) in table {
            assert!(meaning(code).is_some_and(|text| text.contains(says)), "{code}: {:?}", meaning(code));
        }
        assert_eq!(meaning("SPTR999"), None);
        assert_eq!(meaning("X"), None);
    }
}
