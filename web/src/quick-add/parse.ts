import type { TandemInputs } from 'tandem/client';
import type { FindDates, FoundDate } from './dates.ts';
import { findEvery, withEnd, withTimeBeside } from './every.ts';
import { dayFrom, instantOf, timeOf, wallTimeAt } from './zoned.ts';

/* One line of text as a todo: `call the bank tomorrow 9am !urgent #Finance *waiting @Researcher every weekday /run`. */

export type NewTodoInput = TandemInputs['todos']['create'];
export type TokenKind = 'priority' | 'list' | 'label' | 'assignee' | 'date' | 'schedule' | 'run';

/** A part of the line that has a meaning beside the title. */
export interface Token {
  kind: TokenKind;
  start: number;
  end: number;
  text: string;
}

export interface Named {
  id: string;
  name: string;
}

export interface Assignable extends Named {
  type: 'user' | 'agent';
}

/**
 * What lines are read with. `plain`: tokens that are turned back to text, by `keyOf`; `shared`: a part without tokens.
 */
export interface Surroundings {
  now: number;
  timeZone: string;
  /** The zone of days without a time; by default the same. */
  zoneOfDays?: string;
  lists: readonly Named[];
  people: readonly Assignable[];
  labels?: readonly Named[];
  plain?: ReadonlySet<string>;
  shared?: string;
  /** Undefined until its code is loaded: no dates are found then. */
  findDates?: FindDates | undefined;
}

export interface ParsedLine {
  title: string;
  tokens: Token[];
  input: NewTodoInput;
}

const priorities = ['urgent', 'high', 'medium', 'low'] as const;
const hidden = /"[^"]*"|“[^”]*”|«[^»]*»|`[^`]*`|\b[a-z][a-z+.-]*:\/\/\S+|\S+@\S+\.\S+/giu;
/** What belongs to a date that follows it. */
const beforeDate = /(?<!\p{L})(?:due\s+(?:by|on)|due|by|on|before|at)\s+(?:the\s+)?$/iu;

/** How a token is recognized after the line around it was changed. */
export function keyOf({ kind, text }: Pick<Token, 'kind' | 'text'>): string {
  return `${kind} ${text.toLowerCase()}`;
}

/** Reads a line. It is pure: the same text and surroundings give the same todo. */
class Reader {
  readonly tokens: Token[] = [];
  readonly input: NewTodoInput = {};
  /** The line, with what is quoted or read already replaced by signs of the same length. */
  private open: string;
  private readonly text: string;
  private readonly given: Surroundings;

  constructor(text: string, given: Surroundings) {
    this.text = text;
    this.given = given;
    const { shared = '' } = given;
    const place = shared === '' ? -1 : text.indexOf(shared);
    this.open = text;
    if (place >= 0) this.hide(place, place + shared.length);
    this.open = this.open.replace(hidden, (quoted) => '\u0001'.repeat(quoted.length));
  }

  private hide(start: number, end: number): void {
    this.open = this.open.slice(0, start) + '\u0001'.repeat(end - start) + this.open.slice(end);
  }

  /** Adds a token unless it was turned back to text. In both cases nothing else is read in it. */
  private take(kind: TokenKind, start: number, end: number): boolean {
    const token = { kind, start, end, text: this.text.slice(start, end) };
    this.hide(start, end);
    if (this.given.plain?.has(keyOf(token))) return false;
    this.tokens.push(token);
    return true;
  }

  private marks(sign: string): number[] {
    const found = this.open.matchAll(new RegExp(`(?<=^|[\\s(,])${sign}(?=\\S)`, 'gu'));
    return [...found].map(({ index }) => index);
  }

  /** The longest name that the text has at a place, ignoring case. */
  private nameAt<Of extends Named>(place: number, of: readonly Of[]): { one: Of; end: number } | null {
    const rest = this.open.slice(place).toLowerCase();
    const fits = ({ name }: Of) =>
      name !== '' && rest.startsWith(name.toLowerCase()) && !/^[\p{L}\p{N}_]/u.test(rest.slice(name.length));
    const [one] = of.filter(fits).sort((a, b) => b.name.length - a.name.length);
    return one ? { one, end: place + one.name.length } : null;
  }

  readPriority(): void {
    const named = priorities.map((name) => ({ id: name, name }));
    for (const at of this.marks('!')) {
      const found = this.nameAt(at + 1, named);
      if (found && this.input.priority === undefined && this.take('priority', at, found.end))
        this.input.priority = found.one.id;
    }
  }

  readList(): void {
    for (const at of this.marks('#')) {
      const found = this.nameAt(at + 1, this.given.lists);
      if (found && this.input.todoListId === undefined && this.take('list', at, found.end))
        this.input.todoListId = found.one.id;
    }
  }

  /** Text in asterisks, as Markdown has it, is no label. */
  readLabels(): void {
    for (const at of this.marks('\\*')) {
      const found = this.nameAt(at + 1, this.given.labels ?? []);
      const others = this.input.labelIds ?? [];
      if (!found || this.open[found.end] === '*' || others.length >= 20) continue;
      if (!this.take('label', at, found.end) || others.includes(found.one.id)) continue;
      this.input.labelIds = [...others, found.one.id];
    }
  }

