//! A link: requests and replies, sessions, batches, cancelling, heartbeat, the orderly end.

mod common;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use common::{Echo, begin, hello, here, linked, timer};
use link::{Asking, Ended, Link, NoReply, NotAllocated, Patience, Queue, Session, Sessions, Vitals};
use tokio::time::timeout;

const NOW: Duration = Duration::ZERO;
const LONG: Duration = Duration::from_secs(3_600);

async fn session(sessions: &Sessions) -> Session {
    sessions.allocate(NOW, true).await.expect("a session")
}

fn sessions(most: u32) -> Sessions {
    let sessions = Sessions::new(most, Queue::default());
    sessions.open(most);
    sessions
}

#[tokio::test(start_paused = true)]
async fn a_request_has_its_reply() {
    here(async {
        let (asker, owner) = linked(Rc::<Echo>::default(), Rc::<Echo>::default(), 8).await;
        assert_eq!((asker.partner().applid.as_str(), owner.partner().applid.as_str()), ("REGB", "REGA"));
        let sessions = sessions(8);
        for body in ["abc", "", "x"] {
            let asking = asker.request(session(&sessions).await, body.as_bytes()).expect("in flight");
            assert_eq!(asking.await, Ok(body.to_uppercase().into_bytes()));
        }
        // Both sides may ask.
        let asking = owner.request(session(&sessions).await, b"back").expect("in flight");
        assert_eq!(asking.await, Ok(b"BACK".to_vec()));
        assert_eq!(sessions.counts(false).in_use, 0);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn tasks_of_one_round_share_a_write() {
    here(async {
        let (asker, owner) = linked(Rc::<Echo>::default(), Rc::<Echo>::default(), 64).await;
        let sessions = sessions(64);
        // So many requests of one round take so many writes: the buffer goes early at 32 requests.
        for (count, most) in [(1, 1), (4, 1), (31, 1), (64, 3)] {
            let (before, answers) = (asker.traffic().writes, owner.traffic().writes);
            let mut tasks = Vec::new();
            for _ in 0..count {
                let (asker, session) = (asker.clone(), session(&sessions).await);
                tasks.push(tokio::task::spawn_local(async move {
                    asker.request(session, b"read").expect("in flight").await
                }));
            }
            for task in tasks {
                assert_eq!(task.await.expect("a task"), Ok(b"READ".to_vec()));
            }
            let (asked, answered) = (asker.traffic().writes - before, owner.traffic().writes - answers);
            assert!(asked <= most && answered <= most, "{count}: {asked} and {answered} writes");
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn no_more_requests_are_in_flight_than_there_are_sessions_and_waits_are_counted() {
    here(async {
        let echo = Rc::<Echo>::default();
        let owner: Rc<Echo> = Rc::clone(&echo);
        let (asker, _owner) = linked(Rc::<Echo>::default(), owner, 4).await;
        let sessions = sessions(4);
        let mut tasks = Vec::new();
        for _ in 0..100 {
            let (asker, sessions) = (asker.clone(), sessions.clone());
            tasks.push(tokio::task::spawn_local(async move {
                let session = sessions.allocate(NOW, true).await?;
                Ok::<_, NotAllocated>(asker.request(session, b"wait").expect("in flight").await)
            }));
        }
        let mut answered = 0;
        while answered < 100 {
            tokio::task::yield_now().await;
            let kept: Vec<_> = echo.kept.borrow_mut().drain(..).collect();
            assert!(kept.len() <= 4, "{} at once", kept.len());
            answered += kept.len();
            kept.into_iter().for_each(|asked| asked.reply(b"done"));
        }
        for task in tasks {
            assert_eq!(task.await.expect("a task"), Ok(Ok(b"done".to_vec())));
        }
        let counts = sessions.counts(false);
        assert_eq!((counts.asked, counts.queued, counts.in_use_peak, counts.in_use), (100, 96, 4, 0));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_request_keeps_its_session_until_the_partner_has_let_go_of_it() {
    here(async {
        let echo = Rc::<Echo>::default();
        let owner: Rc<Echo> = Rc::clone(&echo);
        let (asker, _owner) = linked(Rc::<Echo>::default(), owner, 1).await;
        let sessions = sessions(1);
        let asking = asker.request(session(&sessions).await, b"wait").expect("in flight");
        while echo.kept.borrow().is_empty() {
            tokio::task::yield_now().await;
        }
        drop(asking);
        let kept = echo.kept.borrow_mut().pop().expect("it was asked");
        kept.cancelled().await;
        assert!(kept.is_cancelled());
        assert_eq!(sessions.counts(false).in_use, 1, "the partner still works on it");
        drop(kept);
        let next = timeout(LONG, sessions.allocate(NOW, true)).await.expect("in time").expect("a session");
        let asking = asker.request(next, b"next").expect("in flight");
        assert_eq!(asking.await, Ok(b"NEXT".to_vec()), "not the answer to the one before");
    })
    .await;
}

/// The next request of a conversation comes behind the answer to one that no task waits for any more: that may have been done.
#[tokio::test(start_paused = true)]
async fn the_turn_of_a_cancelled_request_is_over_when_its_answer_has_come() {
    here(async {
        let owner = Rc::<Echo>::default();
        let (asks, _owns) = linked(Rc::<Echo>::default(), Rc::clone(&owner) as _, 4).await;
        let (sessions, turns) = (sessions(4), Arc::new(tokio::sync::Mutex::new(())));
        let turn = Arc::clone(&turns).lock_owned().await;
        let asking = asks.request_in_turn(session(&sessions).await, Some(turn), b"wait").expect("sent");
        while owner.kept.borrow().is_empty() {
            tokio::task::yield_now().await;
        }
        drop(asking);
        let kept = owner.kept.borrow_mut().pop().expect("asked");
        kept.cancelled().await;
        assert!(turns.try_lock().is_err(), "it may be done still");
        kept.reply(b"done");
        drop(timeout(LONG, turns.lock()).await.expect("the turn of the next one"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_the_partner_drops_has_no_reply_and_the_link_goes_on() {
    here(async {
        let echo = Rc::<Echo>::default();
        let owner: Rc<Echo> = Rc::clone(&echo);
        let (asker, _owner) = linked(Rc::<Echo>::default(), owner, 2).await;
        let sessions = sessions(2);
        for why in ["the request was dropped", "no such thing"] {
            let asking = asker.request(session(&sessions).await, b"wait").expect("in flight");
            while echo.kept.borrow().is_empty() {
                tokio::task::yield_now().await;
            }
            match echo.kept.borrow_mut().pop() {
                Some(kept) if why.starts_with("no") => kept.fail("no such\nthing"),
                kept => drop(kept),
            }
            assert_eq!(asking.await, Err(NoReply::Unanswered(why.into())));
        }
        assert!(asker.is_open());
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_long_message_lets_short_ones_pass() {
    here(async {
        let (asker, _owner) = linked(Rc::<Echo>::default(), Rc::<Echo>::default(), 4).await;
        let sessions = sessions(4);
        let long = vec![b'a'; 8 << 20];
        let slow = asker.request(session(&sessions).await, &long).expect("in flight");
        let quick = asker.request(session(&sessions).await, b"quick").expect("in flight");
        let order = Rc::new(RefCell::new(Vec::new()));
        let noting = |name: &'static str, asking: Asking| {
            let order = Rc::clone(&order);
            tokio::task::spawn_local(async move {
                let reply = asking.await;
                order.borrow_mut().push(name);
                reply.expect("a reply")
            })
        };
        let (slow, quick) = (noting("slow", slow), noting("quick", quick));
        assert_eq!(quick.await.expect("a task"), b"QUICK");
        let reply = slow.await.expect("a task");
        assert!(reply.len() == long.len() && reply.iter().all(|byte| *byte == b'A'));
        assert_eq!(*order.borrow(), ["quick", "slow"]);
        let too_long = vec![0; link::limits::MESSAGE_MAX + 1];
        let refused = asker.request(session(&sessions).await, &too_long).err();
        assert_eq!(refused, Some(NoReply::TooLong(too_long.len())));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_orderly_end_answers_what_is_open_and_takes_nothing_more() {
    here(async {
        let (echo, own) = (Rc::<Echo>::default(), Rc::<Echo>::default());
        let (hosts, owner_host): (Rc<Echo>, Rc<Echo>) = (Rc::clone(&own), Rc::clone(&echo));
        let (asker, owner) = linked(hosts, owner_host, 2).await;
        let sessions = sessions(2);
        let asking = asker.request(session(&sessions).await, b"wait").expect("in flight");
        while echo.kept.borrow().is_empty() {
            tokio::task::yield_now().await;
        }
        owner.close();
        while !own.closing.get() {
            tokio::task::yield_now().await;
        }
        let refused = asker.request(session(&sessions).await, b"more").err();
        assert_eq!(refused, Some(NoReply::Ended(Ended::Closed)));
        echo.kept.borrow_mut().pop().expect("it was asked").reply(b"last");
        assert_eq!(asking.await, Ok(b"last".to_vec()));
        let ends = async { (asker.ended().await, owner.ended().await) };
        let ends = timeout(LONG, ends).await.expect("both end");
        assert_eq!(ends, (Ended::Closed, Ended::Closed));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_cut_link_tells_everybody() {
    here(async {
        let echo = Rc::<Echo>::default();
        let owner_host: Rc<Echo> = Rc::clone(&echo);
        let (asker, owner) = linked(Rc::<Echo>::default(), owner_host, 2).await;
        let sessions = sessions(2);
        let asking = asker.request(session(&sessions).await, b"wait").expect("in flight");
        while echo.kept.borrow().is_empty() {
            tokio::task::yield_now().await;
        }
        let kept = echo.kept.borrow_mut().pop().expect("it was asked");
        asker.cut("IMMCLOSE");
        assert_eq!(asking.await, Err(NoReply::Ended(Ended::Lost("IMMCLOSE".into()))));
        assert!(matches!(owner.ended().await, Ended::Lost(_)));
        kept.cancelled().await;
        drop(kept);
        assert_eq!(sessions.counts(false).in_use, 0);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn health_and_load_ride_in_every_frame_and_a_heartbeat_comes_each_second() {
    here(async {
        let echo = Rc::<Echo>::default();
        let owner_host: Rc<Echo> = Rc::clone(&echo);
        let (asker, _owner) = linked(Rc::<Echo>::default(), owner_host, 2).await;
        let said = Vitals { health: 20, load: 77, at_mxt: true, short_on_storage: true, quiescing: false };
        echo.vitals.set(said);
        tokio::time::sleep(Duration::from_millis(900)).await;
        assert_ne!(asker.vitals(), said, "nothing has come yet");
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(asker.vitals(), said);
        tokio::time::sleep(Duration::from_secs(600)).await;
        assert!(asker.silence() <= Duration::from_secs(1) && asker.is_open());
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_partner_that_is_not_wanted_hears_why() {
    here(async {
        let (one, other) = tokio::io::duplex(1 << 20);
        let asks = begin(one, Rc::<Echo>::default(), timer(), Patience::HERE);
        let owns = begin(other, Rc::<Echo>::default(), timer(), Patience::HERE);
        let ours = hello("REGX", 2);
        let (asked, owned) = tokio::join!(
            Link::connect(asks, &ours, |_| Ok(())),
            Link::accept(owns, |theirs| Err(format!("no definition has NETNAME {}", theirs.applid)))
        );
        let why = "no definition has NETNAME REGX";
        assert_eq!(asked.err(), Some(Ended::Refused(why.into())));
        assert_eq!(owned.err(), Some(Ended::Unwanted(why.into())));

        // The asker may find another region than it wants.
        let (one, other) = tokio::io::duplex(1 << 20);
        let asks = begin(one, Rc::<Echo>::default(), timer(), Patience::HERE);
        let owns = begin(other, Rc::<Echo>::default(), timer(), Patience::HERE);
        let (asked, owned) = tokio::join!(
            Link::connect(asks, &ours, |_| Err("it is REGB, not REGC".into())),
            Link::accept(owns, |_| Ok(hello("REGB", 2)))
        );
        assert_eq!(asked.err(), Some(Ended::Unwanted("it is REGB, not REGC".into())));
        let ended = owned.expect("a link so far").ended().await;
        assert_eq!(ended, Ended::Refused("it is REGB, not REGC".into()));
    })
    .await;
}
