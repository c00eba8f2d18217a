//! CEMT's screen: the command, the resources, the response.
//!
//! Rows of a screen of 24 as clients know them: 1 the command, 2 the status, 3 to 20 resources, 22 where, 23 the response,
//! 24 the keys; a larger one has more for resources. A `+` says that there is more, above or below.

use super::sheet::Sheet;
use super::view::{Aside, Spot, View};
use crate::supplied::frame::Frame;
use crate::supplied::panel::{Panel, PanelPlace};
use kernel::clock::Stamp;

/// The place where the command is typed.
pub(super) const COMMAND: PanelPlace = (1, 2);

/// The word beside a resource that was changed.
pub(super) const DONE: &str = "NORMAL";

/// The help.
const HELP: &[&str] = &[
    "CEMT INQUIRE type(names) attributes   shows resources; names may end in *",
    "CEMT SET type(names) values           changes them",
    "CEMT DISCARD type(names)              takes their definitions away",
    "CEMT PERFORM function                 SHUTDOWN, SECURITY REBUILD, SSL REBUILD, RESET,",
    "                                      STATISTICS ALL RECORD, or types in place of ALL",
    "",
    "Words may be cut short. A value may also be typed over in the list of resources.",
    "CEMT INQUIRE alone lists the types of resources.",
    "",
    "ENTER does what the first row says, or shows all of the resource at the cursor.",
    "PF1 help   PF3 end   PF7 and PF10 back   PF8 and PF11 forward   PF9 messages",
];

/// The region around it.
pub(super) struct Surroundings {
    /// The region's system identifier.
    pub sysid: String,
    /// Its application identifier.
    pub applid: String,
    /// Now.
    pub now: Stamp,
}

/// A screen, its fields, and how many rows there are in all.
pub(super) struct Drawn {
    /// The screen.
    pub panel: Panel,
    /// Its fields.
    pub spots: Vec<Spot>,
    /// Rows in all.
    pub rows: usize,
}

/// Draws the screen.
pub(super) fn draw(view: &View<'_>, around: &Surroundings, places: Frame) -> Drawn {
    let mut sheet =
        Sheet { panel: Panel::default(), frame: places, spots: Vec::new(), row: 0, above: view.above };
    frame(&mut sheet.panel, view, around, places);
    match view.kind {
        _ if view.aside == Some(Aside::Help) => sheet.choices(HELP),
        _ if view.aside == Some(Aside::Messages) && view.mistakes.is_empty() => {
            sheet.choices(&["THERE ARE NO MESSAGES"]);
        }
        _ if view.aside == Some(Aside::Messages) => {
            sheet.choices(&view.mistakes.iter().map(String::as_str).collect::<Vec<_>>());
        }
        None => {
            sheet.choices(view.choices);
            sheet.choices(view.told.as_slice());
        }
        Some(kind) if view.full => {
            if let Some(entry) = view.entries.first() {
                sheet.full(kind, entry, view.may_change);
            }
        }
        Some(kind) => view.entries.iter().for_each(|entry| sheet.listed(kind, entry, view)),
    }
    if view.above > 0 {
        sheet.panel.text(places.more_above(), "+");
    }
    if sheet.row > view.above + places.rows() {
        sheet.panel.text(places.more_below(), "+");
    }
    Drawn { panel: sheet.panel, spots: sheet.spots, rows: sheet.row }
}

