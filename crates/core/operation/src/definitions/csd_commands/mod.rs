//! EXEC CICS CSD: the texts of definitions for programs.

mod browse;
mod change;
mod conditions;
mod inquire;
pub(crate) mod install;

use csd::{Request, ResourceType, Verb};
use diagnostics::{Source, TextPlace};
use spec::{CommandId, OptionId, cmd, cond, opt};

pub use conditions::raised_for as condition_of;
use conditions::resp2;
use kernel::exec::{Call, Handler};
use kernel::raise::{Outcome, RaiseCondition};

/// The handlers of all of them.
pub(crate) fn handlers() -> impl Iterator<Item = (CommandId, Handler)> {
    let changes = change::VERBS.iter().map(|(command, _)| (*command, Handler::Waits(change::change)));
    let others = [
        (cmd::CSD_INSTALL, Handler::Waits(install::install)),
        (cmd::CSD_INQUIREGROUP, Handler::Waits(inquire::group)),
        (cmd::CSD_INQUIRELIST, Handler::Waits(inquire::list)),
        (cmd::CSD_INQUIRERSRCE, Handler::Waits(inquire::resource)),
        (cmd::CSD_STARTBRGROUP, Handler::Waits(browse::start_groups)),
        (cmd::CSD_STARTBRLIST, Handler::Waits(browse::start_lists)),
        (cmd::CSD_STARTBRRSRCE, Handler::Waits(browse::start_resources)),
        (cmd::CSD_GETNEXTGROUP, Handler::Now(browse::next_group)),
        (cmd::CSD_GETNEXTLIST, Handler::Now(browse::next_list)),
        (cmd::CSD_GETNEXTRSRCE, Handler::Now(browse::next_resource)),
        (cmd::CSD_ENDBRGROUP, Handler::Now(browse::end_groups)),
        (cmd::CSD_ENDBRLIST, Handler::Now(browse::end_lists)),
        (cmd::CSD_ENDBRRSRCE, Handler::Now(browse::end_resources)),
        (cmd::CSD_DISCONNECT, Handler::Now(browse::disconnect)),
    ];
    changes.chain(others)
}

/// The request that a command is, without its attributes.
fn request(verb: Verb, call: &Call<'_>) -> Outcome<Request> {
    // A name that none can have is not found, where the texts are only looked at.
    let name_of = |option: OptionId, wrong: i32| match verb {
        Verb::View => Ok(text(call, option)?.map(|name| name.to_ascii_uppercase())),
        _ => name(call, option, wrong),
    };
    let resource = resource(call)?;
    let mut request =
        Request::new(verb, TextPlace::new(&Source::new("EXEC CICS CSD", String::new()), 1, 1, 0));
    request.group = name_of(opt::GROUP, resp2::GROUP)?;
    request.list = name_of(opt::LIST, resp2::LIST)?;
    request.to = name_of(opt::TO, resp2::GROUP)?;
    request.named = text(call, opt::AS)?;
    request.resource = resource;
    request.name = text(call, opt::RESID)?.unwrap_or_default();
    if resource.is_some_and(|resource| !resource.keeps_case()) {
        request.name.make_ascii_uppercase();
    }
    let too_long = |name: &str| resource.is_some_and(|of| name.len() > of.name_length());
    let wrong = |name: &str| name.contains([' ', '(', ')', '\'']) || too_long(name);
    if resource.is_some() && (request.name.is_empty() || wrong(&request.name)) {
        return Err(cond::INVREQ.raise(resp2::GROUP));
    }
    if request.named.as_deref().is_some_and(wrong) {
        return Err(cond::INVREQ.raise(resp2::GROUP));
    }
    Ok(request)
}

/// The type that RESTYPE or a keyword names.
fn resource(call: &Call<'_>) -> Outcome<Option<ResourceType>> {
    let unknown = || cond::INVREQ.raise(resp2::RESTYPE);
    if let Some(value) = call.number(opt::RESTYPE)? {
        let name = i32::try_from(value).ok().and_then(spec::cvda_name);
        let by_option = i32::try_from(value).ok().and_then(|value| spec::cvda_name_in(opt::RESTYPE, value));
        let named = by_option.or(name).and_then(ResourceType::named);
        return named.map(Some).ok_or_else(unknown);
    }
    let keyword = call.keywords().find_map(|keyword| ResourceType::named(keyword.name()));
    match (keyword, call.has(opt::RESID)) {
        (None, true) => Err(unknown()),
        (keyword, _) => Ok(keyword),
    }
}

/// The text of an option without the blanks at its end.
fn text(call: &Call<'_>, option: OptionId) -> Outcome<Option<String>> {
    let bytes = if call.given(option) && !call.keyword(option) { call.bytes(option)? } else { None };
    Ok(bytes.map(|bytes| super::name_text(&bytes)).filter(|text| !text.is_empty()))
}

/// The name of a group or a list.
fn name(call: &Call<'_>, option: OptionId, wrong: i32) -> Outcome<Option<String>> {
    let Some(name) = text(call, option)? else { return Ok(None) };
    let valid = name.len() <= 8 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"$@#".contains(&b));
    if valid { Ok(Some(name.to_ascii_uppercase())) } else { Err(cond::INVREQ.raise(wrong)) }
}
