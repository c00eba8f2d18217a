//! Responses and reasons, by their published numbers.

/// The response of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Response {
    Ok = 0,
    Warning = 4,
    Retryable = 8,
    UserError = 12,
    SystemError = 16,
}

/// A reason, and the response that it goes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    pub response: Response,
    pub number: i32,
}

const fn reason(response: Response, number: i32) -> Reason {
    Reason { response, number }
}

/// The call was answered.
pub(crate) const OK: Reason = reason(Response::Ok, 0);

pub(crate) const PIPE_ALREADY_OPEN: Reason = reason(Response::Warning, 1);
pub(crate) const PIPE_ALREADY_CLOSED: Reason = reason(Response::Warning, 2);

pub(crate) const NO_PIPE: Reason = reason(Response::Retryable, 202);
pub(crate) const NO_CICS: Reason = reason(Response::Retryable, 203);

pub(crate) const INVALID_CALL_TYPE: Reason = reason(Response::UserError, 401);
pub(crate) const INVALID_VERSION_NUMBER: Reason = reason(Response::UserError, 402);
pub(crate) const INVALID_APPL_NAME: Reason = reason(Response::UserError, 403);
pub(crate) const INVALID_USER_TOKEN: Reason = reason(Response::UserError, 404);
pub(crate) const PIPE_NOT_CLOSED: Reason = reason(Response::UserError, 405);
pub(crate) const PIPE_NOT_OPEN: Reason = reason(Response::UserError, 406);
pub(crate) const INVALID_USERID: Reason = reason(Response::UserError, 407);
pub(crate) const INVALID_UOWID: Reason = reason(Response::UserError, 408);
pub(crate) const INVALID_TRANSID: Reason = reason(Response::UserError, 409);
pub(crate) const ABORT_RECEIVED: Reason = reason(Response::UserError, 414);
pub(crate) const PIPE_MUST_CLOSE: Reason = reason(Response::UserError, 417);
pub(crate) const INVALID_PIPE_TOKEN: Reason = reason(Response::UserError, 418);
pub(crate) const SERVER_ABENDED: Reason = reason(Response::UserError, 422);
pub(crate) const SURROGATE_CHECK_FAILED: Reason = reason(Response::UserError, 423);
pub(crate) const RRMS_NOT_SUPPORTED: Reason = reason(Response::UserError, 424);
pub(crate) const INVALID_TRANSID2: Reason = reason(Response::UserError, 426);
pub(crate) const INVALID_CCSID: Reason = reason(Response::UserError, 427);
pub(crate) const INVALID_ENDIAN: Reason = reason(Response::UserError, 428);
pub(crate) const COMMAREALEN_NOT_ALLOWED: Reason = reason(Response::UserError, 430);
pub(crate) const DATALEN_NOT_ALLOWED: Reason = reason(Response::UserError, 431);

pub(crate) const XCUSER_GETMAIN_ERROR: Reason = reason(Response::SystemError, 603);
pub(crate) const IRC_LOGON_FAILURE: Reason = reason(Response::SystemError, 608);
pub(crate) const IRC_CONNECT_FAILURE: Reason = reason(Response::SystemError, 609);
pub(crate) const IRP_SWITCH_PULL_FAILURE: Reason = reason(Response::SystemError, 616);

/// RESP of LINK: a response other than OK and WARNING; its reason is RESP2.
pub(crate) const LINKERR: i32 = 88;

/// RESP2 of LENGERR: a COMMAREA that is too long; one without its length; DATALENGTH below zero; DATALENGTH above LENGTH.
pub(crate) const COMMAREA_LEN_TOO_BIG: i32 = 22;
pub(crate) const NO_COMMAREA_LEN: i32 = 23;
pub(crate) const DATA_LENGTH_NEGATIVE: i32 = 12;
pub(crate) const DATA_LENGTH_TOO_BIG: i32 = 13;
