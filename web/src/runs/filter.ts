import type { Run, RunListing } from './queries.ts';

/* The filter of the page of runs: the query of its address, under the names of REST's parameters (`GET /runs`). */

type Status = Run['status'];
type Trigger = Run['trigger'];

const statuses: readonly Status[] = ['running', 'completed', 'failed', 'timed_out', 'cancelled'];
const triggers: readonly Trigger[] = ['manual', 'create', 'assignment', 'schedule'];

/** What the address asks for; a name is missing where it says nothing. */
export interface RunFilter {
  status?: Status[];
  agentId?: string;
  trigger?: Trigger[];
  /** A date such as `2026-11-23`, in this browser's time zone, or an instant. */
  since?: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function several<Value extends string>(text: string | null, values: readonly Value[]): Value[] | undefined {
  const found = values.filter((each) => (text ?? '').split(',').includes(each));
  return found.length > 0 ? found : undefined;
}

/** The filter in the query of an address. Unknown names and values are dropped. */
export function runFilterIn(search: string): RunFilter {
  const given = new URLSearchParams(search);
  const status = several(given.get('status'), statuses);
  const trigger = several(given.get('trigger'), triggers);
  const agentId = given.get('agentId') ?? '';
  const since = given.get('since') ?? '';
  return {
    ...(status && { status }),
    ...(uuid.test(agentId) && { agentId }),
    ...(trigger && { trigger }),
    ...(/^\d{4}-\d\d-\d\d/.test(since) && !Number.isNaN(Date.parse(since)) && { since }),
  };
}

/** The query of an address with a filter: empty, or with the question mark. */
export function searchOfRuns(filter: RunFilter): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined && String(value) !== '');
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text.replaceAll('%2C', ',')}`;
}

/** What is read for a filter: without a status, the runs that have ended. */
export function runListingOf({ since, ...filter }: RunFilter): RunListing {
  const start = since === undefined ? undefined : new Date(since.length === 10 ? `${since}T00:00:00` : since);
  return {
    status: statuses.filter((each) => each !== 'running'),
    ...filter,
    ...(start && { since: start.toISOString() }),
  };
}

const minuteMs = 60_000;
const hourMinutes = 60;

/** How long a run took or takes, in words. `end` in milliseconds. */
export function durationWords(startedAt: string, end: number): string {
  const minutes = Math.floor(Math.max(0, end - Date.parse(startedAt)) / minuteMs);
  if (minutes < 1) return 'less than a minute';
  if (minutes < hourMinutes) return `${minutes} min`;
  const rest = minutes % hourMinutes;
  return `${Math.floor(minutes / hourMinutes)} h${rest === 0 ? '' : ` ${rest} min`}`;
}

/** Agent minutes in words: at most one decimal. */
export function minutesWords(minutesUsed: number): string {
  const shown = Math.round(minutesUsed * 10) / 10;
  return `${shown.toLocaleString('en')} agent ${shown === 1 ? 'minute' : 'minutes'}`;
}
