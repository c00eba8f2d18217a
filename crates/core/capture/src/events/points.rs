//! Commands that can be captured, as published, with the options in which they have data.

use std::borrow::Cow;

use kernel::exec::Call;
use policies::capture_specification::{CapturePoint, CaptureSpecification, ItemSource};
use spec::{CommandId, OptionId, cmd, opt};

/// A capture point: its words in a file, its commands, and its primary predicate.
pub(super) struct Point {
    words: &'static str,
    pub commands: &'static [CommandId],
    primary: &'static str,
}

const fn point(words: &'static str, commands: &'static [CommandId], primary: &'static str) -> Point {
    Point { words, commands, primary }
}

/// All of them.
const POINTS: &[Point] = &[
    point("CONVERSE", &[cmd::CONVERSE], ""),
    point("DELETE FILE", &[cmd::DELETE], "FILE"),
    point("DELETEQ TD", &[cmd::DELETEQ_TD], "QUEUE"),
    point("DELETEQ TS", &[cmd::DELETEQ_TS], "QNAME"),
    point("INVOKE SERVICE", &[cmd::INVOKE_SERVICE, cmd::INVOKE_WEBSERVICE], "SERVICE"),
    point("LINK PROGRAM", &[cmd::LINK], "PROGRAM"),
    point("PUT CONTAINER", &[cmd::PUT_CONTAINER], "CONTAINER"),
    point("PUT64 CONTAINER", &[cmd::PUT64_CONTAINER], "CONTAINER"),
    point("READ FILE", &[cmd::READ], "FILE"),
    point("READNEXT FILE", &[cmd::READNEXT], "FILE"),
    point("READPREV FILE", &[cmd::READPREV], "FILE"),
    point("READQ TD", &[cmd::READQ_TD], "QUEUE"),
    point("READQ TS", &[cmd::READQ_TS], "QNAME"),
    point("RECEIVE", &[cmd::RECEIVE], ""),
    point("RECEIVE MAP", &[cmd::RECEIVE_MAP], "MAP"),
    point("RETRIEVE", &[cmd::RETRIEVE], ""),
    point("RETURN", &[cmd::RETURN], "TRANSID"),
    point("REWRITE FILE", &[cmd::REWRITE], "FILE"),
    point("SEND", &[cmd::SEND], ""),
    point("SEND MAP", &[cmd::SEND_MAP], "MAP"),
    point("SEND TEXT", &[cmd::SEND_TEXT], ""),
    point("SIGNAL EVENT", &[cmd::SIGNAL_EVENT], "EVENT"),
    point("START TRANSID", &[cmd::START, cmd::START_CHANNEL], "TRANSID"),
    point("SYNCPOINT", &[cmd::SYNCPOINT, cmd::SYNCPOINT_ROLLBACK], ""),
    point("WEB READ FORMFIELD", &[cmd::WEB_READ_FORMFIELD], "FORMFIELD"),
    point("WEB READ HTTPHEADER", &[cmd::WEB_READ_HTTPHEADER], "HTTPHEADER"),
    point("WEB READ QUERYPARM", &[cmd::WEB_READ_QUERYPARM], "QUERYPARM"),
    point("WEB READNEXT FORMFIELD", &[cmd::WEB_READNEXT_FORMFIELD], ""),
    point("WEB READNEXT HTTPHEADER", &[cmd::WEB_READNEXT_HTTPHEADER], ""),
    point("WEB READNEXT QUERYPARM", &[cmd::WEB_READNEXT_QUERYPARM], ""),
    point("WRITE FILE", &[cmd::WRITE], "FILE"),
    point("WRITEQ TD", &[cmd::WRITEQ_TD], "QUEUE"),
    point("WRITEQ TS", &[cmd::WRITEQ_TS], "QNAME"),
    point("WRITE OPERATOR", &[cmd::WRITE_OPERATOR], ""),
    point("XCTL PROGRAM", &[cmd::XCTL], "PROGRAM"),
];

/// Words that may be left out: `READ` is the command of files.
const MAY_LACK: [&str; 3] = [" FILE", " PROGRAM", " TRANSID"];

/// The point of its words in a file; `None`: there is none.
pub(super) fn of_words(words: &str) -> Option<&'static Point> {
    let is_it = |point: &&Point| {
        point.words == words || MAY_LACK.iter().any(|more| point.words.strip_suffix(more) == Some(words))
    };
    POINTS.iter().find(is_it)
}

/// The name of the beginning of a program as a point.
const PROGRAM_INIT: &str = "PROGRAM_INITIATION";

/// The name of a point, as INQUIRE and statistics have it.
pub(super) fn name(point: &CapturePoint) -> String {
    match point {
        CapturePoint::Command { words, .. } => {
            of_words(words).map_or(words.as_str(), |point| point.words).replace(' ', "_")
        }
        CapturePoint::ProgramInit => PROGRAM_INIT.to_owned(),
        CapturePoint::System(point) => point.name.replace(' ', "_"),
    }
}

