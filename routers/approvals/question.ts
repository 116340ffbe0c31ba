import { codePoints } from '../fields.ts';

/** An approval as its question tells it. */
export interface AskedFor {
  /** What the agent is called. */
  agent: string;
  toolName: string;
  title: string;
  reason: string;
  input: unknown;
}

const longestValue = 1000;
const longestInput = 4000;
const longestName = 80;

/**
 * A text in which nothing is hidden: control characters, line breaks, characters that turn the direction of writing or
 * take no room, and what Unicode has not given out are shown as their numbers.
 */
export function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The beginning of a text, and how many characters are left out. */
function cut(text: string, longest: number): { shown: string; left: number } {
  if (text.length <= longest) return { shown: text, left: 0 };
  const characters = Array.from(text);
  return { shown: characters.slice(0, longest).join(''), left: Math.max(0, characters.length - longest) };
}

function valueText(value: unknown): { shown: string; left: number } {
  const { shown, left } = cut(plain(JSON.stringify(value) ?? 'null'), longestValue);
  return { shown: left > 0 ? `${shown}…` : shown, left };
}

/** The arguments of the call, one in a line. `left`: characters that are not shown. */
function inputText(input: unknown): { lines: string[]; left: number } {
  const named = typeof input === 'object' && input !== null && !Array.isArray(input);
  const fields: [string, unknown][] = named ? Object.entries(input) : [['input', input]];
  const lines: string[] = [];
  let [room, left] = [longestInput, 0];
  for (const [name, value] of fields) {
    const { shown, left: more } = valueText(value);
    const line = `  ${cut(plain(name), longestName).shown}: ${shown}`;
    room -= line.length;
    if (room >= 0) lines.push(line);
    left += room >= 0 ? more : codePoints(line) + more;
  }
  return { lines: lines.length > 0 ? lines : ['  (nothing)'], left };
}

/**
 * What a person is asked: who wants to do what, why that needs a person, and with which arguments. What an agent wrote
 * stands in quotation marks and in one line, so that it cannot pass for a line of ours.
 */
export function questionText({ agent, toolName, title, reason, input }: AskedFor): string {
  const { lines, left } = inputText(input);
  return [
    `The agent “${cut(plain(agent), longestName).shown}” asks for your approval.`,
    `It wants to: ${plain(title)} (${plain(toolName)})`,
    `Why it must ask: ${plain(reason)}`,
    'With:',
    ...lines,
    ...(left > 0 ? [`NOT ALL OF IT IS SHOWN: ${left} characters are left out.`] : []),
  ].join('\n');
}