  readAssignees(): void {
    for (const at of this.marks('@')) {
      const found = this.nameAt(at + 1, namesOf(this.given.people));
      const others = this.input.assignees ?? [];
      if (!found || others.length >= 20 || !this.take('assignee', at, found.end)) continue;
      if (!others.some(({ id }) => id === found.one.id)) this.input.assignees = [...others, { id: found.one.id }];
    }
  }

  readRun(): void {
    const match = /(?<=^|\s)\/run(?!\S)/iu.exec(this.open);
    if (match && this.take('run', match.index, match.index + match[0].length)) this.input.run = true;
  }

  private dates(text = this.open, timeZone = this.given.timeZone): FoundDate[] {
    return this.given.findDates?.(text, this.given.now, timeZone) ?? [];
  }

  readEvery(): void {
    const { timeZone } = this.given;
    const found = findEvery(this.open);
    if (!found) return;
    const { start, end } = found;
    // What is counted has its end.
    const isCounted = /times$/iu.test(this.open.slice(start, end));
    const [gap = ''] = isCounted ? [] : (/^,?\s+until\s+/iu.exec(this.open.slice(end)) ?? []);
    const place = end + gap.length;
    const dates = gap === '' ? [] : this.dates('\u0001'.repeat(place) + this.open.slice(place));
    const until = dates.find((each) => each.start === place && each.day !== null);
    if (!this.take('schedule', start, until?.end ?? end)) return;
    const schedule = withTimeBeside(found.schedule, until?.time ?? null);
    this.input.schedule = { ...(until?.day ? withEnd(schedule, until.day) : schedule), timezone: timeZone };
  }

  /** The day is the last one that is named; a time elsewhere in the line belongs to it. */
  readDate(): void {
    const { now, timeZone } = this.given;
    const timedIn = this.dates();
    // Lists show a day without a time by the clocks of the person.
    const found = timedIn.some(({ time }) => time !== null) ? timedIn : this.dates(this.open, this.given.zoneOfDays);
    const dated = found.findLast(({ day }) => day !== null);
    const timed = dated?.time != null ? dated : found.findLast(({ time }) => time !== null);
    const used = new Set([dated, timed].filter((each) => each !== undefined));
    const taken = [...used].filter(({ start, end }) => this.takeDate(start, end));
    if (taken.length === 0) return;
    const time = timed && taken.includes(timed) ? timed.time : null;
    const named = dated && taken.includes(dated) ? dated.day : null;
    const { schedule } = this.input;
    if (schedule !== undefined) {
      if (named !== null) this.input.dueDate = named;
      this.input.schedule = withTimeBeside(schedule, time);
      return;
    }
    const wallNow = wallTimeAt(now, timeZone);
    const day = named ?? dayFrom(wallNow, time !== null && time > timeOf(wallNow) ? 0 : 1);
    this.input.dueDate = day;
    if (time === null) return;
    const runAt = (dated === timed ? timed?.instant : undefined) ?? instantAt(day, time, timeZone);
    if (runAt > now) this.input.schedule = { runAt: new Date(runAt).toISOString(), timezone: timeZone };
  }

  private takeDate(start: number, end: number): boolean {
    const word = beforeDate.exec(this.open.slice(0, start))?.[0] ?? '';
    return this.take('date', start - word.length, end);
  }

  /** What is left when the tokens are taken out. */
  title(): string {
    let at = 0;
    const parts: string[] = [];
    for (const { start, end } of this.tokens.sort((a, b) => a.start - b.start)) {
      parts.push(this.text.slice(at, start).trim());
      at = end;
    }
    parts.push(this.text.slice(at).trim());
    return parts
      .filter(Boolean)
      .join(' ')
      .replace(/^[\s,;]+|[\s,;]+$/gu, '')
      .replace(/\s+([,;])/gu, '$1');
  }
}

/** People and agents by their names, and by their first names where only one has it. */
function namesOf(people: readonly Assignable[]): Assignable[] {
  const first = ({ name }: Assignable) => name.split(/\s+/u)[0]?.toLowerCase() ?? '';
  const short = people.filter((one) => people.every((other) => other === one || first(other) !== first(one)));
  return [...people, ...short.map((one) => ({ ...one, name: one.name.split(/\s+/u)[0] ?? '' }))];
}

function instantAt(day: string, time: string, timeZone: string): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return instantOf({ year, month, day: date, hour, minute }, timeZone);
}

/**
 * The todo that a line means: its tokens in their order, and the input of createTodo, without `title` where that is
 * empty.
 */
export function parseLine(text: string, given: Surroundings): ParsedLine {
  const reader = new Reader(text, given);
  reader.readPriority();
  reader.readList();
  reader.readLabels();
  reader.readAssignees();
  reader.readRun();
  reader.readEvery();
  reader.readDate();
  const title = reader.title();
  const { tokens, input } = reader;
  return { title, tokens, input: title === '' ? input : { title, ...input } };
}
