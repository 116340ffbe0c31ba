import { createServer } from 'node:http';
import { TRPCClientError } from '@trpc/client';
import { createTandemClient, isTandemError, type TandemClient } from 'tandem/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refusalOf } from '../support/client-world.ts';

const test = suite('the typed client behind servers that answer themselves');

interface Behind {
  client: TandemClient;
  /** Requests so far. */
  sent: () => number;
}

/** A client whose requests are answered by something else than the service. */
function behind(answer: (number: number) => Response | Promise<Response>): Behind {
  let number = 0;
  const fetch = async () => answer(++number);
  return { client: createTandemClient({ url: 'http://tandem.test', token: 'x', fetch }), sent: () => number };
}

const page = (status: number, headers: Record<string, string> = {}) =>
  new Response('<html>\r\n<h1>A page</h1>', { status, headers: { 'Content-Type': 'text/html', ...headers } });
const json = (text: string, status = 200) =>
  new Response(text, { status, headers: { 'Content-Type': 'application/json' } });

/** The error of a call, which no response of the service is. */
async function failureOf({ client }: Behind): Promise<Error> {
  const failure = await refusalOf(client.todos.list.query({}));
  assert.instance(failure, TRPCClientError);
  assert.not.ok(isTandemError(failure));
  return failure;
}

test('the page of a gateway is called one, with its status and what to do', async () => {
  for (const status of [502, 503, 504]) {
    const gateway = behind(() => page(status));
    assert.match((await failureOf(gateway)).message, `A server on the way to Tandem answered: ${status}. Try again`);
    assert.is(gateway.sent(), 3);
  }
  for (const answer of [() => page(403), () => page(404), () => page(413), () => page(200), () => json('[]')]) {
    const gateway = behind(answer);
    assert.match((await failureOf(gateway)).message, `The response is not from Tandem: ${answer().status}. Check the`);
    assert.is(gateway.sent(), 1);
  }
  for (const text of ['null', '{"message":"no Route matched"}'])
    assert.match((await failureOf(behind(() => json(text)))).message, 'The response is not from Tandem: 200');
  assert.match(
    (await failureOf(behind(() => json('{"message":"x"}', 503)))).message,
    'answered: 503. Try again later.',
  );
});

test('a stream that is answered with a page says so too', async () => {
  const { client } = behind(() => page(200));
  const stream = client.events.stream.query({ afterSequence: 0 });
  assert.match((await refusalOf(stream)).message, 'The response is not from Tandem: 200.');
});

test('a gateway is asked again when it says, and not at all when that is long', async () => {
  const answered = json('[{"result":{"data":{"object":"list","data":[]}}}]');
  const begun = performance.now();
  const soon = behind((number) => (number > 1 ? answered : page(503, { 'Retry-After': '1' })));
  assert.equal((await soon.client.todos.list.query({})).data, []);
  assert.ok(performance.now() - begun >= 990, 'it waited as long as it should');
  for (const late of ['3600', new Date(Date.now() + 3_600_000).toUTCString()]) {
    const gateway = behind(() => page(429, { 'Retry-After': late }));
    await failureOf(gateway);
    assert.is(gateway.sent(), 1);
  }
  const refused = behind((number) => (number > 1 ? json('{"result":{"data":{}}}') : page(429, { 'Retry-After': '0' })));
  await refused.client.todos.update.mutate({ todoId: 'x', title: 'A refused write has no effect' });
  assert.is(refused.sent(), 2);
});

test('a redirect that ends at a page to sign in, or loses the key, is named', async () => {
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/trpc')) response.writeHead(302, { location: '/login?next=secret' }).end();
    else response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"data":{}}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
  const address = server.address();
  const url = `http://[::1]:${typeof address === 'object' && address?.port}`;
  const { message } = await refusalOf(createTandemClient({ url }).todos.list.query({}));
  assert.match(message, `The response is not from Tandem: 401 Unauthorized, redirected to ${url}/login. Check`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a lost connection says why', async () => {
  const lost = behind(() => {
    throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
  });
  const failure = await failureOf(lost);
  assert.match(failure.message, 'There is no complete response of the service: read ECONNRESET. Check the address');
  assert.is((failure.cause as Error).message, 'fetch failed');
});

test.run();
