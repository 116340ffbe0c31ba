/** Values in one body. Real bodies have far fewer, and reading many would hold the event loop. */
export const maxJsonValues = 20_000;

const quote = '"'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);

/** 1 for the bytes that begin a value or separate two. */
const separators = new Uint8Array(256);
for (const mark of ',:[{') separators[mark.charCodeAt(0)] = 1;

/** The index behind the quotation mark that ends the string around `from`. */
function endOfString(body: Uint8Array, from: number): number {
  const end = body.indexOf(quote, from);
  if (end < 0) return body.length;
  if (body[end - 1] !== backslash) return end + 1;
  let at = from;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at + 1;
}

/**
 * Whether a JSON text in UTF-8 has more than `maxJsonValues` values and names of fields. The text is not parsed, so the
 * largest body takes a few milliseconds. For a text that is not JSON the result means nothing.
 */
export function hasTooManyValues(body: Uint8Array): boolean {
  if (body.length <= maxJsonValues) return false;
  let count = 1;
  for (let at = 0; at < body.length; ) {
    const byte = body[at] as number;
    at = byte === quote ? endOfString(body, at + 1) : at + 1;
    count += separators[byte] as number;
    if (count > maxJsonValues) return true;
  }
  return false;
}
