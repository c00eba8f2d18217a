//! From lines of the generated text to lines of the user's sources.

use serde::{Deserialize, Serialize};

/// Which line of which source each generated line stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineMap {
    sources: Vec<String>,
    runs: Vec<Run>,
}

/// Consecutive generated lines that stand for consecutive lines of one source, or all for the same line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Run {
    generated: u32,
    source: u32,
    line: u32,
    /// Whether the source's line advances with the generated one.
    advances: bool,
}

/// A line of a user's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLine<'a> {
    /// The source's name: its path as messages show it.
    pub source: &'a str,
    /// From 1.
    pub line: u32,
}

impl LineMap {
    /// Notes the next generated line: call once for each, in order, from line 1.
    pub(crate) fn push(&mut self, generated: u32, source: &str, line: u32) {
        let source = self.source_number(source);
        if let Some(last) = self.runs.last_mut()
            && last.source == source
        {
            if last.advances && last.line_of(generated) == line {
                return;
            }
            let first_repeat = generated == last.generated + 1 && line == last.line;
            if first_repeat || (!last.advances && line == last.line) {
                last.advances = false;
                return;
            }
        }
        self.runs.push(Run { generated, source, line, advances: true });
    }

    fn source_number(&mut self, name: &str) -> u32 {
        let found = self.sources.iter().position(|source| source == name);
        let at = found.unwrap_or_else(|| {
            self.sources.push(name.to_owned());
            self.sources.len() - 1
        });
        at as u32
    }

    /// The user's line that a generated line (from 1) stands for.
    pub fn line(&self, generated: u32) -> Option<SourceLine<'_>> {
        let at = self.runs.partition_point(|run| run.generated <= generated).checked_sub(1)?;
        let run = self.runs[at];
        Some(SourceLine { source: self.sources.get(run.source as usize)?, line: run.line_of(generated) })
    }
}

impl Run {
    fn line_of(&self, generated: u32) -> u32 {
        if self.advances { self.line + (generated - self.generated) } else { self.line }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generated_line_finds_its_own() {
        let lines = [
            ("A.cbl", 1),
            ("A.cbl", 2),
            ("A.cbl", 5),
            ("A.cbl", 5),
            ("A.cbl", 5),
            ("A.cbl", 6),
            ("B.cpy", 1),
            ("B.cpy", 2),
            ("A.cbl", 8),
        ];
        let mut map = LineMap::default();
        for (generated, (source, line)) in (1..).zip(lines) {
            map.push(generated, source, line);
        }
        for (generated, (source, line)) in (1..).zip(lines) {
            assert_eq!(map.line(generated), Some(SourceLine { source, line }), "line {generated}");
        }
        assert_eq!(map.line(0), None);
        assert_eq!(map.runs.len(), 5);
    }
}
