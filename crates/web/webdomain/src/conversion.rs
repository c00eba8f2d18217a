//! Conversion of bodies and fields between a client's character set and that of programs.

use std::borrow::Cow;

use http::media::MediaType;
use kernel::channels::Encoding;
use kernel::exec::Call;
use kernel::raise::{Outcome, RaiseCondition};
use spec::{OptionId, cond, opt};

use crate::area::fixed;
use crate::resp2;

/// Character set of a message that names none.
pub(crate) const DEFAULT_CHARACTER_SET: &str = "iso-8859-1";
/// Characters of CHARACTERSET and of HOSTCODEPAGE, which are read in full.
const CHARACTER_SET: usize = 40;
pub(crate) const CODE_PAGE: usize = 8;

/// From one encoding to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conversion {
    /// The client's.
    pub client: Encoding,
    /// The program's.
    pub program: Encoding,
}

impl Conversion {
    /// Conversion that a command of a server asks for; `None` leaves the bytes alone. `charset`: the message's own.
    ///
    /// # Errors
    /// INVREQ: the character set is not known, or SERVERCONV is none of its values. NOTFND: the code page is not known.
    pub fn of_server(call: &Call<'_>, charset: Option<&str>) -> Outcome<Option<(Self, String)>> {
        let asked = choice(
            call,
            opt::SERVERCONV,
            &[("SRVCONVERT", opt::SRVCONVERT), ("NOSRVCONVERT", opt::NOSRVCONVERT)],
        )?;
        let named = fixed(call, opt::CHARACTERSET, CHARACTER_SET, resp2::CHARACTER_SET)?;
        let page = fixed(call, opt::HOSTCODEPAGE, CODE_PAGE, resp2::CODE_PAGE)?;
        let wanted = match asked {
            Some(asked) => asked == "SRVCONVERT",
            None => named.is_some() || page.is_some(),
        };
        if !wanted {
            return Ok(None);
        }
        let name = named.or(charset.map(str::to_owned)).unwrap_or_else(|| DEFAULT_CHARACTER_SET.to_owned());
        let client = encoding(&name)?;
        Ok(Some((Self { client, program: code_page(page)? }, name)))
    }

    /// For a request to a server: its character set, or the default.
    ///
    /// # Errors
    /// INVREQ: the character set is not known.
    pub fn to_server(named: Option<&str>, program: Encoding) -> Outcome<(Self, String)> {
        let name = named.unwrap_or(DEFAULT_CHARACTER_SET);
        Ok((Self { client: encoding(name)?, program }, name.to_owned()))
    }

    /// For a server's answer: as it says; one that is not known is taken for the default.
    pub fn from_server(charset: Option<&str>, program: Encoding) -> Self {
        let client = charset.and_then(|name| encoding(name).ok()).unwrap_or_default();
        Self { client, program }
    }

    /// For fields of forms: they are always characters.
    ///
    /// # Errors
    /// As [`Self::of_server`].
    pub fn of_fields(call: &Call<'_>, charset: Option<&str>) -> Outcome<Self> {
        let named = fixed(call, opt::CHARACTERSET, CHARACTER_SET, resp2::CHARACTER_SET)?;
        let page = fixed(call, opt::HOSTCODEPAGE, CODE_PAGE, resp2::CODE_PAGE)?;
        let client = named.as_deref().or(charset).map_or(Ok(Encoding::Utf8), encoding)?;
        Ok(Self { client, program: code_page(page)? })
    }

    /// The bytes of a client as a program has them.
    pub fn to_program(self, bytes: &[u8]) -> Vec<u8> {
        let bytes = if self.client == Encoding::Utf16 { without_mark(bytes) } else { Cow::Borrowed(bytes) };
        self.client.convert(&bytes, self.program).0
    }

    /// The bytes of a program as a client has them.
    pub fn to_client(self, bytes: &[u8]) -> Vec<u8> {
        self.program.convert(bytes, self.client).0
    }
}

/// UTF-16 in the order of bytes that encodings have here. The mark at its beginning says in which order they came.
fn without_mark(bytes: &[u8]) -> Cow<'_, [u8]> {
    match bytes {
        [0xFE, 0xFF, rest @ ..] => Cow::Borrowed(rest),
        [0xFF, 0xFE, rest @ ..] => {
            Cow::Owned(rest.chunks(2).flat_map(|unit| unit.iter().rev().copied()).collect())
        }
        _ => Cow::Borrowed(bytes),
    }
}

/// An encoding by the name that the internet has for it.
///
/// # Errors
/// INVREQ: it is not known.
pub(crate) fn encoding(name: &str) -> Outcome<Encoding> {
    match name.to_ascii_lowercase().as_str() {
        "us-ascii" => Ok(Encoding::Program),
        name => Encoding::of_name(name).ok_or_else(|| cond::INVREQ.raise(resp2::CHARACTER_SET)),
    }
}

/// The code page of the region's side; none: that of programs.
///
/// # Errors
/// NOTFND: it is not known.
pub(crate) fn code_page(name: Option<String>) -> Outcome<Encoding> {
    let Some(name) = name else { return Ok(Encoding::Program) };
    Encoding::of_name(&name).ok_or_else(|| cond::NOTFND.raise(resp2::CODE_PAGE))
}

/// The character set that a media type names.
pub(crate) fn charset(media: Option<&str>) -> Option<String> {
    MediaType::parse(media?)?.charset().map(str::to_owned)
}

/// A choice that a command makes by a CVDA or by a keyword.
///
/// # Errors
/// INVREQ: a CVDA that is none of them.
pub(crate) fn choice(
    call: &Call<'_>,
    option: OptionId,
    choices: &[(&'static str, OptionId)],
) -> Outcome<Option<&'static str>> {
    let Some(number) = call.number(option)? else {
        return Ok(choices.iter().find(|(_, keyword)| call.keyword(*keyword)).map(|(name, _)| *name));
    };
    let is = |name: &str| spec::cvda(name).is_some_and(|known| i64::from(known) == number);
    let chosen = choices.iter().find(|(name, _)| is(name));
    chosen.map(|(name, _)| Some(*name)).ok_or_else(|| cond::INVREQ.raise(resp2::CVDA))
}
