//! Losses, and their consequences: answers, sessions, the place of a region, rights, room, an old schema, bytes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use depot::{CannotOpen, Direct};
use records::{Engine, Error, Lifetime, Recovery, Wait};
use tempfile::tempdir;

use crate::way::Way;
use crate::{begin, open, place, put, read, store};

const SOON: Duration = Duration::from_secs(30);

async fn over(
    way: &Way,
    folder: &std::path::Path,
    schema: &str,
    applid: &str,
    lease: Duration,
) -> Arc<Direct> {
    let options = depot::Options { address: way.address.clone(), ..place::options(folder, schema, lease) };
    Direct::open(options, applid, 1_000).await.unwrap()
}

#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_asked_for_and_known() {
    let (one, socket) = (tempdir().unwrap(), tempdir().unwrap());
    place::schema("answers").await;
    let way = Way::new(socket.path(), &place::as_user(&place::owner()));
    let a = over(&way, one.path(), "answers", "REGA", place::LONG).await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    for number in 0..5 {
        let key = format!("k{number}");
        let mut unit = begin(&*a);
        unit.lock(accounts, key.as_bytes(), Wait::No).await.unwrap();
        unit.put(accounts, key.as_bytes(), b"1").await.unwrap();
        way.state.loses_commit.store(true, Ordering::SeqCst);
        let cuts = way.state.cuts.load(Ordering::SeqCst);
        assert_eq!(tokio::time::timeout(SOON, unit.commit()).await.unwrap(), Ok(()));
        assert!(way.state.cuts.load(Ordering::SeqCst) > cuts, "its answer was lost");
        assert_eq!(read(&*a, accounts, &key).await.as_deref(), Some("1"));
    }
    // Its locks are free, and the session's numbers go on.
    begin(&*a).lock(accounts, b"k0", Wait::AtMost(SOON)).await.unwrap();
    put(&*a, accounts, &[("k9", "1")]).await;
}

#[tokio::test]
async fn a_commit_that_never_arrived_is_known_not_to_be_done() {
    let one = tempdir().unwrap();
    place::schema("arrives").await;
    let a = open(one.path(), "arrives", "REGA").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    // The commit waits for the row of its session, and the session ends there.
    let mut blocks = sql::Session::connect(&place::owner(), &sql::Settings::default()).await;
    let blocks = blocks.as_mut().unwrap();
    blocks.script("BEGIN; SELECT * FROM arrives.slots FOR UPDATE").await.unwrap();
    let mut unit = begin(&*a);
    unit.lock(accounts, b"k", Wait::No).await.unwrap();
    unit.put(accounts, b"k", b"1").await.unwrap();
    let commits = tokio::spawn(unit.commit());
    let waits = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'syncpoint REGA arrives' \
                 AND wait_event_type = 'Lock'";
    let ends = async {
        while place::does(waits).await.rows.is_empty() {
            assert!(!commits.is_finished(), "it waits");
        }
    };
    tokio::time::timeout(SOON, ends).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!commits.is_finished(), "nobody knows yet");
    blocks.script("ROLLBACK").await.unwrap();
    let ended = tokio::time::timeout(SOON, commits).await.unwrap().unwrap();
    assert!(matches!(ended, Err(Error::Lost(_))), "{ended:?}");
    assert_eq!(read(&*a, accounts, "k").await, None);
    put(&*a, accounts, &[("k", "2")]).await;
}

#[tokio::test]
async fn a_session_that_is_lost_takes_its_unit_of_work_with_it_and_no_other() {
    let one = tempdir().unwrap();
    place::schema("sessions").await;
    let a = open(one.path(), "sessions", "REGA").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    let mut unit = begin(&*a);
    unit.lock(accounts, b"k", Wait::No).await.unwrap();
    unit.put(accounts, b"k", b"1").await.unwrap();
    let mut free = begin(&*a);
    free.put(accounts, b"free", b"1").await.unwrap();
    let all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'syncpoint REGA sessions'";
    place::does(all).await;
    let lost = unit.lock(accounts, b"another", Wait::No).await;
    assert!(matches!(lost, Err(Error::Lost(_))), "{lost:?}");
    let lost = unit.commit().await;
    assert!(matches!(lost, Err(Error::Lost(_))), "others may have had its locks: {lost:?}");
    free.commit().await.unwrap();
    assert_eq!(read(&*a, accounts, "k").await, None);
    assert_eq!(read(&*a, accounts, "free").await.as_deref(), Some("1"));
    // A task whose names were lost commits nothing more: others may have had them.
    let mut unit = begin(&*a);
    unit.lock_name(b"N", Lifetime::Task, Wait::No).await.unwrap();
    unit.put(accounts, b"named", b"1").await.unwrap();
    place::does(all).await;
    let lost = unit.commit().await;
    assert!(matches!(lost, Err(Error::Lost(_))), "{lost:?}");
    assert_eq!(read(&*a, accounts, "named").await, None);
}

