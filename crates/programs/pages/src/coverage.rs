//! Coverage of programs by pages: statements and paragraphs, with their places in sources.
//!
//! Programs of which that is wanted are compiled to code that counts; others pay nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cobol_ir::Program;
use cobol_ir::program::{BlockId, End, Line};
use serde::{Deserialize, Serialize};
use toolchain::{Member, Toolchain};

/// A statement that was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// The source that it stands in: a copybook by its name, a program by its file.
    pub source: String,
    /// Its line, from 1.
    pub line: u32,
    /// Number of times.
    pub count: u64,
}

/// The statements that the programs of a tool chain have reached, which counts them ([`Toolchain::counting`]).
pub fn hits(toolchain: &Toolchain) -> Vec<Hit> {
    let mut hits = Vec::new();
    for built in toolchain.known() {
        let own = built.source.to_string_lossy();
        for loaded in (0..).map_while(|place| built.unit.program(place)) {
            for (place, count) in loaded.reached() {
                let line = &loaded.program().lines[place as usize];
                let source = line.member.as_deref().unwrap_or(&own).to_owned();
                hits.push(Hit { source, line: line.line, count });
            }
        }
    }
    hits
}

/// The coverage of an application.
#[derive(Debug, Default)]
pub struct Coverage(BTreeMap<String, Source>);

/// That of a source.
#[derive(Debug, Default)]
struct Source {
    /// Number of times that the statements of each line were reached.
    lines: BTreeMap<u32, u64>,
    /// Paragraphs: their names, and the lines of their first statements.
    paragraphs: BTreeSet<(u32, String)>,
}

impl Coverage {
    /// The statements of all programs that are built, none of which was reached.
    pub fn of(toolchain: &Toolchain) -> Self {
        let mut coverage = Self::default();
        for member in toolchain.members() {
            let Member::Program(name) = &member else { continue };
            let Ok(built) = toolchain.program(name) else { continue };
            let source = built.source.to_string_lossy().into_owned();
            let programs = (0..).map_while(|place| built.unit.program(place));
            programs.for_each(|loaded| coverage.add(&source, loaded.program()));
        }
        coverage
    }

    fn add(&mut self, source: &str, program: &Program) {
        for at in reachable(program) {
            for line in statements(program, at) {
                self.file(source, line).lines.entry(line.line).or_default();
            }
        }
        for procedure in &program.anatomy.procedures {
            if let Some(first) = first(program, procedure.start) {
                self.file(source, first).paragraphs.insert((first.line, procedure.name.clone()));
            }
        }
    }

    fn file(&mut self, source: &str, line: &Line) -> &mut Source {
        let name = line.member.as_deref().unwrap_or(source);
        self.0.entry(name.to_owned()).or_default()
    }

    /// Adds what a page has reached.
    pub fn reach(&mut self, hits: &[Hit]) {
        for hit in hits {
            let lines = self.0.get_mut(&hit.source).map(|source| &mut source.lines);
            if let Some(count) = lines.and_then(|lines| lines.get_mut(&hit.line)) {
                *count += hit.count;
            }
        }
    }

    /// Statements that were reached, and all.
    pub fn statements(&self) -> (usize, usize) {
        self.0.values().map(Source::statements).fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
    }

    /// Paragraphs that were reached, and all.
    pub fn paragraphs(&self) -> (usize, usize) {
        self.0.values().map(Source::reached_paragraphs).fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
    }

    /// The form of lcov's tracefiles.
    pub fn lcov(&self, path: impl Fn(&str) -> String) -> String {
        let mut text = String::from("TN:\n");
        for (name, source) in &self.0 {
            line(&mut text, format_args!("SF:{}", path(name)));
            for (at, paragraph) in &source.paragraphs {
                line(&mut text, format_args!("FN:{at},{paragraph}"));
                line(&mut text, format_args!("FNDA:{},{paragraph}", source.count(*at)));
            }
            let (reached, all) = source.reached_paragraphs();
            line(&mut text, format_args!("FNF:{all}\nFNH:{reached}"));
            source.lines.iter().for_each(|(at, count)| line(&mut text, format_args!("DA:{at},{count}")));
            let (reached, all) = source.statements();
            line(&mut text, format_args!("LF:{all}\nLH:{reached}\nend_of_record"));
        }
        text
    }

    /// One page with all sources; `text` gives the text of a source.
    pub fn html(&self, title: &str, text: impl Fn(&str) -> Option<String>) -> String {
        let title = escaped(title);
        let mut page = format!(
            "<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>{STYLE}<h1>{title}</h1>\n<table><tr><th>source<th>statements<th>paragraphs</tr>\n"
        );
        for (name, source) in &self.0 {
            let (name, statements, paragraphs) =
                (escaped(name), source.statements(), source.reached_paragraphs());
            let (statements, paragraphs) = (share(statements), share(paragraphs));
            line(
                &mut page,
                format_args!("<tr><td><a href=\"#{name}\">{name}</a><td>{statements}<td>{paragraphs}</tr>"),
            );
        }
        let (statements, paragraphs) = (share(self.statements()), share(self.paragraphs()));
        line(&mut page, format_args!("<tr><th>all<th>{statements}<th>{paragraphs}</tr></table>"));
        for (name, source) in &self.0 {
            line(&mut page, format_args!("<h2 id=\"{0}\">{0}</h2><pre>", escaped(name)));
            let content = text(name).unwrap_or_default();
            (1..).zip(content.lines()).for_each(|(at, text)| source.row(&mut page, at, text));
            page.push_str("</pre>\n");
        }
        page.push_str("</html>\n");
        page
    }
}

