import type { Store } from '../credentials/store.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Output } from '../terminal/output.ts';
import type { Sources } from '../terminal/sources.ts';
import type { Argument } from './command.ts';
import type { Option } from './options.ts';

/** One flag or argument as it was typed. */
export interface Given {
  by: Option | Argument;
  /** Its name in messages: `--status`, or `TODO`. */
  shown: string;
  /** The value as typed; undefined for a flag that takes none. */
  text: string | undefined;
}

/** The client's own flags, by name: true, or the value. */
export type General = ReadonlyMap<string, string | true>;

/** A command line after parsing. */
export interface Parsed {
  given: readonly Given[];
  general: General;
}

/** What a command gets from the process: streams, stored credentials, the clock. */
export interface Context {
  catalogue: Catalogue;
  environment: Readonly<Record<string, string | undefined>>;
  out: Output;
  err: Output;
  sources: Sources;
  store: Store;
  /** Path of the file that runs; undefined where there is none. */
  program: string | undefined;
  now: Date;
}
