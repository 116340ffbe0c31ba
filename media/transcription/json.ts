import { Refused, readErrorObject } from '../../engine/providers/errors.ts';
import { type RawSegment, readSeconds, untimed } from './raw-segment.ts';
import { joinWords } from './words.ts';

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isBlank = (text: string) => text.trim() === '';

function speakerOf({ speaker, speaker_id, speaker_label }: Fields): string | null {
  const given = speaker ?? speaker_id ?? speaker_label;
  return typeof given === 'string' || typeof given === 'number' ? String(given) : null;
}

/** A list of segments, chunks (Transformers) or words. */
function readList(value: unknown): RawSegment[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).flatMap((each) => {
    const text = each.text ?? each.word;
    const [start, end] = Array.isArray(each.timestamp) ? each.timestamp : [each.start, each.end];
    if (typeof text !== 'string') return [];
    return [{ start: readSeconds(start), end: readSeconds(end), speaker: speakerOf(each), text }];
  });
}

/** LocalAI gives nanoseconds, in whole numbers: no piece takes a million seconds. */
function inSeconds(list: RawSegment[]): RawSegment[] {
  const times = list.flatMap(({ start, end }) => [start ?? 0, end ?? 0]);
  if (!times.some((time) => time >= 1e6) || !times.every(Number.isSafeInteger)) return list;
  const scaled = (time: number | null) => (time === null ? null : time / 1e9);
  return list.map((each) => ({ ...each, start: scaled(each.start), end: scaled(each.end) }));
}

/** JSON as Python writes it too: NaN and Infinity are read as null. @throws SyntaxError */
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (!/\b(NaN|Infinity)\b/.test(body)) throw error;
    const strict = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/g;
    return JSON.parse(body.replace(strict, (found) => (found.startsWith('"') ? found : 'null')));
  }
}

/**
 * The segments of a JSON answer: its segments if there are any (of `verbose_json` or `diarized_json`), else words,
 * else the text alone. @throws Refused when it is an error or no transcript; SyntaxError
 */
export function readJson(body: string): RawSegment[] {
  const answer = parse(body);
  if (typeof answer === 'string') return untimed(answer);
  if (Array.isArray(answer) && answer.every((each) => isObject(each) && typeof each.text === 'string'))
    return inSeconds(readList(answer));
  if (!isObject(answer)) throw new Refused({ unreadable: 'stream' });
  const { text, segments, chunks } = answer;
  const whole = typeof text === 'string' ? text : '';
  const spoken = inSeconds(readList(segments ?? chunks));
  const words = inSeconds(readList(answer.words)).filter((word) => !isBlank(word.text));
  const hasSpeakers = (list: RawSegment[]) => list.some(({ speaker }) => speaker !== null);
  if (words.length > 0 && (spoken.every((each) => isBlank(each.text)) || (hasSpeakers(words) && !hasSpeakers(spoken))))
    return joinWords(words, whole);
  if (spoken.some((each) => !isBlank(each.text))) return spoken;
  if (!isBlank(whole)) return untimed(whole);
  if (answer.error) throw new Refused(readErrorObject(answer));
  const isTranscript = 'text' in answer || Array.isArray(segments) || Array.isArray(chunks);
  if (!isTranscript) throw new Refused({ unreadable: 'stream' });
  return [];
}
