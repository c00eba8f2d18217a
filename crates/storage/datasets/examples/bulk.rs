//! A measurement of loading: a file of a million records into a KSDS, with and without an alternate index, beside the
//! record engine's own load of the same records. Processor time is what counts; the program prints the wall time of one
//! run.
//!
//! `cargo run --release -p datasets --example bulk`

use std::time::Instant;

use datasets::{Content, DataSets, File, Shape, load_empty};
use records::{Engine, Recovery};
use vsam::{Definition, KeyField, Name, Organization, Vsam};

/// Records, and the bytes of each.
const RECORDS: u64 = 1_000_000;
const LENGTH: usize = 100;
/// Spreads numbers so that they come in no order: a number without a factor of RECORDS in it.
const SPREAD: u64 = 7_368_787;

fn record(number: u64) -> Vec<u8> {
    let other = number * SPREAD % RECORDS;
    format!("{number:08}{other:08}{:x<width$}", "", width = LENGTH - 16).into_bytes()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let engine = records::Local::open(&folder.path().join("data"), records::Limits::default())?;
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store("floor", Recovery::Recoverable)?;
    unit.commit().await?;
    let begun = Instant::now();
    let mut pairs = (0..RECORDS).map(|number| Ok((format!("{number:08}").into_bytes(), record(number))));
    engine.load(store, &mut pairs)?;
    let floor = begun.elapsed();
    println!("the engine's load             {floor:>8.2?}");

    let vsam = Vsam::open(engine).await?;
    let sets = DataSets::open(vsam, &folder.path().join("sequential")).await?;
    for (what, name, order, indexed) in [
        ("sorted file", "SORTED", 1, false),
        ("file in no order", "NO.ORDER", SPREAD, false),
        ("with an alternate index", "INDEXED", 1, true),
    ] {
        let name: Name = name.parse()?;
        define(&sets.vsam, &name, indexed).await?;
        let bytes = (0..RECORDS).flat_map(|number| record(number * order % RECORDS)).collect();
        let file = File {
            content: Content::Given(bytes),
            shape: Shape::Fixed(None),
            code_page: None,
            layout: None,
            extends: false,
        };
        let begun = Instant::now();
        load_empty(&sets.vsam, &name, &file, &mut |_| {}).await?;
        let took = begun.elapsed();
        println!("{what:<29} {took:>8.2?}  {:.1} of the engine's", took.as_secs_f64() / floor.as_secs_f64());
    }
    Ok(())
}

async fn define(vsam: &Vsam, name: &Name, indexed: bool) -> vsam::Result<()> {
    let cluster = vsam::Cluster {
        name: name.clone(),
        organization: Organization::Keyed(KeyField { offset: 0, length: 8 }),
        average: LENGTH,
        maximum: LENGTH,
        recovery: Recovery::Recoverable,
        reuse: false,
    };
    vsam.define(Definition::Cluster(cluster)).await?;
    if indexed {
        let index = vsam::AlternateIndex {
            name: format!("{name}.X").parse()?,
            relate: name.clone(),
            key: KeyField { offset: 8, length: 8 },
            unique: false,
            upgrade: true,
        };
        vsam.define(Definition::AlternateIndex(index)).await?;
    }
    Ok(())
}
