//! The processes of a topology together: in which order they start and end.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use command_line::ends::Ends;
use diagnostics::Diagnostic;
use tokio::time::sleep;

use super::lines;
use super::member::{Limits, Member, MemberState};
use crate::application::Messages;
use crate::codes;
use crate::supervisor::Supervisor;

/// The pause between two looks at the processes.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The part of the record server, which starts first.
pub(crate) const RECORDS_STAGE: usize = 0;

/// The processes of a topology.
pub(crate) struct Crew {
    pub members: RefCell<Vec<Member>>,
    /// The topology ends: nothing is started any more.
    pub ends: Cell<bool>,
    limits: Limits,
}

impl Crew {
    pub fn new(members: Vec<Member>, limits: Limits) -> Rc<Self> {
        Rc::new(Self { members: RefCell::new(members), ends: Cell::new(false), limits })
    }

    /// Runs all, until a signal comes or all have ended.
    pub async fn run(&self, mut signals: Ends) -> Result<(), Messages> {
        let supervisor = Supervisor::find();
        let started = tokio::select! {
            started = self.start() => started,
            _ = signals.next() => Ok(()),
        };
        if started.is_ok() && self.all(|state| state == MemberState::Ready) {
            lines::say("all are ready");
            supervisor.ready();
            tokio::select! {
                _ = signals.next() => {}
                () = self.until(MemberState::is_over) => lines::say("all have ended"),
            }
        }
        supervisor.stopping();
        tokio::select! {
            () = self.end() => {}
            _ = signals.next() => self.kill().await,
        }
        let failed: Vec<_> = {
            let members = self.members.borrow();
            let failed = members.iter().filter(|member| member.state == MemberState::Failed);
            failed.map(|member| member.name.clone()).collect()
        };
        started?;
        match failed.is_empty() {
            true => Ok(()),
            false => {
                let text = format!("not started again, since it died too often: {}", failed.join(", "));
                Err(vec![Diagnostic::error(codes::NOT_WELL, text)])
            }
        }
    }

    /// Starts each part once all before it are ready.
    async fn start(&self) -> Result<(), Messages> {
        for stage in self.stages() {
            self.of(stage, Member::start);
            loop {
                self.look();
                let failed = self.first(|member| member.state.is_over());
                if let Some(name) = failed {
                    let text = format!("{name} has not started, so all are ended");
                    return Err(vec![
                        Diagnostic::error(codes::NOT_WELL, text).help("its lines in the log say why"),
                    ]);
                }
                if self.first(|member| member.stage == stage && member.state != MemberState::Ready).is_none()
                {
                    break;
                }
                sleep(LOOK_EVERY).await;
            }
        }
        Ok(())
    }

    /// Ends all in order: those that take clients first, the record server last.
    async fn end(&self) {
        self.ends.set(true);
        for stage in self.stages().into_iter().rev() {
            self.of(stage, |member| {
                if !member.state.is_over() {
                    member.end(false);
                }
            });
            while self.first(|member| member.stage == stage && !member.state.is_over()).is_some() {
                self.look();
                sleep(LOOK_EVERY).await;
            }
        }
    }

    /// Ends all at once.
    async fn kill(&self) {
        lines::say("all are killed");
        for member in self.members.borrow_mut().iter_mut() {
            if !member.state.is_over() {
                member.end(false);
                member.kill();
            }
        }
        self.until(MemberState::is_over).await;
    }

    /// Looks at all until each is in such a state.
    async fn until(&self, is: fn(MemberState) -> bool) {
        while !self.all(is) {
            self.look();
            sleep(LOOK_EVERY).await;
        }
    }

    fn look(&self) {
        let mut members = self.members.borrow_mut();
        // Without the record server a region would only die once more, until it has died too often.
        let is_missing = |member: &Member| {
            member.stage == RECORDS_STAGE && member.state != MemberState::Ready && !member.state.is_over()
        };
        let is_served = !members.iter().any(is_missing);
        for member in members.iter_mut() {
            member.look(&self.limits, is_served || member.stage == RECORDS_STAGE);
        }
    }

    fn all(&self, is: impl Fn(MemberState) -> bool) -> bool {
        self.members.borrow().iter().all(|member| is(member.state))
    }

    fn first(&self, is: impl Fn(&Member) -> bool) -> Option<String> {
        self.members.borrow().iter().find(|member| is(member)).map(|member| member.name.clone())
    }

    fn of(&self, stage: usize, what: impl Fn(&mut Member)) {
        let mut members = self.members.borrow_mut();
        members.iter_mut().filter(|member| member.stage == stage).for_each(what);
    }

    /// The parts that have members, in the order of their start.
    fn stages(&self) -> Vec<usize> {
        let mut stages: Vec<_> = self.members.borrow().iter().map(|member| member.stage).collect();
        stages.dedup();
        stages
    }
}
