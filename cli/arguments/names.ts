import { isImplied } from '../commands/command.ts';
import { namedThings } from '../commands/spelling.ts';
import { isForPeople } from '../credentials/connection.ts';
import type { Catalogue, CatalogueOperation } from '../model/catalogue.ts';
import { Refused, usage } from '../model/failure.ts';
import type { Calls } from '../service/calls.ts';
import { oneLine } from '../terminal/safe.ts';
import { isIdPrefix, type Titled, TitledSearch, titledListOf } from './titled.ts';
import { isId } from './values.ts';

interface Named {
  id: string;
  name: string;
  isArchived?: boolean;
}

interface Page {
  data: Named[];
  nextCursor: string | null;
}

type Ids = Readonly<Record<string, string>>;

/** `todoListId` → `todo_list`. */
function typeOf(field: string): string {
  return field.replace(/Id$/, '').replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

/** Types of the things that a field, or one element of a list, refers to. */
function typesOf(field: string): readonly string[] {
  return namedThings[field] ?? namedThings[`${field}s`] ?? [typeOf(field)];
}

/** Operations that list resources of a type with their names. */
function listsOf(catalogue: Catalogue, type: string): CatalogueOperation[] {
  return catalogue.operations.filter(
    ({ method, answer: { isList, object, fields } }) =>
      method === 'GET' && isList && object === type && fields.includes('name'),
  );
}

/** Whether a name may stand for an id in this field. */
export function takesNames(catalogue: Catalogue, field: string): boolean {
  return typesOf(field).some((type) => listsOf(catalogue, type).length > 0);
}

/** Whether a title or the start of an id may stand for an id in this field. */
export function takesTitles(catalogue: Catalogue, field: string): boolean {
  return typesOf(field).some((type) => titledListOf(catalogue, type) !== undefined);
}

/**
 * Resources with this name, else those whose id starts with the text: active before archived, exact before
 * case-insensitive.
 */
function matchesOf(text: string, found: readonly Named[]): Named[] {
  const active = found.filter(({ isArchived }) => !isArchived);
  const archived = found.filter(({ isArchived }) => isArchived);
  const matches = [active, archived].flatMap((each) => [
    each.filter(({ name }) => name === text),
    each.filter(({ name }) => name.toLowerCase() === text.toLowerCase()),
  ]);
  if (isIdPrefix(text)) matches.push(found.filter(({ id }) => id.startsWith(text.toLowerCase())));
  return matches.find(({ length }) => length > 0) ?? [];
}

const shownNames = (found: readonly Named[]) =>
  found
    .filter(({ isArchived }) => !isArchived)
    .slice(0, 20)
    .map(({ name }) => name);

/** Resolves names to ids: exact matches first, then case-insensitive. */
export class Names {
  readonly #calls: Calls;
  readonly #catalogue: Catalogue;
  readonly #now: Date;
  readonly #read = new Map<string, Promise<Named[]>>();
  /** The refusal of a session that has ended. */
  #ended: Refused | undefined;

  constructor(calls: Calls, { catalogue, now }: { catalogue: Catalogue; now: Date }) {
    this.#now = now;
    this.#calls = calls;
    this.#catalogue = catalogue;
  }

  /** Workspace and user of the credential that an operation is sent with. */
  async identity(as?: CatalogueOperation): Promise<{ workspaceId: string; userId: string }> {
    const operation = this.#catalogue.operations.find(({ answer }) => answer.object === 'identity');
    if (!operation) throw usage('This service has no operation that returns your identity: give the id.');
    const { body } = await this.#calls.send(operation, { as });
    const { workspace, user } = body as { workspace: { id: string }; user: { id: string } };
    return { workspaceId: workspace.id, userId: user.id };
  }

  /** Resources of a type, from the list that needs no ids beyond `path`; undefined where no list can be called. */
  async #listFor(type: string, path: Ids): Promise<Named[] | undefined> {
    const needs = ({ pathFields, queryFields }: CatalogueOperation) =>
      [...pathFields, ...queryFields].filter(({ isRequired }) => isRequired).map(({ name }) => name);
    const isKnown = (name: string) => path[name] !== undefined || isImplied({ name });
    const lists = listsOf(this.#catalogue, type).filter((each) => needs(each).every(isKnown));
    const [operation] = lists.sort((a, b) => b.pathFields.length - a.pathFields.length);
    if (!operation || !this.#calls.canCall(operation)) return undefined;
    const isOpen = needs(operation).every((name) => path[name] !== undefined);
    try {
      const ids = isOpen ? path : { ...path, workspaceId: (await this.identity(operation)).workspaceId };
      const known = this.#read.get(operation.id) ?? this.#list(operation, ids);
      this.#read.set(operation.id, known);
      return await known;
    } catch (error) {
      const hasEnded = error instanceof Refused && error.status === 401 && isForPeople(operation.access);
      if (!hasEnded) throw error;
      // The session beside a key has ended: what the key lists may do.
      this.#ended = error;
      return undefined;
    }
  }

  /** All pages of a list, archived resources included. */
  async #list(operation: CatalogueOperation, ids: Ids): Promise<Named[]> {
    const takes = (name: string) => operation.queryFields.some((field) => field.name === name);
    const asked = Object.entries(ids).filter(([name]) => takes(name) && isImplied({ name }));
    const query = { ...Object.fromEntries(asked), ...(takes('includeArchived') && { includeArchived: 'true' }) };
    const found: Named[] = [];
    let cursor: string | null = null;
    do {
      const more: Ids = cursor === null ? query : { ...query, cursor };
      const page = (await this.#calls.send(operation, { path: ids, query: more })).body as Page;
      found.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return found;
  }

  /**
   * The resource of a type that a title or the start of an id stands for; `prefers` decides between several.
   * @throws CliFailure 2 when several match, listing them; 4 when none does.
   */
  async titled(type: string, text: string, shown: string, prefers = (_: Titled) => true): Promise<Titled> {
    const operation = titledListOf(this.#catalogue, type);
    if (!operation || !this.#calls.canCall(operation)) throw usage(`${shown} must be an id (a UUID); it is “${text}”.`);
    return new TitledSearch(this.#calls, operation).find(text, shown, this.#now, prefers);
  }

  /**
   * The id for a text in `field`: the text itself when it is an id. `only` restricts the type; `path` holds the ids
   * known so far. @throws CliFailure 2 when no resource or several have the name, listing the candidates.
   */
  async idOf(
    text: string,
    { field, shown, only, path = {} }: { field: string; shown: string; only?: string; path?: Ids },
  ): Promise<string> {
    if (isId(text)) return text;
    const types = only === undefined ? typesOf(field) : [only];
    if (text === 'me' && types.some((type) => type === 'member' || type === 'user')) {
      return (await this.identity()).userId;
    }
    const titledType = types.find((type) => titledListOf(this.#catalogue, type));
    if (titledType !== undefined) return (await this.titled(titledType, text, shown)).id;
    const lists = await Promise.all(types.map((type) => this.#listFor(type, path)));
    if (lists.every((each) => each === undefined)) {
      throw this.#ended ?? usage(`${shown} must be an id (a UUID); it is “${text}”.`);
    }
    const found = lists.flatMap((each) => each ?? []);
    const [first, ...others] = matchesOf(text, found);
    if (first && others.length === 0) return first.id;
    if (first) {
      const lines = [first, ...others].map(({ id, name }) => `  ${id}  ${oneLine(name)}`);
      throw usage(`${shown}: the name “${text}” is not unique. Give one of these ids:`, ...lines);
    }
    const names = shownNames(found);
    const known = names.length > 0 ? [`Known: ${names.map(oneLine).join(', ')}.`] : [];
    const session = lists.includes(undefined) ? ['Names of members need a session: tandem login --email.'] : [];
    throw usage(`${shown}: nothing has the name “${text}”. Give a name or an id.`, ...known, ...session);
  }
}
