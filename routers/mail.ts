/** A letter in plain text. */
export interface Letter {
  to: string;
  subject: string;
  text: string;
}

/** Takes letters to be sent. Never throws and never waits: a letter that cannot go out is logged. */
export interface Mailer {
  post(letter: Letter): void;
  /** A letter could not be written: logged, told to nobody. */
  failed(error: unknown): void;
}
