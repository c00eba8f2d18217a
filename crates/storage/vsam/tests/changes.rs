//! Writing, rewriting, deleting: what is checked in which order, and what alternate indexes see of it.

mod common;

use common::{ALTERNATE, Fixture, KEYED, cluster, name, read};
use records::{Recovery, Wait};
use vsam::{AlternateIndex, Cluster, Definition, Error, KeyField, Organization, Search, rba, rrn};

#[tokio::test]
async fn the_checks_of_a_write_come_in_their_order() {
    let fixture = Fixture::new().await;
    fixture.define(Definition::Cluster(cluster("KSDS", KEYED))).await;
    fixture.index("UNIQUE", true).await;
    let dataset = fixture.fill("KSDS", "10a").await;
    let too_long = "10a".to_owned() + &"x".repeat(18);
    let cases: [(Option<&str>, &str, Error); 6] = [
        (Some("99"), &too_long, Error::TooLong { length: 21, maximum: 20 }),
        (Some("99"), "10", Error::TooShort { length: 2, minimum: 3 }),
        (Some("99"), "10a", Error::KeyMismatch),
        (Some("10"), "10a", Error::Duplicate),
        (None, "10b", Error::Duplicate),
        (None, "20a", Error::DuplicateAlternate(name("UNIQUE"))),
    ];
    for (key, record, expected) in cases {
        let mut unit = fixture.begin();
        let outcome = dataset.write(&mut *unit, key.map(str::as_bytes), record.as_bytes(), Wait::No).await;
        assert_eq!(outcome, Err(expected), "{record}");
        assert!(unit.is_clean(), "a request that fails changes nothing");
        // Nor does it leave a lock.
        dataset
            .read_for_update(&mut *fixture.begin(), Search::equal(b"10"), Wait::No, &mut vec![])
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn the_checks_of_a_rewrite_come_in_their_order() {
    let fixture = Fixture::new().await;
    let path = fixture.path(true, "10a 20b").await;
    let dataset = fixture.dataset("KSDS").await;
    let too_long = "99z".to_owned() + &"x".repeat(18);
    for (through_path, record, expected) in [
        (false, too_long.as_str(), Err(Error::TooLong { length: 21, maximum: 20 })),
        (false, "10", Err(Error::TooShort { length: 2, minimum: 3 })),
        (false, "11a", Err(Error::KeyChanged)),
        (false, "10b", Err(Error::DuplicateAlternate(name("AIX")))),
        (false, "10z", Ok(())),
        (true, "10z", Err(Error::KeyChanged)),
        (true, "10a-longer", Ok(())),
    ] {
        let mut unit = fixture.begin();
        let (dataset, key) = if through_path { (&path, &b"a"[..]) } else { (&dataset, &b"10"[..]) };
        let found =
            dataset.read_for_update(&mut *unit, Search::equal(key), Wait::No, &mut vec![]).await.unwrap();
        let outcome = dataset.rewrite(&mut *unit, &found.base, record.as_bytes(), Wait::No).await;
        assert_eq!(outcome, expected, "{record}");
    }
}

#[tokio::test]
async fn alternate_indexes_follow_every_change_within_the_unit_of_work() {
    let fixture = Fixture::new().await;
    let path = fixture.path(false, "10a 20b 30b").await;
    let dataset = fixture.dataset("KSDS").await;
    let mut unit = fixture.begin();
    dataset.read_for_update(&mut *unit, Search::equal(b"20"), Wait::No, &mut vec![]).await.unwrap();
    dataset.rewrite(&mut *unit, b"20", b"20a", Wait::No).await.unwrap();
    dataset.delete_by_key(&mut *unit, b"30", Wait::No).await.unwrap();
    dataset.write(&mut *unit, None, b"40c", Wait::No).await.unwrap();
    assert_eq!(read(&path, &mut *unit, Search::equal(b"a")).await, Ok("10a+".into()));
    assert_eq!(read(&path, &mut *unit, Search::equal(b"b")).await, Err(Error::NotFound));
    assert_eq!(fixture.list(&path).await, "10a 20b+ 30b", "others see nothing of it yet");
    unit.commit().await.unwrap();
    assert_eq!(fixture.list(&path).await, "10a+ 20a 40c");

    let mut unit = fixture.begin();
    assert_eq!(path.delete_generic(&mut *unit, b"a", Wait::No).await, Ok(2));
    unit.backout().await.unwrap();
    assert_eq!(fixture.list(&path).await, "10a+ 20a 40c", "backout needs no undoing");
}

#[tokio::test]
async fn a_generic_delete_counts_what_it_deletes() {
    let fixture = Fixture::new().await;
    let records: Vec<String> = (100..300).map(|n| format!("{n}")).collect();
    let long = Organization::Keyed(KeyField { offset: 0, length: 3 });
    fixture.define(Definition::Cluster(cluster("LONG", long))).await;
    let dataset = fixture.fill("LONG", &records.join(" ")).await;
    let mut unit = fixture.begin();
    assert_eq!(dataset.delete_generic(&mut *unit, b"15", Wait::No).await, Ok(10));
    assert_eq!(dataset.delete_generic(&mut *unit, b"1", Wait::No).await, Ok(90));
    assert_eq!(dataset.delete_generic(&mut *unit, b"1", Wait::No).await, Err(Error::NotFound));
    unit.commit().await.unwrap();
    assert_eq!(fixture.list(&dataset).await, records[100..].join(" "));
}

#[tokio::test]
async fn a_unique_alternate_key_that_is_given_up_is_not_free_before_the_commit() {
    let fixture = Fixture::new().await;
    fixture.path(true, "10a").await;
    let dataset = fixture.dataset("KSDS").await;
    let mut unit = fixture.begin();
    dataset.delete_by_key(&mut *unit, b"10", Wait::No).await.unwrap();
    let write = dataset.write(&mut *fixture.begin(), None, b"20a", Wait::No).await;
    assert_eq!(write, Err(Error::Engine(records::Error::Locked)));
    unit.commit().await.unwrap();
    dataset.write(&mut *fixture.begin(), None, b"20a", Wait::No).await.unwrap();
}

#[tokio::test]
async fn a_record_read_for_update_waits_for_the_one_before() {
    let fixture = Fixture::new().await;
    let path = fixture.path(true, "10a").await;
    let dataset = fixture.dataset("KSDS").await;
    let mut first = fixture.begin();
    dataset.read_for_update(&mut *first, Search::equal(b"10"), Wait::No, &mut vec![]).await.unwrap();
    dataset.rewrite(&mut *first, b"10", b"10b", Wait::No).await.unwrap();
    let mut second = fixture.begin();
    let mut record = Vec::new();
    // It finds the record by its old alternate key, and waits; then that key leads nowhere.
    let update = path.read_for_update(&mut *second, Search::equal(b"a"), Wait::Forever, &mut record);
    let (update, committed) = tokio::join!(update, first.commit());
    assert_eq!((update, committed), (Err(Error::NotFound), Ok(())));
    let found =
        path.read_for_update(&mut *second, Search::at_least(b"a"), Wait::No, &mut record).await.unwrap();
    assert_eq!((found.base.as_slice(), record.as_slice()), (&b"10"[..], &b"10b"[..]));
}

#[tokio::test]
async fn a_data_set_that_is_not_recoverable_keeps_changes_and_frees_records_at_once() {
    let fixture = Fixture::new().await;
    let recovery = Recovery::NonRecoverable;
    fixture.define(Definition::Cluster(Cluster { recovery, ..cluster("KSDS", KEYED) })).await;
    fixture.index("AIX", true).await;
    let dataset = fixture.dataset("KSDS").await;
    let mut unit = fixture.begin();
    dataset.write(&mut *unit, None, b"10a", Wait::No).await.unwrap();
    let mut other = fixture.begin();
    dataset.read_for_update(&mut *other, Search::equal(b"10"), Wait::No, &mut vec![]).await.unwrap();
    let held = dataset.read_for_update(&mut *unit, Search::equal(b"10"), Wait::No, &mut vec![]).await;
    assert_eq!(held, Err(Error::Engine(records::Error::Locked)));
    dataset.rewrite(&mut *other, b"10", b"10b", Wait::No).await.unwrap();
    dataset.delete_by_key(&mut *unit, b"10", Wait::No).await.unwrap();
    dataset.write(&mut *other, None, b"20b", Wait::No).await.unwrap();
    drop((unit, other));
    assert_eq!(fixture.list(&dataset).await, "20b");
}

#[tokio::test]
async fn an_esds_gives_addresses_and_keeps_lengths() {
    let fixture = Fixture::new().await;
    fixture.define(Definition::Cluster(cluster("ESDS", Organization::EntrySequenced))).await;
    let index = AlternateIndex {
        name: name("AIX"),
        relate: name("ESDS"),
        key: ALTERNATE,
        unique: false,
        upgrade: true,
    };
    fixture.define(Definition::AlternateIndex(index)).await;
    let dataset = fixture.dataset("ESDS").await;
    let mut unit = fixture.begin();
    let mut addresses = Vec::new();
    for record in ["first", "second", "third"] {
        addresses.push(dataset.write(&mut *unit, None, record.as_bytes(), Wait::No).await.unwrap());
    }
    assert_eq!(addresses, [rba(0), rba(5), rba(11)]);
    assert_eq!(read(&dataset, &mut *unit, Search::equal(&rba(5))).await, Ok("second".into()));
    let rewrite = dataset.rewrite(&mut *unit, &rba(5), b"shorter!", Wait::No).await;
    assert_eq!(rewrite, Err(Error::LengthChanged { length: 8, required: 6 }));
    dataset.rewrite(&mut *unit, &rba(5), b"SECOND", Wait::No).await.unwrap();
    assert!(matches!(dataset.delete_by_key(&mut *unit, &rba(5), Wait::No).await, Err(Error::Invalid(_))));
    unit.commit().await.unwrap();
    drop(dataset);
    // Opened again, it goes on behind the last record.
    assert_eq!(fixture.list(&fixture.fill("ESDS", "fourth").await).await, "first SECOND third fourth");
}

#[tokio::test]
async fn an_rrds_has_numbered_slots() {
    let fixture = Fixture::new().await;
    let fixed = Cluster { average: 4, maximum: 4, ..cluster("RRDS", Organization::Relative) };
    fixture.define(Definition::Cluster(fixed)).await;
    let dataset = fixture.dataset("RRDS").await;
    let mut unit = fixture.begin();
    for (slot, record, expected) in [
        (Some(rrn(7)), "seven", Err(Error::TooLong { length: 5, maximum: 4 })),
        (Some(rrn(7)), "sev", Err(Error::LengthChanged { length: 3, required: 4 })),
        (Some(rrn(7)), "sevn", Ok(rrn(7))),
        (Some(rrn(7)), "SEVN", Err(Error::Duplicate)),
        (Some(rrn(0)), "zero", Err(Error::Invalid("the slots of an RRDS are numbered from 1"))),
        (None, "none", Err(Error::Invalid("a record of an RRDS is written into a numbered slot"))),
        (Some(rrn(2)), "two.", Ok(rrn(2))),
    ] {
        let outcome = dataset.write(&mut *unit, slot.as_deref(), record.as_bytes(), Wait::No).await;
        assert_eq!(outcome, expected, "{record}");
    }
    unit.commit().await.unwrap();
    assert_eq!(fixture.list(&dataset).await, "two. sevn");
    let mut unit = fixture.begin();
    dataset.delete_by_key(&mut *unit, &rrn(2), Wait::No).await.unwrap();
    dataset.write(&mut *unit, Some(&rrn(2)), b"TWO.", Wait::No).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(fixture.list(&dataset).await, "TWO. sevn");
}

#[tokio::test]
async fn a_record_is_written_with_its_index_entries_or_refused() {
    let fixture = Fixture::new().await;
    fixture.path(false, "").await;
    let dataset = fixture.dataset("KSDS").await;
    let mut unit = fixture.begin();
    let mut written = 0;
    // Until not even the shortest record fits: somewhere on the way there is room for a record, but not for its entry.
    for length in (3..=20).rev() {
        loop {
            let key: u16 = written;
            let record = [&key.to_be_bytes()[..], &[b'a'; 18][..length - 2]].concat();
            match dataset.write(&mut *unit, None, &record, Wait::No).await {
                Ok(_) => written += 1,
                Err(error) => {
                    assert_eq!(error, Error::Engine(records::Error::Limit("segment_bytes")));
                    break;
                }
            }
        }
    }
    unit.commit().await.unwrap();
    for counted in ["KSDS", "AIX"] {
        let statistics = fixture.vsam.statistics(&name(counted)).await.unwrap();
        assert_eq!(statistics.records, u64::from(written), "{counted}");
    }
}
