import { hasVisibleText, onOneLine } from '../../domain/captures/segments.ts';
import { decoded } from './references.ts';

/** The lines of one speaker in a cue; `voice` is the name in its `<v Name>`, null outside of one. */
export interface VoiceSpan {
  voice: string | null;
  lines: string[];
}

/** A tag, up to the next bracket of either kind, or an override of the SubStation formats, such as `{\an8}`. */
const markup = /<([^<>]*)>|\{\\[^{}]*\}/g;
const tagName = /^\/?([A-Za-z][A-Za-z0-9]*)(?=[\s./]|$)/;
const timestamp = /^\d+:[\d:.,]+$/;

/** The name in a voice tag, `v Alice` or `v.loud Alice`, without classes; null when it has none. */
function voiceName(tag: string): string | null {
  const space = tag.search(/\s/);
  return space < 0 ? null : onOneLine(decoded(tag.slice(space))) || null;
}

class Text {
  readonly spans: VoiceSpan[] = [];
  readonly #speakers: (string | null)[] = [];
  #raw: string[] = [];

  write(text: string): void {
    if (text !== '') this.#raw.push(text);
  }

  open(voice: string | null): void {
    this.flush();
    this.#speakers.push(voice);
  }

  close(): void {
    this.flush();
    this.#speakers.pop();
  }

  flush(): void {
    if (this.#raw.length === 0) return;
    const lines = decoded(this.#raw.join('')).split('\n').map(onOneLine).filter(hasVisibleText);
    this.#raw = [];
    if (lines.length === 0) return;
    const voice = this.#speakers.at(-1) ?? null;
    const last = this.spans.at(-1);
    if (last?.voice === voice) for (const line of lines) last.lines.push(line);
    else this.spans.push({ voice, lines });
  }
}

/**
 * The text of a cue (W3C WebVTT §6.4, which reads the HTML in SRT as well): tags and inline times removed, character
 * references decoded once, white space collapsed, blank lines left out. The innermost `<v>` names the voice.
 * Otherwise than there, a `<` that begins no tag, or is never closed, is text: no words are lost.
 */
export function spansIn(cue: string): VoiceSpan[] {
  const text = new Text();
  let from = 0;
  for (const found of cue.matchAll(markup)) {
    const [whole, tag] = found;
    const name = tag === undefined ? '' : tagName.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined && !timestamp.test(tag ?? '')) continue;
    text.write(cue.slice(from, found.index));
    from = found.index + whole.length;
    if (name === 'v' && tag?.startsWith('/')) text.close();
    else if (name === 'v') text.open(voiceName(tag as string));
    else if (name === 'br') text.write('\n');
  }
  text.write(cue.slice(from));
  text.flush();
  return text.spans;
}
