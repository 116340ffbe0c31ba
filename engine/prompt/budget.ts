import { cutAdvice } from '../../domain/turns/history.ts';
import type { Utterance } from '../engine.ts';

/** What stays or goes together: one utterance, or an agent's calls with their results. */
export type Unit = readonly Utterance[];

/** By the place of a unit: the number of messages directly before it that are left out. */
export type Missing = ReadonlyMap<number, number>;

/** Characters of an older tool output, or of what a tool was called with, when a conversation is too long. */
const maxShortOutput = 2000;

/** Characters of an agent's text, when a conversation is too long. */
const maxShortText = 20_000;

/** The size of utterances in characters of JSON. */
export function sizeOf(unit: Unit): number {
  return JSON.stringify(unit).length;
}

/** The output of a tool, or its beginning with a note when its JSON is longer than `maxLength` characters. */
export function trimmedOutput(output: unknown, maxLength: number): unknown {
  const json = JSON.stringify(output) ?? 'null';
  if (json.length <= maxLength) return output;
  const note = `The output was cut: ${maxLength} of ${json.length} characters. ${cutAdvice}`;
  return { note, beginning: json.slice(0, maxLength).toWellFormed() };
}

function isMessage(unit: Unit | undefined): boolean {
  const [first] = unit ?? [];
  return first?.role === 'user' && first.from?.kind !== 'service';
}

/** Places of units that must stay: the first and the latest message, and the last `keepLast`. */
function placesToKeep(units: readonly Unit[], keepLast: number): Set<number> {
  const kept = new Set(units.keys().drop(Math.max(0, units.length - keepLast)));
  const messages = [...units.keys()].filter((place) => isMessage(units[place]));
  for (const place of [messages[0], messages.at(-1)]) if (place !== undefined) kept.add(place);
  return kept;
}

/** What may go, oldest first: exchanges at once (a message with all that follows it), the latest one step by step. */
function groupsToDrop(units: readonly Unit[], kept: ReadonlySet<number>): number[][] {
  const latest = units.findLastIndex((unit) => isMessage(unit));
  const groups: number[][] = [];
  for (const place of units.keys()) {
    if (groups.length === 0 || isMessage(units[place]) || place > latest) groups.push([]);
    if (!kept.has(place)) groups.at(-1)?.push(place);
  }
  return groups.filter((group) => group.length > 0);
}

function leftOut(count: number): Unit {
  const what = count === 1 ? 'One earlier message of this chat was' : `${count} earlier messages of this chat were`;
  return [
    { role: 'user', from: { kind: 'service' }, text: `(Note of the service: ${what} left out here; it is long.)` },
  ];
}

function withoutDropped(units: readonly Unit[], dropped: ReadonlySet<number>, missing: Missing): Unit[] {
  const rest: Unit[] = [];
  let gone = 0;
  for (const [place, unit] of units.entries()) {
    gone += missing.get(place) ?? 0;
    if (dropped.has(place)) {
      gone += unit.length;
      continue;
    }
    if (gone > 0) rest.push(leftOut(gone));
    gone = 0;
    rest.push(unit);
  }
  return rest;
}

function shortInput(input: unknown, longest: number): unknown {
  const json = JSON.stringify(input) ?? 'null';
  if (json.length <= longest) return input;
  return { note: `Left out here: ${json.length} characters.`, beginning: json.slice(0, longest).toWellFormed() };
}

function shortText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).toWellFormed()}\n\n(Left out here: ${text.length - longest} characters.)`;
}

function shortened(unit: Unit, share: number): Unit {
  const longest = Math.ceil(maxShortOutput * share);
  return unit.map((each) => {
    if (each.role === 'user') return each;
    if (each.role === 'agent') {
      const toolCalls = each.toolCalls.map((call) => ({ ...call, input: shortInput(call.input, longest) }));
      return { ...each, text: shortText(each.text, Math.ceil(maxShortText * share)), toolCalls };
    }
    return {
      ...each,
      results: each.results.map((one) => ({ ...one, output: trimmedOutput(one.output, longest) })),
    };
  });
}

/**
 * The units that fit into `budget` characters: the oldest exchanges go first, with a note in their place, then what
 * agents wrote, called and got is shortened, oldest first. The first and the latest message and the last `keepLast`
 * units always stay, so a conversation of few and very long messages may be longer than the budget. `share`: how much
 * of a text is left when it is shortened, where the model takes less than most.
 */
export function withinBudget(
  units: readonly Unit[],
  budget: number,
  keepLast: number,
  missing: Missing = new Map(),
  share = 1,
): Unit[] {
  let size = units.reduce((sum, unit) => sum + sizeOf(unit), 0);
  const dropped = new Set<number>();
  for (const group of groupsToDrop(units, placesToKeep(units, keepLast))) {
    if (size <= budget) break;
    for (const place of group) {
      dropped.add(place);
      size -= sizeOf(units[place] ?? []);
    }
  }
  return withoutDropped(units, dropped, missing).map((unit) => {
    if (size <= budget) return unit;
    const short = shortened(unit, share);
    size -= sizeOf(unit) - sizeOf(short);
    return short;
  });
}
