import type { Catalogue, CatalogueOperation } from '../catalogue.ts';
import { isImplied } from '../commands/command.ts';
import { namedThings } from '../commands/spelling.ts';
import { usage } from '../failure.ts';
import type { Calls } from '../service/calls.ts';
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
  return field.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Types of the things that a field refers to. */
function typesOf(field: string): readonly string[] {
  return namedThings[field] ?? [typeOf(field)];
}

/** The operations that list things of a type with their names. */
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

/** Those of a name: active ones first, then exact ones, then ignoring case. */
function called(text: string, found: readonly Named[]): Named[] {
  const active = found.filter(({ isArchived }) => !isArchived);
  const archived = found.filter(({ isArchived }) => isArchived);
  const matches = [active, archived].flatMap((each) => [
    each.filter(({ name }) => name === text),
    each.filter(({ name }) => name.toLowerCase() === text.toLowerCase()),
  ]);
  return matches.find(({ length }) => length > 0) ?? [];
}

const shownNames = (found: readonly Named[]) =>
  found
    .filter(({ isArchived }) => !isArchived)
    .slice(0, 20)
    .map(({ name }) => name);

/** Finds ids by names: exact ones first, then ignoring case. */
export class Names {
  readonly #calls: Calls;
  readonly #catalogue: Catalogue;
  readonly #read = new Map<string, Promise<Named[]>>();

  constructor(calls: Calls, catalogue: Catalogue) {
    this.#calls = calls;
    this.#catalogue = catalogue;
  }

  /** What the credential of an operation opens, and whose it is. */
  async identity(as?: CatalogueOperation): Promise<{ workspaceId: string; userId: string }> {
    const operation = this.#catalogue.operations.find(({ answer }) => answer.object === 'identity');
    if (!operation) throw usage('This service does not tell who you are: give the id.');
    const { body } = await this.#calls.send(operation, { as });
    const { workspace, user } = body as { workspace: { id: string }; user: { id: string } };
    return { workspaceId: workspace.id, userId: user.id };
  }

  /** The things of a type, listed by what needs no more ids than `path` has; undefined where nothing may list them. */
  async #listFor(type: string, path: Ids): Promise<Named[] | undefined> {
    const needs = ({ pathFields, queryFields }: CatalogueOperation) =>
      [...pathFields, ...queryFields].filter(({ isRequired }) => isRequired).map(({ name }) => name);
    const isKnown = (name: string) => path[name] !== undefined || isImplied({ name });
    const lists = listsOf(this.#catalogue, type).filter((each) => needs(each).every(isKnown));
    const [operation] = lists.sort((a, b) => b.pathFields.length - a.pathFields.length);
    if (!operation || !this.#calls.canCall(operation)) return undefined;
    const isOpen = needs(operation).every((name) => path[name] !== undefined);
    const ids = isOpen ? path : { ...path, workspaceId: (await this.identity(operation)).workspaceId };
    const known = this.#read.get(operation.id) ?? this.#list(operation, ids);
    this.#read.set(operation.id, known);
    return known;
  }

  /** All of a list, archived things too. */
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
   * The id that a text stands for in `field`: itself when it is one. `only` narrows it to one type, `path` holds the ids
   * that are known already. @throws CliFailure 2 when nothing or several have the name, with those that exist.
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
    const lists = await Promise.all(types.map((type) => this.#listFor(type, path)));
    if (lists.every((each) => each === undefined)) throw usage(`${shown} must be an id (a UUID); it is “${text}”.`);
    const found = lists.flatMap((each) => each ?? []);
    const [first, ...others] = called(text, found);
    if (first && others.length === 0) return first.id;
    if (first) {
      const lines = [first, ...others].map(({ id, name }) => `  ${id}  ${name}`);
      throw usage(`${shown}: several are called “${text}”. Give the id of one of them:`, ...lines);
    }
    const names = shownNames(found);
    const known = names.length > 0 ? [`Known: ${names.join(', ')}.`] : [];
    const session = lists.includes(undefined) ? ['The names of members are open to a session alone.'] : [];
    throw usage(`${shown}: nothing is called “${text}”. Give a name or an id.`, ...known, ...session);
  }
}
