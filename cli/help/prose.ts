import { commandOf } from '../commands/command.ts';
import type { Option } from '../commands/options.ts';
import type { Catalogue } from '../model/catalogue.ts';
import { wrap } from '../terminal/width.ts';

/** Width of help texts. */
export const helpColumns = 80;

/** Lines of a paragraph, indented. */
export function paragraph(text: string, indent = 0): string[] {
  return wrap(text, helpColumns - indent).map((line) => ' '.repeat(indent) + line);
}

const termColumns = 26;

/** A term and its description side by side; on the next line where the term is long. */
export function entry(term: string, meaning: string): string[] {
  const lead = `  ${term}`;
  const lines = meaning === '' ? [] : wrap(meaning, helpColumns - termColumns);
  const indent = ' '.repeat(termColumns);
  if (lead.length > termColumns - 2) return [...paragraph(term, 2), ...lines.map((line) => indent + line)];
  const [first = '', ...rest] = lines;
  return [(lead.padEnd(termColumns) + first).trimEnd(), ...rest.map((line) => indent + line)];
}

/**
 * Rewrites API descriptions for the command line: fields as flags, operations as commands, without Markdown marks.
 */
export class Prose {
  readonly #commands: ReadonlyMap<string, string>;

  constructor({ operations }: Catalogue) {
    this.#commands = new Map(operations.map((operation) => [operation.id, commandOf(operation).words.join(' ')]));
  }

  read(text: string, options: readonly Option[] = []): string {
    const flagOf = (name: string) =>
      options.find(({ target }) => target.path.at(-1) === name && target.path.length === 1);
    return text
      .replace(/`([^`]+)`/g, (_, code: string) => {
        const option = flagOf(code);
        return option ? `--${option.flag}` : code;
      })
      .replace(/\b[a-z]+[A-Z]\w*\b/g, (word) => {
        const command = this.#commands.get(word);
        const option = flagOf(word);
        return command ? `“${command}”` : option ? `--${option.flag}` : word;
      })
      .replaceAll('**', '');
  }
}
