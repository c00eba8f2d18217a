//! A field of a form, and the reasons why there are no fields.

use crate::limits::FORM_FIELDS_MAX;

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name: names of fields have case.
    pub name: Vec<u8>,
    /// Its value, unescaped.
    pub value: Vec<u8>,
    /// The name of the file that it was, in a multipart form.
    pub file: Option<Vec<u8>>,
    /// The media type of the value, where its part names one.
    pub media: Option<String>,
}

/// The reason why there are no fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoForm {
    /// The body has another media type.
    #[error(
        "the body is no form: its media type is neither application/x-www-form-urlencoded nor multipart/form-data"
    )]
    Media,
    /// A multipart body without boundaries where they belong.
    #[error("the body is not the multipart form that its media type promises")]
    Broken,
    /// Too many fields.
    #[error("a form has at most {FORM_FIELDS_MAX} fields")]
    TooMany,
}
