//! The region's account of its tasks beside that of the operating system, and counts of resources that go away.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{Run, Site};
use domains::statistics::Statistics;
use instruments::format::{FileEntry, Reader};
use kernel::monitoring::{Monitoring, Switch};
use kernel::region::Region;
use kernel::transactions::Transactions;
use region::RECORD_FOLDER;
use testkit::commands::{answered, command};

/// Commands of a task, and rounds of tasks.
const COMMANDS: usize = 400;
const ROUNDS: usize = 30;

/// Nanoseconds of processor time that the operating system has counted for the TCBs.
fn of_system(region: &Region) -> u64 {
    Statistics::of(region).meters().iter().map(|meter| meter.processor_ns()).sum()
}

/// The sums over all tasks: tasks, nanoseconds of processor time, requests.
fn of_tasks(region: &Region) -> (u64, u64, u64) {
    let sums = Transactions::of(region).list().into_iter().map(|transaction| transaction.work.read(false));
    sums.fold((0, 0, 0), |sum, work| (sum.0 + work.tasks, sum.1 + work.processor_ns, sum.2 + work.requests))
}

/// Runs the tasks, and waits until the last of them has been summed up.
async fn burn(run: &Run, region: &Arc<Region>) {
    let before = of_tasks(region).0;
    for _ in 0..ROUNDS {
        let commands = (0..COMMANDS).map(|_| command("ASKTIME")).collect();
        assert!(answered(region, commands).await.is_some(), "the task ends");
    }
    run.until("all tasks have ended", || of_tasks(region).0 >= before + ROUNDS as u64).await;
}

#[test]
fn processor_time_of_tasks_is_that_of_the_operating_system_whether_records_are_written_or_not() {
    let site = Site::new("measured-work", "\n");
    site.run(async |run: &mut Run| {
        let region = Arc::clone(&run.house.running.region);
        for monitored in [false, true] {
            Monitoring::of(&region).set(Switch::On, monitored);
            Monitoring::of(&region).set(Switch::Performance, monitored);
            burn(run, &region).await;
            let (system, tasks) = (of_system(&region), of_tasks(&region));
            burn(run, &region).await;
            let system = of_system(&region) - system;
            let (ended, processor, requests) = of_tasks(&region);
            let processor = processor - tasks.1;
            assert_eq!(ended - tasks.0, ROUNDS as u64, "monitored: {monitored}");
            assert!(requests - tasks.2 >= (ROUNDS * COMMANDS) as u64, "monitored: {monitored}");
            assert!(processor <= system + system / 50, "{processor} of {system}, monitored: {monitored}");
            assert!(processor >= system / 2, "{processor} of {system}, monitored: {monitored}");
        }
        true
    });
}

#[test]
fn monitoring_that_is_switched_under_load_loses_no_task_and_breaks_no_record() {
    let site = Site::new("measured-switches", "\n");
    site.run(async |run: &mut Run| {
        let region = Arc::clone(&run.house.running.region);
        let monitoring = Monitoring::of(&region);
        let before = of_tasks(&region).0;
        let ends = Arc::new(AtomicBool::new(false));
        let (switching, over) = (Arc::clone(&region), Arc::clone(&ends));
        let switcher = std::thread::spawn(move || {
            let monitoring = Monitoring::of(&switching);
            let mut on = false;
            while !over.load(Ordering::Relaxed) {
                on = !on;
                let all =
                    [Switch::On, Switch::Performance, Switch::Exception, Switch::Resource, Switch::Identity];
                all.iter().for_each(|switch| monitoring.set(*switch, on));
                std::thread::yield_now();
            }
        });
        burn(run, &region).await;
        ends.store(true, Ordering::Relaxed);
        switcher.join().expect("it has not failed");
        assert_eq!(of_tasks(&region).0 - before, ROUNDS as u64);
        monitoring.flush();
        let recorded = monitoring.recorded();
        let mut found = 0;
        for file in files(run, "performance") {
            for entry in Reader::new(&file).expect("a file of ours") {
                found += u64::from(matches!(entry.expect("a whole record"), FileEntry::Record(_)));
            }
        }
        assert_eq!((found, recorded.lost), (recorded.records, 0));
        true
    });
}

#[test]
fn a_resource_that_is_discarded_leaves_its_counts_unsolicited() {
    let site = Site::new(
        "measured-discards",
        "\n```csd\nDEFINE TDQUEUE(GONE) GROUP(T) TYPE(INTRA)\nDEFINE TDQUEUE(IDLE) GROUP(T) TYPE(INTRA)\n```\n",
    );
    site.run(async |run: &mut Run| {
        let region = Arc::clone(&run.house.running.region);
        let commands = [
            "WRITEQ TD QUEUE(GONE) FROM(DATA)",
            "DELETEQ TD QUEUE(GONE)",
            "SET TDQUEUE(GONE) CLOSED",
            "SET TDQUEUE(GONE) DISABLED",
            "DISCARD TDQUEUE(GONE)",
            "WRITE JOURNALNAME(GONEJNL) JTYPEID(AA) FROM(DATA) FLENGTH(4)",
            "DISCARD JOURNALNAME(GONEJNL)",
            "SET TDQUEUE(IDLE) DISABLED",
            "DISCARD TDQUEUE(IDLE)",
            "PERFORM STATISTICS RECORD ALL RESETNOW",
        ];
        answered(&region, commands.iter().map(|text| command(text)).collect()).await.expect("it ends");
        Statistics::of(&region).flush();
        let mut reasons = Vec::new();
        for file in files(run, "statistics") {
            for entry in Reader::new(&file).expect("a file of ours") {
                let FileEntry::Record(record) = entry.expect("a whole record") else { continue };
                if ["GONE", "GONEJNL", "IDLE"].contains(&&*record.text("RESOURCE")) {
                    reasons.push((record.text("RESOURCE").into_owned(), record.text("REASON").into_owned()));
                }
                assert!(["USS", "RRT"].contains(&&*record.text("REASON")), "{}", record.text("REASON"));
            }
        }
        assert_eq!(reasons, ["GONE", "GONEJNL"].map(|name| (name.to_owned(), "USS".to_owned())));
        true
    });
}

/// The files of records whose names begin with a word, in order.
fn files(run: &Run, begin: &str) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(run.house.state.join(RECORD_FOLDER)).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin)));
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("it can be read")).collect()
}
