//! HBZT's screen.

use super::Mode;
use crate::supplied::desk::Desk;
use crate::supplied::panel::Panel;
use domains::statistics::Accounts;
use kernel::clock::Stamp;
use kernel::meters::Spent;

/// The row of the first account, and the last one that accounts may have.
const FIRST_ROW: u16 = 5;
const LAST_ROW: u16 = 20;
/// TCBs that have a line of their own; the others are one line.
const TCBS_MAX: usize = 4;

/// The screen of accounts: `now` is the moment, `shown` has the figures.
pub(super) fn panel(mode: Mode, desk: &Desk<'_>, now: &Accounts, shown: &Accounts) -> Panel {
    let moment = Stamp::now().local().strftime("%Y-%m-%d %H:%M:%S").to_string();
    lines(mode, &desk.task.region.options.applid.to_string(), &moment, now, shown)
}

fn lines(mode: Mode, applid: &str, moment: &str, now: &Accounts, shown: &Accounts) -> Panel {
    let mode_name = match mode {
        Mode::Actual => "ACTUAL",
        Mode::Delta => "DELTA",
    };
    let mut panel = Panel::default();
    panel
        .text((1, 2), "HBZT")
        .bright((1, 10), &format!("{mode_name:<6}"))
        .text((1, 20), applid)
        .text((1, 58), moment)
        .text(
            (3, 2),
            &format!("{:<28}{:>14}{:>14}{:>14}", "PROCESSOR TIME (SECONDS)", "USER", "SYSTEM", "TOTAL"),
        );
    for (row, text) in (FIRST_ROW..=LAST_ROW).zip(rows(shown)) {
        panel.text((row, 2), &text);
    }
    let seconds = |ns: u64| ns as f64 / 1e9;
    let foot = match mode {
        Mode::Actual => format!("TASKS ENDED {}", now.tasks),
        Mode::Delta => {
            format!("TASKS ENDED {}   {:.2} SECONDS SINCE THE BASELINE", shown.tasks, seconds(shown.at))
        }
    };
    panel.text((22, 2), &foot).text((24, 2), "ENTER DELTA   PF1 RESET THE BASELINE   PF3 END");
    panel
}

/// A line for each account.
fn rows(shown: &Accounts) -> Vec<String> {
    let mut rows = vec![spent("REGION", shown.region)];
    let mut tcbs = shown.tcbs.iter();
    rows.extend(tcbs.by_ref().take(TCBS_MAX).map(|(name, ns)| total(&format!("  TCB {name}"), *ns)));
    let more = tcbs.as_slice();
    if !more.is_empty() {
        rows.push(total(&format!("  {} MORE TCBS", more.len()), more.iter().map(|(_, ns)| ns).sum()));
    }
    for (name, (count, time)) in &shown.children {
        rows.push(spent(&format!("{count} x {name}"), *time));
    }
    rows.push(spent("CHILDREN THAT HAVE ENDED", shown.ended));
    rows.push(spent("TOGETHER", shown.together()));
    rows.push(spent("MACHINE, PROCESSES", shown.machine.processes));
    rows.push(total("MACHINE, INTERRUPTS, NETWORK", shown.machine.interrupts));
    rows
}

fn seconds(ns: u64) -> String {
    format!("{:.6}", ns as f64 / 1e9)
}

fn spent(name: &str, time: Spent) -> String {
    let [user, system, both] = [time.user, time.system, time.together()].map(seconds);
    format!("{name:<28.28}{user:>14}{system:>14}{both:>14}")
}

fn total(name: &str, ns: u64) -> String {
    format!("{name:<28.28}{:>14}{:>14}{:>14}", "", "", seconds(ns))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use expect_test::expect;
    use kernel::meters::Machine;

    use super::*;
    use crate::supplied::panel::tests::check;

    #[test]
    fn the_region_its_tcbs_its_children_and_the_machine() {
        let spent = |user, system| Spent { user, system };
        let shown = Accounts {
            at: 1_500_000_000,
            region: spent(1_230_000_000, 450_000_000),
            tcbs: (0..6).map(|n| (format!("L800{n}"), 1_000_000)).collect(),
            children: BTreeMap::from([("postgres".to_owned(), (3, spent(70_000_000, 20_000_000)))]),
            ended: Spent::default(),
            machine: Machine { processes: spent(9_000_000_000, 3_000_000_000), interrupts: 120_000_000 },
            tasks: 12,
        };
        check(
            &lines(Mode::Delta, "BANK", "2026-11-28 00:00:00", &shown, &shown),
            expect![[r#"
                | HBZT    DELTA     BANK                                  2026-11-28 00:00:00
                |
                | PROCESSOR TIME (SECONDS)              USER        SYSTEM         TOTAL
                |
                | REGION                            1.230000      0.450000      1.680000
                |   TCB L8000                                                   0.001000
                |   TCB L8001                                                   0.001000
                |   TCB L8002                                                   0.001000
                |   TCB L8003                                                   0.001000
                |   2 MORE TCBS                                                 0.002000
                | 3 x postgres                      0.070000      0.020000      0.090000
                | CHILDREN THAT HAVE ENDED          0.000000      0.000000      0.000000
                | TOGETHER                          1.300000      0.470000      1.770000
                | MACHINE, PROCESSES                9.000000      3.000000     12.000000
                | MACHINE, INTERRUPTS, NETWORK                                  0.120000
                |
                |
                |
                |
                |
                |
                | TASKS ENDED 12   1.50 SECONDS SINCE THE BASELINE
                |
                | ENTER DELTA   PF1 RESET THE BASELINE   PF3 END
            "#]],
        );
    }
}
