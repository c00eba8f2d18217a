//! Loading, building indexes, examining.

mod common;

use common::{Fixture, KEYED, cluster, name};
use vsam::{Change, Cluster, Copied, Definition, Error, Examined, Replace, Tests};

async fn load(fixture: &Fixture, text: &str, records: &str, replace: Replace) -> Result<Copied, Error> {
    let mut records = records.split_whitespace().map(|record| Ok(record.as_bytes().to_vec()));
    fixture.vsam.load(&name(text), &mut records, replace, &mut |_| {}).await
}

fn copied(read: u64, written: u64, duplicates: u64) -> Result<Copied, Error> {
    Ok(Copied { read, written, duplicates })
}

#[tokio::test]
async fn an_empty_data_set_is_loaded_at_once_and_its_indexes_built() {
    let fixture = Fixture::new().await;
    drop(fixture.path(false, "").await);
    assert_eq!(load(&fixture, "KSDS", "10b 20a 15c", Replace::No).await, Err(Error::OutOfOrder(3)));
    let why = Box::new(Error::TooShort { length: 1, minimum: 2 });
    let too_short = Err(Error::Record { number: 2, why });
    assert_eq!(load(&fixture, "KSDS", "10b 2", Replace::No).await, too_short);
    assert_eq!(load(&fixture, "KSDS", "10b 20a 30b", Replace::No).await, copied(3, 3, 0));
    assert_eq!(fixture.list(&fixture.dataset("KSDS").await).await, "10b 20a 30b");
    assert_eq!(fixture.list(&fixture.dataset("AIX.PATH").await).await, "20a 10b+ 30b");
}

#[tokio::test]
async fn a_data_set_with_records_takes_more_one_by_one() {
    let fixture = Fixture::new().await;
    let path = fixture.path(false, "10b 20a").await;
    assert_eq!(load(&fixture, "KSDS", "30c 10z 05a", Replace::No).await, copied(3, 2, 1));
    assert_eq!(load(&fixture, "KSDS", "10y 40d", Replace::Yes).await, copied(2, 2, 0));
    assert_eq!(fixture.list(&path).await, "20a+ 05a 30c 40d 10y");
    drop(path);
    assert_eq!(load(&fixture, "KSDS", "50e 05a", Replace::No).await, copied(2, 1, 1), "open or not");
}

#[tokio::test]
async fn a_reusable_data_set_is_emptied_first() {
    let fixture = Fixture::new().await;
    fixture.define(Definition::Cluster(Cluster { reuse: true, ..cluster("KSDS", KEYED) })).await;
    load(&fixture, "KSDS", "10a 20b", Replace::No).await.unwrap();
    load(&fixture, "KSDS", "30c", Replace::No).await.unwrap();
    assert_eq!(fixture.list(&fixture.dataset("KSDS").await).await, "30c");
}

#[tokio::test]
async fn an_index_over_records_that_are_there_is_built() {
    let fixture = Fixture::new().await;
    drop(fixture.keyed("10b 20a 30b").await);
    fixture.index("AIX", false).await;
    fixture.index("BIX", true).await;
    assert_eq!(fixture.list(&fixture.dataset("AIX.PATH").await).await, "");
    assert_eq!(fixture.vsam.build_index(&name("AIX"), &mut |_| {}).await, Ok(3));
    assert_eq!(fixture.list(&fixture.dataset("AIX.PATH").await).await, "20a 10b+ 30b");
    let twice = fixture.vsam.build_index(&name("BIX"), &mut |_| {}).await;
    assert_eq!(twice, Err(Error::DuplicateAlternate(name("BIX"))));
}

#[tokio::test]
async fn an_examination_compares_a_cluster_with_its_indexes() {
    let fixture = Fixture::new().await;
    drop(fixture.path(false, "10b 20a").await);
    let both = Tests { index: true, data: true };
    let examine = async || fixture.vsam.examine(&name("KSDS"), both, &mut |_| {}).await.unwrap();
    assert_eq!(examine().await, Examined { records: 2, longest: 3, entries: 2, problems: vec![] });
    fixture.index("LATER", true).await;
    assert_eq!(examine().await.problems, ["LATER: 2 records have its key, 0 have an entry"]);
}

/// However long the records are, a load into a data set that others use commits before its unit of work is too large.
#[tokio::test]
async fn a_load_beside_others_commits_in_time() {
    const LENGTH: usize = 10_000;
    let fixture = Fixture::new().await;
    let long = Cluster { average: LENGTH, maximum: LENGTH, ..cluster("KSDS", KEYED) };
    fixture.define(Definition::Cluster(long)).await;
    let used = fixture.dataset("KSDS").await;
    let mut records = (0..100_u16).map(|key| Ok([&key.to_be_bytes()[..], &[b'x'; LENGTH - 2]].concat()));
    let copied = fixture.vsam.load(&name("KSDS"), &mut records, Replace::No, &mut |_| {}).await.unwrap();
    assert_eq!(copied.written, 100);
    drop(used);
}

