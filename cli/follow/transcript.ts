import type { MessageAnswer, MessageBlock } from '../../routers/chats/shapes.ts';
import { lines, oneLine } from '../output/safe.ts';
import type { Output } from '../output/terminal.ts';
import { cut } from '../output/width.ts';
import type { ChatEvent, ChatStatus } from './events.ts';

const mark: Readonly<Record<'call' | 'failed' | 'asks' | 'decided', string>> = {
  call: '→',
  failed: '✗',
  asks: '?',
  decided: '✓',
};

/** What a message says, without the titles of the tools that it calls: those have lines of their own. */
function spoken({ text, blocks }: MessageAnswer): string {
  if (!blocks.some(({ type }) => type === 'tool_call')) return text;
  return blocks.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n\n');
}

/** Shows a chat as it happens: what the agent writes as it writes it, each call of a tool in a line. */
export class Transcript {
  readonly #out: Output;
  /** Whether the words of people are shown too. */
  readonly #withPeople: boolean;
  /** Provisional text of the message that is being written, and how much of it stands on the screen. */
  #written = { sequence: 0, text: '', shown: 0 };

  constructor(out: Output, withPeople: boolean) {
    this.#out = out;
    this.#withPeople = withPeople;
  }

  show(event: ChatEvent): void {
    if (event.event === 'delta') this.#piece(event.data);
    else if (event.event === 'message') this.#message(event.data);
  }

  #line(sign: string, text: string, paint: Parameters<Output['paint']>[0] = 'dim'): void {
    const line = oneLine(`${sign} ${text}`);
    this.#out.write(`${this.#out.paint(paint, this.#out.isTerminal ? cut(line, this.#out.columns) : line)}\n`);
  }

  /** Where nobody watches, a text is written once, whole. */
  #piece({ sequence, offset, text }: { sequence: number; offset: number; text: string }): void {
    if (!this.#out.isTerminal) return;
    const isSame = sequence === this.#written.sequence;
    const goesOn = isSame && offset === this.#written.text.length;
    if (!goesOn) {
      // The pieces before were missed, or the agent began anew.
      if (offset !== 0) return;
      this.#endPiece();
      this.#written = { sequence, text: '', shown: 0 };
    }
    const whole = this.#written.text + text;
    // Half of a surrogate pair waits for the other half.
    const end = /[\ud800-\udbff]$/.test(whole) ? whole.length - 1 : whole.length;
    this.#out.write(lines(whole.slice(this.#written.shown, end)));
    this.#written = { sequence, text: whole, shown: end };
  }

  #endPiece(): void {
    if (this.#written.text !== '') this.#out.write('\n');
    this.#written = { sequence: 0, text: '', shown: 0 };
  }

  #message(message: MessageAnswer): void {
    const { sequence, role, blocks } = message;
    const text = spoken(message);
    const written = this.#written;
    if (written.sequence === sequence && written.text !== '' && text.startsWith(written.text)) {
      this.#out.write(`${lines(text.slice(written.shown))}\n`);
      this.#written = { sequence: 0, text: '', shown: 0 };
    } else {
      this.#endPiece();
      if (role === 'user' && this.#withPeople) this.#line('>', text, 'cyan');
      if (role === 'agent' && text.trim() !== '') this.#out.write(`${lines(text)}\n`);
    }
    for (const block of blocks) this.#block(block);
  }

  #block(block: MessageBlock): void {
    if (block.type === 'tool_call') this.#line(mark.call, `${block.name} ${JSON.stringify(block.input)}`);
    if (block.type === 'tool_result' && block.isError) {
      this.#line(mark.failed, JSON.stringify(block.output), 'red');
    }
    if (block.type === 'approval_request') this.#line(mark.asks, `${block.title} – ${block.reason}`, 'magenta');
    if (block.type === 'approval_decision') this.#line(mark.decided, `${block.decision} ${block.note ?? ''}`.trim());
  }

  /** Ends a text that was left in the middle. */
  end(): void {
    this.#endPiece();
  }
}

/** What to type next, for people. */
export function nextSteps(
  chatId: string,
  status: ChatStatus,
  approvals: readonly { id: string; title: string; input: unknown }[],
): string[] {
  if (status === 'failed')
    return [`What happened: tandem chats get ${chatId}`, `Try again: tandem chats send ${chatId} …`];
  if (status === 'cancelled') return [`Go on: tandem chats send ${chatId} … --wait`];
  if (status !== 'awaiting_input') return [];
  const asks = approvals.flatMap(({ id, title, input }) => [
    `The agent asks: ${oneLine(title)} ${oneLine(JSON.stringify(input))}`,
    `  tandem approvals decide ${id} approve --wait`,
    `  tandem approvals decide ${id} deny --note "…" --wait`,
  ]);
  return asks.length > 0 ? asks : [`The agent waits for you: tandem chats send ${chatId} … --wait`];
}
