//! DFHWUIPG: the program that answers requests.

use std::sync::Arc;

use cmci::answer::{Answer, Origin};
use cmci::codes::{reason, response};
use cmci::limits::RECORDS_MAX;
use cmci::refusal::{Refusal, id};
use cmci::resource::{Of, Resource};
use cmci::retained::ResultSet;
use cmci::target::{CACHE, RequestTarget};
use cmci::{Change, Record};
use http::RequestHead;
use kernel::catalog;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::registry::Manager;
use kernel::registry::signature::RELEASE;
use kernel::security::Security;
use kernel::transactions::Supplied;
use web::Answer as Reply;
use webdomain::Asked;

use crate::change::Changed;
use crate::sets::Sets;
use crate::stop::Stop;
use crate::values::text;
use crate::{change, criteria, define, deploy, look};

/// Methods that are served.
const METHODS: &str = "GET, HEAD, POST, PUT, DELETE";

/// The program.
pub(crate) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        // A user has typed its name.
        let Some(asked) = Asked::of(context) else { return Ok(Flow::Return) };
        // It has waited to begin, for longer than its client.
        if asked.is_for_nobody() {
            return Ok(asked.give_up(context));
        }
        let by = Manager::of(context);
        let serves = context.control.transaction.supplied == Supplied::Inquire;
        if serves && deploy::is_meant(asked.head()) && !is_of_another_page(asked.head()) {
            asked.answer(deploy::answer(&by, &asked).await?);
            return Ok(Flow::Return);
        }
        let applid = by.region.options.applid.to_string();
        let from = Origin { applid: &applid, version: &text(RELEASE) };
        let served = match context.control.transaction.supplied {
            Supplied::Inquire => serve(&by, &asked, &from).await,
            // An application's own transaction checks nothing.
            _ => Err(Stop::Refused(forbidden("The URIMAP must name TRANSACTION(CWWU)."))),
        };
        let answered = match served {
            Ok(document) => Ok(document),
            Err(Stop::Said(answer)) => answer.xml("", &[], &from),
            Err(Stop::Refused(refusal)) => Err(refusal),
            Err(Stop::Raised(raise)) => return Err(raise),
        };
        asked.answer(reply(answered, &from));
        Ok(Flow::Return)
    })
}

fn reply(answered: Result<Vec<u8>, Refusal>, from: &Origin<'_>) -> Reply {
    let (status, body) = match answered {
        Ok(body) => (200, body),
        Err(refusal) => (refusal.status, refusal.xml(from.version)),
    };
    let mut reply = Reply { status, body, ..Reply::default() };
    let mut field = |name: &str, value: &str| {
        // Both are fixed texts.
        let _ = reply.fields.push(name, value);
    };
    field("Content-Type", "application/xml; charset=UTF-8");
    field("Cache-Control", "no-store");
    field("X-Content-Type-Options", "nosniff");
    if status == 405 {
        field("Allow", METHODS);
    }
    reply
}

fn forbidden(full: &str) -> Refusal {
    Refusal::new(403, id::FORBIDDEN, full)
}

/// Returns true if a page of another origin has a browser ask, with the credentials that the browser has.
fn is_of_another_page(head: &RequestHead) -> bool {
    if head.is_of_another_page() {
        return true;
    }
    let Some(origin) = head.fields().get("Origin") else { return false };
    let host = String::from_utf8_lossy(origin);
    let host = host.split_once("://").map_or("", |(_, host)| host);
    !head.authority().is_some_and(|own| own.eq_ignore_ascii_case(host))
}

async fn serve(by: &Manager, asked: &Asked, from: &Origin<'_>) -> Result<Vec<u8>, Stop> {
    let head = asked.head();
    if is_of_another_page(head) {
        return Err(Stop::Refused(forbidden("A page of another origin may not ask.")));
    }
    if Security::of(&by.region).is_none() && !by.user().inquire {
        return Err(Stop::not_permitted("GET"));
    }
    let target = RequestTarget::read(head.path(), head.query())?;
    if target.resource == CACHE {
        return page(by, head, &target, from);
    }
    let is_type = |name: &str| catalog::kind(name).is_some();
    let unknown = || Refusal::new(404, id::UNKNOWN, format!("There is no resource {}.", target.resource));
    let resource = Resource::named(&target.resource, is_type).ok_or_else(unknown)?;
    is_here(&resource, &target, from)?;
    if let Some(Err(why)) = &target.criteria {
        return Err(criteria::no_criteria(why.0.clone()));
    }
    let changed = match head.method() {
        "GET" | "HEAD" => return get(by, &resource, &target, from).await,
        "PUT" => put(by, &resource, &target, &Change::read(asked.body())?).await?,
        "POST" => define::create(by, &resource, &Change::read(asked.body())?).await?,
        "DELETE" => delete(by, &resource, &target).await?,
        _ => return Err(Stop::Refused(no_method())),
    };
    let (answer, records) = changed;
    // The outcome of a change goes out, if need be without its records.
    let document = answer.xml(&resource.element(), &records, from);
    Ok(document.or_else(|_| answer.xml(&resource.element(), &[], from))?)
}

