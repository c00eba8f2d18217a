//! Requests of a partner's relays: the tasks that are routed here.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Weak};

use domains::interval::StartData;
use kernel::channels::Channel;
use kernel::dispatcher::{self, AttachError, Dispatcher};
use kernel::name::{Name, Name8, TerminalName, TransactionName};
use kernel::notices::Notices;
use kernel::region::Region;
use kernel::security::{User, may_attach};
use kernel::task::Facility;
use kernel::terminal_control::{not_started, refusal, start_at};
use kernel::terminals::{Terminal, Terminals};
use kernel::transactions::Transactions;
use link::Asked;
use otlp::TraceContext;

use super::message::{Answer, Ask, Attach, Begins, Start, answer, written};
use super::route::Routing;
use super::shipped::{NoTerminal, One};
use super::surrogate::{AtOwners, Routed};
use crate::asker::Asker;
use crate::conversation::now;
use crate::limits::MIRRORS_MAX;
use crate::message::of_bytes;
use crate::partner::Partner;
use crate::shipping::user_of;
use crate::traced;

/// The tasks that are routed here over one link that a partner has made, by their conversations.
#[derive(Default)]
pub(crate) struct Targets(RefCell<HashMap<u64, Arc<One>>>);

impl Targets {
    /// The link has ended: so have its terminals.
    pub fn end(&self, region: &Region) {
        for (_, one) in self.0.take() {
            lose(region, &one);
        }
    }

    /// Has a request answered.
    /// `asker`: the task behind it.
    pub fn ask(
        self: &Rc<Self>,
        region: &Arc<Region>,
        partner: &Arc<Partner>,
        (asked, asker): (Asked, Asker),
        body: &[u8],
    ) {
        let Some(ask) = of_bytes::<Ask>(body) else {
            partner.has_asked_in_vain();
            return asked.reply(&written(&Answer::Nobody));
        };
        match ask {
            Ask::Attach(attach) => match self.attach(region, partner, *attach, asker) {
                Ok(conversation) => self.answer(region, partner, asked, conversation),
                Err(why) => asked.reply(&written(&Answer::Refused(why))),
            },
            Ask::Next { conversation, input, printed } => {
                let Some(one) = self.0.borrow().get(&conversation).cloned() else {
                    return asked.reply(&written(&Answer::Nobody));
                };
                one.line.goes_on(printed, input.is_some());
                if let Some(input) = input.and_then(super::message::Typed::into_input) {
                    // Nothing waits there: it is read as soon as it has come.
                    one.terminal.keep_input(input);
                }
                self.answer(region, partner, asked, conversation);
            }
            Ask::Gone { conversation } => {
                if let Some(one) = self.0.borrow_mut().remove(&conversation) {
                    lose(region, &one);
                }
                asked.reply(&written(&Answer::Heard));
            }
            Ask::Wake { conversation } => {
                let is_there = Routing::of(region).wake(partner.applid, conversation);
                asked.reply(&written(if is_there { &Answer::Heard } else { &Answer::Nobody }));
            }
            Ask::Start(start) => asked.reply(&written(&begin(region, partner, *start, asker.parent))),
        }
    }

    /// Begins a task.
    ///
    /// # Errors
    /// The reason why not, for the terminal's user.
    fn attach(
        &self,
        region: &Arc<Region>,
        partner: &Arc<Partner>,
        asked: Attach,
        asker: Asker,
    ) -> Result<u64, String> {
        let applid = region.options.applid;
        let name = TransactionName::new(asked.transaction);
        let told = |why| {
            let message = refusal(name, why);
            message.iter().for_each(|message| Notices::message_to_user(region, None, message));
            message.map_or_else(|| format!("SPAC005 {applid} Terminal is in use."), |text| text.text(applid))
        };
        let conversation = asked.conversation;
        if self.0.borrow().contains_key(&conversation) || self.0.borrow().len() >= MIRRORS_MAX {
            return Err(told(AttachError::QueueFull));
        }
        let system = Name::new(partner.name.trimmed());
        let there = || {
            let (region, partner) = (Arc::downgrade(region), Arc::clone(partner));
            Box::new(AtPartner { region, partner }) as Box<dyn AtOwners>
        };
        let shipped =
            Routing::of(region).shipped.of(region, (partner.applid, system), &asked.terminal, there);
        let one = shipped.map_err(|why| match why {
            NoTerminal::Busy => told(AttachError::TerminalBusy),
            NoTerminal::Wrong | NoTerminal::Full => told(AttachError::QueueFull),
        })?;
        let user = user(region, partner, &one.terminal, Name8::new(asked.user));
        let user = user.ok_or_else(|| told(AttachError::NotAuthorized))?;
        let (start_code, data) = asked.begins.into_task();
        let mut attach = dispatcher::Attach::new(name, start_code, user);
        attach.facility = Facility::Terminal(Arc::clone(&one.terminal));
        attach.here = true;
        (attach.parent, attach.origin) = (asker.parent, asker.origin);
        attach.over = partner.ipconn();
        attach.commarea = asked.commarea;
        attach.channel = asked.channel.and_then(|bytes| Channel::from_bytes(&bytes));
        attach.input_message = asked.input_message;
        attach.kept.put(Routed(Arc::clone(&one.line)));
        if let Some(data) = data {
            attach.kept.put(data);
        }
        one.line.begin(conversation);
        let input = asked.input.and_then(super::message::Typed::into_input);
        one.terminal.begin_routed(asked.now.into(), input);
        if let Err(refused) = Dispatcher::of(region).try_attach(region, attach) {
            one.line.is_over();
            return Err(told(refused.why));
        }
        self.0.borrow_mut().insert(conversation, one);
        partner.attached();
        Ok(conversation)
    }

