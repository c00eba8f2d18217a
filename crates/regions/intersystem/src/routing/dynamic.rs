//! The place where a task of a dynamic transaction runs: a routing program says it, or the region itself.
//!
//! ```text
//! select ─► here: the relay gives its program control ─► the task's own programs
//!        ─► there: a session is got ─► pass ─► ended (2), abended (4), if the program wants to hear it
//!              └─ none ─► error (1) ─► select again, as long as the program answers 0
//!        ─► 4: ends silently · 8: ends with a message
//! ```

use std::sync::Arc;

use kernel::dispatcher::Context;
use kernel::name::{Name, Name8, TransactionName};
use kernel::programs::Programs;
use kernel::raise::Outcome;
use kernel::task::StartCode;
use kernel::terminals::Terminal;
use tn3270::datastream::{Inbound, Input};

use super::candidate::candidate;
use super::choose::{Candidate, choose};
use super::program::{Passed, call, held, take_back};
use super::route::{NoRoute, Route, RoutePlace, Routing};
use crate::affinity::Belongs;
use crate::dypds::{Dypds, Function, Kind, RoutingFault};
use crate::limits::ROUTE_TRIES_MAX;
use crate::systems::Systems;

/// The place where a task is to run.
pub(super) enum Chosen {
    /// Here, with this program.
    Here(Name8),
    /// There, over this route; and what the routing program hears of its end.
    There(Box<Route>, TransactionName, Option<Dypds>),
    /// Nowhere as things are, and what the user sees: the next try may find a place.
    NotNow(String),
    /// Nowhere, and what the user sees.
    Nowhere(Option<String>),
    /// Nowhere: no definition has it.
    Unknown,
}

/// DYRRETC: the task is routed; it ends without a word.
const ROUTES: i32 = 0;
const SILENT: i32 = 4;

/// Selects the place.
///
/// # Errors
/// The abend of a task that is purged, or of the routing program.
pub(super) async fn select(context: &mut Context<'_>, terminal: &Arc<Terminal>) -> Outcome<Chosen> {
    let router = kernel::transactions::Transactions::of(&context.region).router();
    match Programs::of(&context.region).usable(router) {
        Ok(_) => by_program(context, terminal, router).await,
        Err(_) => by_region(context, terminal).await,
    }
}

/// The transaction that stands for those that no definition has, if DTRTRAN names it.
pub(super) const UNDEFINED: &str = "CRTX";

/// Returns true if the task is one of a transaction that no definition has.
pub(super) fn is_undefined(context: &Context<'_>) -> bool {
    context.transaction.name == TransactionName::from(UNDEFINED)
}

/// The name that was typed: the first word of the input.
pub(super) fn typed(context: &Context<'_>, terminal: &Terminal) -> TransactionName {
    let Some(input) = terminal.take_input() else { return TransactionName::BLANK };
    let text = text(context, &input);
    terminal.keep_first_input(input);
    let mut words = text.split(|byte| b" ,(\0".contains(byte));
    TransactionName::new(words.find(|word| !word.is_empty()).unwrap_or_default()).upper()
}

/// The characters of an input.
pub(super) fn text(context: &Context<'_>, input: &Inbound) -> Vec<u8> {
    let data: &[u8] = match &input.input {
        Input::Unformatted { data, .. } => data,
        Input::Fields { fields, .. } => fields.first().map_or(&[], |field| &field.data),
        Input::None | Input::Structured(_) => &[],
    };
    context.region.options.terminal_code_page.to_program(data)
}

/// The place as the transaction's definition says.
fn defined(context: &Context<'_>, terminal: &Terminal) -> RoutePlace {
    let transaction = &context.transaction;
    if is_undefined(context) {
        return RoutePlace { system: context.region.options.sysid, transaction: typed(context, terminal) };
    }
    match transaction.remote {
        Some(remote) => {
            RoutePlace { system: remote.system, transaction: TransactionName::new(remote.name.trimmed()) }
        }
        None => RoutePlace { system: context.region.options.sysid, transaction: transaction.name },
    }
}

/// Asks the routing program.
async fn by_program(context: &mut Context<'_>, terminal: &Arc<Terminal>, router: Name8) -> Outcome<Chosen> {
    let own = context.region.options.sysid;
    let (mut area, passed) = first(context, terminal, router)?;
    let is_notice = matches!(context.start_code, StartCode::Trigger(_));
    let place = defined(context, terminal);
    area.call(if is_notice { Function::Notify } else { Function::Select });
    for _ in 0..ROUTE_TRIES_MAX {
        area = call(context, router, area).await?;
        take_back(context, passed);
        match area.return_code() {
            ROUTES => {}
            SILENT => return Ok(Chosen::Nowhere(None)),
            code => {
                return Ok(Chosen::Nowhere(Some(format!(
                    "the routing program {router} has answered {code}"
                ))));
            }
        }
        let (mut system, mut name) = (Name::new(area.system()), Name8::new(area.transaction()));
        if is_notice {
            (system, name) = (place.system, Name8::new(place.transaction));
        }
        if is_undefined(context) && area.rejects() {
            return Ok(Chosen::Unknown);
        }
        if system.is_blank() || system == own {
            let program = Name8::new(area.program());
            return Ok(Chosen::Here(if program.is_blank() { context.transaction.program } else { program }));
        }
        let fault = match Route::begin_if(context.task(), system, area.waits()).await? {
            Ok(route) => {
                let hears = area.wants_end().then_some(area);
                let name = if name.is_blank() { Name8::new(place.transaction) } else { name };
                return Ok(Chosen::There(Box::new(route), TransactionName::new(name.trimmed()), hears));
            }
            Err(NoRoute::Unknown) => RoutingFault::Unknown,
            Err(NoRoute::NoLink) => RoutingFault::NotThere,
            Err(NoRoute::NoSession) if area.waits() => RoutingFault::Rejected,
            Err(NoRoute::NoSession) => RoutingFault::NoSession,
            Err(NoRoute::Purged) => RoutingFault::Purged,
        };
        area.set_fault(fault);
        area.call(Function::Error);
    }
    Ok(Chosen::NotNow(format!("no system that the routing program {router} has named takes it")))
}

