import table from '../../pages.json' with { type: 'json' };

/*
 * The first read of a window, started before the code that asks for it runs. It is the read that was the first one when
 * this page was opened the last time. Imported before anything else (main.tsx). An answer that arrives earlier has an
 * earlier position in the log, from which events are followed.
 */

const storedAs = 'tandem.firstReads';
const isOwn = (address: unknown): address is string => typeof address === 'string' && address.startsWith('/trpc/');

/** Pages of signed-in people, without those of one resource. What others read may have a token in its address. */
const pages: readonly string[] = Object.values(table)
  .filter(({ layout }) => layout === 'work' || layout === 'settings')
  .flatMap(({ addresses }) => addresses);

/** The page that the window was opened with; null where its address says more than that, and outside of a browser. */
const { pathname = '', search } = (globalThis as { location?: { pathname: string; search: string } }).location ?? {};
const opened = search === '' && pages.includes(pathname) ? pathname : null;

/** What was the first read of each page. */
function stored(): Record<string, unknown> {
  try {
    return JSON.parse(localStorage.getItem(storedAs) ?? '{}') as Record<string, unknown>;
  } catch {
    // Storage is disabled, or has something else.
    return {};
  }
}

function begin(): { address: string; answer: Promise<Response> } | null {
  const address = opened === null ? undefined : stored()[opened];
  if (!isOwn(address)) return null;
  const answer = fetch(address);
  // Whoever takes it sees the error.
  answer.catch(() => {});
  return { address, answer };
}

let begun = begin();
let isFirst = true;

/** The answer that was begun to an address of the service; null where it is another one, or not the first. */
export function firstRead(address: string): Promise<Response> | null {
  if (!isFirst) return null;
  isFirst = false;
  const answer = begun?.address === address ? begun.answer : null;
  begun = null;
  if (opened !== null && answer === null && isOwn(address)) {
    try {
      localStorage.setItem(storedAs, JSON.stringify({ ...stored(), [opened]: address }));
    } catch {
      // Storage is disabled: nothing is begun the next time.
    }
  }
  return answer;
}

/** Forgets what was read first, when a session ends. */
export function forgetFirstReads(): void {
  localStorage.removeItem(storedAs);
}
