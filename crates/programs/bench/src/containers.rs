//! Containers: what one costs in channels of few and of many.

use crate::Options;
use crate::clock::{median, progress, spent};
use crate::promise::Measured;
use crate::site::{Site, Workshop};

/// Rounds of which the median is taken.
const ROUNDS: usize = 9;
/// Containers in a channel: the first is the floor, the last the promise.
const COUNTS: [usize; 5] = [10, 100, 250, 500, 750];
/// Containers that one task puts and gets, whatever their channels' size.
const IN_ALL: usize = 75_000;
/// The same program under both definitions.
const KINDS: [(&str, &str); 2] = [("CONT", "threadsafe"), ("CONQ", "quasirent")];

/// PUT and GET of each container of a channel. The promise is that of threadsafe programs or of quasirent ones,
/// whichever keeps it worse.
pub(crate) fn channel(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region(1)?;
    let in_all = options.size(IN_ALL, COUNTS[COUNTS.len() - 1]);
    let rounds = options.size(ROUNDS, 1);
    let mut rows = Vec::new();
    for (transaction, kind) in KINDS {
        let mut times = vec![Vec::new(); COUNTS.len()];
        for round in 0..=rounds {
            progress(&format!("containers-750: {kind}, round {round} of {rounds}"));
            for (times, count) in times.iter_mut().zip(COUNTS) {
                let time = one_task(&site, transaction, count, in_all);
                if round > 0 {
                    times.push(time);
                }
            }
        }
        rows.push((kind, times.into_iter().map(median).collect::<Vec<f64>>()));
    }
    progress("");
    site.end();
    let ratio = |row: &[f64]| row[row.len() - 1] / row[0];
    let worst = rows.iter().map(|(_, row)| row).max_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let worst = worst.ok_or("no rows")?;
    let measured = Measured::new(worst[worst.len() - 1], worst[0]);
    Ok(rows.iter().fold(measured, |measured, (kind, row)| {
        let cells: Vec<String> = COUNTS.iter().zip(row).map(|(n, ns)| format!("{n}: {ns:.0}")).collect();
        measured.note(format!("{kind}, ns for each container of {}", cells.join(", ")))
    }))
}

/// Nanoseconds for each container.
fn one_task(site: &Site, transaction: &str, count: usize, in_all: usize) -> f64 {
    let channels = in_all / count;
    let commarea = format!("{count:08}{channels:08}");
    spent(|| site.run(transaction, Some(commarea.as_bytes()))) * 1e9 / (count * channels) as f64
}
