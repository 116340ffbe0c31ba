/** Text that PostgreSQL's text and jsonb take: without NUL, lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

const maxDepth = 64;

/** JSON whose strings and keys are clean. @throws RangeError when it is nested deeper than 64. */
function cleanJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) throw new RangeError('nested too deeply');
  if (Array.isArray(value)) return value.map((each) => cleanJson(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cleanText(key), cleanJson(each, depth + 1)]));
}

/**
 * The arguments of a tool call as the model wrote them: JSON, `{}` for nothing, else the text itself, so that the tool
 * refuses it and the model reads why.
 */
export function readArguments(written: string): unknown {
  if (written.trim() === '') return {};
  try {
    return cleanJson(JSON.parse(written)) ?? {};
  } catch {
    return cleanText(written);
  }
}

/**
 * Passes text on as it arrives. Half a surrogate pair waits for the other half, which may come with the next piece.
 */
export function textSink(pass: (delta: string) => void): (delta: string) => void {
  let held = '';
  return (delta) => {
    const text = held + delta;
    const last = text.charCodeAt(text.length - 1);
    held = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : '';
    const ready = cleanText(held === '' ? text : text.slice(0, -1));
    if (ready !== '') pass(ready);
  };
}
