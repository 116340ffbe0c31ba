/** A letter in plain text. */
export interface Letter {
  to: string;
  subject: string;
  text: string;
}

/** A letter that is kept until it went out: it may be sent twice, as the same one. */
export interface KeptLetter extends Letter {
  /** The same at every try; its `Message-ID` is made of it, so that mail servers can drop a second copy. */
  id: string;
  /** Where the reader can switch such letters off (RFC 2369). */
  unsubscribeUrl: string;
}

/** Takes letters to be sent. Never throws and never waits: a letter that cannot go out is logged. */
export interface Mailer {
  /** Letters really go out; where they do not, those that can be done without are not made. */
  readonly sends: boolean;
  post(letter: Letter): void;
  /** A letter could not be written: logged, told to nobody. */
  failed(error: unknown): void;
}
