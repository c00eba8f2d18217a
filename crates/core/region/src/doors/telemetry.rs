//! `[opentelemetry]`: spans of tasks, which go to a collector. The other way round than at a front door: no client comes in.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::{Located, OpenTelemetryConfig, RegionConfig, at};
use diagnostics::Diagnostic;
use http::Fields;
use http::url::{Scheme, Url};
use kernel::region::Region;
use kernel::spans::{Attribute, Choice, Sink, SpanFigures, Spans};
use otlp::request::{PATH, Source};
use otlp::{Span, Value};
use telemetry::{Collector, Exporter, Figures};

use super::{Door, Inside, Step, WithWarnings};
use crate::codes;

/// The exporter that `[opentelemetry]` describes.
///
/// # Errors
/// An address that is none, headers that cannot be written, a secret or a certificate that cannot be had.
pub(super) fn read(root: &Path, config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    let asked = config.opentelemetry.as_ref().map(|own| {
        let keyring = root.join(&config.web.keyring.value);
        Ok::<_, Vec<Diagnostic>>(Asked {
            collector: collector(root, keyring, own)?,
            source: source(config, own),
            waiting_max: own.limit as usize,
            choice: Choice { ratio: own.sampling, users: own.users },
        })
    });
    Ok((Box::new(Telemetry { asked: asked.transpose()?, exporter: None }), Vec::new()))
}

/// The exporter as the configuration asks for it.
struct Asked {
    collector: Collector,
    source: Source,
    waiting_max: usize,
    choice: Choice,
}

/// The exporter in the life of the region.
struct Telemetry {
    asked: Option<Asked>,
    exporter: Option<Arc<Exporter>>,
}

/// Spans go to it.
struct Exports(Arc<Exporter>);

impl Sink for Exports {
    fn take(&self, span: Span) {
        self.0.take(span);
    }

    fn drops(&self) {
        self.0.drops("a task asks for more than has spans");
    }

    fn figures(&self, reset: bool) -> SpanFigures {
        let Figures { exported, dropped, waiting, waiting_peak, failed } = self.0.figures(reset);
        SpanFigures { exported, dropped, waiting, waiting_peak, failed }
    }
}

impl Door for Telemetry {
    /// Tasks have spans from the first one on.
    fn install(&mut self, region: &Region) {
        let Some(Asked { collector, source, waiting_max, choice }) = self.asked.take() else { return };
        let place = format!("{}{}", collector.authority, collector.path);
        if collector.trust.is_none() && !is_here(&collector.host) {
            tracing::warn!(target: "OT", "spans travel in clear to {place}: https:// encrypts them");
        }
        match Exporter::start(collector, source, waiting_max) {
            Ok(exporter) => {
                let exporter = Arc::new(exporter);
                Spans::begin(region, choice, Box::new(Exports(Arc::clone(&exporter))));
                self.exporter = Some(exporter);
                tracing::info!(target: "OT", "spans of tasks go to {place}");
            }
            Err(error) => tracing::error!(target: "OT", "no spans go to {place}: {error}"),
        }
    }

    fn open<'a>(&'a mut self, _: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        Box::pin(async { Ok(()) })
    }

    /// Tasks end still.
    fn close(&mut self) -> Step<'_> {
        Box::pin(async {})
    }

    fn stop(&mut self) -> Step<'_> {
        Box::pin(async {
            if let Some(exporter) = self.exporter.take() {
                exporter.stop().await;
            }
        })
    }
}

/// Returns true if a host is this machine.
fn is_here(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn collector(
    root: &Path,
    keyring: PathBuf,
    config: &OpenTelemetryConfig,
) -> Result<Collector, Vec<Diagnostic>> {
    let endpoint = &config.endpoint;
    let url = Url::parse(&endpoint.value).filter(|url| url.query.is_none());
    let url = url.ok_or_else(|| {
        let message = Diagnostic::error(codes::ADDRESS, "the collector has no such address");
        vec![at(message, endpoint).help("endpoint = \"https://collector.example.org:4318\"")]
    })?;
    let label = config.certificate.as_ref();
    let trust = (url.scheme == Scheme::Https).then(|| {
        webdomain::trust_in_servers(&keyring, label.map(|label| label.value.as_str())).map_err(|why| {
            let text = format!("the certificate for the collector cannot be used: {why}");
            vec![at(Diagnostic::error(codes::CERTIFICATE, text), label.unwrap_or(endpoint))]
        })
    });
    let is_usual = url.port.is_none_or(|port| port == url.scheme.port());
    let authority =
        if is_usual { url.host.to_owned() } else { format!("{}:{}", url.host, url.connects_to()) };
    Ok(Collector {
        host: url.host.trim_matches(['[', ']']).to_owned(),
        port: url.connects_to(),
        authority,
        path: format!("{}{PATH}", url.path.trim_end_matches('/')),
        headers: headers(root, config)?,
        trust: trust.transpose()?,
    })
}

fn headers(root: &Path, config: &OpenTelemetryConfig) -> Result<Fields, Vec<Diagnostic>> {
    let mut fields = Fields::default();
    for (name, value) in &config.headers {
        let pushed = fields.push(&name.value, &value.value);
        pushed.map_err(|_| unwritable(name))?;
    }
    if let Some(token) = &config.token {
        let secret = unseal::secret(root, token)?;
        let pushed = fields.push(&config.header, secret.trim());
        pushed.map_err(|_| {
            let text = format!("the token, or its header {}, cannot be written", config.header);
            vec![unseal::placed(Diagnostic::error(codes::KEY, text), token)]
        })?;
    }
    Ok(fields)
}

fn unwritable(name: &Located<String>) -> Vec<Diagnostic> {
    vec![at(Diagnostic::error(codes::ADDRESS, "this header cannot be written"), name)]
}

/// The region, under the names that the conventions have for what spans come from.
fn source(config: &RegionConfig, own: &OpenTelemetryConfig) -> Source {
    let version = env!("CARGO_PKG_VERSION");
    let service = own.service.clone().unwrap_or_else(|| config.applid.clone());
    let text = |key: &'static str, text: &str| -> Attribute { (key.into(), Value::text(text)) };
    let attributes = vec![
        text("service.name", &service),
        text("service.instance.id", &format!("{}-{}", config.applid, std::process::id())),
        text("service.version", version),
        text("telemetry.sdk.name", "syncpoint"),
        text("telemetry.sdk.language", "rust"),
        text("telemetry.sdk.version", version),
        ("process.pid".into(), u64::from(std::process::id()).into()),
        text("cics.applid", &config.applid),
        text("cics.sysid", &config.sysid),
    ];
    Source { attributes, scope: (String::from("syncpoint"), version.to_owned()) }
}
