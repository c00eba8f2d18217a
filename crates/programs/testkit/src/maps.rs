//! A `bms` block becomes a mapset: continuations are put where the assembler wants them.

/// The column of the character that continues a line.
const CONTINUATION: usize = 71;
/// The column where a continued line goes on.
const CONTINUED: usize = 15;

/// The name of the mapset, and its text.
pub fn mapset(lines: &[String]) -> (String, String) {
    let name =
        lines.iter().find(|line| line.contains("DFHMSD")).and_then(|line| line.split_whitespace().next());
    let name = name.unwrap_or("MAPS").to_owned();
    let mut text = String::new();
    let mut continued = false;
    for line in lines {
        let line = match continued {
            true => format!("{:CONTINUED$}{}", "", line.trim()),
            false => line.trim_end().to_owned(),
        };
        continued = line.ends_with(',');
        match continued {
            true => text.push_str(&format!("{line:CONTINUATION$}X\n")),
            false => text.push_str(&format!("{line}\n")),
        }
    }
    if !text.contains("TYPE=FINAL") {
        text.push_str("         DFHMSD TYPE=FINAL\n         END\n");
    }
    (name, text)
}
