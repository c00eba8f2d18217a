//! Converters: Decode makes a program's COMMAREA of a request, Encode an answer of what the program leaves in it.

use areas::Area;
use kernel::dispatcher::Context;
use kernel::limits::COMMAREA_LENGTH_MAX;
use kernel::name::Name8;
use kernel::raise::Raise;
use web::Answer;

use crate::exchange::Exchange;
use crate::limits::BODY_MAX;
use crate::record::{CONVERTER, Record};
use crate::trouble::{Trouble, What, link};
use crate::{address, written};

/// The functions of a converter, and the version of its COMMAREA.
const DECODE: i64 = 1;
const ENCODE: i64 = 2;
const VERSION: i64 = 1;
/// Eyecatcher of the COMMAREA.
const DECODES: &str = ">decode";
const ENCODES: &str = ">encode";
/// Responses: it is done; Decode is to be called again; it cannot be done, for one of two known reasons or others.
const OK: i64 = 0;
const LOOP: i64 = 16;
const EXCEPTION: i64 = 4;
const INVALID: i64 = 8;
const DISASTER: i64 = 12;
const SECURITY: i64 = 1;
const CORRUPT: i64 = 2;
/// Bytes of the length before what Encode answers; it counts itself.
const PREFIX: usize = 4;

/// A converter at work.
struct Converting<'a> {
    exchange: &'a Exchange,
    converter: Name8,
    token: [u8; 8],
    /// Number of calls of each function.
    entries: i64,
}

/// Result of Decode.
struct Decoded {
    program: Option<Name8>,
    commarea: Vec<u8>,
}

/// Has a converter and the program between its functions answer a request. None: they have sent the answer by WEB SEND.
pub(crate) async fn serve(
    context: &mut Context<'_>,
    exchange: &Exchange,
    converter: Name8,
) -> Result<Option<Answer>, Trouble> {
    let mut converting = Converting { exchange, converter, token: exchange.token(), entries: 0 };
    loop {
        converting.entries += 1;
        let Decoded { program, mut commarea } = converting.decode(context).await?;
        if let Some(program) = program {
            let area = Area::with(&commarea);
            link(context, program, (!commarea.is_empty()).then_some(&area)).await?;
            commarea = area.to_vec();
        }
        if let Some(text) = converting.encode(context, program, &commarea).await? {
            let has_sent = exchange.has_answer();
            let answer = || written::read(&text).unwrap_or_else(|| written::page(&text));
            return Ok((!has_sent).then(answer));
        }
    }
}

