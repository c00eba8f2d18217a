//! The catalogue: defining, deleting, renaming, who has what open, and all of it after a restart.

mod common;

use common::{ALTERNATE, Fixture, KEYED, cluster, name};
use records::{Recovery, Wait};
use vsam::{AlternateIndex, Cluster, Definition, Error, KeyField, Name, Organization, Path, Vsam};

fn names(vsam: &Vsam) -> String {
    vsam.entries().iter().map(|entry| entry.name().to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn names_have_qualifiers_of_eight_and_forty_four_in_all() {
    for text in ["A", "AWS.M2.CARDDEMO.ACCTDATA.VSAM.KSDS", "#A.@B.$C.X-1", "a.b"] {
        assert_eq!(text.parse::<Name>().map(|name| name.to_string()), Ok(text.to_uppercase()));
    }
    for text in ["", ".A", "A..B", "1A", "A.NINECHARS", "A B", &["ABCDEFGH"; 6].join(".")] {
        assert_eq!(text.parse::<Name>(), Err(Error::Name(text.into())));
    }
}

#[tokio::test]
async fn definitions_that_cannot_be_are_refused() {
    let fixture = Fixture::new().await;
    fixture.keyed("").await;
    let key = |offset, length| Organization::Keyed(KeyField { offset, length });
    let index =
        |key| AlternateIndex { name: name("NEW"), relate: name("KSDS"), key, unique: true, upgrade: true };
    let far = KeyField { offset: 18, length: 3 };
    let path = |to| Definition::Path(Path { name: name("NEW"), entry: name(to) });
    for (definition, expected) in [
        (Definition::Cluster(cluster("KSDS", KEYED)), "KSDS is in the catalogue already"),
        (Definition::Cluster(cluster("NEW", key(0, 256))), "NEW: a key has 1 to 255 bytes"),
        (Definition::Cluster(cluster("NEW", key(18, 3))), "NEW: the key lies beyond the longest record"),
        (
            Definition::Cluster(Cluster { average: 21, ..cluster("NEW", KEYED) }),
            "NEW: the average record size must not be greater than the maximum, nor that be 0",
        ),
        (
            Definition::AlternateIndex(index(far)),
            "NEW: the alternate key lies beyond the longest record of the base cluster",
        ),
        (path("NOTHING"), "NOTHING is not in the catalogue"),
    ] {
        let error = fixture.vsam.define(definition).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(names(&fixture.vsam), "KSDS");
}

#[tokio::test]
async fn the_catalogue_is_there_after_a_restart() {
    let fixture = Fixture::new().await;
    fixture.path(false, "10a").await;
    fixture.define(Definition::Cluster(cluster("ESDS", Organization::EntrySequenced))).await;
    fixture.define(Definition::Cluster(cluster("RRDS", Organization::Relative))).await;
    let again = Vsam::open(fixture.engine.clone()).await.unwrap();
    assert_eq!(again.entries(), fixture.vsam.entries());
    assert_eq!(names(&again), "AIX AIX.PATH ESDS KSDS RRDS");
}

#[tokio::test]
async fn what_is_in_use_stays() {
    let fixture = Fixture::new().await;
    let dataset = fixture.path(false, "10a").await;
    assert!(fixture.vsam.is_open(&name("KSDS")));
    for text in ["KSDS", "AIX", "AIX.PATH"] {
        assert_eq!(fixture.vsam.delete(&name(text)).await, Err(Error::InUse(name("KSDS"))));
    }
    let index =
        AlternateIndex { name: name("B"), relate: name("KSDS"), key: ALTERNATE, unique: true, upgrade: true };
    assert_eq!(fixture.vsam.define(Definition::AlternateIndex(index)).await, Err(Error::InUse(name("KSDS"))));
    drop(dataset);
    assert!(!fixture.vsam.is_open(&name("KSDS")));
    let deleted = fixture.vsam.delete(&name("KSDS")).await.unwrap();
    assert_eq!(deleted, [name("AIX.PATH"), name("AIX"), name("KSDS")]);
    assert_eq!(names(&fixture.vsam), "");
    // Its records went with it.
    assert_eq!(fixture.list(&fixture.keyed("").await).await, "");
}

/// A data set that had a record stays loaded without it, also after a restart and under another name; one that is
/// defined again is new.
#[tokio::test]
async fn a_data_set_that_had_records_is_known() {
    let fixture = Fixture::new().await;
    let dataset = fixture.path(false, "").await;
    assert_eq!(fixture.vsam.was_loaded(&name("AIX.PATH")).await, Ok(false));
    drop(dataset);
    let dataset = fixture.fill("KSDS", "10a").await;
    assert_eq!(fixture.vsam.was_loaded(&name("AIX.PATH")).await, Ok(true));
    let mut unit = fixture.begin();
    dataset.delete_by_key(&mut *unit, b"10", Wait::Forever).await.unwrap();
    unit.commit().await.unwrap();
    drop(dataset);
    fixture.vsam.rename(&name("KSDS"), &name("OTHER")).await.unwrap();
    let again = Vsam::open(fixture.engine.clone()).await.unwrap();
    assert_eq!(again.was_loaded(&name("OTHER")).await, Ok(true));
    again.delete(&name("OTHER")).await.unwrap();
    again.define(Definition::Cluster(cluster("KSDS", KEYED))).await.unwrap();
    assert_eq!(again.was_loaded(&name("KSDS")).await, Ok(false));
    again.note_loaded(&name("KSDS")).await.unwrap();
    assert_eq!(again.was_loaded(&name("KSDS")).await, Ok(true));
}

#[tokio::test]
async fn a_name_can_change_and_be_given_again() {
    let fixture = Fixture::new().await;
    drop(fixture.path(false, "10a 20b").await);
    fixture.vsam.rename(&name("KSDS"), &name("OTHER")).await.unwrap();
    fixture.vsam.rename(&name("AIX"), &name("BIX")).await.unwrap();
    assert_eq!(names(&fixture.vsam), "AIX.PATH BIX OTHER");
    assert_eq!(fixture.list(&fixture.dataset("AIX.PATH").await).await, "10a 20b");
    assert_eq!(fixture.list(&fixture.keyed("").await).await, "");
    assert_eq!(fixture.vsam.rename(&name("BIX"), &name("KSDS")).await, Err(Error::EntryExists(name("KSDS"))));
}

#[tokio::test]
async fn a_cluster_becomes_recoverable_with_its_indexes() {
    let fixture = Fixture::new().await;
    let recovery = Recovery::NonRecoverable;
    fixture.define(Definition::Cluster(Cluster { recovery, ..cluster("KSDS", KEYED) })).await;
    fixture.index("AIX", false).await;
    fixture.fill("KSDS", "10a").await;
    assert_eq!(fixture.vsam.make_recoverable(&name("AIX.PATH")).await, Ok(true), "by any name of it");
    assert_eq!(fixture.vsam.make_recoverable(&name("KSDS")).await, Ok(false), "it is already");

    let dataset = fixture.dataset("KSDS").await;
    let again = fixture.vsam.make_recoverable(&name("KSDS")).await;
    assert_eq!(again, Ok(false), "it may be open: there is nothing to do");
    fixture.define(Definition::Cluster(Cluster { recovery, ..cluster("OPEN", KEYED) })).await;
    let open = fixture.dataset("OPEN").await;
    assert_eq!(fixture.vsam.make_recoverable(&name("OPEN")).await, Err(Error::InUse(name("OPEN"))));
    drop(open);
    let mut unit = fixture.begin();
    dataset.write(&mut *unit, None, b"20a", Wait::No).await.unwrap();
    unit.backout().await.unwrap();
    assert_eq!(fixture.list(&dataset).await, "10a");
    assert_eq!(fixture.list(&fixture.dataset("AIX.PATH").await).await, "10a");
    let again = Vsam::open(fixture.engine.clone()).await.unwrap();
    assert_eq!(again.entries(), fixture.vsam.entries());
}