/// Colours that a person who sees no red and green tells apart; the counts say it, too.
const STYLE: &str = "<style>body{font-family:sans-serif;margin:2em}td,th{padding:.1em .8em;text-align:left}pre{line-height:1.3}\
    .y{background:#d7ecff}.n{background:#ffe0b3}i{color:#666;font-style:normal}</style>";

impl Source {
    fn count(&self, at: u32) -> u64 {
        self.lines.get(&at).copied().unwrap_or(0)
    }

    fn statements(&self) -> (usize, usize) {
        (self.lines.values().filter(|count| **count > 0).count(), self.lines.len())
    }

    fn reached_paragraphs(&self) -> (usize, usize) {
        let reached = self.paragraphs.iter().filter(|(at, _)| self.count(*at) > 0);
        (reached.count(), self.paragraphs.len())
    }

    fn row(&self, page: &mut String, at: u32, text: &str) {
        let (class, count) = match self.lines.get(&at) {
            None => ("", String::new()),
            Some(0) => (" class=n", String::from("0")),
            Some(count) => (" class=y", count.to_string()),
        };
        line(page, format_args!("<i>{at:6} {count:>8}</i> <span{class}>{}</span>", escaped(text)));
    }
}

/// The statements of a block: those in front of which a program that is walked rests.
fn statements(program: &Program, at: BlockId) -> Vec<&Line> {
    let Some(block) = program.blocks.get(at.0 as usize) else { return Vec::new() };
    let steps = block.steps.iter().enumerate();
    let shown = steps.filter(|(step, _)| *step > 0 || !program.anatomy.is_back(at));
    let mut places: Vec<u32> = shown.map(|(_, step)| step.line).collect();
    if !matches!(block.end, End::Jump(_) | End::Switch { .. }) {
        places.push(block.line);
    }
    let lines = places.into_iter().filter_map(|place| program.lines.get(place as usize));
    lines.filter(|line| line.line > 0).collect()
}

/// The blocks that a program can come to: its beginning, the paragraphs that HANDLE names, and what follows.
fn reachable(program: &Program) -> BTreeSet<BlockId> {
    // What no statement leads to is a paragraph that is written all the same.
    let starts = program.anatomy.procedures.iter().map(|procedure| procedure.start);
    let mut ahead: Vec<BlockId> =
        [BlockId(0)].into_iter().chain(program.labels.iter().copied()).chain(starts).collect();
    let mut seen = BTreeSet::new();
    while let Some(at) = ahead.pop() {
        let Some(block) = program.blocks.get(at.0 as usize) else { continue };
        if !seen.insert(at) {
            continue;
        }
        match &block.end {
            End::Jump(next) => ahead.push(*next),
            End::Branch { yes, no, .. } => ahead.extend([*yes, *no]),
            End::Switch { targets, other, .. } | End::Select { targets, other, .. } => {
                ahead.extend(targets.iter().chain([other]));
            }
            End::Host { next, failed, .. } => ahead.extend([Some(*next), *failed].into_iter().flatten()),
            End::Leave(_) => {}
        }
    }
    seen
}

/// The first statement from a block on.
fn first(program: &Program, from: BlockId) -> Option<&Line> {
    let mut at = from;
    for _ in 0..program.blocks.len() {
        if let Some(line) = statements(program, at).into_iter().next() {
            return Some(line);
        }
        match program.blocks.get(at.0 as usize)?.end {
            End::Jump(next) => at = next,
            _ => return None,
        }
    }
    None
}

fn share((reached, all): (usize, usize)) -> String {
    let percent = if all == 0 { 100.0 } else { reached as f64 * 100.0 / all as f64 };
    format!("{reached} of {all} ({percent:.1} %)")
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // A string takes what is written to it.
    let _ = writeln!(text, "{line}");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage() -> Coverage {
        let source = Source {
            lines: [(3, 2), (5, 0)].into(),
            paragraphs: [(3, String::from("MAIN")), (5, String::from("REST"))].into(),
        };
        Coverage([(String::from("cobol/A.cbl"), source)].into())
    }

    #[test]
    fn a_tracefile_has_lines_and_paragraphs() {
        let expected = "TN:\nSF:cobol/A.cbl\nFN:3,MAIN\nFNDA:2,MAIN\nFN:5,REST\nFNDA:0,REST\nFNF:2\nFNH:1\nDA:3,2\nDA:5,0\nLF:2\nLH:1\nend_of_record\n";
        assert_eq!(coverage().lcov(str::to_owned), expected);
    }

    #[test]
    fn a_page_shows_each_line_with_its_count() {
        let page = coverage().html("A & B", |_| Some(String::from("one\ntwo\nIF A < B\n\nSTOP")));
        for part in [
            "<h1>A &amp; B</h1>",
            "1 of 2 (50.0 %)",
            "<span class=y>IF A &lt; B</span>",
            "<span class=n>STOP</span>",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
    }
}
