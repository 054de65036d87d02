//! Orders to the browser: the DevTools protocol, JSON over a websocket on this machine.

use serde_json::{Value, json};
use std::net::TcpStream;
use std::time::Duration;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

/// How long an answer may take: that of a long GIF on a slow machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Pixels of the page for one of the picture, along each side: edges are smooth then.
const SCALE: u32 = 2;

/// A page of the browser.
pub(super) struct Page {
    socket: WebSocket<TcpStream>,
    /// The number of the last order.
    last: u64,
    session: Option<String>,
    /// Events that came while an answer was waited for.
    events: Vec<String>,
}

impl Page {
    /// Opens a page of a size in pixels, and waits until it has loaded. Fails with a reason.
    pub(super) fn open(browser: &str, url: &str, size: [u32; 2]) -> Result<Self, String> {
        let place = browser.strip_prefix("ws://").unwrap_or(browser);
        let (host, _) = place.split_once('/').unwrap_or((place, ""));
        let stream = TcpStream::connect(host).map_err(|error| error.to_string())?;
        let timed = stream.set_read_timeout(Some(PATIENCE));
        timed.map_err(|error| error.to_string())?;
        // Pictures come in one message, as large as they are.
        let config = WebSocketConfig::default()
            .max_message_size(None)
            .max_frame_size(None);
        let (socket, _) = tungstenite::client::client_with_config(browser, stream, Some(config))
            .map_err(|error| error.to_string())?;
        let mut page = Self {
            socket,
            last: 0,
            session: None,
            events: Vec::new(),
        };
        let target = page.order("Target.createTarget", json!({ "url": "about:blank" }))?;
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = page.order("Target.attachToTarget", target)?;
        page.session = attached["sessionId"].as_str().map(str::to_owned);
        let [width, height] = size;
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": SCALE, "mobile": false,
        });
        page.order("Emulation.setDeviceMetricsOverride", metrics)?;
        page.order("Page.enable", json!({}))?;
        let gone = page.order("Page.navigate", json!({ "url": url }))?;
        if let Some(reason) = gone["errorText"].as_str() {
            return Err(format!("the page does not load: {reason}"));
        }
        while !page.events.iter().any(|it| it == "Page.loadEventFired") {
            page.hear()?;
        }
        Ok(page)
    }

    /// The text that a script of the page comes to. Fails with what it throws.
    pub(super) fn evaluate(&mut self, script: &str) -> Result<String, String> {
        let order = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let answer = self.order("Runtime.evaluate", order)?;
        if let Some(thrown) = answer.get("exceptionDetails") {
            let text = &thrown["exception"]["description"];
            let text = text.as_str().or(thrown["text"].as_str());
            // The first line is the message, without the lines of the script.
            let text = text.and_then(|it| it.lines().next()).unwrap_or("it failed");
            return Err(text.trim_start_matches("Error: ").to_owned());
        }
        let text = answer["result"]["value"].as_str();
        text.map(str::to_owned)
            .ok_or_else(|| "it gives no picture".to_owned())
    }

    /// Ends the browser.
    pub(super) fn close(mut self) {
        self.session = None;
        // One that has ended already needs no end.
        let _ = self.order("Browser.close", json!({}));
    }

    /// Gives an order, and waits for its answer.
    fn order(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.last += 1;
        let mut order = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            order["sessionId"] = json!(session);
        }
        let sent = self.socket.send(Message::text(order.to_string()));
        sent.map_err(|error| error.to_string())?;
        loop {
            let mut message = self.hear()?;
            if message["id"] == self.last {
                let error = message["error"]["message"].as_str();
                return match error {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(message["result"].take()),
                };
            }
        }
    }

    /// The next message; events are kept by their names.
    fn hear(&mut self) -> Result<Value, String> {
        loop {
            let message = self.socket.read().map_err(|error| error.to_string())?;
            if let Message::Text(text) = message {
                let message: Value =
                    serde_json::from_str(text.as_str()).map_err(|error| error.to_string())?;
                if let Some(event) = message["method"].as_str() {
                    self.events.push(event.to_owned());
                }
                return Ok(message);
            }
        }
    }
}