#[tokio::test]
async fn a_region_that_is_cut_off_ends_and_the_next_run_fences_it() {
    let (one, other, socket) = (tempdir().unwrap(), tempdir().unwrap(), tempdir().unwrap());
    place::schema("cut_off").await;
    let way = Way::new(socket.path(), &place::as_user(&place::owner()));
    let lease = Duration::from_secs(2);
    let a = over(&way, one.path(), "cut_off", "REGA", lease).await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    assert!(a.claim(b"DATA", true).await.unwrap().map(std::mem::forget).is_some());
    let mut unit = begin(&*a);
    unit.lock(accounts, b"k", Wait::No).await.unwrap();
    unit.put(accounts, b"k", b"1").await.unwrap();
    let taken = Direct::open(place::options(other.path(), "cut_off", lease), "REGA", 1_000);
    assert!(tokio::time::timeout(lease, taken).await.is_err(), "the first one is there");
    way.state.close();
    let why = tokio::time::timeout(SOON, a.failure()).await.unwrap();
    assert!(why.contains("could not be renewed"), "{why}");
    assert!(matches!(unit.commit().await, Err(Error::Lost(_) | Error::Io(_))));
    let second = Direct::open(place::options(other.path(), "cut_off", lease), "REGA", 1_000).await.unwrap();
    assert_eq!(read(&*second, accounts, "k").await, None);
    assert!(second.claim(b"DATA", false).await.unwrap().is_some(), "claims went with the run");
    begin(&*second).lock(accounts, b"k", Wait::AtMost(SOON)).await.unwrap();
}

#[tokio::test]
async fn two_runs_that_both_believe_to_be_the_region_do_not_both_commit() {
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    place::schema("two_runs").await;
    let a = open(one.path(), "two_runs", "REGA").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    put(&*a, accounts, &[("k", "1")]).await;
    let mut unit = begin(&*a);
    unit.put(accounts, b"k", b"late").await.unwrap();
    // As when the clock of the database jumps: the place has run out, and the first one does not know, even if it has just renewed it.
    let runs_out = async {
        loop {
            place::does("UPDATE two_runs.regions SET until = '-infinity'").await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let second = tokio::select! {
        second = open(other.path(), "two_runs", "REGA") => second,
        () = runs_out => unreachable!("it has no end"),
    };
    let ended = unit.commit().await;
    assert!(matches!(ended, Err(Error::Lost(_))), "{ended:?}");
    assert_eq!(read(&*second, accounts, "k").await.as_deref(), Some("1"));
    let why = tokio::time::timeout(SOON, a.failure()).await.unwrap();
    assert!(why.contains("another run"), "{why}");
    put(&*second, accounts, &[("k", "2")]).await;
}

#[tokio::test]
async fn rights_formats_and_rooms_that_are_missing_are_told() {
    let one = tempdir().unwrap();
    place::schema("rights").await;
    let a = open(one.path(), "rights", "REGA").await;
    let accounts = store(&*a, "accounts", Recovery::Recoverable).await;
    put(&*a, accounts, &[("k", "1")]).await;

    // A record that something else has changed is no data.
    place::does("UPDATE rights.records SET record = '\\x32'").await;
    let found = begin(&*a).get(accounts, b"k", &mut Vec::new()).await;
    assert!(matches!(found, Err(Error::Corrupt(_))), "{found:?}");
    put(&*a, accounts, &[("k", "1")]).await;

    // The tables belong to another holder from now on.
    let user = place::USER;
    place::does("ALTER TABLE rights.records OWNER TO CURRENT_USER; REVOKE ALL ON rights.records FROM PUBLIC")
        .await;
    place::does(format!(
        "REVOKE ALL ON rights.records FROM {user}; GRANT SELECT ON rights.records TO {user}"
    ))
    .await;
    let mut unit = begin(&*a);
    unit.put(accounts, b"k", b"2").await.unwrap();
    let refused = unit.commit().await;
    assert!(matches!(&refused, Err(Error::Lost(why)) if why.contains("permission denied")), "{refused:?}");
    assert_eq!(read(&*a, accounts, "k").await.as_deref(), Some("1"));
    place::does(format!("ALTER TABLE rights.records OWNER TO {user}")).await;
    put(&*a, accounts, &[("k", "3")]).await;

    // No room, as the database says it.
    let full = "CREATE FUNCTION rights.full() RETURNS trigger LANGUAGE plpgsql AS \
                $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$; \
                CREATE TRIGGER full_now BEFORE INSERT OR UPDATE ON rights.records EXECUTE FUNCTION rights.full()";
    place::does(full).await;
    let mut unit = begin(&*a);
    unit.lock(accounts, b"k", Wait::No).await.unwrap();
    unit.put(accounts, b"k", b"4").await.unwrap();
    assert_eq!(unit.commit().await, Err(Error::NoSpace("the database")));
    place::does("DROP TRIGGER full_now ON rights.records").await;
    assert_eq!(read(&*a, accounts, "k").await.as_deref(), Some("3"));
    put(&*a, accounts, &[("k", "5")]).await;
    drop(a);

    place::does("UPDATE rights.format SET line = 'Syncpoint records of regions in a database, format 0'")
        .await;
    let refused = Direct::open(place::options(one.path(), "rights", place::LONG), "REGA", 1_000).await;
    let Err(CannotOpen::Format { format, .. }) = refused else { panic!("it is another format") };
    assert!(format.ends_with("format 0"));
    // The tables of a record server are no tables of regions.
    place::schema("of_a_server").await;
    drop(place::open(tempdir().unwrap().path(), "of_a_server", place::LONG).await);
    let refused = Direct::open(place::options(one.path(), "of_a_server", place::LONG), "REGA", 1_000).await;
    assert!(matches!(refused, Err(CannotOpen::Format { .. })));
}