    /// Answers when the task has something to tell. If no relay wants the answer any more the terminal is gone.
    fn answer(
        self: &Rc<Self>,
        region: &Arc<Region>,
        partner: &Arc<Partner>,
        asked: Asked,
        conversation: u64,
    ) {
        let Some(one) = self.0.borrow().get(&conversation).cloned() else {
            return asked.reply(&written(&Answer::Nobody));
        };
        let Some(session) = partner.received.begin() else {
            return asked.fail("more is asked at a time than there are sessions");
        };
        let (targets, region) = (Rc::clone(self), Arc::clone(region));
        drop(tokio::task::spawn_local(async move {
            let told = tokio::select! {
                biased;
                told = one.line.next() => told,
                () = asked.cancelled() => Answer::Nobody,
            };
            let is_over =
                !matches!(&told, Answer::Told(_, then) if !matches!(then, super::message::Then::Ended(_)));
            if is_over {
                targets.0.borrow_mut().remove(&conversation);
            }
            if told == Answer::Nobody {
                lose(&region, &one);
            }
            drop(session);
            asked.reply(&written(&told));
        }));
    }
}

/// The terminal is gone: its task ends, and its changes are backed out.
fn lose(region: &Region, one: &One) {
    Routing::of(region).shipped.lost(region, one);
    one.line.is_over();
}

/// The user of a routed task: who is signed on at the terminal here, else the one that the partner's definition lets it name.
fn user(region: &Region, partner: &Partner, terminal: &Terminal, named: Name8) -> Option<Arc<User>> {
    let found = user_of(region, partner, named)?;
    let signed_on = terminal.user();
    Some(match found.link {
        Some(link) => Arc::new(found.user.limited(&link)),
        None if !signed_on.is_default => signed_on,
        None => found.user,
    })
}

/// Starts a task at a terminal of this region for a partner.
fn begin(region: &Arc<Region>, partner: &Partner, start: Start, parent: Option<Box<TraceContext>>) -> Answer {
    let name = TransactionName::new(start.transaction);
    let Some(terminal) = Terminals::of(region).get(TerminalName::new(start.terminal)) else {
        return Answer::Nobody;
    };
    let Some(user) = user_of(region, partner, Name8::new(start.user)) else {
        return Answer::Refused(String::from("its user is not known"));
    };
    let Some(transaction) = Transactions::of(region).started_by(name) else {
        return Answer::Refused(format!("transaction {name} is not defined"));
    };
    let is_allowed = |user: &User| may_attach(region, user, &transaction);
    if !is_allowed(&user.user) || !user.link.as_ref().is_none_or(|link| is_allowed(link)) {
        return Answer::Refused(format!("{} may not run {name}", user.user.id));
    }
    let (start_code, data) = start.begins.into_task();
    let mut attach = dispatcher::Attach::new(name, start_code, user.user);
    attach.parent = parent;
    attach.channel = start.channel.and_then(|bytes| Channel::from_bytes(&bytes));
    attach.kept.put(data.unwrap_or_default());
    start_at(region, &terminal, attach);
    Answer::Heard
}

/// The owner of a terminal, over the link that this region has made.
struct AtPartner {
    region: Weak<Region>,
    partner: Arc<Partner>,
}

impl AtPartner {
    /// Asks the owner; `None`: it cannot be asked.
    async fn ask(partner: &Partner, ask: &Ask, place: Option<&TraceContext>) -> Option<Answer> {
        let session = partner.sessions.allocate(now(), true).await.ok()?;
        let line = partner.line()?;
        let body = traced::written(place, line.takes.traces, written(ask));
        let reply = line.ask(session, body, false, None).await.ok()?;
        answer(&reply)
    }
}

impl AtOwners for AtPartner {
    fn wake(&self, conversation: u64) {
        let partner = Arc::clone(&self.partner);
        // An owner that cannot be asked hears of it when something is typed.
        drop(tokio::spawn(async move { Self::ask(&partner, &Ask::Wake { conversation }, None).await }));
    }

    fn start(&self, started: Box<dyn Any + Send>) {
        let Ok(attach) = started.downcast::<dispatcher::Attach>() else { return };
        let (region, partner) = (self.region.clone(), Arc::clone(&self.partner));
        let mut attach = *attach;
        drop(tokio::spawn(async move {
            let Some(region) = region.upgrade() else { return };
            let Facility::Terminal(terminal) = std::mem::take(&mut attach.facility) else { return };
            let Some(owner) = terminal.owner() else { return };
            let start = Start {
                terminal: *owner.name.as_bytes(),
                transaction: *attach.transaction.as_bytes(),
                user: *attach.user.id.as_bytes(),
                begins: Begins::of(attach.start_code, attach.kept.get::<StartData>()),
                channel: attach.channel.as_ref().map(|channel| channel.to_bytes()),
            };
            let told = Self::ask(&partner, &Ask::Start(Box::new(start)), attach.place()).await;
            let name = attach.transaction;
            match told {
                Some(Answer::Heard) => {}
                Some(Answer::Refused(why)) => {
                    tracing::warn!(target: "IS", "{partner}: a task is not started at its terminal {}: {why}", owner.name);
                }
                _ => {
                    tracing::warn!(target: "IS", "{partner}: transaction {name} is not started at its terminal {}: it is not there", owner.name);
                    not_started(&region, &terminal, attach);
                }
            }
        }));
    }
}
