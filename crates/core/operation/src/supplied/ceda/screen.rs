//! The screens of CEDA, of 24 rows.
//!
//! ```text
//! 1        the command
//! 2        what may be done
//! 3        heading
//! 4 … 19   attributes or resources, a + where there is more
//! 20, 21   the first messages
//! 22       how many there are, and the region's names
//! 23       the result, the time
//! 24       the keys
//! ```

use kernel::clock::Stamp;

use super::Aside;
use super::attributes::{LONGEST, attributes};
use crate::definitions::requests::{Answer, Message, Row, View};
use crate::supplied::panel::{Panel, PanelPlace};

/// The place where a command is typed.
pub(super) const COMMAND: PanelPlace = (1, 2);
/// Characters of a command.
const COMMAND_LENGTH: usize = 78;
/// Rows between head and foot.
pub(super) const ROWS: usize = 16;
const FIRST_ROW: u16 = 4;
/// The column of an attribute's value.
const VALUE: u16 = 22;
/// The column of the legal values, where there is room.
const LEGAL: u16 = 54;
/// Characters that fit before the legal values.
const BEFORE_LEGAL: usize = 30;
/// The column where a command is typed beside a resource, and its length.
const BESIDE: PanelPlace = (0, 35);
const BESIDE_LENGTH: usize = 30;
/// The column of what came of it.
const NOTE: u16 = 67;

const KEYS: &str = "PF 1 HELP  3 END  7 BACK  8 FORWARD  9 MSG  10 BACK  11 FORWARD  12 CNCL";

const HELP: &[&str] = &[
    "DEFINE type(name) GROUP(group) attributes    makes a definition",
    "ALTER, VIEW, DELETE, RENAME, COPY, MOVE      of type(name) GROUP(group)",
    "INSTALL type(name) GROUP(group)              brings it into the region;",
    "                                             also a whole GROUP or LIST",
    "DISPLAY, EXPAND, CHECK                       GROUP(group) or LIST(list)",
    "ADD, REMOVE GROUP(group) LIST(list)          changes a list; APPEND LIST TO",
    "LOCK, UNLOCK GROUP(group) or LIST(list)      only you may change it",
    "",
    "Names may be generic: * is any characters, + is one. Words may be cut short.",
    "A value typed over changes the definition. Beside a resource of a list a command",
    "is typed without its name: VIEW, INSTALL, COPY TO(group), ALTER attributes.",
];

/// The meaning of a field.
pub(super) enum Spot {
    /// An attribute and its value on the screen.
    Attribute(&'static str, String),
    /// A line of the list.
    Line(usize),
}

/// A screen, its fields, and how many rows there are in all.
pub(super) struct Drawn {
    pub panel: Panel,
    pub spots: Vec<(PanelPlace, Spot)>,
    pub rows: usize,
}

/// Draws a screen.
pub(super) fn draw(
    transaction: &str,
    command: &str,
    answer: &Answer,
    aside: Option<Aside>,
    above: usize,
    names: &str,
) -> Drawn {
    let mut drawn = Drawn { panel: Panel::default(), spots: Vec::new(), rows: 0 };
    drawn.panel.entry(COMMAND, COMMAND_LENGTH, command).cursor(COMMAND);
    match (aside, &answer.view) {
        (Some(Aside::Help), _) => {
            drawn.texts("GENERAL HELP INFORMATION", HELP.iter().map(|l| (*l).to_owned()), above)
        }
        (Some(Aside::Messages), _) => {
            let lines = answer.messages.iter().flat_map(message_lines);
            let none = answer.messages.is_empty().then(|| "THERE ARE NO MESSAGES".to_owned());
            drawn.texts("MESSAGES", lines.chain(none), above);
        }
        (None, View::Choices(verbs)) => {
            drawn.texts("ENTER ONE OF THE FOLLOWING", verbs.iter().map(|verb| (*verb).to_owned()), above);
        }
        (None, View::Nothing) => {}
        (None, View::Panel { definition, open }) => {
            drawn.panel.bright((2, 2), if *open { "OVERTYPE TO MODIFY" } else { "OBJECT CHARACTERISTICS" });
            drawn.panel.text((2, 47), "CICS RELEASE = 0740");
            let named = format!(
                "{}  {}( {} ) GROUP( {} )",
                transaction, definition.resource, definition.name, definition.group
            );
            drawn.panel.text((3, 2), &named);
            drawn.attributes(&attributes(definition), *open, above);
        }
        (None, View::Rows(rows)) => drawn.list(rows, above),
    }
    drawn.foot(answer, aside, above, names);
    drawn
}

fn message_lines(Message(level, text): &Message) -> Vec<String> {
    crate::supplied::panel::wrapped(&format!("{level} {text}"), COMMAND_LENGTH)
}

impl Drawn {
    fn texts(&mut self, heading: &str, lines: impl Iterator<Item = String>, above: usize) {
        self.panel.bright((2, 2), heading);
        for (at, line) in lines.enumerate() {
            self.rows = at + 1;
            if let Some(row) = row(at, above) {
                self.panel.text((row, 2), &line);
            }
        }
    }

