const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|(\w{1,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The text of every element of this name, whatever its depth; elements inside stay as they are written. */
export function elements(xml: string, name: string): string[] {
  const found = xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}\\s*>`, 'g'));
  return [...found].map(([, inside = '']) => inside);
}

/** The text of the first element of this name, decoded (XML 1.0 §4.6); null when there is none. */
export function textOf(xml: string, name: string): string | null {
  const [inside] = elements(xml, name);
  return inside === undefined ? null : decode(inside);
}

/** Text as the content of an element. */
export function encode(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
