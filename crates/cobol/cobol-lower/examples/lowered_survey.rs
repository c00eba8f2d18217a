//! Sources of some folders that are compiled, counted, and the constructs that refuse the others, by frequency.
//!
//! `cargo run -p cobol-lower --example lowered_survey -- FOLDER …`. Programs with mistakes or missing members are not counted among those that
//! could be accepted.

mod folders;

use std::collections::{BTreeMap, HashSet};

use cobol_ir::verify;
use cobol_lower::refused_construct;
use folders::Folders;

fn main() {
    let (mut programs, mut clean, mut accepted, mut unsound) = (0, 0, 0, 0);
    // For each construct the programs in which it stands, and those in which it is the only one that is not built.
    let mut causes: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    Folders::of(std::env::args().skip(1)).each(|path, lowered| {
        programs += 1;
        clean += usize::from(lowered.is_some());
        match lowered {
            Some(Ok(lowered)) => {
                accepted += 1;
                for what in lowered.iter().filter_map(|program| verify(program).err()) {
                    unsound += 1;
                    println!("{}: {what}", path.display());
                }
            }
            Some(Err(messages)) => {
                let constructs: HashSet<&str> =
                    messages.iter().filter_map(|message| refused_construct(&message.message)).collect();
                for construct in &constructs {
                    let cause = causes.entry((*construct).to_owned()).or_default();
                    cause.0 += 1;
                    cause.1 += usize::from(constructs.len() == 1);
                }
            }
            None => {}
        }
    });
    println!(
        "{programs} programs, {clean} of them in order, {accepted} of these accepted, {unsound} unsound"
    );
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, counts)| std::cmp::Reverse(*counts));
    for (construct, (count, alone)) in causes {
        println!("{count:5} {alone:5} {construct}");
    }
}
