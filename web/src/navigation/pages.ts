import type { ComponentType } from 'react';
import { matchPath } from 'react-router';
import table from '../../pages.json' with { type: 'json' };

/*
 * The code of the pages, in chunks. web/pages.json is the one table of their addresses and layouts; the service reads
 * it too (adapters/pages/table.ts).
 */

export type PageName = keyof typeof table;
export type LayoutName = 'bare' | 'app' | 'work' | 'settings';
type Load = () => Promise<ComponentType>;

/** A chunk could not be loaded: no connection, or a newer build of the pages has replaced it. */
export class ChunkError extends Error {}

/** Code that is loaded when it is needed. */
export interface Chunk {
  /** The component; undefined until it is loaded. */
  readonly component: ComponentType | undefined;
  /**
   * Returns the same promise until `start` is called, so that a page that could not be loaded is not tried again and
   * again.
   */
  load(): Promise<ComponentType>;
  /** Starts to load; again if it failed before. */
  start(): Promise<ComponentType>;
}

/** A chunk with the component that `load` returns. */
export function chunk(load: Load): Chunk {
  let component: ComponentType | undefined;
  let loading: Promise<ComponentType> | undefined;
  let hasFailed = false;
  const begin = () => {
    hasFailed = false;
    loading = load().then(
      (loaded) => {
        component = loaded;
        return loaded;
      },
      (cause: unknown) => {
        hasFailed = true;
        throw new ChunkError('The code of the page could not be loaded.', { cause });
      },
    );
    // Whoever shows the page handles it; a page that was only started early is nobody's.
    loading.catch(() => {});
    return loading;
  };
  return {
    get component() {
      return component;
    },
    load: () => loading ?? begin(),
    start: () => (loading && !hasFailed ? loading : begin()),
  };
}

/** A page and what its address names. */
export interface FoundPage {
  name: PageName;
  layout: LayoutName;
  params: Readonly<Record<string, string | undefined>>;
}

/** All addresses, those without parameters first: `/captures/new` is not a capture. */
const addresses = Object.entries(table)
  .flatMap(([name, { addresses, layout }]) =>
    addresses.map((address) => ({ address, name: name as PageName, layout: layout as LayoutName })),
  )
  .sort((a, b) => Number(a.address.includes(':')) - Number(b.address.includes(':')));

/** The page at a path; undefined when there is none. */
export function pageAt(pathname: string): FoundPage | undefined {
  for (const { address, name, layout } of addresses) {
    const match = matchPath(address, pathname);
    if (match) return { name, layout, params: match.params };
  }
  return undefined;
}
