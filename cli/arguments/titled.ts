import type { Catalogue, CatalogueOperation } from '../model/catalogue.ts';
import { CliFailure, exitCodes, usage } from '../model/failure.ts';
import type { Calls } from '../service/calls.ts';
import { oneLine } from '../terminal/safe.ts';

/*
 * Resources that are named by their title, or by the start of their id: todos, chats and captures. There may be many,
 * so they are searched for instead of listed.
 */

/** A resource that a text may stand for. */
export interface Titled {
  id: string;
  title: string | null;
  isArchived: boolean;
  createdAt: string;
  status?: string;
}

interface Page {
  data: Titled[];
  nextCursor: string | null;
}

interface Found {
  found: Titled[];
  /** Whether every resource that may match was read. */
  isComplete: boolean;
}

type Query = Readonly<Record<string, string>>;

/** Pages of 100 that one search may read. */
const maxPages = 10;
/** Candidates that an error shows. */
const maxShown = 10;
/** Difference between the time in an id of the service and `createdAt`, in ms. */
const clockDifferenceMs = 10 * 60_000;
/** Of the `query` parameter. */
const maxQueryLength = 200;

const idPattern = '00000000-0000-0000-0000-000000000000';

/** The operation that lists resources of a type by title; undefined when they have none. */
export function titledListOf({ operations }: Catalogue, type: string): CatalogueOperation | undefined {
  return operations.find(
    ({ method, pathFields, queryFields, answer: { isList, object, fields } }) =>
      method === 'GET' &&
      isList &&
      object === type &&
      fields.includes('title') &&
      pathFields.length === 0 &&
      queryFields.some(({ name }) => name === 'query'),
  );
}

/** Whether a text may be the start of an id: at least four characters. */
export function isIdPrefix(text: string): boolean {
  const fits = (character: string, index: number) =>
    idPattern[index] === '-' ? character === '-' : /[0-9a-f]/i.test(character);
  return text.length >= 4 && text.length < idPattern.length && [...text].every(fits);
}

/** The times, in ms, that ids with this start contain (UUID version 7, RFC 9562 §5.7). */
function timesOf(prefix: string): { from: number; to: number } {
  const digits = prefix.replaceAll('-', '').slice(0, 12);
  return { from: Number.parseInt(digits.padEnd(12, '0'), 16), to: Number.parseInt(digits.padEnd(12, 'f'), 16) };
}

/** Resources whose id starts with a text, in a list that is limited to the time of such ids where it can be. */
function prefixQuery({ queryFields }: CatalogueOperation, prefix: string, now: Date): Query | undefined {
  const { from, to } = timesOf(prefix);
  if (from > now.getTime() + clockDifferenceMs) return undefined;
  const after = new Date(Math.max(0, from - clockDifferenceMs)).toISOString();
  const before = new Date(Math.min(to, now.getTime()) + 2 * clockDifferenceMs).toISOString();
  const wanted = { createdSince: after, createdAfter: after, createdBefore: before, sort: 'createdAt', order: 'asc' };
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => queryFields.some((each) => each.name === name)));
}

/** Searches lists of titled resources. */
export class TitledSearch {
  readonly #calls: Calls;
  readonly #operation: CatalogueOperation;

  constructor(calls: Calls, operation: CatalogueOperation) {
    this.#calls = calls;
    this.#operation = operation;
  }