fn frame(panel: &mut Panel, view: &View<'_>, around: &Surroundings, places: Frame) {
    let status = match (view.kind, view.full, view.may_change) {
        _ if view.aside == Some(Aside::Help) => "GENERAL HELP INFORMATION",
        _ if view.aside == Some(Aside::Messages) => "SYNTAX MESSAGES",
        (None, ..) if view.choices.is_empty() && !view.command.is_empty() => "COMMAND EXECUTION COMPLETE",
        (None, ..) => "ENTER ONE OF THE FOLLOWING",
        (_, true, true) => "RESULT - OVERTYPE TO MODIFY",
        (_, true, false) => "RESULT",
        (_, false, true) => "RESULTS - OVERTYPE TO MODIFY",
        (_, false, false) => "RESULTS",
    };
    let failed =
        view.entries.iter().filter_map(|entry| view.note(entry)).filter(|note| *note != DONE).count();
    let response = match failed + view.mistakes.len() {
        0 => String::from("RESPONSE: NORMAL"),
        1 => String::from("RESPONSE: 1 ERROR"),
        errors => format!("RESPONSE: {errors} ERRORS"),
    };
    let local = around.now.local();
    let [names, response_row, keys] = places.foot();
    panel.entry(COMMAND, places.command_length(), view.command).text((2, 2), "STATUS: ");
    panel
        .bright((2, 11), status)
        .bright((names, 4), view.mistakes.first().map_or("", String::as_str))
        .text((names, 52), &format!("SYSID={} APPLID={}", around.sysid, around.applid))
        .text((response_row, 3), &response)
        .text((response_row, 44), &local.strftime("TIME: %H.%M.%S  DATE: %m/%d/%y").to_string())
        .text((keys, 2), "PF 1 HELP   3 END   7 BACK   8 FORWARD   9 MESSAGES   ENTER: ALL OF A LINE")
        .cursor(COMMAND);
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use spec::opt;
    use tn3270::datastream::Size;

    use crate::start::bring_domains;

    use super::*;
    use crate::supplied::cemt::entry::ShownEntry;
    use crate::supplied::cemt::shown::SHOWN;
    use crate::supplied::panel::tests::check;
    use kernel::exec::value::Value;

    fn file(name: &str, open: bool) -> ShownEntry {
        let values = vec![
            (opt::ACCESSMETHOD, Value::Cvda("VSAM")),
            (opt::DSNAME, Value::padded("BANK.ACCOUNT", 44)),
            (opt::ENABLESTATUS, Value::Cvda("ENABLED")),
            (opt::KEYLENGTH, Value::Number(11)),
            (opt::OPENSTATUS, Value::either(open, "OPEN", "CLOSED")),
        ];
        ShownEntry { name: format!("{name:<8}").into_bytes(), values: Some(values) }
    }

    fn view(entries: &[ShownEntry]) -> View<'_> {
        bring_domains();
        View {
            command: "I FILE",
            kind: SHOWN.iter().find(|kind| kind.word == "FILE"),
            entries,
            notes: &[],
            full: false,
            choices: &[],
            told: None,
            mistakes: &[],
            above: 0,
            may_change: true,
            aside: None,
        }
    }

    fn shows(view: &View<'_>, expected: Expect) {
        let now = Stamp::from_abstime(4_004_812_800_000).expect("a date");
        let around = Surroundings { sysid: "SYNC".into(), applid: "BANK".into(), now };
        check(&draw(view, &around, Frame(Size::MODEL_2)).panel, expected);
    }

    #[test]
    fn a_list_has_a_line_for_each_and_what_came_of_its_change() {
        let entries = [file("ACCT", true), file("CUST", false)];
        let notes =
            [(b"ACCT    ".to_vec(), String::from(DONE)), (b"CUST    ".to_vec(), String::from("IOERR"))];
        let mistakes = [String::from("E 'RED' is not valid and is ignored.")];
        let command = "S FILE(*) OPE RED";
        let view = View { command, notes: &notes, mistakes: &mistakes, ..view(&entries) };
        shows(
            &view,
            expect![[r#"
            | S FILE(*) OPE RED
            | STATUS:  RESULTS - OVERTYPE TO MODIFY
            |   Fil(ACCT    ) Vsa Ope Ena Dsn(BANK.ACCOUNT) NORMAL
            |   Fil(CUST    ) Vsa Clo Ena Dsn(BANK.ACCOUNT) IOERR
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |   E 'RED' is not valid and is ignored.            SYSID=SYNC APPLID=BANK
            |  RESPONSE: 2 ERRORS                       TIME: 00.00.00  DATE: 11/28/26
            | PF 1 HELP   3 END   7 BACK   8 FORWARD   9 MESSAGES   ENTER: ALL OF A LINE
        "#]],
        );
    }

    #[test]
    fn one_resource_with_all_its_attributes() {
        shows(
            &View { full: true, ..view(&[file("ACCT", true)]) },
            expect![[r#"
                | I FILE
                | STATUS:  RESULT - OVERTYPE TO MODIFY
                |   File(ACCT)
                |     Accessmethod(Vsam)
                |     Dsname(BANK.ACCOUNT)
                |     Enablestatus( Enabled  )
                |     Keylength( 11         )
                |     Openstatus( Open   )
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |                                                   SYSID=SYNC APPLID=BANK
                |  RESPONSE: NORMAL                         TIME: 00.00.00  DATE: 11/28/26
                | PF 1 HELP   3 END   7 BACK   8 FORWARD   9 MESSAGES   ENTER: ALL OF A LINE
            "#]],
        );
    }

    #[test]
    fn who_may_only_look_is_not_asked_to_overtype() {
        shows(
            &View { may_change: false, ..view(&[file("ACCT", true)]) },
            expect![[r#"
            | I FILE
            | STATUS:  RESULTS
            |   Fil(ACCT    ) Vsa Ope Ena Dsn(BANK.ACCOUNT)
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |                                                   SYSID=SYNC APPLID=BANK
            |  RESPONSE: NORMAL                         TIME: 00.00.00  DATE: 11/28/26
            | PF 1 HELP   3 END   7 BACK   8 FORWARD   9 MESSAGES   ENTER: ALL OF A LINE
        "#]],
        );
    }

    #[test]
    fn what_lies_above_the_screen_is_told_by_a_plus() {
        let many: Vec<ShownEntry> = (0..20).map(|n| file(&format!("F{n:02}"), false)).collect();
        shows(
            &View { above: Frame(Size::MODEL_2).rows(), ..view(&many) },
            expect![[r#"
            | I FILE
            | STATUS:  RESULTS - OVERTYPE TO MODIFY                                        +
            |   Fil(F18     ) Vsa Clo Ena Dsn(BANK.ACCOUNT)
            |   Fil(F19     ) Vsa Clo Ena Dsn(BANK.ACCOUNT)
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |                                                   SYSID=SYNC APPLID=BANK
            |  RESPONSE: NORMAL                         TIME: 00.00.00  DATE: 11/28/26
            | PF 1 HELP   3 END   7 BACK   8 FORWARD   9 MESSAGES   ENTER: ALL OF A LINE
        "#]],
        );
    }
}