/// Its type: the CVDA, and the number that statistics have.
pub(super) fn kind(point: &CapturePoint) -> (&'static str, u64) {
    match point {
        CapturePoint::Command { before: true, .. } => ("PRECOMMAND", 1),
        CapturePoint::Command { before: false, .. } => ("POSTCOMMAND", 2),
        CapturePoint::ProgramInit => ("PROGRAMINIT", 3),
        CapturePoint::System(_) => ("SYSTEM", 4),
    }
}

/// The option that is the primary predicate of a point; empty: the program's name.
pub(super) fn primary(point: &CapturePoint) -> &'static str {
    match point {
        CapturePoint::Command { words, .. } => of_words(words).map_or("", |point| point.primary),
        CapturePoint::ProgramInit => "PROGRAM",
        CapturePoint::System(point) => point.primary,
    }
}

/// Returns true if control does not come back behind a command, which is captured before it.
pub(super) fn never_comes_back(command: CommandId) -> bool {
    command == cmd::RETURN || command == cmd::XCTL
}

/// Options that stand for each other.
const SAME: [(&str, &str); 2] = [("FILE", "DATASET"), ("QNAME", "QUEUE")];

/// The options of a command that a keyword of a file stands for.
fn options_of(command: CommandId, keyword: &str) -> impl Iterator<Item = OptionId> {
    let other = SAME.iter().find_map(|(one, other)| match keyword {
        word if word == *one => Some(*other),
        word if word == *other => Some(*one),
        _ => None,
    });
    let is_it = move |name: &str, keyword: &str| name == keyword || Some(name) == other;
    let keyword = keyword.to_owned();
    spec::command(command)
        .all_options()
        .filter(move |option| is_it(option.name, &keyword))
        .map(|option| option.id)
}

/// The option that a keyword stands for in a command that has been given.
pub(super) fn given(call: &Call<'_>, keyword: &str) -> Option<OptionId> {
    options_of(call.command(), keyword).find(|option| call.given(*option))
}

/// Checks that a capture is about something that its commands have.
///
/// # Errors
/// A sentence.
pub(super) fn check(capture: &CaptureSpecification) -> Result<(), String> {
    let commands: &[CommandId] = match &capture.point {
        CapturePoint::ProgramInit => return check_init(capture),
        // Crate `policies` has checked it.
        CapturePoint::System(_) => return Ok(()),
        CapturePoint::Command { words, .. } => {
            let point = of_words(words).ok_or_else(|| format!("the command '{words}' cannot be captured"))?;
            point.commands
        }
    };
    let has = |keyword: &str| commands.iter().any(|command| options_of(*command, keyword).next().is_some());
    let keywords = capture.options.iter().map(|filter| filter.keyword.as_str());
    let sources = fields(capture).map(source);
    let captured = capture.items.iter().filter_map(|item| match &item.source {
        ItemSource::Option(keyword) => Some(keyword.as_str()),
        _ => None,
    });
    match keywords.chain(sources).chain(captured).find(|keyword| !has(keyword)) {
        Some(keyword) => Err(format!("{} has no option '{keyword}'", spec::command(commands[0]).name)),
        None => Ok(()),
    }
}

/// The beginning of a program has its name, a COMMAREA and a channel.
fn check_init(capture: &CaptureSpecification) -> Result<(), String> {
    let options = capture.options.iter().map(|filter| filter.keyword.as_str());
    let unknown = options.filter(|keyword| !matches!(*keyword, "PROGRAM" | "CHANNEL"));
    let areas = fields(capture).map(source).filter(|source| !matches!(*source, "COMMAREA" | "CHANNEL"));
    match unknown.chain(areas).next() {
        Some(keyword) => Err(format!("the beginning of a program has no '{keyword}'")),
        None => Ok(()),
    }
}

fn fields(capture: &CaptureSpecification) -> impl Iterator<Item = &policies::capture_specification::Field> {
    let captured = capture.items.iter().filter_map(|item| match &item.source {
        ItemSource::Field(field) => Some(field),
        _ => None,
    });
    capture.data.iter().map(|filter| &filter.field).chain(captured)
}

/// The option that has the data of a field.
pub(super) fn source(field: &policies::capture_specification::Field) -> &str {
    match field.source.as_str() {
        "INTO_SET" | "INTO-SET" => "INTO",
        other => other,
    }
}

/// Options that say how many bytes a command sends, gets or passes.
pub(super) const LENGTHS: [OptionId; 6] =
    [opt::LENGTH, opt::FLENGTH, opt::FROMLENGTH, opt::TOLENGTH, opt::DATALENGTH, opt::TEXTLENGTH];

/// The text of an option in a command.
pub(super) fn text_of(call: &Call<'_>, option: OptionId) -> Cow<'static, str> {
    match call.bytes(option) {
        Ok(Some(bytes)) => policies::event_values::characters(&bytes).into(),
        _ => Cow::Borrowed(""),
    }
}
