//! Users for the kernel, from `users.toml`.

use config::Right;
use kernel::name::Name8;
use kernel::security::{SignOnError, User, UserFile};

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
        is_default: false,
    }
}

/// The user of terminals that nobody has signed on at.
pub(crate) fn default_user(id: &str, rights: &[Right]) -> User {
    User {
        id: Name8::from(id),
        name: String::new(),
        run: rights.contains(&Right::Run),
        inquire: rights.contains(&Right::Inquire),
        operate: rights.contains(&Right::Operate),
        is_default: true,
    }
}
