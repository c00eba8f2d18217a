//! A record server over a database, and another one that takes over from it: regions go on, and know what has become of each commit.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

mod common;
#[allow(dead_code, reason = "other tests use the rest of it")]
#[path = "../../../storage/depot/tests/real/place.rs"]
mod place;

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use common::{PATIENCE, Site, begin, here, put, read, store};
use link::carrier::Halves;
use place::{LONG, does};
use records::{Decider, Decision, Engine, Error, Recovery, Standing, Wait};
use share::{Connector, Remote};
use tokio::task::AbortHandle;

/// The way to the server of a site, which can be cut as by the death of a process.
#[derive(Clone)]
struct Way {
    site: Site,
    links: Rc<RefCell<Vec<AbortHandle>>>,
}

impl Way {
    fn cut(&self) {
        self.links.take().iter().for_each(AbortHandle::abort);
    }
}

impl Connector for Way {
    async fn connect(&self) -> io::Result<Halves> {
        let (ours, mut near) = tokio::io::duplex(1 << 16);
        let (mut far, theirs) = tokio::io::duplex(1 << 16);
        self.site.accept(theirs)?;
        let carries = async move { tokio::io::copy_bidirectional(&mut near, &mut far).await };
        self.links.borrow_mut().push(tokio::task::spawn_local(carries).abort_handle());
        Ok(link::carrier::other(ours))
    }
}

#[tokio::test]
async fn a_region_goes_on_with_the_server_that_takes_over_and_a_commit_without_an_answer_is_known() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    place::schema("taken_over").await;
    here(async {
        let site = Site::default();
        let first = place::open(one.path(), "taken_over", LONG).await;
        site.serves(first.engine.clone()).await;
        let way = Way { site: site.clone(), links: Rc::default() };
        let (region, runs) = Remote::without_thread("REGA", 1, way.clone(), PATIENCE);
        tokio::task::spawn_local(runs);
        region.is_there().await.unwrap();
        let accounts = store(&*region, "accounts", Recovery::Recoverable).await;
        put(&*region, accounts, &[("acknowledged", "1")]).await;
        let mut doubtful = begin(&*region);
        doubtful.lock(accounts, b"doubtful", Wait::No).await.unwrap();
        doubtful.put(accounts, b"doubtful", b"1").await.unwrap();
        doubtful.prepare(b"a unit of work").await.unwrap();
        let mut live = begin(&*region);
        live.lock(accounts, b"live", Wait::No).await.unwrap();
        live.put(accounts, b"live", b"1").await.unwrap();

        // The first one does not know that its lease has run out.
        does("UPDATE taken_over.lease SET until = '-infinity'").await;
        let second = place::open(other.path(), "taken_over", LONG).await;
        let commits = tokio::task::spawn_local(live.commit());
        let why = tokio::time::timeout(PATIENCE, first.database.lost()).await.unwrap();
        assert!(why.contains("lease"), "{why}");
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!commits.is_finished(), "a server that has failed cannot know what became of it");
        site.serves(second.engine.clone()).await;
        // As the end of its process.
        way.cut();
        let ended = tokio::time::timeout(PATIENCE, commits).await.unwrap().unwrap();
        assert!(matches!(ended, Err(Error::Lost(_))), "{ended:?}");
        assert_eq!(read(&*region, accounts, "live").await, None);
        assert_eq!(read(&*region, accounts, "acknowledged").await.as_deref(), Some("1"));
        put(&*region, accounts, &[("next", "1")]).await;

        // Units of work in doubt have come along, with their locks.
        let locked = begin(&*second.engine).lock(accounts, b"doubtful", Wait::Forever).await;
        assert_eq!(locked, Err(Error::Retained));
        assert_eq!(second.engine.indoubt().unwrap()[0].standing, Standing::Shunted);
        doubtful.commit().await.unwrap();
        assert_eq!(read(&*region, accounts, "doubtful").await.as_deref(), Some("1"));
        let again = region.resolve(b"a unit of work", Decision::Commit, Decider::Coordinator).await;
        assert_eq!(again, Err(Error::NotIndoubt));
    })
    .await;
}
