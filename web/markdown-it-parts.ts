/*
 * Stand-ins for two packages of markdown-it that the pages do not need (vite.config.ts): linkify-it, whose option is
 * off, and entities, whose table of 2,000 names is a third of the parser.
 */

export class LinkifyIt {}

const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Character references in the address of a link: the five of XML. */
export function decodeHTMLStrict(text: string): string {
  return text.replace(/&(\w+);/g, (whole, name: string) => names[name] ?? whole);
}
