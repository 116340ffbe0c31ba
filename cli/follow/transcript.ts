import type { MessageAnswer, MessageBlock } from '../../domain/chats/shapes.ts';
import type { Output } from '../terminal/output.ts';
import { lines, oneLine } from '../terminal/safe.ts';
import { cut } from '../terminal/width.ts';
import type { ChatEvent, ChatStatus } from './events.ts';

const mark: Readonly<Record<'call' | 'failed' | 'asks' | 'decided', string>> = {
  call: '→',
  failed: '✗',
  asks: '?',
  decided: '✓',
};

/** The text of a message without tool titles, which are printed on separate lines. */
function textOf({ text, blocks }: MessageAnswer): string {
  if (!blocks.some(({ type }) => type === 'tool_call')) return text;
  return blocks.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n\n');
}

/** Prints a chat while it runs: text as it arrives, each tool call on a line. */
export class Transcript {
  readonly #out: Output;
  /** Whether messages of people are shown too. */
  readonly #withUserMessages: boolean;
  /** Provisional text of the current message, and how much of it is printed. */
  #written = { sequence: 0, text: '', shown: 0 };

  constructor(out: Output, withUserMessages: boolean) {
    this.#out = out;
    this.#withUserMessages = withUserMessages;
  }

  show(event: ChatEvent): void {
    if (event.event === 'delta') this.#piece(event.data);
    else if (event.event === 'message') this.#message(event.data);
  }

  #line(sign: string, text: string, paint: Parameters<Output['paint']>[0] = 'dim'): void {
    const line = oneLine(`${sign} ${text}`);
    this.#out.write(`${this.#out.paint(paint, this.#out.isTerminal ? cut(line, this.#out.columns) : line)}\n`);
  }

  /** Without a terminal, a text is written once, when it is complete. */
  #piece({ sequence, offset, text }: { sequence: number; offset: number; text: string }): void {
    if (!this.#out.isTerminal) return;
    const isSame = sequence === this.#written.sequence;
    const goesOn = isSame && offset === this.#written.text.length;
    if (!goesOn) {
      // Earlier pieces were missed, or the agent restarted the message.
      if (offset !== 0) return;
      this.#endPiece();
      this.#written = { sequence, text: '', shown: 0 };
    }
    const whole = this.#written.text + text;
    // Hold back the first half of a surrogate pair.
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
    const text = textOf(message);
    const written = this.#written;
    if (written.sequence === sequence && written.text !== '' && text.startsWith(written.text)) {
      this.#out.write(`${lines(text.slice(written.shown))}\n`);
      this.#written = { sequence: 0, text: '', shown: 0 };
    } else {
      this.#endPiece();
      if (role === 'user' && this.#withUserMessages) this.#line('>', text, 'cyan');
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

  /** Ends an incomplete text with a line break. */
  end(): void {
    this.#endPiece();
  }
}

/** Suggested next commands. */
export function nextSteps(
  chatId: string,
  status: ChatStatus,
  approvals: readonly { id: string; title: string; input: unknown }[],
): string[] {
  if (status === 'failed') return [`Details: tandem chats get ${chatId}`, `Try again: tandem chats send ${chatId} …`];
  if (status === 'cancelled') return [`Continue: tandem chats send ${chatId} … --wait`];
  if (status !== 'awaiting_input') return [];
  const commands = approvals.flatMap(({ id, title, input }) => [
    `Approval requested: ${oneLine(title)} ${oneLine(JSON.stringify(input))}`,
    `  tandem approvals decide ${id} approve --wait`,
    `  tandem approvals decide ${id} deny --note "…" --wait`,
  ]);
  return commands.length > 0 ? commands : [`The agent needs a reply: tandem chats send ${chatId} … --wait`];
}
