/** The names of U+00A0 to U+00FF, in order. */
const latin1 = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute
micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil
Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute
Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute
icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`;

/** Character references by name: those of WebVTT §4.2.2, of Latin-1 and of punctuation; HTML has two thousand more. */
const named = new Map<string, string>([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['lrm', '\u200e'],
  ['rlm', '\u200f'],
  ['zwj', '\u200d'],
  ['zwnj', '\u200c'],
  ['ensp', '\u2002'],
  ['emsp', '\u2003'],
  ['thinsp', '\u2009'],
  ['hellip', '…'],
  ['ndash', '–'],
  ['mdash', '—'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['sbquo', '‚'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['bdquo', '„'],
  ['bull', '•'],
  ['trade', '™'],
  ['euro', '€'],
  ...latin1.split(/\s/).map((name, index): [string, string] => [name, String.fromCharCode(0xa0 + index)]),
]);

const reference = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]{2,6}\d{0,2}));/g;
const windows1252 = new TextDecoder('windows-1252');

/** HTML's reading of a numeric reference: what is no character is U+FFFD, and 128 to 159 are those of Windows. */
function numeric(code: number): string {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  if (code >= 128 && code < 160) return windows1252.decode(Uint8Array.of(code));
  return code < 32 || code === 127 ? ' ' : String.fromCodePoint(code);
}

/** Character references as characters, once: `&amp;lt;` is `&lt;`. A name that is not known stays as it is written. */
export function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(reference, (whole, decimal?: string, hex?: string, name?: string) => {
    if (decimal !== undefined) return numeric(Number(decimal));
    if (hex !== undefined) return numeric(Number.parseInt(hex, 16));
    return named.get(name ?? '') ?? whole;
  });
}
