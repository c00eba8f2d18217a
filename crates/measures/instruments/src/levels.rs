//! Components of the trace and their levels, which people write as `1`, `1-2`, `1,3`, `ALL`, `OFF`.

/// The components of the trace: those of commands by their group, AP for entries of programs, EI for every other command; DS
/// (waits), LD (programs that are loaded), RI (SQL) and SO (sockets) have entries beyond level 1 alone.
pub const COMPONENTS: [&str; 21] = [
    "AP", "BM", "DH", "DS", "EI", "EP", "FC", "IC", "KC", "LD", "LG", "NC", "PG", "RI", "SM", "SO", "TC",
    "TD", "TS", "WB", "XS",
];

/// Levels that a component has from the start, in standard or special tracing; without a component: all of them have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstLevels {
    /// The component.
    pub component: Option<String>,
    /// True for special tracing.
    pub special: bool,
    /// The levels, a bit each, level 1 the first one.
    pub levels: u32,
}

/// The number of levels.
const LEVELS: u32 = 32;

fn bit(level: u32) -> u32 {
    1 << (LEVELS - level)
}

/// Levels as they are shown: the runs of them, or OFF.
pub fn shown(levels: u32) -> String {
    if levels == 0 {
        return "OFF".to_owned();
    }
    if levels == u32::MAX {
        return "ALL".to_owned();
    }
    let has = |level: u32| (1..=LEVELS).contains(&level) && levels & bit(level) != 0;
    let mut runs = Vec::new();
    for first in (1..=LEVELS).filter(|level| has(*level) && !has(level - 1)) {
        let last = (first..=LEVELS).take_while(|level| has(*level)).last().unwrap_or(first);
        runs.push(if last == first { first.to_string() } else { format!("{first}-{last}") });
    }
    runs.join(",")
}

/// Reads levels as a user has typed them; `None` if they are none.
pub fn read(text: &str) -> Option<u32> {
    match text.trim().to_ascii_uppercase().as_str() {
        "OFF" => return Some(0),
        "ALL" => return Some(u32::MAX),
        _ => {}
    }
    let mut levels = 0;
    for run in text.split(',') {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        let level = |text: &str| text.trim().parse().ok().filter(|level| (1..=LEVELS).contains(level));
        let (first, last): (u32, u32) = (level(first)?, level(last)?);
        if last < first {
            return None;
        }
        (first..=last).for_each(|level| levels |= bit(level));
    }
    Some(levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_shown_as_they_are_read() {
        for (text, levels) in [
            ("OFF", 0),
            ("1", 0x8000_0000),
            ("1-2", 0xC000_0000),
            ("1,3-5", 0xB800_0000),
            ("32", 1),
            ("ALL", u32::MAX),
        ] {
            assert_eq!(read(text), Some(levels), "{text}");
            assert_eq!(shown(levels), text);
        }
        assert_eq!(read("1-32"), Some(u32::MAX));
        for wrong in ["", "0", "33", "3-1", "1-", "X", "1,,2"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
