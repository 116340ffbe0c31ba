/**
 * A request with its quoted parts taken out, so that no rule reads into them. In `text` each is replaced by a
 * placeholder that cannot occur in a message.
 */
export interface Sentence {
  text: string;
  quotes: readonly { open: string; text: string; close: string }[];
}

const placeholder = /\uE000(\d+)\uE001/g;

/** The source of a regular expression for one quoted part. */
export const quotedPattern = '\uE000\\d+\uE001';

const quoted = /“([^”\n]+)”|"([^"\n]+)"|«([^»\n]+)»|„([^“”\n]+)[“”]|(?<![\p{L}\d])[‘']([^’'\n]+)[’'](?![\p{L}\d])/gu;

/** Takes the quoted parts out. */
export function sentenceOf(request: string): Sentence {
  const quotes: Sentence['quotes'][number][] = [];
  const text = request.replaceAll(/[\uE000\uE001]/g, '').replaceAll(quoted, (whole) => {
    quotes.push({ open: whole.slice(0, 1), text: whole.slice(1, -1), close: whole.slice(-1) });
    return `\uE000${quotes.length - 1}\uE001`;
  });
  return { text, quotes };
}

/** Another part of the same request. */
export function withText({ quotes }: Sentence, text: string): Sentence {
  return { text, quotes };
}

/** Whether the text is one quoted part and nothing else. */
export function isQuoted(text: string): boolean {
  return new RegExp(`^${quotedPattern}$`).test(text.trim());
}

/** The texts of the quoted parts in a part of the request, in their order. */
export function quotesIn({ quotes }: Sentence, text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, place]) => quotes[Number(place)]?.text.trim() ?? '').filter(Boolean);
}

/** A part of the request as it was written; without its quotation marks when it is one quoted part. */
export function written({ quotes }: Sentence, text: string): string {
  const alone = isQuoted(text);
  return text.trim().replaceAll(placeholder, (_, place) => {
    const quote = quotes[Number(place)];
    if (!quote) return '';
    return alone ? quote.text.trim() : `${quote.open}${quote.text}${quote.close}`;
  });
}

const openings = [
  /^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))(?: there)?(?: @?[\p{L}\d]+)?\s*[,!.:–-]+\s*/iu,
  /^@[\p{L}\d]+[\s,:]+/u,
  /^(?:ok|okay|right|so|now|then|and|also|well|great|thanks|thank you)\b[\s,!.]+(?=\S)/i,
  /^(?:please|kindly)[\s,]+/i,
  /^(?:can|could|would|will) you (?:please |kindly )?/i,
  /^(?:i would|i'd|i’d|we would|we'd) like (?:you )?to /i,
  /^i (?:want|need) you to /i,
  /^(?:let us|let's|let’s) /i,
];
const endings = [/[\s,]+(?:please|thanks|thank you|thx|for me|right now|now)$/i, /[\s.!?;,]+$/];

function strip(text: string, patterns: readonly RegExp[]): string {
  let rest = text;
  for (let again = true; again; ) {
    again = false;
    for (const pattern of patterns) {
      const shorter = rest.replace(pattern, '');
      if (shorter === rest) continue;
      rest = shorter;
      again = true;
    }
  }
  return rest;
}

const spellings: [RegExp, string][] = [
  [/\bto[-‑ ]dos\b/gi, 'todos'],
  [/\bto[-‑]do\b/gi, 'todo'],
  [/\b(a|an|my|our|this|that|the|new|another) to do\b/gi, '$1 todo'],
  [/\b(what|who|where|there|that|it|here)[’']s\b/gi, '$1 is'],
  [/\bwhat[’']re\b/gi, 'what are'],
  [/\b(do|does|did|is|are)n[’']t\b/gi, '$1 not'],
  [/\bI[’']m\b/gi, 'I am'],
  [/\bI[’']ve\b/gi, 'I have'],
];

/** The request without greetings, politeness and the marks at its end, with usual spellings. Line breaks stay. */
export function plain(sentence: Sentence): Sentence {
  let { text } = sentence;
  for (const [variant, usual] of spellings) text = text.replaceAll(variant, usual);
  text = text.replaceAll(/[^\S\n]+/g, ' ').trim();
  return withText(sentence, strip(strip(text, openings), endings));
}
