//! Users for the kernel, from `users.toml`.

use config::{ANY_USER, Right, SecurityConfig};
use kernel::name::Name8;
use kernel::security::{SignOnError, StartsAs, User, UserFile};

/// The users file as the kernel asks it.
pub(crate) struct Users(pub config::Users);

impl UserFile for Users {
    fn sign_on(&self, user: &str, password: &str) -> Result<User, SignOnError> {
        match self.0.sign_on(user, password) {
            Some(user) => Ok(as_user(user)),
            None if self.0.find(user).is_none() => Err(SignOnError::UnknownUser),
            None => Err(SignOnError::WrongPassword),
        }
    }

    fn user(&self, user: &str) -> Option<User> {
        self.0.find(user).map(as_user)
    }
}

fn as_user(user: &config::User) -> User {
    User {
        id: Name8::from(user.userid.as_str()),
        name: user.name.clone(),
        run: user.may(Right::Run),
        inquire: user.may(Right::Inquire),
        operate: user.may(Right::Operate),
        starts_as: starts_as(&user.starts_as),
        is_default: false,
    }
}

fn starts_as(users: &[String]) -> StartsAs {
    match users.iter().any(|user| user == ANY_USER) {
        true => StartsAs::Anybody,
        false => StartsAs::Users(users.iter().map(|user| Name8::from(user.as_str())).collect()),
    }
}

/// The user of terminals that nobody has signed on at.
pub(crate) fn default_user(id: &str, security: &SecurityConfig) -> User {
    let rights = &security.default_rights;
    User {
        id: Name8::from(id),
        name: String::new(),
        run: rights.contains(&Right::Run),
        inquire: rights.contains(&Right::Inquire),
        operate: rights.contains(&Right::Operate),
        starts_as: starts_as(&security.default_starts_as),
        is_default: true,
    }
}
