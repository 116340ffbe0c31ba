import { readFileSync } from 'node:fs';

/** A page of web/pages.json: the one table of addresses, for the service and for the pages themselves. */
export interface PageEntry {
  /** What is around it; the code of that is loaded with it. */
  layout: 'bare' | 'app' | 'work' | 'settings';
  addresses: string[];
  /** The chunk of web/vite.config.ts that has its code together with other code; without it, the page is a chunk. */
  chunk?: string;
  /** An app that asks for consent may open it in a window of its own, and must find that window again. */
  openedByApps?: boolean;
  usesMicrophone?: boolean;
}

/** An address that is a page. Every other one stays the API's. */
export interface PageAddress extends PageEntry {
  /** The file of its code, without ending, in web/src/. */
  name: string;
  path: string;
}

const table = JSON.parse(readFileSync(new URL('../../web/pages.json', import.meta.url), 'utf8')) as Record<
  string,
  PageEntry
>;

/** All addresses of pages, in the order of the table. */
export const pageAddresses: readonly PageAddress[] = Object.entries(table).flatMap(([name, page]) =>
  page.addresses.map((path) => ({ ...page, name, path })),
);
