//! The settings of a page: the paragraph below its title in which each line is `name: value`.
//!
//! `clock: 2026-11-21 20:15:07` stops the clocks that programs see. `set: sit.MXT=5` sets a key of region.toml for the page.

use jiff::civil::DateTime;

use crate::document::Document;

/// The settings of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Calendar and clock stand still there.
    pub clock: Option<DateTime>,
    /// Keys of region.toml with their values, as `--set` takes them.
    pub keys: Vec<String>,
}

impl Settings {
    /// Reads them.
    ///
    /// # Errors
    /// The number of a line, from 1, and what is wrong with it.
    pub fn read(document: &Document) -> (Self, Vec<(usize, String)>) {
        let (mut settings, mut wrong) = (Self::default(), Vec::new());
        for (number, line) in paragraph(document.lines()) {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.trim();
            match name {
                "clock" => match clock(value) {
                    Some(clock) => settings.clock = Some(clock),
                    None => wrong
                        .push((number, format!("{value} is no date and time: clock: 2026-11-21 20:15:07"))),
                },
                "set" if value.contains('=') => settings.keys.push(value.to_owned()),
                "set" => wrong.push((number, format!("{value} sets nothing: set: SECTION.KEY=VALUE"))),
                _ => wrong.push((number, format!("there is no setting {name}: clock, set"))),
            }
        }
        (settings, wrong)
    }
}

fn clock(text: &str) -> Option<DateTime> {
    text.replacen(' ', "T", 1).parse().ok()
}

/// The lines of the first paragraph below the title, with their numbers, if the first of them begins with a name and a colon.
fn paragraph(lines: &[String]) -> Vec<(usize, &str)> {
    let is_there = |line: &&(usize, &str)| !line.1.trim().is_empty();
    let numbered: Vec<(usize, &str)> = (1..).zip(lines.iter().map(String::as_str)).collect();
    let below = match numbered.iter().find(is_there) {
        Some((title, line)) if line.starts_with('#') => &numbered[*title..],
        _ => &numbered[..],
    };
    let from = below.iter().position(|line| is_there(&line)).unwrap_or(below.len());
    let paragraph: Vec<_> = below[from..].iter().take_while(|line| is_there(line)).copied().collect();
    match paragraph.first() {
        Some((_, first)) if is_setting(first) => paragraph,
        _ => Vec::new(),
    }
}

fn is_setting(line: &str) -> bool {
    let name = line.split_once(':').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Settings, Vec<(usize, String)>) {
        Settings::read(&Document::parse("t", text).expect("closed"))
    }

    #[test]
    fn the_paragraph_below_the_title_has_settings() {
        let (settings, wrong) = read("# T\n\nclock: 2024-02-29 23:59:59\nset: sit.MXT=5\n\nnone: here\n");
        assert_eq!(
            (settings.clock.map(|clock| clock.to_string()).as_deref(), wrong.len()),
            (Some("2024-02-29T23:59:59"), 0)
        );
        assert_eq!(settings.keys, ["sit.MXT=5"]);
        assert_eq!(read("# T\n\nProse: of any kind.\n"), (Settings::default(), Vec::new()));
        assert_eq!(read("").1.len(), 0);
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let lines = |text| read(text).1.into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(lines("# T\nclock: 2023-02-29 00:00:00\nset: x\nwhat: y\nprose\n"), [2, 3, 4, 5]);
    }
}
