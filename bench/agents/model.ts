import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type ModelOrder = 'hold' | 'release' | 'report';

/** What a model was asked so far. */
export interface ModelReport {
  port: number;
  turns: number;
  /** Titles, summaries and estimates. */
  texts: number;
  /** Answers that it holds back. */
  held: number;
  /** The marks of the messages that turns began with since the last report, and when it was asked. */
  firstAsked: [token: string, at: number][];
}

/** The instant model in a process of its own, so that it shares no event loop with what it answers. */
export class Model {
  readonly #child: ChildProcess;
  readonly #listening: Promise<unknown>;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./model-server.ts', import.meta.url)), {
      execArgv: [],
      serialization: 'advanced',
    });
    this.#listening = once(this.#child, 'message');
  }

  /** Has it hold its answers to turns, let them go, or only report. Marks are reported once. */
  async order(order: ModelOrder): Promise<ModelReport> {
    await this.#listening;
    const answer = once(this.#child, 'message');
    this.#child.send(order);
    const [report] = (await answer) as [ModelReport];
    return report;
  }

  /** The settings of a service that asks it. */
  async settings(): Promise<Record<string, string>> {
    const { port } = await this.order('report');
    return {
      AI_PROVIDER: 'openai-compatible',
      AI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      AI_API_KEY: 'none-needed',
      AI_MODEL: 'instant',
    };
  }

  close(): void {
    this.#child.kill();
  }
}
