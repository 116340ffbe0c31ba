/*
 * The appearance that a person chose in this browser, in the document: so the first paint has the right colours without
 * a script before it. web/src/ui/appearance.ts writes the cookie.
 */

const cookie =
  /(?:^|;\s*)tandem_appearance=(system|light|dark)\.(comfortable|compact)\.(?:on|off)(?:\.breaks)?\s*(?:;|$)/;

/** What a document shows: `null` for the standard. */
export type Look = { theme: string; density: string } | null;

/** The appearance in a `Cookie` header; null for none, and for anything that the pages do not write. */
export function lookIn(cookies: string | undefined): Look {
  const [, theme = '', density = ''] = cookie.exec(cookies ?? '') ?? [];
  return theme === '' ? null : { theme, density };
}

/** The document with the appearance on its root element. */
export function withLook(document: string, look: Look): string {
  if (look === null) return document;
  return document.replace('<html ', `<html data-theme="${look.theme}" data-density="${look.density}" `);
}
