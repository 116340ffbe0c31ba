import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** README.md, and every document in docs/, by path. */
export function documentTexts(): Map<string, string> {
  const names = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const paths = ['README.md', ...names.map((name) => join('docs', name).replaceAll('\\', '/')).sort()];
  return new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

/** The fenced blocks of a text in one language. */
export function blocksOf(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].flatMap(([, tag, body = '']) =>
    tag === language ? [body] : [],
  );
}

/** Whether the lines end inside of quotes, or with a backslash. */
function isOpen(lines: string): boolean {
  let quote = '';
  for (let at = 0; at < lines.length; at++) {
    const sign = lines[at] ?? '';
    if (quote === '' && sign === '#' && /(^|\s)$/.test(lines.slice(0, at))) {
      at = lines.indexOf('\n', at);
      if (at < 0) return false;
    } else if (sign === '\\' && quote !== "'") at++;
    else if (quote === sign) quote = '';
    else if (quote === '' && (sign === "'" || sign === '"')) quote = sign;
  }
  return quote !== '' || /\\$/.test(lines);
}

/** The commands of a block: lines, joined while a quote is open or a line ends with a backslash. */
export function commandsOf(block: string): string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of block.split('\n')) {
    open = open === '' ? line : `${open}\n${line}`;
    if (isOpen(open)) continue;
    if (open.trim() !== '' && !open.trim().startsWith('#')) commands.push(open);
    open = '';
  }
  if (open !== '') throw new Error(`A command does not end:\n${open}`);
  return commands;
}

/** Commands in the text itself, such as `npm run seed`: the inline code that begins with this program. */
export function mentionsOf(text: string, program: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/`([^`]+)`/g)]
    .map(([, code = '']) => code.replace(/\s+/g, ' '))
    .filter((code) => code.startsWith(`${program} `));
}
