//! CEMT's screen: the command, the resources, the response.
//!
//! Rows as clients know them: 1 the command, 2 the status, 3 to 20 resources, 22 where, 23 the response, 24 the keys.
//! A `+` says that there is more, above or below.

use spec::OptionId;

use super::entry::Entry;
use super::sheet::{ROWS, Sheet};
use super::shown::Shown;
use crate::supplied::panel::{Panel, Place};
use kernel::clock::Stamp;

/// Where the command is typed.
pub(super) const COMMAND: Place = (1, 2);
const COMMAND_LENGTH: usize = 78;

/// What stands beside a resource that was changed.
pub(super) const DONE: &str = "NORMAL";

/// What is shown.
pub(super) struct View<'v> {
    /// The command as it was typed.
    pub command: &'v str,
    /// The type of the resources; `None`: what may come next is shown.
    pub kind: Option<&'static Shown>,
    /// The resources.
    pub entries: &'v [Entry],
    /// What happened to each, by name.
    pub notes: &'v [(Vec<u8>, String)],
    /// All attributes of the one resource.
    pub full: bool,
    /// What may come next.
    pub choices: &'v [&'v str],
    /// What was wrong.
    pub mistakes: &'v [String],
    /// Rows that lie above the screen.
    pub above: usize,
    /// Whether the user may change anything.
    pub may_change: bool,
}

impl View<'_> {
    /// What stands beside a resource: what came of its change, or that it is not there.
    pub(super) fn note(&self, entry: &Entry) -> Option<&str> {
        let noted = self.notes.iter().find(|(name, _)| *name == entry.name).map(|(_, note)| note.as_str());
        noted.or(entry.values.is_none().then_some("NOT FOUND"))
    }
}

/// The region around it.
pub(super) struct Surroundings {
    /// The region's system identifier.
    pub sysid: String,
    /// Its application identifier.
    pub applid: String,
    /// Now.
    pub now: Stamp,
}

/// A field on the screen and what it stands for.
pub(super) struct Spot {
    /// Its place.
    pub place: Place,
    /// The resource's name.
    pub name: Vec<u8>,
    /// The attribute that may be overtyped there, and what it shows; `None`: the resource itself.
    pub attribute: Option<(OptionId, String)>,
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
pub(super) fn draw(view: &View<'_>, around: &Surroundings) -> Drawn {
    let mut sheet = Sheet { panel: Panel::default(), spots: Vec::new(), row: 0, above: view.above };
    frame(&mut sheet.panel, view, around);
    match view.kind {
        None => sheet.choices(view.choices),
        Some(kind) if view.full => {
            if let Some(entry) = view.entries.first() {
                sheet.full(kind, entry, view.may_change);
            }
        }
        Some(kind) => view.entries.iter().for_each(|entry| sheet.listed(kind, entry, view)),
    }
    if view.above > 0 {
        sheet.panel.text((2, 79), "+");
    }
    if sheet.row > view.above + ROWS {
        sheet.panel.text((21, 2), "+");
    }
    Drawn { panel: sheet.panel, spots: sheet.spots, rows: sheet.row }
}

fn frame(panel: &mut Panel, view: &View<'_>, around: &Surroundings) {
    let status = match (view.kind, view.full, view.may_change) {
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
    panel.entry(COMMAND, COMMAND_LENGTH, view.command).text((2, 2), "STATUS: ");
    panel
        .bright((2, 11), status)
        .bright((22, 4), view.mistakes.first().map_or("", String::as_str))
        .text((22, 52), &format!("SYSID={} APPLID={}", around.sysid, around.applid))
        .text((23, 3), &response)
        .text((23, 44), &local.strftime("TIME: %H.%M.%S  DATE: %m/%d/%y").to_string())
        .text((24, 2), "PF 3 END   7 BACK   8 FORWARD   10 BACK   11 FORWARD   ENTER: ALL OF A LINE")
        .cursor(COMMAND);
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use spec::opt;

    use crate::start::bring_domains;

    use super::*;
    use crate::supplied::cemt::shown::SHOWN;
    use crate::supplied::panel::tests::check;
    use kernel::exec::value::Value;

    fn file(name: &str, open: bool) -> Entry {
        let values = vec![
            (opt::ACCESSMETHOD, Value::Cvda("VSAM")),
            (opt::DSNAME, Value::padded("BANK.ACCOUNT", 44)),
            (opt::ENABLESTATUS, Value::Cvda("ENABLED")),
            (opt::KEYLENGTH, Value::Number(11)),
            (opt::OPENSTATUS, Value::either(open, "OPEN", "CLOSED")),
        ];
        Entry { name: format!("{name:<8}").into_bytes(), values: Some(values) }
    }

    fn view(entries: &[Entry]) -> View<'_> {
        bring_domains();
        View {
            command: "I FILE",
            kind: SHOWN.iter().find(|kind| kind.word == "FILE"),
            entries,
            notes: &[],
            full: false,
            choices: &[],
            mistakes: &[],
            above: 0,
            may_change: true,
        }
    }

    fn shows(view: &View<'_>, expected: Expect) {
        let now = Stamp::from_abstime(4_004_812_800_000).expect("a date");
        let around = Surroundings { sysid: "SYNC".into(), applid: "BANK".into(), now };
        check(&draw(view, &around).panel, expected);
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
            | PF 3 END   7 BACK   8 FORWARD   10 BACK   11 FORWARD   ENTER: ALL OF A LINE
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
                | PF 3 END   7 BACK   8 FORWARD   10 BACK   11 FORWARD   ENTER: ALL OF A LINE
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
            | PF 3 END   7 BACK   8 FORWARD   10 BACK   11 FORWARD   ENTER: ALL OF A LINE
        "#]],
        );
    }

    #[test]
    fn what_lies_above_the_screen_is_told_by_a_plus() {
        let many: Vec<Entry> = (0..20).map(|n| file(&format!("F{n:02}"), false)).collect();
        shows(
            &View { above: ROWS, ..view(&many) },
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
            | PF 3 END   7 BACK   8 FORWARD   10 BACK   11 FORWARD   ENTER: ALL OF A LINE
        "#]],
        );
    }
}
