import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { until } from '../support/until.ts';

// Not followed by the compiler, which knows nothing of a browser here.
const file: string = '../../web/src/live/shared-log.ts';

interface Sink {
  take(changes: readonly { data: { id: string } }[]): void;
  takeAll(): void;
  onState(): void;
  isSameSession(): Promise<boolean>;
}

const { SharedLog } = (await import(file)) as {
  SharedLog: new (name: string, workspaceId: string, position: number, sink: Sink) => { close(): void };
};

/* The windows of one browser, which follow the log of a workspace over one stream. */

const test = suite('windows that follow the log together');
const simulated = {
  document: Object.assign(new EventTarget(), { visibilityState: 'visible' }),
  addEventListener: () => {},
  removeEventListener: () => {},
};
const realFetch = globalThis.fetch;
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  for (const [name, value] of Object.entries(simulated)) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
});
test.after(() => {
  for (const name of Object.keys(simulated)) Reflect.deleteProperty(globalThis, name);
  globalThis.fetch = realFetch;
  return tandem.close();
});

test('when the log went back, as after a restore, each of them goes on from where it ends', async () => {
  const { workspaceId, call, session } = await tandem.workspace();
  const authorization = `Bearer ${await session()}`;
  globalThis.fetch = (address, init) =>
    String(address).startsWith('/')
      ? realFetch(`${tandem.url}${address}`, { ...init, headers: { ...(init?.headers as object), authorization } })
      : realFetch(address, init);
  const windows = Array.from({ length: 2 }, () => {
    const taken: string[] = [];
    let gaps = 0;
    const log = new SharedLog(`tandem.live.${workspaceId}`, workspaceId, 1000, {
      take: (changes) => taken.push(...changes.map(({ data }) => data.id)),
      takeAll: () => {
        gaps++;
      },
      onState: () => {},
      isSameSession: async () => true,
    });
    return { log, taken, gaps: () => gaps };
  });
  try {
    await until(() => windows.every(({ gaps }) => gaps() === 1));
    const { id } = (await call('POST /todos', { title: 'a' })).body;
    await until(() => windows.every(({ taken }) => taken.includes(id)));
    assert.equal(
      windows.map(({ taken }) => taken),
      [[id], [id]],
    );
  } finally {
    for (const { log } of windows) log.close();
  }
});

test.run();
