//! Loading, copying, building indexes, listing, printing, verifying.

mod common;

use common::{Fixture, KEYED, cluster, name};
use expect_test::expect;
use vsam::{Cluster, Copied, Definition, Error, Extent, Organization, PrintFormat, Replace, Verified};

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
    let too_short = Err(Error::TooShort { length: 1, minimum: 2 });
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
async fn a_copy_can_take_a_part() {
    let fixture = Fixture::new().await;
    drop(fixture.keyed("10a 20b 21c 30d 40e").await);
    for (number, (extent, expected)) in [
        (Extent::default(), "10a 20b 21c 30d 40e"),
        (Extent { from: Some(b"2".into()), to: Some(b"3".into()), ..Extent::default() }, "20b 21c 30d"),
        (Extent { skip: 1, count: Some(2), ..Extent::default() }, "20b 21c"),
    ]
    .into_iter()
    .enumerate()
    {
        let target = format!("COPY{number}");
        fixture.define(Definition::Cluster(cluster(&target, KEYED))).await;
        let (from, to) = (name("KSDS"), name(&target));
        fixture.vsam.copy(&from, &to, &extent, Replace::No, &mut |_| {}).await.unwrap();
        assert_eq!(fixture.list(&fixture.dataset(&target).await).await, expected);
    }
    let beyond = Extent { from: Some(b"9".into()), ..Extent::default() };
    let outcome = fixture.vsam.copy(&name("KSDS"), &name("COPY0"), &beyond, Replace::No, &mut |_| {}).await;
    assert_eq!(outcome, Err(Error::NotFound));
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
async fn a_verification_compares_a_cluster_with_its_indexes() {
    let fixture = Fixture::new().await;
    drop(fixture.path(false, "10b 20a").await);
    let verify = async || fixture.vsam.verify(&name("KSDS"), &mut |_| {}).await.unwrap();
    assert_eq!(verify().await, Verified { records: 2, problems: vec![] });
    fixture.index("LATER", true).await;
    let problems = verify().await.problems;
    assert_eq!(problems, ["LATER: 0 entries where there should be 2"]);
}

#[tokio::test]
async fn records_are_printed_in_three_ways() {
    let fixture = Fixture::new().await;
    drop(fixture.keyed("10one 20two").await);
    fixture.define(Definition::Cluster(cluster("ESDS", Organization::EntrySequenced))).await;
    fixture.fill("ESDS", "first second").await;
    let mut printed = String::new();
    let ascii = |byte: u8| byte.is_ascii_graphic().then_some(byte as char);
    for (text, format) in [
        ("KSDS", PrintFormat::Character),
        ("KSDS", PrintFormat::Hex),
        ("KSDS", PrintFormat::Dump),
        ("ESDS", PrintFormat::Character),
    ] {
        let mut line = |line: &str| printed.extend([line, "\n"]);
        let one = Extent { count: Some(1), ..Extent::default() };
        fixture.vsam.print(&name(text), &one, format, &ascii, &mut line).await.unwrap();
    }
    expect![[r#"
        KEY OF RECORD - 10
        10one

        KEY OF RECORD - 3130
        31306F6E65

        KEY OF RECORD - 3130
        000000  31306F6E 65                                                               *10one                           *

        RBA OF RECORD - 0
        first

    "#]]
    .assert_eq(&printed);
}
