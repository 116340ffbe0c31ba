import { codePoints } from '../fields.ts';

/** The tool call that a question is about. */
export interface RequestedCall {
  /** The name of the agent. */
  agent: string;
  toolName: string;
  title: string;
  reason: string;
  input: unknown;
}

/** Characters shown of one argument, of all arguments, and of a name. */
const maxValue = 1000;
const maxInput = 4000;
const maxName = 80;

/**
 * The text with all invisible characters shown as their code points: control characters, line breaks, characters that
 * change the direction of writing or have no width, and unassigned ones.
 */
export function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The beginning of a text, and the number of characters left out. */
function cut(text: string, max: number): { shown: string; left: number } {
  if (text.length <= max) return { shown: text, left: 0 };
  const characters = Array.from(text);
  return { shown: characters.slice(0, max).join(''), left: Math.max(0, characters.length - max) };
}

function valueText(value: unknown): { shown: string; left: number } {
  const { shown, left } = cut(plain(JSON.stringify(value) ?? 'null'), maxValue);
  return { shown: left > 0 ? `${shown}…` : shown, left };
}

/** The arguments of the call, one per line. `left`: characters that are not shown. */
function inputText(input: unknown): { lines: string[]; left: number } {
  const named = typeof input === 'object' && input !== null && !Array.isArray(input);
  const fields: [string, unknown][] = named ? Object.entries(input) : [['input', input]];
  const lines: string[] = [];
  let [room, left] = [maxInput, 0];
  for (const [name, value] of fields) {
    const { shown, left: more } = valueText(value);
    const line = `  ${cut(plain(name), maxName).shown}: ${shown}`;
    room -= line.length;
    if (room >= 0) lines.push(line);
    left += room >= 0 ? more : codePoints(line) + more;
  }
  return { lines: lines.length > 0 ? lines : ['  (nothing)'], left };
}

/**
 * The question to a person: which agent wants to call which tool, why a person must decide, and the arguments. Text of
 * the agent is quoted and on one line, so that it cannot look like a line of the question.
 */
export function questionText({ agent, toolName, title, reason, input }: RequestedCall): string {
  const { lines, left } = inputText(input);
  return [
    `The agent “${cut(plain(agent), maxName).shown}” asks for your approval.`,
    `It wants to: ${plain(title)} (${plain(toolName)})`,
    `Why it must ask: ${plain(reason)}`,
    'With:',
    ...lines,
    ...(left > 0 ? [`NOT EVERYTHING IS SHOWN: ${left} characters are left out.`] : []),
  ].join('\n');
}
