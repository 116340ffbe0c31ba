import type { ToolAnswer, Tools } from './mcp-clients.ts';

/*
 * An agent without a model: it knows what it wants, and of the service only what `tools/list`, the results and the
 * error texts say. Whatever goes wrong it corrects by the same few rules, in which no tool and no mistake is named.
 */

type Json = Record<string, unknown>;

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire
type Any = any;

interface Refusal {
  message: string;
  param?: string;
  allowedValues?: string[];
  retryable: boolean;
}

/** A call that the agent gave up, as the error says it must. */
export class GaveUp extends Error {
  readonly refusal: Refusal & { code: string };

  constructor(tool: string, refusal: Refusal & { code: string }) {
    super(`${tool}: ${refusal.message}`);
    this.refusal = refusal;
  }
}

const maxTries = 5;

/** The steps of `assignees[0].id`. */
function stepsOf(param: string): string[] {
  return param.split(/[.[\]]+/).filter(Boolean);
}

function valueAt(input: unknown, steps: readonly string[]): unknown {
  return steps.reduce<Any>((each, step) => each?.[step], input);
}

/** The input with another value at `steps`; undefined takes the field away. */
function changed(input: Any, [step, ...rest]: readonly string[], value: unknown): Any {
  if (step === undefined) return value;
  if (Array.isArray(input))
    return input.map((each, place) => (place === Number(step) ? changed(each, rest, value) : each));
  const { [step]: old, ...others } = (input ?? {}) as Json;
  const now = changed(old, rest, value);
  return now === undefined ? others : { ...others, [step]: now };
}

/** How many characters two words have in common at their beginning. */
function likeness(one: string, two: string): number {
  const [a, b] = [one.toLowerCase(), two.toLowerCase()];
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return same;
}

/** A text as the kind of value that the schema asks for. */
function asKind(schema: Any, text: string): unknown {
  const kind = schema?.type ?? schema?.anyOf?.[0]?.type;
  if (kind === 'integer' || kind === 'number') return Number(text);
  if (kind === 'boolean') return text === 'true';
  return text;
}

export class ToolAgent {
  /** Calls that were refused and then made right. */
  readonly corrected: string[] = [];
  readonly #client: Tools;
  readonly #knows: Json;
  #schemas = new Map<string, Any>();

  /** `knows`: values its person gave it, by the names of arguments. */
  constructor(client: Tools, knows: Json = {}) {
    this.#client = client;
    this.#knows = knows;
  }

  /** Calls a tool, corrects the call as long as it is refused. @throws GaveUp. */
  async use(name: string, wish: Json = {}): Promise<Any> {
    if (this.#schemas.size === 0) {
      this.#schemas = new Map((await this.#client.list()).map((tool) => [tool.name, tool.inputSchema]));
    }
    let input: Json = wish;
    for (let tries = 0; ; tries++) {
      const answer: ToolAnswer = await this.#client.call(name, input);
      if (!answer.isError) {
        if (tries > 0) this.corrected.push(name);
        return answer.data;
      }
      // The text is all that a model is sure to see.
      const refusal = JSON.parse(answer.text);
      const next = tries < maxTries ? await this.#correction(name, input, refusal) : undefined;
      if (next === undefined) throw new GaveUp(name, refusal);
      input = next;
    }
  }

  /** All rows of a list, page by page. */
  async all(name: string, input: Json = {}): Promise<Any[]> {
    const rows: Any[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await this.use(name, { ...input, ...(cursor && { cursor }) });
      rows.push(...page.data);
      cursor = page.nextCursor;
      if (!page.hasMore) return rows;
    }
  }

  /** The input that the refusal asks for; undefined when it asks for none. */
  async #correction(name: string, input: Json, refusal: Refusal): Promise<Json | undefined> {
    const { param, retryable } = refusal;
    if (retryable) return input;
    if (param === undefined) return undefined;
    const steps = stepsOf(param);
    const [first = ''] = steps;
    const known = this.#schemas.get(name)?.properties ?? {};
    if (steps.length === 1 && !(first in known)) return changed(input, steps, undefined);
    const value = await this.#better(name, valueAt(input, steps), refusal, known[first]);
    return value === undefined ? undefined : changed(input, steps, value.is);
  }

  /** What to put in the place of a value that was refused. */
  async #better(name: string, value: unknown, refusal: Refusal, schema: Any): Promise<{ is: unknown } | undefined> {
    const { message, param = '', allowedValues = [] } = refusal;
    const [best] = allowedValues.toSorted((a, b) => likeness(b, String(value)) - likeness(a, String(value)));
    if (best !== undefined) return { is: asKind(schema, best) };
    const example = /such as (\S+?)[.,;]?(\s|$)/.exec(message)?.[1];
    if (example !== undefined) return { is: asKind(schema, example) };
    const bound = /at (?:most|least) (\d+)/.exec(message)?.[1];
    if (bound !== undefined && typeof value === 'number') return { is: Number(bound) };
    if (/must be a (whole )?number/.test(message) && Number.isFinite(Number(value))) return { is: Number(value) };
    if (/must be a text/.test(message)) return { is: String(value) };
    const finder = [...this.#schemas.keys()].find((tool) => tool !== name && message.includes(tool));
    if (finder !== undefined) return { is: (await this.use(finder)).data[0].id };
    if (param in this.#knows) return { is: this.#knows[param] };
    if (/leave \w+ out/i.test(message)) return { is: undefined };
    return undefined;
  }
}
