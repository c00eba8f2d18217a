//! RESP2 of the WEB commands. Those of browses and lengths are published; others are recalled.

/// INVREQ: the task works for no request of the web.
pub(crate) const NO_REQUEST: i32 = 1;
/// INVREQ of WEB RETRIEVE: the answer was sent already.
pub(crate) const NOT_KEPT: i32 = 2;
/// NOTFND: no such header, field or parameter.
pub(crate) const NO_NAME: i32 = 1;
/// INVREQ: no browse has begun.
pub(crate) const NO_BROWSE: i32 = 4;
/// ILLOGIC: a browse has begun already.
pub(crate) const IN_BROWSE: i32 = 10;
/// INVREQ of STARTBROWSE: there is nothing to browse.
pub(crate) const NOTHING: i32 = 43;
/// INVREQ: the task works for a request that is no HTTP.
pub(crate) const NO_HTTP: i32 = 3;
/// INVREQ: the body is no form; one in parts has no boundary.
pub(crate) const NO_FORM: i32 = 153;
pub(crate) const NO_BOUNDARY: i32 = 154;
/// LENGERR: a length is not positive.
pub(crate) const LENGTH: i32 = 1;
/// LENGERR: a name was cut.
pub(crate) const NAME_CUT: i32 = 4;
/// LENGERR: a value was cut.
pub(crate) const VALUE_CUT: i32 = 5;
/// LENGERR of WEB READ HTTPHEADER: the value was cut.
pub(crate) const HEADER_CUT: i32 = 2;
/// LENGERR of a header of an answer: the length of its name, or of its value, is not positive; one of them was cut.
pub(crate) const CLIENT_NAME_LENGTH: i32 = 35;
pub(crate) const CLIENT_VALUE_LENGTH: i32 = 55;
pub(crate) const CLIENT_NAME_CUT: i32 = 51;
pub(crate) const CLIENT_VALUE_CUT: i32 = 52;
/// LENGERR of WEB EXTRACT: method, version, path, query string, host were cut.
pub(crate) const METHOD_CUT: i32 = 4;
pub(crate) const VERSION_CUT: i32 = 5;
pub(crate) const PATH_CUT: i32 = 6;
pub(crate) const QUERY_CUT: i32 = 8;
pub(crate) const HOST_CUT: i32 = 29;
/// NOTFND: no such document.
pub(crate) const NO_DOCUMENT: i32 = 1;
/// NOTFND: the code page of the region's side is not known.
pub(crate) const CODE_PAGE: i32 = 7;
/// INVREQ: a CVDA is none of those that an option takes.
pub(crate) const CVDA: i32 = 13;
/// INVREQ: the character set is not known, or junk stands behind its name.
pub(crate) const CHARACTER_SET: i32 = 45;
/// LENGERR of WEB RECEIVE: the body is longer than the area.
pub(crate) const BODY_CUT: i32 = 57;
/// INVREQ of WEB SEND: an answer was sent already.
pub(crate) const SENT: i32 = 41;
/// INVREQ: the client does not know chunks.
pub(crate) const NO_CHUNKS: i32 = 32;
/// INVREQ: chunks are out of order, or go with what they cannot.
pub(crate) const CHUNKS: i32 = 46;
/// INVREQ: a header behind chunks that the header Trailer has not announced.
pub(crate) const NO_TRAILER: i32 = 74;
/// INVREQ of WEB OPEN: CIPHERS or NUMCIPHERS.
pub(crate) const CIPHERS: i32 = 24;
/// INVREQ: EXPECT goes with a body in one piece only.
pub(crate) const EXPECT: i32 = 63;
/// LENGERR of WEB EXTRACT: the realm was cut.
pub(crate) const REALM_CUT: i32 = 64;
/// INVREQ: answers of this status have no body.
pub(crate) const NO_BODY: i32 = 72;
/// INVREQ: a header's name or value, or a reason phrase, cannot be written.
pub(crate) const UNWRITABLE: i32 = 31;
/// IOERR: the client is gone.
pub(crate) const CLIENT_GONE: i32 = 42;
/// CHANNELERR: no such channel. CONTAINERERR: no such container.
pub(crate) const NO_CHANNEL: i32 = 2;
pub(crate) const NO_CONTAINER: i32 = 10;
/// CONTAINERERR: the name of a container has characters that are not allowed.
pub(crate) const CONTAINER_NAME: i32 = 18;
/// NOTOPEN: no such session.
pub(crate) const NOT_OPEN: i32 = 27;
/// INVREQ: the URI map is not one for clients, or it is disabled.
pub(crate) const MAP: i32 = 3;
/// INVREQ: a host or port that is none.
pub(crate) const HOST: i32 = 15;
/// INVREQ: no method, or a path that is none.
pub(crate) const METHOD: i32 = 22;
pub(crate) const PATH: i32 = 17;
/// INVREQ: a body goes without a media type.
pub(crate) const MEDIA: i32 = 36;
/// INVREQ: BASICAUTH without a user.
pub(crate) const NO_USER: i32 = 37;
/// INVREQ: no request was sent whose answer could be received.
pub(crate) const NO_ANSWER: i32 = 38;
/// INVREQ of WEB OPEN: the label of a certificate that is none.
pub(crate) const CERTIFICATE: i32 = 26;
/// INVREQ of WEB PARSE URL: it is none.
pub(crate) const NO_URL: i32 = 47;
/// LENGERR: the reason phrase was cut.
pub(crate) const PHRASE_CUT: i32 = 58;
/// IOERR: the server cannot be reached, or does not answer as it must.
pub(crate) const NO_SERVER: i32 = 42;
/// TIMEDOUT: the server takes too long.
pub(crate) const TOO_SLOW: i32 = 62;
