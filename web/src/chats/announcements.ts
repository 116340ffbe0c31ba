import type { Message } from './queries.ts';
import { textOf } from './rows.ts';
import { lastSequence, type OpenText } from './transcript.ts';

/** More of a text is not announced: it can be read in the page. */
const maxLength = 1_000;

const sentenceEnd = /[.!?…](?=\s)|\n/g;

/** The text up to the end of its last whole sentence or line. */
export function wholeSentences(text: string): string {
  const end = [...text.matchAll(sentenceEnd)].at(-1);
  return end ? text.slice(0, end.index + 1) : '';
}

/** Markdown without the marks that would be read as signs. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/[*_`#>|]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** What is new in a conversation for assistive technology: whole sentences of the agent, each once. */
export class Announcements {
  #settled: number;
  /** How much of the open text was announced. */
  #announced = { sequence: 0, text: '' };
  #waiting: string[] = [];

  /** Messages that are there already are not announced. */
  constructor(messages: readonly Message[]) {
    this.#settled = lastSequence(messages);
  }

  /** The text of a message that is being written has changed. */
  textIs(open: OpenText | null): void {
    if (!open || open.start > 0) return;
    const { sequence, text } = open;
    const isSame = this.#announced.sequence === sequence && text.startsWith(this.#announced.text);
    const before = isSame ? this.#announced.text : '';
    const sentences = wholeSentences(text.slice(before.length));
    this.#add(sentences);
    this.#announced = { sequence, text: before + sentences };
  }

  /** Messages have arrived. */
  messagesAre(messages: readonly Message[]): void {
    const settled = this.#settled;
    this.#settled = Math.max(settled, lastSequence(messages));
    for (const message of messages.slice(messages.findIndex(({ sequence }) => sequence > settled))) {
      if (message.sequence <= settled || message.role !== 'agent') continue;
      const text = textOf(message);
      const { sequence, text: announced } = this.#announced;
      const isSame = sequence === message.sequence && text.startsWith(announced.trim());
      this.#add(isSame ? text.slice(announced.trim().length) : text);
    }
  }

  #add(text: string): void {
    const words = plain(text);
    if (words !== '') this.#waiting.push(words);
  }

  /** What has come together since the last call; empty when nothing has. */
  take(): string {
    const text = this.#waiting.join(' ');
    this.#waiting = [];
    return text.length > maxLength ? `${text.slice(0, maxLength)} …` : text;
  }
}