/// All or nothing holds for the indexes as well: two records that may not have the same alternate key are found before
/// anything is there.
#[tokio::test]
async fn a_load_that_a_unique_index_refuses_leaves_nothing() {
    let fixture = Fixture::new().await;
    drop(fixture.path(true, "").await);
    let refused = Err(Error::DuplicateAlternate(name("AIX")));
    assert_eq!(load(&fixture, "KSDS", "10a 20b 30a", Replace::No).await, refused);
    assert_eq!(fixture.list(&fixture.dataset("KSDS").await).await, "");
    assert_eq!(load(&fixture, "KSDS", "10a 20b 30c", Replace::No).await, copied(3, 3, 0));
    assert_eq!(fixture.list(&fixture.dataset("AIX.PATH").await).await, "10a 20b 30c");
}

/// Doubles the last byte of each record.
fn longer(_: u64, record: &[u8]) -> Result<Vec<u8>, Error> {
    let mut record = record.to_vec();
    record.extend(record.last().copied());
    Ok(record)
}

#[tokio::test]
async fn all_records_are_changed_or_none() {
    let fixture = Fixture::new().await;
    drop(fixture.path(false, "10b 20a").await);
    let change = async |change: Change<'_, Error>, keep: bool| {
        let changed = fixture.vsam.change_all(&name("KSDS"), None, keep, change, &mut |_| {}).await;
        changed.map(|done| (done.read, done.changed))
    };
    let listed = async || fixture.list(&fixture.dataset("KSDS").await).await;
    assert_eq!(change(&mut longer, false).await, Ok((2, 2)));
    assert_eq!(listed().await, "10b 20a");
    assert_eq!(change(&mut longer, true).await, Ok((2, 2)));
    assert_eq!(listed().await, "10bb 20aa");
    assert_eq!(fixture.list(&fixture.dataset("AIX.PATH").await).await, "20aa 10bb", "the index, too");
    // A refusal, another key, a record that is too short: nothing has changed.
    let refuse =
        &mut |number, record: &[u8]| if number == 2 { Err(Error::NotFound) } else { longer(number, record) };
    assert_eq!(change(refuse, true).await, Err(Error::NotFound));
    let key = &mut |_, record: &[u8]| Ok([b"9", &record[1..]].concat());
    assert!(matches!(change(key, true).await, Err(Error::Record { number: 1, .. })));
    assert!(matches!(
        change(&mut |_, _| Ok(b"1".to_vec()), true).await,
        Err(Error::Record { number: 1, .. })
    ));
    assert_eq!(listed().await, "10bb 20aa");
    let open = fixture.dataset("KSDS").await;
    assert_eq!(change(&mut longer, true).await, Err(Error::InUse(name("KSDS"))));
    drop(open);
    assert!(matches!(
        fixture.vsam.change_all(&name("AIX.PATH"), None, true, &mut longer, &mut |_| {}).await,
        Err(Error::Invalid(_))
    ));
}

#[tokio::test]
async fn changed_records_go_into_another_data_set() {
    let fixture = Fixture::new().await;
    drop(fixture.keyed("10b 20a").await);
    // Its key lies elsewhere.
    let behind = vsam::Organization::Keyed(vsam::KeyField { offset: 1, length: 2 });
    fixture.define(Definition::Cluster(cluster("OTHER", behind))).await;
    let mut moved = |_: u64, record: &[u8]| Ok::<_, Error>([&record[2..], &record[..2]].concat());
    let other = name("OTHER");
    let into = Some(&other);
    let look = fixture.vsam.change_all(&name("KSDS"), into, false, &mut moved, &mut |_| {}).await;
    assert_eq!(look.map(|done| done.read), Ok(2));
    assert_eq!(fixture.list(&fixture.dataset("OTHER").await).await, "");
    fixture.vsam.change_all(&name("KSDS"), into, true, &mut moved, &mut |_| {}).await.unwrap();
    assert_eq!(fixture.list(&fixture.dataset("OTHER").await).await, "b10 a20");
    assert_eq!(fixture.list(&fixture.dataset("KSDS").await).await, "10b 20a", "the old one stays");
    let again = fixture.vsam.change_all(&name("KSDS"), into, true, &mut moved, &mut |_| {}).await;
    assert_eq!(again, Err(Error::NotEmpty(name("OTHER"))));
}
