//! The sample `dsw`: terminals of two regions, whose tasks run in two others and ask a fifth one for records, in the mix that its
//! page promises.

use std::fs;
use std::path::Path;

use tn3270::datastream::Aid;

use crate::bank::{copy, repository};
use crate::house::product;
use crate::ports::free;
use crate::terminal::Terminal;
use crate::topologies::Up;

/// Requests of a round, by the field of their statistics; READs of DSWFILL and its records beside them.
const ROUND: [(&str, u64); 5] =
    [("A17DSRD", 207 + 16), ("A17DSGU", 30), ("A17DSWRU", 27), ("A17DSWRA", 33 + 16_000), ("A17DSDEL", 3)];

/// Tasks of a terminal in one round.
const TASKS: usize = 100;

/// A field's sum over all files in the end-of-day statistics of the file region.
fn sum(folder: &Path, field: &str) -> u64 {
    let mut command = product();
    command.args(["report", "statistics", "files", "--data", ".syncpoint/state/for", "--format", "csv"]);
    let output = command.current_dir(folder).output().expect("syncpoint starts");
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let values = table.lines().filter_map(|line| {
        let mut cells = line.split(',').skip(3);
        (cells.next()?.starts_with("DSWF") && cells.next()? == field)
            .then(|| cells.next()?.parse::<u64>().ok())?
    });
    values.sum()
}

#[test]
fn a_round_of_dsw_asks_the_file_region_for_what_it_promises() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    copy(&repository().join("samples/dsw"), folder);
    let ports = free();
    let file = folder.join("topology.toml");
    let text = fs::read_to_string(&file).expect("the topology");
    assert!(text.contains("127.0.0.1:3271") && text.contains("127.0.0.1:3272"));
    let text = text.replace("127.0.0.1:3271", &ports[0].to_string());
    fs::write(&file, text.replace("127.0.0.1:3272", &ports[1].to_string())).expect("written");

    let mut running = Up::start(folder);
    running.log.wait("all are ready");
    for region in ["TOR1", "TOR2"] {
        let link =
            format!("CONNECTION {} to {} is acquired", region.replace('T', "A"), region.replace('T', "A"));
        running.log.wait(&link);
    }
    let mut first = Terminal::connect(ports[0]);
    first.start("DSWT");
    first.sees("READY");
    for task in 1..=TASKS {
        first.press(Aid::Enter);
        let screen = first.shows();
        assert!(screen.contains("DONE") && screen.contains("AOR1"), "task {task}:\n{screen}");
    }
    // The other terminal-owning region has the other application region; its first task has no records in it but reads and changes.
    let mut second = Terminal::connect(ports[1]);
    second.start("DSWT");
    second.sees("READY");
    assert!(second.shows().contains("AOR2"), "{}", second.shows());
    drop((first, second));
    running.ends_in_order();
    for (field, count) in ROUND {
        assert_eq!(sum(folder, field), count, "{field}");
    }
}
