//! A keystroke in an editor: processor time until the messages of a program of 5,000 lines are there.

use config::RegionConfig;
use diagnostics::{Diagnostic, Source};
use lsp::{Host, Session};
use serde_json::{Value, json};

use super::in_columns;
use super::mix::text;
use crate::Options;
use crate::clock::{median, processor_time, progress};
use crate::promise::Measured;
use crate::site::Workshop;

/// Seconds of processor time, at most.
const KEYSTROKE_MAX: f64 = 0.150;
/// Lines of the program, at least.
const LINES: usize = 5_000;
/// Rounds of which the median is taken.
const ROUNDS: usize = 15;

fn configuration(_: &std::path::Path) -> Result<RegionConfig, Vec<Diagnostic>> {
    Ok(config::region(&Source::new("region.toml", "programs = [\".\"]\n")).0)
}

fn as_they_are(messages: Vec<Diagnostic>, _: &RegionConfig) -> Vec<Diagnostic> {
    messages
}

/// The program: as many paragraphs of the mix as it needs for its lines.
fn program(options: &Options) -> String {
    let lines = options.size(LINES, 100);
    let mut paragraphs = 1;
    loop {
        let program = in_columns(&text::large(paragraphs));
        let count = program.lines().count();
        if count >= lines {
            return program;
        }
        paragraphs = (paragraphs * lines).div_ceil(count).max(paragraphs + 1);
    }
}

/// The messages that a server has published about a text since they were last taken.
fn published(session: &mut Session) -> Option<usize> {
    let last = session.take_outbox().pop()?;
    last["params"]["diagnostics"].as_array().map(Vec::len)
}

/// Seconds of processor time from a keystroke to messages.
pub(crate) fn keystroke(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let program = program(options);
    workshop.write("MIX.cbl", &program)?;
    workshop.write("region.toml", "programs = [\".\"]\n")?;
    let uri = lsp::uri::of(&workshop.path().join("MIX.cbl"));
    let mut session = Session::new(Host { configuration, levelled: as_they_are, version: "" });
    session.open(&uri, "cobol", &program, json!(1));
    session.work(&|| false);
    let before = published(&mut session).ok_or("nothing was published")?;
    let line = program
        .lines()
        .position(|line| line.contains("VALUE 'LONG'"))
        .ok_or("the program has no such line")?;
    let text = program.lines().nth(line).unwrap_or_default();
    let unit = text.find("LONG").ok_or("the program has no such line")?;
    let at = json!({"line": line, "character": unit});
    let mut seconds = Vec::new();
    for round in 0..=options.size(ROUNDS, 1) {
        progress(&format!("lsp-keystroke: round {round}"));
        // A letter comes and goes, so that the text stays as long.
        let (end, text) = match round % 2 {
            0 => (at.clone(), "X"),
            _ => (json!({"line": line, "character": unit + 1}), ""),
        };
        let change: [Value; 1] = [json!({"range": {"start": at, "end": end}, "text": text})];
        let begun = processor_time();
        session.change(&uri, &change, &json!(round + 2));
        session.work(&|| false);
        seconds.push(processor_time() - begun);
        if published(&mut session) != Some(before) {
            return Err("a keystroke in a literal has changed the messages".to_owned());
        }
    }
    progress("");
    // The first round warms up.
    let figure = Measured::new(median(seconds.split_off(1)), KEYSTROKE_MAX);
    Ok(figure.note(format!("{} lines, {before} messages", program.lines().count())))
}
