import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ChatsOrder {
  url: string;
  keys: string[];
  message: string;
  /** Turns at work at a time. */
  inFlight: number;
  /** It ends after so long, or after so many turns. */
  seconds?: number;
  turns?: number;
  /** Every turn begins a chat; else a chat has five. */
  chatsOnly?: boolean;
}

/** One message and what came of it. Times are `clockMs`, `answeredOn` is the wall clock. */
export interface Turn {
  token: string;
  chatId: string | undefined;
  sentAt: number;
  answeredAt: number;
  answeredOn: number;
  /** The agent replied, and the chat is completed. */
  ok: boolean;
  /** What came instead. */
  fault?: string;
}

export interface ChatsReport {
  turns?: Turn[];
  error?: string;
}

/** People who write to agents and wait for the replies, in a process of their own. */
export class Clients {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./client.ts', import.meta.url)), {
      execArgv: [],
      serialization: 'advanced',
    });
  }

  async converse(order: ChatsOrder): Promise<Turn[]> {
    const answer = once(this.#child, 'message');
    this.#child.send(order);
    const [{ turns, error }] = (await answer) as [ChatsReport];
    if (!turns) throw new Error(`The clients of the agents failed: ${error}`);
    const faults = new Set(turns.flatMap(({ fault }) => fault ?? []));
    for (const fault of faults) process.stderr.write(`  turn failed: ${fault}\n`);
    return turns;
  }

  close(): void {
    this.#child.kill();
  }
}
