//! Codes of an answer by their published names.

/// A response or a reason: its number and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub u32, pub &'static str);

/// Responses.
pub mod response {
    use super::Code;

    /// Done.
    pub const OK: Code = Code(1024, "OK");
    /// No record of that name.
    pub const NOTFOUND: Code = Code(1026, "NOTFOUND");
    /// No record fits.
    pub const NODATA: Code = Code(1027, "NODATA");
    /// A part of the request is not valid.
    pub const INVALIDPARM: Code = Code(1028, "INVALIDPARM");
    /// The user may not.
    pub const NOTPERMIT: Code = Code(1031, "NOTPERMIT");
    /// It is not there now.
    pub const NOTAVAILABLE: Code = Code(1034, "NOTAVAILABLE");
    /// A change failed for one record at least.
    pub const TABLEERROR: Code = Code(1038, "TABLEERROR");
    /// A value is not valid.
    pub const INVALIDDATA: Code = Code(1041, "INVALIDDATA");
}

/// Reasons.
pub mod reason {
    use super::Code;

    /// None.
    pub const NONE: Code = Code(0, "");
    /// The context.
    pub const CONTEXT: Code = Code(1282, "CONTEXT");
    /// The result set.
    pub const RESULT: Code = Code(1283, "RESULT");
    /// The scope.
    pub const SCOPE: Code = Code(1294, "SCOPE");
    /// The criteria.
    pub const CRITERIA: Code = Code(1299, "CRITERIA");
    /// The action.
    pub const ACTION: Code = Code(1301, "ACTION");
    /// The attribute.
    pub const ATTRIBUTE: Code = Code(1310, "ATTRIBUTE");
    /// The parameter.
    pub const PARM: Code = Code(1320, "PARM");
    /// The user.
    pub const USRID: Code = Code(1345, "USRID");
    /// The data of a record.
    pub const DATAERROR: Code = Code(1361, "DATAERROR");
}