    fn attributes(&mut self, attributes: &[super::attributes::Attribute], open: bool, above: usize) {
        self.rows = attributes.len();
        for (at, attribute) in attributes.iter().enumerate() {
            let Some(row) = row(at, above) else { continue };
            let fits = attribute.value.chars().count() <= LONGEST;
            let mark = if open && fits { "==>" } else { ":" };
            self.panel.text((row, 2), &format!("{:<15} {mark}", attribute.label));
            let place = (row, VALUE);
            if open && fits {
                self.panel.entry(place, attribute.length, &attribute.value);
                self.spots.push((place, Spot::Attribute(attribute.name, attribute.value.clone())));
            } else {
                let shown: String = attribute.value.chars().take(LONGEST).collect();
                self.panel.text(place, &shown);
            }
            if attribute.length.max(attribute.value.len()) <= BEFORE_LEGAL && !attribute.legal.is_empty() {
                let legal: String = attribute.legal.chars().take(26).collect();
                self.panel.text((row, LEGAL), &legal);
            }
        }
    }

    fn list(&mut self, rows: &[Row], above: usize) {
        self.panel.bright((2, 2), "ENTER COMMANDS");
        self.panel.text((3, 2), "NAME     TYPE         GROUP").text((3, NOTE), "RESULT");
        self.rows = rows.len();
        for (at, listed) in rows.iter().enumerate() {
            let Some(row) = row(at, above) else { continue };
            let named = format!("{:<8} {:<12} {:<8}", listed.name, listed.kind, listed.group);
            let place = (row, BESIDE.1);
            self.panel.text((row, 2), &named).entry(place, BESIDE_LENGTH, "");
            self.panel.text((row, NOTE), &listed.note);
            self.spots.push((place, Spot::Line(at)));
        }
    }

    fn foot(&mut self, answer: &Answer, aside: Option<Aside>, above: usize, names: &str) {
        let panel = &mut self.panel;
        if above > 0 {
            panel.text((3, 79), "+");
        }
        if self.rows > above + ROWS {
            panel.text((FIRST_ROW + ROWS as u16 - 1, 79), "+");
        }
        let first = answer.messages.iter().flat_map(message_lines).take(2).filter(|_| aside.is_none());
        for (row, line) in (20..).zip(first) {
            panel.bright((row, 2), &line);
        }
        let severe = answer.messages.iter().filter(|Message(level, _)| *level == 'S').count();
        let count = match (answer.messages.len(), severe) {
            (0, _) => String::new(),
            (all, 0) => format!("MESSAGES: {all}"),
            (_, severe) => format!("MESSAGES: {severe} SEVERE  USE P9 FOR S MSGS"),
        };
        let local = Stamp::now().local();
        let result = match &answer.view {
            View::Rows(rows) if answer.succeeded && aside.is_none() => {
                let last = (above + ROWS).min(rows.len());
                format!("RESULTS: {} TO {last} OF {}", above + 1, rows.len())
            }
            _ => answer.result.clone(),
        };
        panel
            .text((22, 2), &count)
            .text((22, 52), names)
            .bright((23, 3), &result)
            .text((23, 44), &local.strftime("TIME: %H.%M.%S  DATE: %m/%d/%y").to_string())
            .text((24, 2), KEYS);
    }
}

/// The row of a line, if it is on the screen.
fn row(at: usize, above: usize) -> Option<u16> {
    let on_screen = at.checked_sub(above).filter(|at| *at < ROWS)?;
    Some(FIRST_ROW + on_screen as u16)
}
