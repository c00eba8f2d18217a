//! The commands that HSMs of this kind share, by their published names.

use card::cvv::cvv;
use card::digits::Digits;
use card::key::Key;

use crate::error::ErrorCode;
use crate::fields::Fields;
use crate::lmk::{KeyType, Lmk, Scheme, unwrap, wrap};
use crate::verify::Answered;

/// Number of the firmware in the answer to NC.
pub const FIRMWARE: &str = "0001-SYNC";

type Outcome = Result<Answered, ErrorCode>;

fn done(fields: Fields<'_>, text: String) -> Outcome {
    Ok(Answered { error: ErrorCode::None, fields: text, trailer: fields.end()?.to_vec() })
}

/// NC: diagnostics. The check value of the local master key (16 digits) and the firmware's number.
pub(crate) fn diagnostics(lmk: &Lmk, fields: Fields<'_>) -> Outcome {
    done(fields, format!("{:0<16}{FIRMWARE}", lmk.check_value()))
}

/// B2: echo. A length of four hexadecimal digits and this many characters, which come back.
pub(crate) fn echo(mut fields: Fields<'_>) -> Outcome {
    let length = fields.hex_length()?;
    let data = fields.text(length)?.to_owned();
    done(fields, data)
}

/// A0: generate a key. Mode 0: under the local master key; mode 1: under a key-encrypting key as well.
pub(crate) fn generate_key(lmk: &Lmk, random: Key, mut fields: Fields<'_>) -> Outcome {
    let mode = fields.text(1)?;
    let kind = fields.key_type()?;
    expect_variant_scheme(fields.scheme()?)?;
    let key = random.with_odd_parity();
    let outside = match mode {
        "0" => String::new(),
        "1" => {
            let encrypting = lmk.unwrap(&fields.cryptogram()?, KeyType::KeyEncrypting)?;
            wrap(&encrypting, &key, fields.scheme()?)
        }
        _ => return Err(ErrorCode::InvalidInput),
    };
    done(fields, format!("{}{outside}{}", lmk.wrap(&key, kind), key.check_value()))
}

/// A6: import a key: from under a key-encrypting key to under the local master key.
pub(crate) fn import_key(lmk: &Lmk, mut fields: Fields<'_>) -> Outcome {
    let kind = fields.key_type()?;
    let encrypting = lmk.unwrap(&fields.cryptogram()?, KeyType::KeyEncrypting)?;
    let key = unwrap(&encrypting, &fields.cryptogram()?)?;
    expect_variant_scheme(fields.scheme()?)?;
    done(fields, format!("{}{}", lmk.wrap(&key, kind), key.check_value()))
}

/// A8: export a key: from under the local master key to under a key-encrypting key.
pub(crate) fn export_key(lmk: &Lmk, mut fields: Fields<'_>) -> Outcome {
    let kind = fields.key_type()?;
    let encrypting = lmk.unwrap(&fields.cryptogram()?, KeyType::KeyEncrypting)?;
    let key = lmk.unwrap(&fields.cryptogram()?, kind)?;
    let scheme = fields.scheme()?;
    done(fields, format!("{}{}", wrap(&encrypting, &key, scheme), key.check_value()))
}

/// CW: generate a card verification value.
pub(crate) fn generate_cvv(lmk: &Lmk, mut fields: Fields<'_>) -> Outcome {
    let key = cvv_key(lmk, &mut fields)?;
    let value = cvv_of(&key, &mut fields)?;
    done(fields, value.to_string())
}

/// CY: verify a card verification value.
pub(crate) fn verify_cvv(lmk: &Lmk, mut fields: Fields<'_>) -> Outcome {
    let key = cvv_key(lmk, &mut fields)?;
    let given: Digits<3> = fields.digits()?;
    if cvv_of(&key, &mut fields)? == given {
        done(fields, String::new())
    } else {
        Err(ErrorCode::VerificationFailed)
    }
}

fn cvv_key(lmk: &Lmk, fields: &mut Fields<'_>) -> Result<Key, ErrorCode> {
    lmk.unwrap(&fields.cryptogram()?, KeyType::CardVerification)
}

fn cvv_of(key: &Key, fields: &mut Fields<'_>) -> Result<Digits<3>, ErrorCode> {
    let pan = fields.pan()?;
    Ok(cvv(key, &pan, fields.digits()?, fields.digits()?))
}

fn expect_variant_scheme(scheme: Scheme) -> Result<(), ErrorCode> {
    if scheme == Scheme::Variant { Ok(()) } else { Err(ErrorCode::KeyScheme) }
}

/// A key of random bytes.
pub(crate) fn random_key(random: &mut fastrand::Rng) -> Key {
    let mut bytes = [0; Key::LENGTH];
    random.fill(&mut bytes);
    Key::new(bytes)
}
