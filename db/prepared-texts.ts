import { namesSearchPart } from './schema/columns.ts';

/*
 * Which statements are prepared. PostgreSQL keeps a parsed text and its plan, and the driver a description of it, for
 * each connection until it closes: the filters of lists can be combined into thousands of texts.
 */

/** Texts that are prepared at a time, and the executions after which a text is. */
export const maxPrepared = 400;
export const minExecutions = 3;
/** Of those that name a part of the workspaces, which exist once for each part: they take no place of the others. */
export const maxPreparedOfParts = 128;

/** Texts whose executions are counted. */
const maxCounted = 4_000;
/** Texts are chosen anew after so many ms, about the age at which connections are replaced. */
const termMs = 45 * 60_000;

/** Chooses the texts by their executions: the first of them that are executed repeatedly. */
export class PreparedTexts {
  readonly #prepared = new Set<string>();
  #ofParts = 0;
  readonly #executions = new Map<string, number>();
  #chosenAt: number;

  /** `now` in ms. */
  constructor(now = performance.now()) {
    this.#chosenAt = now;
  }

  /** Counts an execution of `text`, and returns whether it is prepared. `now` in ms. */
  execute(text: string, now = performance.now()): boolean {
    if (now - this.#chosenAt >= termMs) this.chooseAnew(now);
    if (this.#prepared.has(text)) return true;
    if (this.#prepared.size >= maxPrepared + maxPreparedOfParts) return false;
    const executions = (this.#executions.get(text) ?? 0) + 1;
    // Where there was no place then, it is not looked for at each execution.
    if (executions === minExecutions && this.#add(text)) {
      this.#executions.delete(text);
      return true;
    }
    if (this.#executions.size >= maxCounted) this.#executions.clear();
    this.#executions.set(text, executions);
    return false;
  }

  /** Whether there was a place for the text. */
  #add(text: string): boolean {
    const isOfPart = namesSearchPart(text);
    const others = this.#prepared.size - this.#ofParts;
    if (isOfPart ? this.#ofParts >= maxPreparedOfParts : others >= maxPrepared) return false;
    if (isOfPart) this.#ofParts++;
    this.#prepared.add(text);
    return true;
  }

  /** Forgets all texts: each is prepared again once it is executed repeatedly. `now` in ms. */
  chooseAnew(now = performance.now()): void {
    this.#prepared.clear();
    this.#ofParts = 0;
    this.#executions.clear();
    this.#chosenAt = now;
  }
}

/** Those of all connections to the database itself: each of them prepares a text when it first executes it. */
export const preparedTexts = new PreparedTexts();

/** Texts that are shared by shape, of one kind of statement. */
const maxShared = 200;

/**
 * Texts of statements by their shape: each is one object, however often it is built. JavaScript hashes a string once
 * per object, and a text is looked up several times before it is sent. `shape` must name all that the text depends on.
 */
export class SharedTexts {
  readonly #byShape = new Map<string, string>();

  /** The first text of this shape. */
  share(shape: string, text: string): string {
    const known = this.#byShape.get(shape);
    if (known !== undefined) return known;
    if (this.#byShape.size < maxShared) this.#byShape.set(shape, text);
    return text;
  }
}
