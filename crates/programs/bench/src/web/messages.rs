//! The messages that are sent: the document's message of ten fields, in XML and in JSON, and an order of fifty lines.

/// An envelope round a message.
pub(super) fn envelope(message: &str) -> String {
    format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>{message}</s:Body></s:Envelope>"
    )
}

/// The document's message: ten fields of up to 80 characters.
pub(crate) fn ten() -> String {
    let fields = (1..=10).map(|number| format!("<field_{number}>{}</field_{number}>", "ABCDEFGH".repeat(8)));
    envelope(&format!("<b:call xmlns:b=\"urn:b\">{}</b:call>", fields.collect::<String>()))
}

/// The same in JSON.
pub(super) fn ten_in_json() -> String {
    let fields = (1..=10).map(|number| format!("\"field_{number}\":\"{}\"", "ABCDEFGH".repeat(8)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

/// The order of fifty lines, without its envelope.
pub(super) fn order() -> String {
    let lines = (1..=50).map(|number| {
        format!(
            "<lines><item>ITEM-{number:03}</item><description>A part of the usual kind</description>\
             <pieces>{number}</pieces><price>{number}.25</price><discount>1.50</discount>\
             <delivery>20261123</delivery><warehouse>{number}</warehouse></lines>"
        )
    });
    format!(
        "<b:call xmlns:b=\"urn:b\"><order_no>4711</order_no><customer>A customer of ours</customer>\
         <ordered>20261101</ordered><total>12345.67</total><remark>to the back door</remark>{}</b:call>",
        lines.collect::<String>()
    )
}