fn no_method() -> Refusal {
    Refusal::new(405, id::METHOD, format!("The methods are {METHODS}."))
}

/// Checks that the region is meant: it stands alone, so its name is the context, and the scope where there is one. CICSRegion
/// without a context lists it.
fn is_here(resource: &Resource, target: &RequestTarget, from: &Origin<'_>) -> Result<(), Stop> {
    let is_it = |name: &str| name.eq_ignore_ascii_case(from.applid.trim());
    let lists_regions = resource.of == Of::Type("SYSTEM".to_owned());
    match (target.context.as_str(), target.scope.as_str()) {
        ("", "") if lists_regions => Ok(()),
        ("", _) => Err(Refusal::bad(id::NO_CONTEXT, "The URI has no context.", "context").into()),
        (context, _) if !is_it(context) => Err(Stop::invalid(reason::CONTEXT, "GET")),
        (_, scope) if !scope.is_empty() && !is_it(scope) => Err(Stop::invalid(reason::SCOPE, "GET")),
        _ => Ok(()),
    }
}

async fn get(
    by: &Manager,
    resource: &Resource,
    target: &RequestTarget,
    from: &Origin<'_>,
) -> Result<Vec<u8>, Stop> {
    let mut records = look::records(by, resource, target).await?;
    if records.len() > RECORDS_MAX {
        return Err(Refusal::limit("RECORDS_MAX", "Ask for fewer records by CRITERIA.").into());
    }
    let unknown = |name: &String| !records.iter().any(|record| record.get(name).is_some());
    if target.order.0.iter().any(|(name, _)| unknown(name)) && !records.is_empty() {
        return Err(Stop::invalid(reason::ATTRIBUTE, "GET"));
    }
    target.order.sort(&mut records);
    let set = Arc::new(ResultSet::new(resource.element(), records));
    let mut answer = Answer::found(set.records.len());
    if target.keeps && !set.records.is_empty() {
        answer.token = Some(Sets::keep(by, &set)?);
    }
    Ok(answer.xml(&set.element, shown(&set, target), from)?)
}

/// The records of a set that a request shows.
fn shown<'s>(set: &'s ResultSet, target: &RequestTarget) -> &'s [Record] {
    if target.summary_only {
        return &[];
    }
    let first = target.first.unwrap_or(1) - 1;
    let rest = set.records.get(first..).unwrap_or_default();
    &rest[..target.count.unwrap_or(usize::MAX).min(rest.len())]
}

/// A part of a result set that was kept; without NODISCARD it is discarded.
fn page(
    by: &Manager,
    head: &RequestHead,
    target: &RequestTarget,
    from: &Origin<'_>,
) -> Result<Vec<u8>, Stop> {
    if !["GET", "HEAD"].contains(&head.method()) {
        return Err(Stop::Refused(no_method()));
    }
    let set = Sets::get(by, &target.context, target.keeps);
    let set = set.ok_or_else(|| Stop::invalid(reason::RESULT, "GET"))?;
    let mut answer = Answer::found(set.records.len());
    answer.token = target.keeps.then(|| target.context.clone());
    let shown = shown(&set, target);
    if shown.is_empty() && !target.summary_only {
        answer.response = response::NODATA;
    }
    Ok(answer.xml(&set.element, shown, from)?)
}

async fn put(
    by: &Manager,
    resource: &Resource,
    target: &RequestTarget,
    asked: &Change,
) -> Result<Changed, Stop> {
    match &resource.of {
        Of::Type(name) => change::put(by, resource, look::kind(name)?, target, asked).await,
        Of::Definitions(_) => define::put(by, resource, target, asked).await,
        _ if define::is_of_groups(resource) => define::put_group(by, resource, target, asked).await,
        Of::Nothing => Ok((Answer::found(0), Vec::new())),
        Of::Other(_) => Err(Stop::not_so("PUT")),
    }
}

async fn delete(by: &Manager, resource: &Resource, target: &RequestTarget) -> Result<Changed, Stop> {
    match &resource.of {
        Of::Type(name) => change::delete(by, resource, look::kind(name)?, target).await,
        Of::Definitions(_) => define::remove(by, resource, target).await,
        _ if define::is_of_groups(resource) => define::remove_group(by, resource, target).await,
        Of::Nothing => Ok((Answer::found(0), Vec::new())),
        Of::Other(_) => Err(Stop::not_so("DELETE")),
    }
}
