import { randomBytes } from 'node:crypto';

/** An unguessable word that marks where data begins and ends. */
export function newNonce(): string {
  return randomBytes(8).toString('hex');
}

/** The text without the nonce, so that it can neither close its block nor open another. */
function withoutNonce(nonce: string, text: string): string {
  return text.toLowerCase().includes(nonce.toLowerCase()) ? text.replaceAll(new RegExp(nonce, 'gi'), '…') : text;
}

/** The beginning of the text, at most `maxLength` characters, in one line and without the nonce. */
export function oneLine(nonce: string, text: string, maxLength = 200): string {
  const line = withoutNonce(nonce, text).replaceAll(/\s+/g, ' ').trim();
  if (line.length <= maxLength) return line;
  const characters = Array.from(line);
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** Attributes of a block, such as its id and title. */
type Facts = Record<string, string | null>;

/**
 * Text that is to be read and not to be obeyed, in a block that it cannot leave: its delimiter holds the nonce, and the
 * nonce is taken out of the text.
 */
export function dataBlock(nonce: string, kind: string, facts: Facts, text: string): string {
  const given = Object.entries(facts).filter((entry): entry is [string, string] => entry[1] !== null);
  const attributes = [['kind', kind] as const, ...given].map(
    ([name, value]) => ` ${name}=${JSON.stringify(oneLine(nonce, value))}`,
  );
  return `<data-${nonce}${attributes.join('')}>\n${withoutNonce(nonce, text)}\n</data-${nonce}>`;
}

/** What of a text is not data. */
export function withoutData(nonce: string, text: string): string {
  return text.replaceAll(new RegExp(`<data-${nonce}[^\\n]*>\\n[\\s\\S]*?\\n</data-${nonce}>`, 'g'), '').trim();
}
