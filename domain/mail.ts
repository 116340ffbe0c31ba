/** An email in plain text. */
export interface Email {
  /** For the log, such as `invitation`: the rest of an email is what people wrote. */
  kind?: string;
  to: string;
  subject: string;
  text: string;
}

/** An email that is stored until it was sent: it may be sent twice, with the same id. */
export interface QueuedEmail extends Email {
  /** The same at every try. The `Message-ID` is made of it, so that mail servers can drop a second copy. */
  id: string;
  /** Where the reader can switch such emails off (RFC 2369); missing where they cannot. */
  unsubscribeUrl?: string;
}

/**
 * Sends emails in the background. Never throws and never blocks: an email that cannot be sent, also at further tries,
 * is logged.
 */
export interface Mailer {
  /** False where no mail server is configured: optional emails are not made there. */
  readonly sends: boolean;
  post(email: Email): void;
  /** Logs that an email could not be made. The caller of the operation is not informed. */
  failed(error: unknown): void;
}
