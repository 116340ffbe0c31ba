import { createServer, type RequestListener, type Server } from 'node:http';
import { TRPCClientError } from '@trpc/client';
import { createTandemClient, isTandemError, type TandemClient } from 'tandem/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServiceSettings } from '../../domain/context.ts';
import { errorBody, Failure, notFound } from '../../domain/errors.ts';
import { answerUnreadable } from '../../server/access/unreadable.ts';
import type { Config } from '../../server/config.ts';
import { listenWhileWaiting } from '../../server/waiting.ts';
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

const servers: Server[] = [];

/** The address of a server on this machine, until the end. */
function addressOf(server: Server): string {
  servers.push(server);
  const address = server.address();
  return `http://[::1]:${typeof address === 'object' && address?.port}`;
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
  return addressOf(server);
}

test.after(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** The error object of the service, as it is over REST. */
const bodyOf = (failure: Failure) => errorBody(failure, 'request-1', 'http://tandem.test/docs/errors');

/** The error of a call that the service itself refused. */
async function refusedBy(client: TandemClient) {
  const refusal = await refusalOf(client.todos.list.query({}));
  assert.ok(isTandemError(refusal), refusal.message);
  return refusal;
}

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

test('the rest of a page is not waited for, and its connection is given up', async () => {
  let cancelled = 0;
  const endless = () =>
    new ReadableStream({
      start: (body) => body.enqueue(new TextEncoder().encode('<p>A page</p>'.repeat(16_000))),
      cancel: () => {
        cancelled++;
      },
    });
  const gateway = behind(() => new Response(endless(), { status: 502, headers: { 'Content-Type': 'text/html' } }));
  await failureOf(gateway);
  assert.equal([gateway.sent(), cancelled], [3, 3]);
});

test('what another try cannot mend is sent once, whatever its text', async () => {
  for (const status of [400, 401, 403, 404, 405, 413, 414, 431]) {
    const gateway = behind(() => new Response('Not here', { status, headers: { 'Content-Type': 'text/plain' } }));
    assert.match((await failureOf(gateway)).message, `The response is not from Tandem: ${status}.`);
    assert.is(gateway.sent(), 1, `${status}`);
  }
  const cut = behind(() => json('[{"result":'));
  await failureOf(cut);
  assert.is(cut.sent(), 3);
});

test('a redirect that ends at a page to sign in, or loses the key, is named', async () => {
  const unsigned = new Failure({ status: 401, code: 'missing_credentials', message: 'No key' });
  const refused = JSON.stringify({ error: { message: 'No key', code: -32001, data: { problem: bodyOf(unsigned) } } });
  const other = await serve((_, response) =>
    response.writeHead(401, { 'content-type': 'application/json' }).end(refused),
  );
  const url = await serve(({ url = '' }, response) => {
    if (url.startsWith('/away/trpc')) response.writeHead(307, { location: `${other}${url}` }).end();
    else if (url.startsWith('/own/trpc')) response.writeHead(307, { location: '/signed-out' }).end();
    else if (url.startsWith('/trpc')) response.writeHead(302, { location: '/login?next=secret' }).end();
    else
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(url === '/signed-out' ? refused : '{"error":{"data":{}}}');
  });
  const { message } = await refusalOf(createTandemClient({ url }).todos.list.query({}));
  assert.match(message, `The response is not from Tandem: 401 Unauthorized, redirected to ${url}/login. Check`);
  const away = await refusalOf(createTandemClient({ url: `${url}/away` }).todos.list.query({}));
  assert.not.ok(isTandemError(away));
  assert.match(away.message, `The response is not from Tandem: 401 Unauthorized, redirected to ${other}/away/trpc`);
  assert.is((await refusedBy(createTandemClient({ url: `${url}/own` }))).code, 'missing_credentials');
});

test('an error of the service is one also after a redirect', async () => {
  const missing = bodyOf(notFound('todo', 'todoId'));
  const refused = JSON.stringify({ error: { message: missing.message, code: -32004, data: { problem: missing } } });
  const answer: RequestListener = (_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end(refused);
  };
  const other = await serve(answer);
  const url = await serve((request, response) => {
    if (request.url?.startsWith('/moved')) answer(request, response);
    else response.writeHead(308, { location: `/moved${request.url}` }).end();
  });
  const away = await serve((request, response) => response.writeHead(308, { location: other + request.url }).end());
  for (const client of [createTandemClient({ url }), createTandemClient({ url: away })]) {
    const { status, code, param } = await refusedBy(client);
    assert.equal([status, code, param], [404, 'resource_not_found', 'todoId']);
  }
});

test('errors from before a request reaches the typed API are errors of the service', async () => {
  for (const status of [400, 408]) {
    const body = bodyOf(new Failure({ status, code: 'validation_failed', message: 'Not valid' }));
    const early = behind(() => json(JSON.stringify(body), status));
    assert.equal((await refusedBy(early.client)).problem, body);
    const stream = early.client.events.stream.query({ afterSequence: 0 });
    assert.ok(isTandemError(await refusalOf(stream)));
    assert.is(early.sent(), 2);
  }
  const url = await serve((_, response) => response.end());
  servers.at(-1)?.on('clientError', answerUnreadable(60, { publicUrl: url } as ServiceSettings));
  const large = await refusedBy(createTandemClient({ url, headers: { 'x-large': 'x'.repeat(20_000) } }));
  assert.equal([large.status, large.code, large.retryable], [431, 'validation_failed', false]);
  assert.match(large.message, 'The address and headers are too large.');
});

test('a service that starts says so, and when to ask again', async () => {
  const url = addressOf(await listenWhileWaiting({ HOST: '::1', PORT: 0 } as Config));
  const { status, code, retryable, problem } = await refusedBy(createTandemClient({ url, retries: 0 }));
  assert.equal([status, code, retryable], [503, 'internal_error', true]);
  assert.equal([problem.reason, problem.retryAfterSeconds], ['unavailable', 5]);
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
