import type { CaptureMaterial } from './shapes.ts';

/** Characters (UTF-16) of material that one request to a model holds. */
export const partSize = 24_000;

/** The most requests for parts; longer material is divided into longer parts. */
const maxParts = 40;

/**
 * The length that notes are counted with. With their real length, the parts of the text would change while somebody
 * types notes.
 */
const roomForNotes = 200_000;

/** The share of its size that a part has at least, so that there are at most `maxParts` parts. */
const earliestEnd = 0.8;

/** Notes of at most this length are sent with every part, because they correct the transcript. */
const maxShortNotes = 4000;

/** A piece of the material that one request is about. */
export interface Part {
  kind: 'notes' | 'transcript' | 'note';
  text: string;
}

/** Material in pieces, and what accompanies every piece. */
export interface Parts {
  parts: Part[];
  beside: Part[];
  /** All of it fits into one request. */
  isWhole: boolean;
}

const breaks = ['\n\n', '\n', '. ', ' '];

function endOf(text: string, from: number, size: number): number {
  const end = from + size;
  if (end >= text.length) return text.length;
  const earliest = Math.ceil(from + size * earliestEnd);
  const last = text.slice(earliest, end);
  for (const mark of breaks) {
    const found = last.lastIndexOf(mark);
    if (found >= 0) return earliest + found + mark.length;
  }
  const code = text.charCodeAt(end);
  return code >= 0xdc00 && code <= 0xdfff ? end - 1 : end;
}

/** A text in pieces of at most `size` characters: at ends of paragraphs, else of lines, sentences, words. */
export function piecesOf(text: string, size: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = endOf(text, from, size);
    const piece = text.slice(from, to).trim();
    if (piece !== '') pieces.push(piece);
    from = to;
  }
  return pieces;
}

/**
 * The material for one request, or in at most 40 parts for several: first those of the text, which are the same
 * whatever is typed as notes.
 */
export function partsOf({ type, text, notes }: CaptureMaterial): Parts {
  const kind = type === 'note' ? 'note' : 'transcript';
  const whole: Part[] = [
    ...(notes === null ? [] : [{ kind: 'notes' as const, text: notes }]),
    ...(text === null ? [] : [{ kind, text } as const]),
  ];
  const length = whole.reduce((sum, part) => sum + part.text.length, 0);
  if (length <= partSize) return { parts: whole, beside: [], isWhole: true };
  // Two texts, each with a last part that may be short.
  const longest = (text?.length ?? 0) + Math.max(roomForNotes, notes?.length ?? 0);
  const size = Math.max(partSize, Math.ceil(longest / (earliestEnd * (maxParts - 2))));
  const isBeside = (part: Part) => part.kind === 'notes' && part.text.length <= maxShortNotes;
  const parts = whole
    .toReversed()
    .filter((part) => !isBeside(part))
    .flatMap((part) => piecesOf(part.text, size).map((piece) => ({ kind: part.kind, text: piece })));
  return { parts, beside: whole.filter(isBeside), isWhole: false };
}
