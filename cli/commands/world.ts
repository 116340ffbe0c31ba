import type { Sources } from '../arguments/sources.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Store } from '../credentials/store.ts';
import type { Output } from '../output/terminal.ts';

/** What a command works with. */
export interface World {
  catalogue: Catalogue;
  environment: Readonly<Record<string, string | undefined>>;
  out: Output;
  err: Output;
  sources: Sources;
  store: Store;
  now: Date;
}