/// Tells the routing program that the task has ended.
///
/// # Errors
/// Its abend.
pub(super) async fn tell_end(context: &mut Context<'_>, mut area: Dypds, abend: Option<[u8; 4]>) -> Outcome {
    let router = kernel::transactions::Transactions::of(&context.region).router();
    match abend {
        Some(code) => {
            area.set_abend(code);
            area.call(Function::Abended);
        }
        None => area.call(Function::Ended),
    }
    call(context, router, area).await.map(drop)
}

/// The area for the first call: what the definition says, the input and the COMMAREA, which the program may change.
fn first(context: &mut Context<'_>, terminal: &Terminal, router: Name8) -> Outcome<(Dypds, Passed)> {
    let place = defined(context, terminal);
    let mut area = Dypds::new();
    area.set_kind(match context.start_code {
        StartCode::Trigger(_) => Kind::Notice,
        code if code.is_start() && context.level().channel.is_some() => Kind::StartWithChannel,
        StartCode::Start => Kind::Start,
        StartCode::StartWithData => Kind::StartWithData,
        _ => Kind::Terminal,
    });
    if context.start_code.is_start()
        && let Some(channel) = &context.level().channel
    {
        area.set_channel(channel.name.as_bytes());
    }
    let partner = Systems::of(&context.region).of_system(place.system);
    let netname = partner.map_or(context.region.options.applid, |partner| partner.applid);
    area.set_system(*place.system.as_bytes(), *netname.as_bytes());
    area.set_transaction(*Name8::new(place.transaction).as_bytes());
    match is_undefined(context) {
        true => area.set_undefined(),
        false => area.set_program(*context.transaction.program.as_bytes()),
    }
    area.set_user(*context.user.id.as_bytes(), context.priority);
    if !context.is_cobol(router) {
        return Ok((area, None));
    }
    if let Some(input) = terminal.take_input() {
        let text = text(context, &input);
        terminal.keep_first_input(input);
        let pointer = held(context, &text)?;
        area.set_input(pointer, text.len());
    }
    let mut passed = None;
    if let Some(bytes) = context.commarea()?.filter(|bytes| !bytes.is_empty()) {
        let pointer = held(context, &bytes)?;
        area.set_commarea(pointer, bytes.len());
        passed = Some((pointer, bytes.len()));
    }
    Ok((area, passed))
}

/// Chooses by affinity, health, load and link, among the targets that `[links]` names, or the system of the definition.
async fn by_region(context: &mut Context<'_>, terminal: &Arc<Terminal>) -> Outcome<Chosen> {
    let region = Arc::clone(&context.region);
    let (systems, routing) = (Systems::of(&region), Routing::of(&region));
    let place = defined(context, terminal);
    let setup = systems.setup();
    let targets = if setup.targets.is_empty() { vec![place.system] } else { setup.targets.clone() };
    let belongs =
        Belongs::of(&setup.affinities, context.transaction.name, terminal.user().id, Some(terminal));
    let is_there = |system| candidate(&region, system, &[]).is_open;
    let bound = belongs.as_ref().and_then(|task| routing.affinities.system(task, is_there));
    let mut tried = Vec::new();
    let reason = loop {
        let system = match bound {
            Some(system) if tried.is_empty() => system,
            Some(system) => break format!("system {system}, where it has to run, does not take it"),
            None => {
                let all: Vec<Candidate> =
                    targets.iter().map(|system| candidate(&region, *system, &tried)).collect();
                match choose(&all, |count| routing.random(count)) {
                    Some(place) => targets[place],
                    None => break String::from("no system takes it"),
                }
            }
        };
        if let Some(task) = &belongs {
            routing.affinities.routed(task, system);
        }
        if system == region.options.sysid {
            return Ok(Chosen::Here(context.transaction.program));
        }
        // If another region may take it, the task does not wait for a session.
        let waits = bound.is_some() || targets.len() == 1;
        if let Ok(route) = Route::begin_if(context.task(), system, waits).await? {
            return Ok(Chosen::There(Box::new(route), place.transaction, None));
        }
        if let (Some(task), None) = (&belongs, bound) {
            routing.affinities.forget(task);
        }
        tried.push(system);
    };
    Ok(Chosen::NotNow(reason))
}
