//! Identity of a message: the published combinations of a token that vouches and a token that is vouched for.

use std::sync::Arc;

use kernel::dispatcher::Context;
use kernel::name::Name8;
use kernel::raise::Abend;
use kernel::security::{Credentials, Secret, User, Users, check, may_start_as};
use soap::security::{CertificateToken, Password, Security, UserToken};

use super::refusal::Refusal;
use super::signatures::Verified;
use crate::keys::Keyring;
use crate::policy::{Mode, Policy, Trust};
use crate::switch::OTHER;

/// The user of a message; `None` if no identity is asked for.
///
/// # Errors
/// The reason of a refusal; the abend of a task that was purged.
pub(super) async fn of(
    context: &mut Context<'_>,
    policy: &Policy,
    security: &Security,
    verified: &[Verified],
) -> Result<Result<Option<Arc<User>>, Refusal>, Abend> {
    if policy.is_suppressed {
        return Ok(Ok(None));
    }
    let signed = || signer(context, verified);
    let found = match (policy.trust, policy.mode) {
        (_, Mode::None) => return Ok(Ok(None)),
        (Trust::None, Mode::Basic) => match with_password(security) {
            Ok(token) => authenticated(context, token).await?,
            Err(refusal) => Err(refusal),
        },
        (Trust::None, Mode::Signature) => signed().map(|(user, _)| user),
        (Trust::Blind, Mode::Basic) => match security.users.as_slice() {
            [token] if token.password.is_some() => authenticated(context, token).await?,
            [token] => named(context, token),
            [] => Err(missing("a user")),
            _ => Err(several()),
        },
        (Trust::Blind, Mode::Signature) => match security.certificates.first() {
            Some(token) => owner(context, &token.der),
            None => Err(missing("a certificate")),
        },
        (Trust::Basic, _) => match with_password(security) {
            Ok(token) => match authenticated(context, token).await? {
                Ok(trusted) => asserted(context, policy, security, None, &trusted),
                Err(refusal) => Err(refusal),
            },
            Err(refusal) => Err(refusal),
        },
        (Trust::Signature, _) => match signed() {
            Ok((trusted, by)) => asserted(context, policy, security, Some(by), &trusted),
            Err(refusal) => Err(refusal),
        },
    };
    Ok(found.map(Some))
}

fn missing(what: &str) -> Refusal {
    Refusal::Header(format!("the message has not {what}"))
}

fn several() -> Refusal {
    Refusal::Header(String::from("the message has several users, and nothing says whose it is"))
}

/// The only user with a password.
fn with_password(security: &Security) -> Result<&UserToken, Refusal> {
    let mut tokens = security.users.iter().filter(|token| token.password.is_some());
    match (tokens.next(), tokens.next()) {
        (Some(token), None) => Ok(token),
        (None, _) => Err(missing("a user with a password")),
        (Some(_), Some(_)) => Err(Refusal::Header(String::from("two users have passwords"))),
    }
}

/// The signer of the body, whose certificate is a user's.
fn signer<'v>(context: &Context<'_>, verified: &'v [Verified]) -> Result<(Arc<User>, &'v Verified), Refusal> {
    let by = verified.iter().find(|it| it.covers_body).ok_or_else(|| missing("a signature of its body"))?;
    owner(context, &by.signer).map(|user| (user, by))
}

/// The user whom a trusted sender names.
fn asserted(
    context: &Context<'_>,
    policy: &Policy,
    security: &Security,
    by: Option<&Verified>,
    trusted: &User,
) -> Result<Arc<User>, Refusal> {
    // Where a signature vouches, it covers the token, too: it has not been exchanged.
    let is_covered = |id: &String| by.is_none_or(|by| !id.is_empty() && by.tokens.contains(id));
    let is_other = |token: &&CertificateToken| by.is_none_or(|by| by.signer != token.der);
    let user = if policy.mode == Mode::Basic {
        let mut tokens =
            security.users.iter().filter(|token| token.password.is_none() && is_covered(&token.id));
        let token = tokens.next().ok_or_else(|| missing("a user that is vouched for"))?;
        if tokens.next().is_some() {
            return Err(several());
        }
        named(context, token)?
    } else {
        let token = security.certificates.iter().filter(is_other).find(|token| is_covered(&token.id));
        owner(context, &token.ok_or_else(|| missing("a certificate that is vouched for"))?.der)?
    };
    if may_start_as(&context.region, trusted, &context.control.transaction, user.id) {
        Ok(user)
    } else {
        Err(Refusal::Authentication(format!("{} does not speak for {}", trusted.id, user.id)))
    }
}

fn owner(context: &Context<'_>, certificate: &[u8]) -> Result<Arc<User>, Refusal> {
    let user = Keyring::of(&context.region).get().and_then(|keys| keys.user(&context.region, certificate));
    user.ok_or_else(|| Refusal::Authentication(String::from("the certificate is no user's")))
}

fn named(context: &Context<'_>, token: &UserToken) -> Result<Arc<User>, Refusal> {
    let user = id(token).and_then(|id| Users::of(&context.region).file.user(&id.to_string()));
    user.map(Arc::new).ok_or_else(|| Refusal::Authentication(String::from("the user is not known")))
}

/// The name of a user; none of one that is too long for any.
fn id(token: &UserToken) -> Option<Name8> {
    let fits = (1..=Name8::BLANK.as_bytes().len()).contains(&token.name.len());
    fits.then(|| Name8::from(token.name.as_str()).upper())
}

/// A user whose password is right.
async fn authenticated(
    context: &mut Context<'_>,
    token: &UserToken,
) -> Result<Result<Arc<User>, Refusal>, Abend> {
    let Some(Password::Text(password)) = &token.password else {
        return Ok(Err(Refusal::Kind(String::from("a password is shown as it is, and not as its digest"))));
    };
    let wrong = || Refusal::Authentication(String::from("user and password do not go together"));
    let Some(user) = id(token) else { return Ok(Err(wrong())) };
    let credentials = Credentials {
        user,
        secret: Secret::typed(password.clone()),
        new: None,
        signs_on: true,
        address: context.control.facility.client().map(|client| client.ip()),
        terminal: String::new(),
    };
    let (region, control) = (Arc::clone(&context.region), Arc::clone(&context.control));
    let checked = check(&region, credentials, || context.may_write_line());
    let checked = control.wait(OTHER.kind(), checked).await.map_err(Abend::from)?;
    // A client that cannot be checked is not let in.
    Ok(checked.ok().and_then(Result::ok).map(|verified| Arc::new(verified.user)).ok_or_else(wrong))
}
