//! Shapes at their limits: keys of 255 bytes, long records, variable slots, wide addresses, empty data sets.

mod common;

use common::{Fixture, cluster, name, read};
use records::{Engine, Wait};
use vsam::{AlternateIndex, Cluster, Definition, Error, KeyField, Organization, Path, Search, rba, rrn};

#[tokio::test]
async fn keys_of_255_bytes_lie_anywhere_in_a_record() {
    let fixture = Fixture::new().await;
    let key = KeyField { offset: 300, length: 255 };
    let shape = Cluster { average: 600, maximum: 600, ..cluster("KSDS", Organization::Keyed(key)) };
    fixture.define(Definition::Cluster(shape)).await;
    let alternate = KeyField { offset: 20, length: 255 };
    let (relate, unique, upgrade) = (name("KSDS"), false, true);
    let index = AlternateIndex { name: name("AIX"), relate, key: alternate, unique, upgrade };
    fixture.define(Definition::AlternateIndex(index)).await;
    fixture.define(Definition::Path(Path { name: name("PATH"), entry: name("AIX") })).await;
    let (dataset, path) = (fixture.dataset("KSDS").await, fixture.dataset("PATH").await);
    let record = |last: u8| {
        let mut record = vec![b'.'; 600];
        record[554] = last;
        record
    };
    let mut unit = fixture.begin();
    for last in [b'2', b'1'] {
        dataset.write(&mut *unit, None, &record(last), Wait::No).await.unwrap();
    }
    unit.commit().await.unwrap();
    // What rests in the base is under the same keys.
    fixture.engine.checkpoint().unwrap();
    let mut found = Vec::new();
    let unit = &mut *fixture.begin();
    dataset.read(unit, Search::equal(&record(b'1')[300..555]), &mut found).await.unwrap();
    assert_eq!(found, record(b'1'));
    path.read(unit, Search::equal(&[b'.'; 255]), &mut found).await.unwrap();
    assert_eq!(found, record(b'2'), "the one that was written first");
}

#[tokio::test]
async fn a_record_may_be_longer_than_a_halfword_can_count() {
    let fixture = Fixture::new().await;
    let long = 100_000;
    let shape = Cluster { maximum: long, ..cluster("ESDS", Organization::EntrySequenced) };
    fixture.define(Definition::Cluster(shape)).await;
    let dataset = fixture.dataset("ESDS").await;
    let mut unit = fixture.begin();
    let record = vec![b'x'; long];
    dataset.write(&mut *unit, None, &record, Wait::No).await.unwrap();
    let second = dataset.write(&mut *unit, None, b"second", Wait::No).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(second, rba(long as u64));
    let unit = &mut *fixture.begin();
    assert_eq!(read(&dataset, unit, Search::equal(&rba(0))).await.unwrap().len(), long);
}

#[tokio::test]
async fn slots_of_a_variable_rrds_change_their_length() {
    let fixture = Fixture::new().await;
    fixture.define(Definition::Cluster(cluster("VRRDS", Organization::Relative))).await;
    let dataset = fixture.dataset("VRRDS").await;
    let mut unit = fixture.begin();
    dataset.write(&mut *unit, Some(&rrn(3)), b"short", Wait::No).await.unwrap();
    for (record, expected) in [
        (&b"much longer"[..], Ok(())),
        (b"s", Ok(())),
        (&[b'x'; 21], Err(Error::TooLong { length: 21, maximum: 20 })),
        (b"", Err(Error::TooShort { length: 0, minimum: 1 })),
    ] {
        dataset.read_for_update(&mut *unit, Search::equal(&rrn(3)), Wait::No, &mut vec![]).await.unwrap();
        assert_eq!(dataset.rewrite(&mut *unit, &rrn(3), record, Wait::No).await, expected);
    }
    assert_eq!(read(&dataset, &mut *unit, Search::equal(&rrn(3))).await, Ok("s".into()));
}

#[tokio::test]
async fn an_esds_is_found_by_its_alternate_keys() {
    let fixture = Fixture::new().await;
    fixture.define(Definition::Cluster(cluster("ESDS", Organization::EntrySequenced))).await;
    let (relate, unique, upgrade) = (name("ESDS"), false, true);
    let key = KeyField { offset: 1, length: 1 };
    let index = AlternateIndex { name: name("AIX"), relate, key, unique, upgrade };
    fixture.define(Definition::AlternateIndex(index)).await;
    fixture.define(Definition::Path(Path { name: name("PATH"), entry: name("AIX") })).await;
    fixture.fill("ESDS", "1b 2a 3b").await;
    let path = fixture.dataset("PATH").await;
    assert_eq!(fixture.list(&path).await, "2a 1b+ 3b");
    let mut unit = fixture.begin();
    let mut record = Vec::new();
    let found = path.read_for_update(&mut *unit, Search::equal(b"a"), Wait::No, &mut record).await.unwrap();
    assert_eq!(found.base, rba(2));
}

#[tokio::test]
async fn an_alternate_index_without_upgrade_shows_what_the_last_build_found() {
    let fixture = Fixture::new().await;
    fixture.keyed("10a 20b").await;
    let (relate, unique, upgrade) = (name("KSDS"), false, false);
    let key = KeyField { offset: 2, length: 1 };
    let index = AlternateIndex { name: name("AIX"), relate, key, unique, upgrade };
    fixture.define(Definition::AlternateIndex(index)).await;
    fixture.define(Definition::Path(Path { name: name("PATH"), entry: name("AIX") })).await;
    fixture.vsam.build_index(&name("AIX"), &mut |_| {}).await.unwrap();
    let dataset = fixture.fill("KSDS", "05a").await;
    let mut unit = fixture.begin();
    dataset.delete_by_key(&mut *unit, b"20", Wait::No).await.unwrap();
    unit.commit().await.unwrap();
    let path = fixture.dataset("PATH").await;
    assert_eq!(fixture.list(&path).await, "10a");
    assert_eq!(read(&path, &mut *fixture.begin(), Search::equal(b"b")).await, Err(Error::NotFound));
    drop((dataset, path));
    fixture.vsam.build_index(&name("AIX"), &mut |_| {}).await.unwrap();
    assert_eq!(fixture.list(&fixture.dataset("PATH").await).await, "05a+ 10a");
}
