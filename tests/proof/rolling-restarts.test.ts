import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask } from '../support/frame.ts';
import { type Balancer, behindBalancer, startBalancer } from '../support/haproxy.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { freePort } from '../support/ports.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/*
 * ROLLING_RESTARTS: how many, of one process after the other; three where it is not set. Skipped without HAProxy,
 * except when `CI` is true.
 */

const test = suite('two processes behind HAProxy');
const restarts = Number(process.env.ROLLING_RESTARTS ?? 3);
const clients = 6;
let tandem: TestService;
let ports: [number, number];
let balancer: Balancer;
let services: ServiceProcess[] = [];

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  ports = [await freePort(), await freePort()];
});
test.after(async () => {
  await balancer?.close();
  // Without the lame-duck period.
  for (const { child } of services) child.kill('SIGINT');
  await stopProcesses();
  await tandem.close();
});

const start = (port: number) =>
  startProcess({ PORT: String(port), LAME_DUCK_SECONDS: '300', SHUTDOWN_SECONDS: '600', TRUST_PROXY: '1' });

/** Sends requests over connections of its own until it is stopped. */
class Load {
  readonly failures: string[] = [];
  readonly counts = { read: 0, created: 0, waited: 0, streamed: 0 };
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 40 });
  readonly #left = new AbortController();
  readonly #key: string;
  readonly #chatId: string;
  readonly #requests: Promise<unknown>;
  readonly #stream: Promise<void>;
  #stopped = false;

  constructor(key: string, chatId: string) {
    this.#key = key;
    this.#chatId = chatId;
    const programs = Array.from({ length: clients }, () => [
      this.#repeat(() => this.#read()),
      this.#repeat(() => this.#create()),
    ]);
    this.#requests = Promise.all([...programs.flat(), this.#repeat(() => this.#wait())]);
    this.#stream = this.#repeat(() => this.#follow());
  }

  /** Waits for the answers of what was sent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#requests;
    this.#left.abort();
    await this.#stream;
    this.#agent.destroy();
  }

  async #repeat(act: (this: void) => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      await act();
      await sleep(5);
    }
  }

  /** The body of an answer with `wanted`; anything else is a failure. */
  async #send(method: string, path: string, wanted: number, body?: object): Promise<string | null> {
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' };
        const options = { method, headers, agent: this.#agent, signal: this.#left.signal };
        const sent = request(`${balancer.url}/api/v1${path}`, options, resolve);
        sent.on('error', reject);
        sent.end(body && JSON.stringify(body));
      });
      const answer = await text(response);
      if (response.statusCode === wanted) return answer;
      this.failures.push(`${method} ${path}: ${response.statusCode} ${answer.slice(0, 200)}`);
    } catch (error) {
      if (this.#left.signal.aborted) return null;
      this.failures.push(`${method} ${path}: ${error}`);
    }
    return null;
  }

  async #read(): Promise<void> {
    if ((await this.#send('GET', '/todos?limit=5', 200)) !== null) this.counts.read++;
  }

  async #create(): Promise<void> {
    if ((await this.#send('POST', '/todos', 201, { title: crypto.randomUUID() })) !== null) this.counts.created++;
  }

  async #wait(): Promise<void> {
    const path = `/chats/${this.#chatId}/messages?afterSequence=1&waitSeconds=10`;
    if ((await this.#send('GET', path, 200)) !== null) this.counts.waited++;
  }

  async #follow(): Promise<void> {
    // The stream ends with its process; the client opens it again at the other one.
    const events = await this.#send('GET', `/chats/${this.#chatId}/stream`, 200);
    if (events?.startsWith('retry:')) this.counts.streamed++;
  }
}

/** Waits until requests no longer arrive: those that were on their way when the balancer took the process out have. */
async function quiet({ url, output }: ServiceProcess): Promise<void> {
  const answered = async () => {
    const { text: metrics } = await ask(`${url}/metrics`);
    return metrics
      .split('\n')
      .filter((line) => /^tandem_http_requests_total.*api/.test(line))
      .join();
  };
  let before = await answered();
  await until(async () => {
    await sleep(500);
    const [last, now] = [before, await answered()];
    before = now;
    return last === now;
  }, output);
}

const promise = behindBalancer(test, 'two processes behind HAProxy');

promise(`${restarts} restarts under load: every request is answered, and each todo is made once`, async () => {
  const { workspaceId, key, call } = await tandem.workspace();
  await tandem.db.rows('update credentials set rate_limit_per_minute = 1000000 where workspace_id = $1', [workspaceId]);
  const { id } = bodyOf(await call('POST /chats', { message: 'Wait' }), 201);
  // No worker claims its turn: whoever waits for the chat or follows it is held.
  const hold = `update chat_turns set worker_id = $2, lease_until = $3 where workspace_id = $1`;
  const anHourOn = new Date(Date.now() + 3_600_000).toISOString();
  await tandem.db.rows(hold, [workspaceId, crypto.randomUUID(), anHourOn]);
  services = await Promise.all(ports.map(start));
  balancer = await startBalancer(ports);
  await balancer.untilUp(2);
  const load = new Load(key, id);
  for (let restart = 0; restart < restarts; restart++) {
    const place = restart % 2;
    const port = ports[place] as number;
    const stopped = services[place] as ServiceProcess;
    stopped.child.kill('SIGTERM');
    await balancer.untilUp(1);
    await quiet(stopped);
    // The lame-duck period is over, on a machine of any speed.
    stopped.child.kill('SIGINT');
    assert.is(await stopped.exited, 0, stopped.output());
    services[place] = await start(port);
    await balancer.untilUp(2);
    process.stdout.write(`restart ${restart + 1}: ${load.failures.length} failed\n`);
  }
  await load.stop();
  const { failures, counts } = load;
  assert.equal(failures.slice(0, 10), [], `${failures.length} failed`);
  for (const [name, count] of Object.entries(counts)) assert.ok(count > 0, `${name}: ${JSON.stringify(counts)}`);
  const [row] = await tandem.db.rows<{ count: number }>(
    'select count(*)::int as count from todos where workspace_id = $1',
    [workspaceId],
  );
  assert.is(row?.count, counts.created);
  process.stdout.write(`${restarts} restarts: ${JSON.stringify(counts)}, ${failures.length} failed\n`);
});

test.run();
