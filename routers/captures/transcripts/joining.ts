/** Han, kana and their punctuation: written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** Texts as one, a space between each two, but none where both sides are in a script that writes no spaces. */
export function joined(texts: readonly string[]): string {
  const parts: string[] = [];
  let before = '';
  for (const text of texts) {
    const close = unspaced.test(before) && unspaced.test(text.charAt(0));
    if (before !== '' && text !== '' && !close) parts.push(' ');
    parts.push(text);
    if (text !== '') before = text.charAt(text.length - 1);
  }
  return parts.join('');
}

/** Whether there is anything to read: more than white space and marks that nobody sees, such as U+200E. */
export function isSaid(text: string): boolean {
  return /^\w/.test(text) || /[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** The text on one line: each run of white space is one space, none at the ends. */
export function onOneLine(text: string): string {
  let line = text.trim();
  // Not /\s+/: a run of millions is more than the backtracking of V8 has room for.
  while (/[^\S ]|\s\s/.test(line)) line = line.replace(/\s{1,1000}/g, ' ');
  return line;
}
