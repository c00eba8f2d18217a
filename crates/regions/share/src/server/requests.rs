//! The requests of a region, each taken to what answers it.

use link::{Asked, Host, Vitals};

use super::places;
use super::session::{Session, done, failed};
use crate::protocol::{Reply, Request, of_bytes, to_bytes};

impl Session {
    /// The reply to the first request.
    fn begins(&self, asked: Asked) {
        let session = self.shared();
        tokio::task::spawn_local(async move {
            if let Err(error) = places::forget_former(&session.inner, &session).await {
                return asked.reply(&failed(&error));
            }
            let stores = session.inner.engine.stores();
            let largest_unit = session.inner.engine.largest_unit() as u64;
            asked.reply(
                &session.directory(&stores, |stores| to_bytes(&Reply::Begun { stores, largest_unit })),
            );
        });
    }
}

impl Host for Session {
    fn vitals(&self) -> Vitals {
        Vitals::default()
    }

    fn asked(&self, asked: Asked, body: &[u8]) {
        let Some(request) = of_bytes::<Request<'_>>(body) else {
            tracing::warn!(target: "RS", "region {} asks what is no request of this protocol", self.applid());
            return asked.fail("this is no request of this protocol");
        };
        if self.is_ended() {
            // What it took now no session would give back.
            return asked.fail("the session has ended");
        }
        if self.is_looking() {
            return match request {
                Request::Status => self.status(asked),
                Request::DropTable { name } => self.drop_table(asked, name),
                Request::Backup { file } => self.backup(asked, file),
                Request::Rotate { key_file } => self.rotate(asked, key_file),
                _ => asked.fail("who only looks cannot ask for that"),
            };
        }
        self.counts(request.store(), |tally| tally.exchanges += 1);
        // Locks that are taken, given on or given back by it have this time.
        self.inner.engine.locks().looks_at_clock();
        if let Some(store) = request.store()
            && let Err(error) = self.may_use(store)
        {
            return asked.reply(&failed(&error));
        }
        match request {
            Request::Begin => self.begins(asked),
            Request::Lock { owner, store, key, waits, reads } => {
                self.lock(asked, owner, (store, key), waits, reads);
            }
            Request::LockName { owner, name, to_the_end, waits } => {
                self.lock_name(asked, owner, (name, to_the_end), waits);
            }
            Request::UnlockName { owner, name, to_the_end } => {
                self.unlock_name(asked, owner, name, to_the_end);
            }
            Request::TaskEnds { owner } => self.task_ends(asked, owner),
            Request::Holder { waiter } => self.holder(asked, waiter),
            Request::Locks => asked.reply(&self.listed()),
            Request::Copy { store, key, is_of_table } => self.copy(asked, store, key, is_of_table),
            Request::Versioned { store, key } => self.versioned(asked, store, key),
            Request::Replace { store, key, version, record } => {
                self.replace(asked, store, key, version, record);
            }
            Request::Ahead { store } => self.reads_ahead(asked, store),
            Request::Bound { store, most } => self.bound(asked, store, most),
            Request::Reserve { owner, store, key } => self.reserve(asked, owner, store, key),
            Request::OwnWork => self.own_work(asked),
            Request::Unlock { owner, store, key } => self.unlock(asked, owner, store, key),
            Request::Release { owner } => self.release(asked, owner),
            Request::Get { store, key } => self.get(asked, store, key),
            Request::Range { store, origin, forward, limit } => {
                self.range(asked, store, origin, forward, limit);
            }
            Request::Change { store, key, record } => self.change(asked, store, key, record),
            Request::Commit { owner, place, forced, changes } => {
                self.commit(asked, owner, place, forced, &changes);
            }
            Request::Prepare { owner, name, changes } => self.prepare(asked, owner, name, &changes),
            Request::Finish { owner, name, commits, forced } => {
                self.finish(asked, owner, name, commits, forced);
            }
            Request::Last { place } => self.last(asked, place),
            Request::Claim { name, alone } => {
                let claimed = self.inner.claims.borrow_mut().claim(self.id, name, alone);
                asked.reply(&match claimed {
                    Ok(is) => to_bytes(&Reply::Is(is)),
                    Err(error) => failed(&error),
                });
            }
            Request::GiveBack { name, alone } => {
                self.inner.claims.borrow_mut().give_back(self.id, name, alone);
                asked.reply(&done(Ok(())));
            }
            Request::Watch { store } => self.watch(asked, store),
            Request::Numbers { store, addresses, from, count } => {
                self.numbers(asked, store, addresses, from, count);
            }
            Request::Waits { waiter, holder } => self.notes_wait(asked, waiter, holder),
            Request::BeginLoad => asked.reply(&self.begin_load()),
            Request::Fill { load, store, records, last } => self.fill(asked, load, store, &records, last),
            Request::CommitLoad { load } => self.commit_load(asked, load),
            Request::DropLoad { load } => {
                self.drop_load(load);
                asked.reply(&done(Ok(())));
            }
            other => self.utility(asked, &other),
        }
    }
}
