import { codePoints } from '../fields.ts';

/** The longest name of a todo, in code points: that of the title of a chat. */
const longest = 200;

/** What a todo is called: its title, or the first line of its content that says something. */
export function nameOf({ title, content }: { title: string | null; content: string | null }): string | null {
  const lines = (title ?? content ?? '').split(/[\r\n\u2028\u2029]/).map((line) => line.trim());
  const name = lines.find(Boolean);
  if (name === undefined || codePoints(name) <= longest) return name ?? null;
  return `${Array.from(name)
    .slice(0, longest - 1)
    .join('')}…`;
}
