//! SEND MAP, SEND TEXT, SEND CONTROL.

use bms::{
    Content, Control, ControlOptions, Cursor, Erase, Heading, LineWidth, MapOptions, SendError, TextJustify,
    TextOptions,
};
use spec::{cmd, cond, opt};

use super::{display, map_of, mapset, names, terminal};
use crate::commands::printing::{self, Layout, page};
use crate::commands::terminals::{delivered, erases_to_alternate};
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::limits::HALFWORD_LENGTH_MAX;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::Task;
use kernel::terminals::Terminal;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::SEND_MAP, Handler::Waits(send_map)),
    (cmd::SEND_TEXT, Handler::Waits(send_text)),
    (cmd::SEND_CONTROL, Handler::Waits(send_control)),
];

/// SEND MAP. Order of checks: terminal, mapset, map, data.
fn send_map<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = terminal(task)?;
        let (set_name, map_name) = names(call)?;
        let set = mapset(task, set_name).await?;
        let map = map_of(&set, (set_name, map_name))?;
        let content = match (call.keyword(opt::MAPONLY), call.keyword(opt::DATAONLY)) {
            (true, _) => Content::MapOnly,
            (false, true) => Content::DataOnly,
            (false, false) => Content::Both,
        };
        let cursor = match cursor(call)? {
            Some(position) => Cursor::At(position),
            None if call.keyword(opt::CURSOR) => Cursor::Symbolic,
            None => Cursor::AsMap,
        };
        let options = MapOptions {
            erase: erase(task, call),
            control: control(call),
            cursor,
            content,
            ..MapOptions::default()
        };
        let record = match content {
            Content::MapOnly => None,
            _ => call.outgoing(opt::FROM, opt::LENGTH, HALFWORD_LENGTH_MAX)?,
        };
        let stream =
            bms::send_map(map, &options, record.as_deref(), &display(task, &terminal)).map_err(raise)?;
        send(task, call, &terminal, stream).await
    })
}

/// SEND TEXT. Several pages are sent one after the other; the last one stays.
fn send_text<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = terminal(task)?;
        let text = call.outgoing(opt::FROM, opt::LENGTH, HALFWORD_LENGTH_MAX)?.unwrap_or_default();
        let (header, trailer) = (call.bytes(opt::HEADER)?, call.bytes(opt::TRAILER)?);
        let justify = match call.number(opt::JUSTIFY)? {
            Some(line) => TextJustify::Line(u16::try_from(line).map_err(|_| cond::INVREQ.raise(0))?),
            None if call.keyword(opt::JUSLAST) => TextJustify::Last,
            None => TextJustify::First,
        };
        let options = TextOptions {
            erase: erase(task, call),
            control: control(call),
            cursor: cursor(call)?,
            header: header.as_deref().and_then(Heading::from_area),
            trailer: trailer.as_deref().and_then(Heading::from_area),
            justify,
        };
        let pages = bms::send_text(&text, &options, &display(task, &terminal)).map_err(raise)?;
        for page in pages {
            send(task, call, &terminal, page).await?;
        }
        Ok(())
    })
}

/// SEND CONTROL.
fn send_control<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = terminal(task)?;
        // CURSOR alone is position 0.
        let cursor = cursor(call)?.or(call.keyword(opt::CURSOR).then_some(0));
        let options = ControlOptions { erase: erase(task, call), control: control(call), cursor };
        let stream = bms::send_control(&options, &display(task, &terminal)).map_err(raise)?;
        send(task, call, &terminal, stream).await
    })
}

async fn send(task: &Task, call: &Call<'_>, terminal: &Terminal, stream: Vec<u8>) -> Outcome {
    if let Some(printer) = terminal.parts.printer {
        let layout = Layout { lines: call.keyword(opt::NLEOM), form_feed: call.keyword(opt::FORMFEED) };
        let code_page = task.region.options.terminal_code_page;
        let page = page(printer, terminal.parts.default_size, code_page, stream, layout);
        let printed = printing::print(task, terminal, page).await?;
        // BMS has no condition for it.
        return if printed { Ok(()) } else { Err(Raise::abend("ATNI")) };
    }
    delivered(task, call, terminal, stream).await
}

fn erase(task: &Task, call: &Call<'_>) -> Erase {
    if call.keyword(opt::ERASEAUP) {
        Erase::Unprotected
    } else if !call.keyword(opt::ERASE) {
        Erase::No
    } else if erases_to_alternate(task, call) {
        Erase::Alternate
    } else {
        Erase::Default
    }
}

fn control(call: &Call<'_>) -> Control {
    Control {
        print: call.keyword(opt::PRINT),
        alarm: call.keyword(opt::ALARM),
        freekb: call.keyword(opt::FREEKB),
        frset: call.keyword(opt::FRSET),
        width: [(opt::L40, LineWidth::L40), (opt::L64, LineWidth::L64), (opt::L80, LineWidth::L80)]
            .into_iter()
            .find(|(option, _)| call.keyword(*option))
            .map_or(LineWidth::AsFormatted, |(_, width)| width),
    }
}

fn cursor(call: &Call<'_>) -> Outcome<Option<u16>> {
    match call.number(opt::CURSOR)? {
        None => Ok(None),
        Some(position) => u16::try_from(position).map(Some).map_err(|_| cond::INVREQ.raise(0)),
    }
}

fn raise(error: SendError) -> Raise {
    match error {
        SendError::MapTooLarge { .. } => cond::INVMPSZ.raise(0),
        SendError::InputOnly { .. }
        | SendError::CursorOutside { .. }
        | SendError::NoRoomForText
        | SendError::Unaddressable(_) => cond::INVREQ.raise(0),
    }
}