impl Converting<'_> {
    fn unable(&self, why: Raise) -> Trouble {
        Trouble::abended(self.converter, why.into())
    }

    async fn call(&self, context: &mut Context<'_>, record: &mut Record) -> Result<(), Trouble> {
        record.link(context, self.converter).await.map_err(|trouble| Trouble { status: 500, ..trouble })
    }

    /// Calls Decode.
    async fn decode(&mut self, context: &mut Context<'_>) -> Result<Decoded, Trouble> {
        let mut record = self.request(context).map_err(|why| self.unable(why))?;
        self.call(context, &mut record).await?;
        let answered = (record.number("DECODE-RESPONSE"), record.number("DECODE-REASON"));
        match answered {
            (OK, _) => {}
            (EXCEPTION, CORRUPT) => return Err(self.refused("Decode", 400, answered)),
            (EXCEPTION, SECURITY) => return Err(self.refused("Decode", 403, answered)),
            (EXCEPTION | INVALID | DISASTER, _) => return Err(self.refused("Decode", 501, answered)),
            _ => return Err(self.refused("Decode", 500, answered)),
        }
        self.token = record.bytes("DECODE-USER-TOKEN").try_into().unwrap_or_default();
        let data = record.data(context, ("DECODE-DATA-PTR", "DECODE-OUTPUT-DATA-LEN"), COMMAREA_LENGTH_MAX);
        let commarea = data.map_err(|why| self.unable(why))?;
        Ok(Decoded { program: record.name("DECODE-SERVER-PROGRAM"), commarea })
    }

    /// The COMMAREA of Decode.
    fn request(&self, context: &mut Context<'_>) -> Result<Record, Raise> {
        let (exchange, head) = (self.exchange, &self.exchange.head);
        let mut record = Record::new(&CONVERTER);
        record.put_text("DECODE-EYECATCHER", DECODES);
        record.put_number("DECODE-FUNCTION", DECODE);
        record.put_number("DECODE-VERSION", VERSION);
        record.put_bytes("DECODE-USER-TOKEN", &self.token);
        record.put_number("DECODE-ENTRY-COUNT", self.entries);
        record.put_text("DECODE-SERVER-PROGRAM", exchange.program().unwrap_or_default());
        record.put_bytes("DECODE-CLIENT-ADDRESS", &address::four(exchange.peer.client.ip()));
        record.put_data(context, ("DECODE-DATA-PTR", "DECODE-INPUT-DATA-LEN"), &exchange.body)?;
        record.put_number("DECODE-OUTPUT-DATA-LEN", exchange.body.len() as i64);
        let mut fields = Vec::new();
        http::write::fields(head.fields(), &mut fields);
        let parts: [(&str, &[u8]); 5] = [
            ("DECODE-METHOD", head.method().as_bytes()),
            ("DECODE-HTTP-VERSION", head.version().text().as_bytes()),
            ("DECODE-RESOURCE", head.path().as_bytes()),
            ("DECODE-REQUEST-HEADER", &fields),
            ("DECODE-USER-DATA", &exchange.body),
        ];
        for (name, data) in parts {
            record.put_data(context, (&format!("{name}-PTR"), &format!("{name}-LENGTH")), data)?;
        }
        Ok(record)
    }

    /// Calls Encode, and gives its answer; `None` if Decode is to be called again.
    async fn encode(
        &mut self,
        context: &mut Context<'_>,
        program: Option<Name8>,
        commarea: &[u8],
    ) -> Result<Option<Vec<u8>>, Trouble> {
        let mut record = Record::new(&CONVERTER);
        record.put_text("ENCODE-EYECATCHER", ENCODES);
        record.put_number("ENCODE-FUNCTION", ENCODE);
        record.put_number("ENCODE-VERSION", VERSION);
        record.put_bytes("ENCODE-USER-TOKEN", &self.token);
        record.put_number("ENCODE-ENTRY-COUNT", self.entries);
        record.put_text("ENCODE-SERVER-PROGRAM", program.unwrap_or_default());
        let put = record.put_data(context, ("ENCODE-DATA-PTR", "ENCODE-INPUT-DATA-LEN"), commarea);
        put.map_err(|why| self.unable(why))?;
        self.call(context, &mut record).await?;
        self.token = record.bytes("ENCODE-USER-TOKEN").try_into().unwrap_or_default();
        match (record.number("ENCODE-RESPONSE"), record.number("ENCODE-REASON")) {
            (OK, _) => self.text(context, &record).map(Some).map_err(|why| self.unable(why)),
            (LOOP, _) => Ok(None),
            answered => Err(self.refused("Encode", 501, answered)),
        }
    }

    /// Text that Encode points to: four bytes with the length of all, and a text.
    fn text(&self, context: &Context<'_>, record: &Record) -> Result<Vec<u8>, Raise> {
        if self.exchange.has_answer() {
            return Ok(Vec::new());
        }
        let address = record.pointer("ENCODE-DATA-PTR");
        let prefix = context.bytes_at(address, PREFIX)?;
        let length = prefix.try_into().map_or(0, u32::from_be_bytes) as usize;
        let text = context.bytes_at(address, length.clamp(PREFIX, BODY_MAX))?;
        Ok(text[PREFIX..].to_vec())
    }

    fn refused(&self, function: &str, status: u16, answered: (i64, i64)) -> Trouble {
        let message = format!(
            "{function} of converter {} has answered {}, reason {}",
            self.converter, answered.0, answered.1
        );
        let trouble = Trouble::new(What::Converter, status, "the request cannot be converted");
        Trouble { message, program: Some(self.converter), converter: answered, ..trouble }
    }
}