  /**
   * The resources of a list that match. `isPast`: once one is found, neither this one nor a later one has to be read.
   */
  async #search(
    query: Query,
    matches: (each: Titled) => boolean,
    isPast: (each: Titled) => boolean = () => false,
  ): Promise<Found> {
    const found: Titled[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < maxPages; pages++) {
      const more: Query = { ...query, limit: '100', ...(cursor !== null && { cursor }) };
      const { data, nextCursor } = (await this.#calls.send(this.#operation, { query: more })).body as Page;
      found.push(...data.filter(matches));
      cursor = nextCursor;
      if (cursor === null || (found.length > 0 && data.some(isPast))) return { found, isComplete: true };
      if (found.length > maxShown) break;
    }
    return { found, isComplete: false };
  }

  async #byPrefix(text: string, now: Date, archived: Query): Promise<Found> {
    const prefix = text.toLowerCase();
    const query = isIdPrefix(text) ? prefixQuery(this.#operation, prefix, now) : undefined;
    if (!query) return { found: [], isComplete: true };
    // The id of a todo that was made offline, or by a program, is older than the todo.
    const end = timesOf(prefix).to + clockDifferenceMs;
    const isPast = ({ createdAt }: Titled) => query.order === 'asc' && Date.parse(createdAt) > end;
    return this.#search({ ...query, ...archived }, ({ id }) => id.startsWith(prefix), isPast);
  }

  /** Resources with this title; else, ignoring case. */
  async #byTitle(text: string, archived: Query): Promise<Found> {
    const title = text.trim().toLowerCase();
    const words = title.length > maxQueryLength ? title.slice(0, maxQueryLength).replace(/\s\S*$/, '') : title;
    if (words === '') return { found: [], isComplete: true };
    const isNamed = (each: Titled) => each.title?.trim().toLowerCase() === title;
    const { found, isComplete } = await this.#search({ query: words, ...archived }, isNamed);
    const exact = found.filter((each) => each.title === text);
    return { found: exact.length > 0 ? exact : found, isComplete };
  }

  /**
   * Active or archived resources that a text stands for. @throws CliFailure 2 when more could match than can be read.
   */
  async #candidates(text: string, shown: string, now: Date, archived: Query): Promise<Titled[]> {
    const byPrefix = await this.#byPrefix(text, now, archived);
    const byTitle = await this.#byTitle(text, archived);
    const all = [...byPrefix.found, ...byTitle.found];
    if (!byTitle.isComplete && all.length < 2) {
      const message = `${shown}: too many resources contain the words of “${oneLine(text)}” to find all with this title.`;
      throw usage(message, 'Give the id.', ...all.map(({ id }) => `  ${id}`));
    }
    // One that is archived may be found where the active ones are too many.
    const isLast = all.length > 0 || archived.includeArchived !== undefined;
    if (!byPrefix.isComplete && all.length < 2 && byTitle.found.length === 0 && isLast) {
      throw usage(`${shown}: too many ids to find one that starts with “${text}”. Give the whole id.`);
    }
    return [...new Map(all.map((each) => [each.id, each])).values()];
  }

  /**
   * The one resource that a text stands for: the start of its id, or its title. Active ones are preferred to archived
   * ones, and those that `prefers` accepts to others.
   * @throws CliFailure 2 listing the candidates when there are several; 4 when there is none.
   */
  async find(text: string, shown: string, now: Date, prefers: (each: Titled) => boolean = () => true): Promise<Titled> {
    let found = await this.#candidates(text, shown, now, {});
    if (found.length === 0) found = await this.#candidates(text, shown, now, { includeArchived: 'true' });
    const preferred = found.filter(prefers);
    const candidates = preferred.length > 0 ? preferred : found;
    const [first, ...others] = candidates;
    if (!first) {
      const message = `${shown}: nothing has the title “${oneLine(text)}”, or an id that starts with it.`;
      throw new CliFailure(exitCodes.notFound, message, ['Give a title, the start of an id, or an id.']);
    }
    if (others.length === 0) return first;
    const lines = candidates.slice(0, maxShown).map((each) => {
      const state = each.isArchived ? 'archived' : (each.status ?? '');
      return `  ${each.id}  ${oneLine(each.title ?? '')}${state && `  (${oneLine(state)})`}`;
    });
    const more = candidates.length > maxShown ? ['  …'] : [];
    throw usage(`${shown}: “${oneLine(text)}” matches several. Give the id of one of them:`, ...lines, ...more);
  }
}
