//! DSNTIAR: an SQLCA as lines of text in a program's area.

use super::sqlca::Sqlca;
use ebcdic::Characters;

/// DSNTIAR's return codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formatted {
    /// All lines are there.
    Whole = 0,
    /// There were more lines than the area has room for.
    Cut = 4,
    /// The length of a line is below 72 or above 240.
    LineLength = 8,
    /// The area is shorter than its shortest.
    AreaLength = 12,
}

const LINE_MIN: usize = 72;
const LINE_MAX: usize = 240;
/// The shortest area.
const AREA_MIN: usize = 240;
/// Lines that go on are set in as far as the text behind a message's number.
const INDENT: usize = 10;

/// Formats an SQLCA into a program's area: a COMP length of 2 bytes, then lines of `line` bytes each.
pub fn format_message(sqlca: &Sqlca, area: &mut [u8], line: i32) -> Formatted {
    let Some(line) = usize::try_from(line).ok().filter(|line| (LINE_MIN..=LINE_MAX).contains(line)) else {
        return Formatted::LineLength;
    };
    let Some((length, text)) = area.split_first_chunk_mut::<2>() else { return Formatted::AreaLength };
    let length = usize::from(u16::from_be_bytes(*length)).min(text.len());
    let text = &mut text[..length];
    if length < AREA_MIN.max(line) {
        return Formatted::AreaLength;
    }
    text.fill(b' ');
    let lines = paragraphs(sqlca).iter().flat_map(|paragraph| wrap(paragraph, line)).collect::<Vec<_>>();
    for (room, shown) in text.chunks_exact_mut(line).zip(&lines) {
        room[..shown.len()].copy_from_slice(shown);
    }
    if lines.len() > length / line { Formatted::Cut } else { Formatted::Whole }
}

fn paragraphs(sqlca: &Sqlca) -> Vec<String> {
    let (number, code) = match sqlca.code {
        0 if sqlca.warnings[0] == b' ' => {
            return vec!["DSNT400I SQLCODE = 000,  SUCCESSFUL EXECUTION".to_owned()];
        }
        0.. => ("DSNT404I", format!("{:03}, WARNING: ", sqlca.code)),
        _ => ("DSNT408I", format!("{:03}, ERROR: ", sqlca.code)),
    };
    let first = format!("{number} SQLCODE = {code} {}", sqlca.message());
    let characters = |bytes: &[u8]| Characters::default().text(bytes);
    let mut paragraphs = vec![
        first,
        format!("DSNT418I SQLSTATE   = {} SQLSTATE RETURN CODE", characters(&sqlca.state)),
        format!(
            "DSNT415I SQLERRP    = {} SQL PROCEDURE DETECTING ERROR",
            characters(&sqlca.detector).trim_end()
        ),
    ];
    if sqlca.details.iter().any(|&detail| detail != 0) {
        let decimal = sqlca.details.map(|detail| detail.to_string()).join(" ");
        let hexadecimal = sqlca.details.map(|detail| format!("X'{detail:08X}'")).join(" ");
        for details in [decimal, hexadecimal] {
            paragraphs.push(format!("DSNT416I SQLERRD    = {details} SQL DIAGNOSTIC INFORMATION"));
        }
    }
    if sqlca.warnings[0] != b' ' {
        let warnings = |range: std::ops::Range<usize>| {
            sqlca.warnings[range].iter().map(|&byte| char::from(byte).to_string())
        };
        paragraphs.push(format!(
            "DSNT417I SQLWARN0-5 = {} SQL WARNINGS",
            warnings(0..6).collect::<Vec<_>>().join(",")
        ));
        paragraphs.push(format!(
            "DSNT417I SQLWARN6-A = {} SQL WARNINGS",
            warnings(6..11).collect::<Vec<_>>().join(",")
        ));
    }
    paragraphs
}

/// Breaks a paragraph into lines, between words where it can. A line begins with a blank.
fn wrap(paragraph: &str, line: usize) -> Vec<Vec<u8>> {
    let byte =
        |character: char| Characters::default().byte(character).filter(|byte| *byte >= b' ').unwrap_or(b'.');
    let mut lines = Vec::new();
    let mut current = vec![b' '];
    for word in paragraph.split(' ') {
        let word: Vec<u8> = word.chars().map(byte).collect();
        for piece in word.chunks(line - INDENT - 1).chain(word.is_empty().then_some(&[][..])) {
            if current.len() + piece.len() > line {
                lines.push(std::mem::replace(&mut current, vec![b' '; INDENT]));
            }
            current.extend(piece);
            if current.len() < line {
                current.push(b' ');
            }
        }
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(sqlca: &Sqlca, length: u16, line: i32) -> (Formatted, Vec<String>) {
        let mut area = vec![0; usize::from(length) + 2];
        area[..2].copy_from_slice(&length.to_be_bytes());
        let formatted = format_message(sqlca, &mut area, line);
        let lines = area[2..].chunks(line.clamp(1, 240) as usize);
        (formatted, lines.map(|line| String::from_utf8_lossy(line).trim_end().to_owned()).collect())
    }

    #[test]
    fn an_error_is_shown_line_by_line() {
        let sqlca = Sqlca::error(-911, b"40001").token("00C90088").counting(13_172_872);
        let (result, lines) = formatted(&sqlca, 720, 72);
        assert_eq!(result, Formatted::Whole);
        assert_eq!(
            lines[..8],
            [
                " DSNT408I SQLCODE = -911, ERROR:  A DEADLOCK OR TIME-OUT; THE UNIT OF",
                "          WORK WAS BACKED OUT: 00C90088",
                " DSNT418I SQLSTATE   = 40001 SQLSTATE RETURN CODE",
                " DSNT415I SQLERRP    = DSNSQL SQL PROCEDURE DETECTING ERROR",
                " DSNT416I SQLERRD    = 0 0 13172872 0 0 0 SQL DIAGNOSTIC INFORMATION",
                " DSNT416I SQLERRD    = X'00000000' X'00000000' X'00C90088' X'00000000'",
                "          X'00000000' X'00000000' SQL DIAGNOSTIC INFORMATION",
                "",
            ]
        );
    }

    #[test]
    fn success_and_warning() {
        assert_eq!(
            formatted(&Sqlca::default(), 240, 72).1[0],
            " DSNT400I SQLCODE = 000,  SUCCESSFUL EXECUTION"
        );
        let mut sqlca = Sqlca::default();
        sqlca.warn(1);
        let lines = formatted(&sqlca, 960, 80).1;
        assert_eq!(lines[0], " DSNT404I SQLCODE = 000, WARNING:  SUCCESSFUL EXECUTION");
        assert_eq!(lines[3], " DSNT417I SQLWARN0-5 = W,W, , , ,  SQL WARNINGS");
    }

    #[test]
    fn what_does_not_fit_has_a_return_code() {
        let sqlca = Sqlca::error(-104, b"42601").token("x".repeat(70));
        assert_eq!(formatted(&sqlca, 240, 72).0, Formatted::Cut);
        assert_eq!(formatted(&sqlca, 240, 71).0, Formatted::LineLength);
        assert_eq!(formatted(&sqlca, 240, 241).0, Formatted::LineLength);
        assert_eq!(formatted(&sqlca, 239, 72).0, Formatted::AreaLength);
        assert_eq!(format_message(&sqlca, &mut [0], 72), Formatted::AreaLength);
        assert_eq!(format_message(&sqlca, &mut [0xFF; 100], 72), Formatted::AreaLength);
    }
}
