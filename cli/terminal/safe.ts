/*
 * Texts from a service are untrusted: an unfiltered title could clear the screen, hide a line or write to the
 * clipboard. Control characters and those that change the text direction are replaced by visible signs.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const controls = /[\u0000-\u001f\u007f-\u009f]/g;
const hidden = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;
const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The visible sign of a control character: ␛ for escape, as code charts show them. */
function sign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : `<${code.toString(16)}>`;
}

function visible(text: string): string {
  return text.replace(controls, sign).replace(hidden, '\ufffd').replace(lone, '\ufffd');
}

/** A text on one line, without terminal control characters. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, (gap) => (/[\r\n\t]/.test(gap) ? ' ' : gap)));
}

/** A text with its line breaks, without other terminal control characters. */
export function lines(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => visible(line.replaceAll('\t', '  ')))
    .join('\n');
}

/** JSON with every terminal control character escaped; it parses to the same value. */
export function safeJson(value: unknown, indent: number): string {
  const escaped = (character: string) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
  return JSON.stringify(value, null, indent)
    .replace(/[\u007f-\u009f]/g, escaped)
    .replace(hidden, escaped);
}
