//! Why a store failed a request, in one line with the remedy. The words are Syncline's, because a store's own may
//! repeat keys and signatures.

use super::journal::{Cause, Journal, innermost};
use crate::ObjectError;

/// A request that failed in the end, after its repetitions.
#[derive(Debug)]
pub(super) struct Refusal {
    why: String,
}

impl Refusal {
    /// From what the client says and the journal holds.
    pub(super) fn new(error: &object_store::Error, journal: &Journal, can_sign: bool) -> Self {
        let unsigned = if can_sign { "" } else { WITHOUT_CREDENTIALS };
        let why = match journal.take_cause() {
            Some(Cause::Refused(code)) => format!("{}{unsigned}", meaning(&code)),
            Some(Cause::Failed(error)) => format!(
                "the store does not answer: {error}; check its address (AWS_ENDPOINT_URL, or endpoints) and the \
                 network{unsigned}"
            ),
            Some(Cause::NoRole(why)) => format!("{NO_CREDENTIALS}: {why}"),
            Some(Cause::TooLong) => {
                "an answer is longer than any of S3: check that its address (AWS_ENDPOINT_URL, or endpoints) is a \
                 store's"
                    .to_owned()
            }
            None => match error {
                object_store::Error::NotFound { .. } => meaning("NoSuchKey"),
                other => format!("{}{}", innermost(other), unsigned),
            },
        };
        Self { why }
    }

    pub(super) fn why(&self) -> &str {
        &self.why
    }

    /// As an error about a place.
    pub(super) fn on(self, place: String, operation: &'static str) -> ObjectError {
        ObjectError::Refused { place, operation, why: self.why }
    }
}

/// What an S3 error code means for the user of a scan.
fn meaning(code: &str) -> String {
    let words = match code {
        "NoSuchBucket" => "the bucket does not exist: check its name in target, or create it",
        "NoSuchKey" | "404" => "the object has disappeared since the bucket was listed",
        "InvalidAccessKeyId"
        | "XAdminUserNotFound"
        | "SignatureDoesNotMatch"
        | "InvalidToken"
        | "ExpiredToken"
        | "401" => {
            "the store does not accept the credentials: check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and \
             AWS_SESSION_TOKEN"
        }
        "AccessDenied" | "403" => {
            "these credentials do not allow that: ask the owner of the bucket, or use others"
        }
        "RequestTimeTooSkewed" | "RequestExpired" => {
            "this machine's clock is too far from the store's: set it (NTP), signatures depend on it"
        }
        "InvalidRange" => "the object is shorter than when it was listed",
        "PermanentRedirect" | "AuthorizationHeaderMalformed" | "IncorrectEndpoint" => {
            "the bucket is in another region: set AWS_REGION"
        }
        "SlowDown" | "ServiceUnavailable" | "503" | "429" => "the store stayed overloaded",
        "InternalError" | "500" | "502" | "504" => "the store kept failing",
        _ => return format!("the store answers {code}"),
    };
    format!("{words} ({code})")
}

/// Neither the settings nor the machine can sign a request. What the role's service answered follows.
const NO_CREDENTIALS: &str = "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; Syncline looks for these, for \
     AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN, for AWS_CONTAINER_CREDENTIALS_*, and requests the instance's role \
     (AWS_METADATA_ENDPOINT, else 169.254.169.254), which has none";

/// A hint if nothing in the settings can sign a request.
const WITHOUT_CREDENTIALS: &str =
    "; the environment has no AWS_ACCESS_KEY_ID, so Syncline requested the instance's own role";
