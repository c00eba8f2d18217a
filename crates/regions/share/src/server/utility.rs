//! Requests of utilities and operators.

use std::time::UNIX_EPOCH;

use link::Asked;
use records::{Decider, Decision, Standing, StoreId};

use super::Inner;
use super::bounds::Entered;
use super::session::{Session, done, failed};
use crate::protocol::{Described, InDoubt, Reply, Request, decision, to_bytes};

/// A store, as the directory has it.
pub(super) struct Known {
    pub name: String,
    pub recoverable: bool,
}

impl Inner {
    /// The description of a store.
    pub(super) fn describe(&self, store: u32) -> Option<Known> {
        let known = self.engine.stores().into_iter().find(|known| known.id == StoreId(store))?;
        Some(Known { recoverable: known.recovery == records::Recovery::Recoverable, name: known.name })
    }
}

fn number(answer: records::Result<u64>) -> Vec<u8> {
    match answer {
        Ok(number) => to_bytes(&Reply::Number(number)),
        Err(error) => failed(&error),
    }
}

impl Session {
    /// Answers what is seldom asked.
    pub(super) fn utility(&self, asked: Asked, request: &Request<'_>) {
        let engine = &self.inner.engine;
        match *request {
            Request::Aside(count) => {
                asked.reply(&number(engine.set_numbers_aside(count).map(|StoreId(first)| first.into())));
            }
            Request::Describe { store } => {
                let known = self.may_use(store).ok().and_then(|()| self.inner.describe(store));
                let described = known.as_ref().map(|Known { name, recoverable }| Described {
                    store,
                    name,
                    recoverable: *recoverable,
                });
                asked.reply(&to_bytes(&Reply::Store(described)));
            }
            Request::Indoubt => asked.reply(&self.indoubt()),
            Request::Doubtful { store } => asked.reply(&match engine.doubtful(StoreId(store)) {
                Ok(changes) => to_bytes(&Reply::Doubtful(
                    changes.iter().map(|(key, record)| (key.as_slice(), record.as_deref())).collect(),
                )),
                Err(error) => failed(&error),
            }),
            Request::Resolve { name, commits, by_operator } => {
                let by = if by_operator { Decider::Operator } else { Decider::Coordinator };
                let changing = match self.inner.begin_change_anywhere() {
                    Ok(changing) => changing,
                    Err(error) => return asked.reply(&failed(&error)),
                };
                let resolved = engine.resolve(&self.full_name(name), decision(commits), by);
                let (session, busy) = (self.shared(), self.begin_ending());
                tokio::task::spawn_local(async move {
                    let entered = session.inner.enter_each().await;
                    let resolved = resolved.await;
                    entered.iter().for_each(Entered::is_unknown);
                    drop((changing, entered));
                    session.inner.tell_directory();
                    session.inner.tell_ends();
                    asked.reply(&done(resolved));
                    drop(busy);
                });
            }
            Request::Forget { name } => {
                let forgotten = engine.forget(&self.full_name(name));
                tokio::task::spawn_local(async move { asked.reply(&done(forgotten.await)) });
            }
            Request::Checkpoint => {
                let engine = engine.clone();
                blocking(asked, move || done(engine.checkpoint()));
            }
            Request::Verify { store } => {
                let engine = engine.clone();
                blocking(asked, move || match engine.verify(StoreId(store)) {
                    Ok(verified) => to_bytes(&Reply::Verified {
                        records: verified.records,
                        expected: verified.expected,
                        problems: verified.problems.iter().map(String::as_str).collect(),
                    }),
                    Err(error) => failed(&error),
                });
            }
            Request::Counts => {
                let counts = engine.log_counts();
                asked.reply(&to_bytes(&Reply::Counted(counts.groups, counts.forced_units, counts.bytes)));
            }
            // The others are answered by the session itself.
            _ => asked.fail("this is no request of this protocol"),
        }
    }

    fn indoubt(&self) -> Vec<u8> {
        let listed = match self.inner.engine.indoubt() {
            Ok(listed) => listed,
            Err(error) => return failed(&error),
        };
        let own = self.full_name(&[]);
        let of_region = listed.iter().filter_map(|unit| {
            let since = unit.since.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
            Some(InDoubt {
                name: unit.name.strip_prefix(own.as_slice())?,
                since: since.try_into().unwrap_or(u64::MAX),
                standing: match unit.standing {
                    Standing::Attended => 0,
                    Standing::Shunted => 1,
                    Standing::Forced(Decision::Commit) => 2,
                    Standing::Forced(Decision::Backout) => 3,
                },
                stores: unit.stores as u64,
                keys: unit.keys as u64,
            })
        });
        to_bytes(&Reply::Indoubt(of_region.collect()))
    }
}

/// Answers with what takes a thread its time.
pub(super) fn blocking(asked: Asked, work: impl FnOnce() -> Vec<u8> + Send + 'static) {
    tokio::task::spawn_local(async move {
        match tokio::task::spawn_blocking(work).await {
            Ok(reply) => asked.reply(&reply),
            Err(_) => asked.fail("it has failed"),
        }
    });
}
