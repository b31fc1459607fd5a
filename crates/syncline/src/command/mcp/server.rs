//! The server: the protocol by the official SDK, calls by [`call`](super::call).

use super::call::{Ended, conduct};
use super::outcome::Outcome;
use super::tool::{Effect, Place, TOOLS, Tool};
use crate::failure::Failure;
use crate::message::Step;
use rmcp::handler::server::common::schema_for_output;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    Implementation, JsonObject, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, model};
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::{Mutex, oneshot};

/// How long a signal may wait.
const LOOK_EVERY: Duration = Duration::from_millis(100);

const INSTRUCTIONS: &str = "Syncline measures a disk as a database uses it. Begin with check (half a minute) or run \
    (three minutes), then advise for the settings that follow. A result whose ending is audit_failed has numbers that \
    cannot be believed: its audits say which. One measurement runs at a time. Paths are relative to the server's \
    directory; latest stands for the newest run there.";

/// Serves one client until it closes its side, or a signal comes; returns when every call has ended.
pub(super) fn serve(place: Place, interrupted: &AtomicBool) -> Result<ExitCode, Failure> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(Failure::runtime)?;
    let served = runtime.block_on(async {
        let (calls, mut ended) = mpsc::unbounded_channel();
        let closing = Arc::new(AtomicBool::new(false));
        let server =
            Server { place, measures: Arc::new(Mutex::new(())), closing: Arc::clone(&closing), calls };
        let signal = async {
            while !interrupted.load(Ordering::Relaxed) {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        let serving = async {
            match server.serve(rmcp::transport::stdio()).await {
                Ok(service) => service.waiting().await.map(drop).map_err(Failure::runtime),
                Err(error) => Err(Failure::Runtime(format!("no client of MCP on standard input: {error}"))),
            }
        };
        let served = tokio::select! {
            served = serving => served,
            () = signal => Ok(()),
        };
        closing.store(true, Ordering::Relaxed);
        // Each call keeps a sender: there are none left when all have ended.
        while ended.recv().await.is_some() {}
        served
    });
    // A thread may still wait for standard input.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

struct Server {
    place: Place,
    /// Held by the call that measures.
    measures: Arc<Mutex<()>>,
    /// Ends every call.
    closing: Arc<AtomicBool>,
    calls: UnboundedSender<()>,
}

/// Raises the flag when the request ends, also if the SDK drops it.
struct Cancellation(Arc<AtomicBool>);

impl Drop for Cancellation {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Server {
    /// The result of a call, or one line.
    async fn result(
        &self,
        tool: &Tool,
        input: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<Outcome, String> {
        let in_words = |failure: Failure| failure.to_string().trim_start_matches("syncline: ").to_owned();
        let _measuring = match tool.effect {
            Effect::Reads => None,
            Effect::Measures => Some(Arc::clone(&self.measures).try_lock_owned().map_err(|_| {
                "another call measures, and two would measure each other: wait for it or cancel it".to_owned()
            })?),
        };
        let words = tool.words(input, &self.place).map_err(in_words)?;
        let (steps, mut received) = mpsc::unbounded_channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let cancellation = Cancellation(Arc::clone(&cancelled));
        let mut done = self.begin(words, cancelled, steps);
        let ended = tokio::select! {
            ended = progress(&mut done, &mut received, context) => ended,
            () = context.ct.cancelled() => {
                cancellation.0.store(true, Ordering::Relaxed);
                done.await
            }
        };
        let ended = ended.map_err(|_| "the call was lost".to_owned())?.map_err(in_words)?;
        Outcome::of(ended, self.place.bounds, tool.next)
    }

    /// Starts the command in a thread of its own, which lives as long as the command does.
    fn begin(
        &self,
        words: Vec<OsString>,
        cancelled: Arc<AtomicBool>,
        steps: UnboundedSender<Step>,
    ) -> oneshot::Receiver<Result<Ended, Failure>> {
        let (send, done) = oneshot::channel();
        let (place, closing, calls) = (self.place.clone(), Arc::clone(&self.closing), self.calls.clone());
        std::thread::spawn(move || {
            let is_over = || cancelled.load(Ordering::Relaxed) || closing.load(Ordering::Relaxed);
            let ended = conduct(&words, place.root.path(), place.bounds, &is_over, |step| {
                // Nobody may listen any more.
                let _ = steps.send(step);
            });
            let _ = send.send(ended);
            drop(calls);
        });
        done
    }
}

/// Passes steps on until the call has ended.
async fn progress<T>(
    done: &mut oneshot::Receiver<T>,
    steps: &mut UnboundedReceiver<Step>,
    context: &RequestContext<RoleServer>,
) -> Result<T, oneshot::error::RecvError> {
    let mut so_far = SoFar::default();
    loop {
        tokio::select! {
            biased;
            Some(step) = steps.recv() => {
                let Some(token) = context.meta.get_progress_token() else { continue };
                let Some((progress, total)) = so_far.after(&step) else { continue };
                let param = ProgressNotificationParam::new(token, progress).with_total(total).with_message(step.now);
                // A client that is gone ends the call elsewhere.
                let _ = context.peer.notify_progress(param).await;
            }
            ended = &mut *done => return ended,
        }
    }
}

/// The progress of a call: the protocol wants it to increase, and a proof begins again with each of its stages.
#[derive(Debug, Default)]
struct SoFar {
    /// What the stages before had.
    before: f64,
    last: Option<f64>,
}

impl SoFar {
    /// The progress and the total after a step; `None` if it is not further than the one before.
    fn after(&mut self, step: &Step) -> Option<(f64, f64)> {
        if self.last.is_some_and(|last| self.before + step.done < last) {
            self.before = self.last.unwrap_or(0.0);
        }
        let progress = self.before + step.done;
        let is_further = self.last.is_none_or(|last| progress > last);
        self.last = Some(progress);
        is_further.then_some((progress, self.before + step.total))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("syncline", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let output = schema_for_output::<Outcome>();
        let described = |tool: &Tool| {
            let annotations = ToolAnnotations::new().destructive(false).open_world(false);
            model::Tool::new(tool.name, tool.description, (tool.schema)())
                .with_raw_output_schema(Arc::clone(&output))
                .with_annotations(annotations)
        };
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            return Err(ErrorData::method_not_found::<CallToolRequestMethod>());
        };
        let refused = |why: String| CallToolResult::error(vec![ContentBlock::text(why)]);
        let result = match self.result(tool, request.arguments.unwrap_or_default(), &context).await {
            Ok(outcome) => serde_json::to_value(outcome)
                .map_or_else(|why| refused(why.to_string()), CallToolResult::structured),
            Err(why) => refused(why),
        };
        Ok(result.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_increases_over_stages() {
        let mut so_far = SoFar::default();
        let steps = [(0.0, 4.0), (2.0, 4.0), (2.0, 4.0), (4.0, 4.0), (0.0, 10.0), (1.0, 10.0), (5.0, 12.0)];
        let told: Vec<(f64, f64)> = steps
            .iter()
            .filter_map(|(done, total)| {
                so_far.after(&Step { done: *done, total: *total, now: String::new() })
            })
            .collect();
        assert_eq!(told, [(0.0, 4.0), (2.0, 4.0), (4.0, 4.0), (5.0, 14.0), (9.0, 16.0)]);
    }
}
