//! CSGM: the first screen of a terminal.

use super::desk::Desk;
use super::panel::{Panel, wrapped};
use kernel::clock::Stamp;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::security::Users;

/// The message that clients wait for: the region has greeted.
const GREETED: &str = "DFHZC2312";
/// Columns of the greeting's lines.
const LINE: usize = 76;
/// Rows that the greeting may have.
const LINES_MAX: usize = 4;

/// CSGM.
pub(super) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        let desk = Desk::of(task)?;
        let options = &desk.task.region.options;
        let can_sign_on = !Users::of(&desk.task.region).file.is_empty();
        let applid = options.applid.to_string();
        let panel = screen(&options.greeting, &applid, &Stamp::now(), can_sign_on);
        desk.show(&panel).await?;
        Ok(Flow::Return)
    })
}

/// The screen is open for typing, as an empty one.
fn screen(greeting: &str, applid: &str, now: &Stamp, can_sign_on: bool) -> Panel {
    let mut panel = Panel::default();
    for (row, line) in (3..).zip(wrapped(greeting, LINE).iter().take(LINES_MAX)) {
        panel.bright((row, 3), line);
    }
    let local = now.local();
    // If no user can sign on, the hint does not name the transaction for it.
    let hint = match can_sign_on {
        true => "Type the name of a transaction and press ENTER. CESN signs you on.",
        false => "Type the name of a transaction and press ENTER.",
    };
    panel
        .text((8, 3), &format!("{GREETED} *** Region {applid} is ready ***"))
        .text((9, 3), &local.strftime("%Y-%m-%d  %H:%M:%S").to_string())
        .text((11, 3), hint);
    panel.open()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::panel::tests::check;
    use super::*;

    #[test]
    fn the_greeting_its_number_and_the_time() {
        let now = Stamp::from_abstime(4_004_812_800_000).expect("a date");
        check(
            &screen("WELCOME TO SYNCPOINT", "BANK", &now, true),
            expect![[r#"
                |
                |
                |  WELCOME TO SYNCPOINT
                |
                |
                |
                |
                |  DFHZC2312 *** Region BANK is ready ***
                |  2026-11-28  00:00:00
                |
                |  Type the name of a transaction and press ENTER. CESN signs you on.
            "#]],
        );
    }
}
