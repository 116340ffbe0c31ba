import { Webhook } from 'standardwebhooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { webhookSnippets } from '../../scripts/webhook-snippets.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import { happen, loopback, newEndpoint, unlimited } from '../support/webhook-world.ts';

const test = suite('the code that checks the signature of a webhook');
let tandem: TestService;
let receiver: Receiver;
test.before(async () => {
  [tandem, receiver] = await Promise.all([startTestService(loopback, unlimited), startReceiver()]);
});
test.after(async () => {
  await Promise.all([tandem.close(), receiver.close()]);
});

type Handler = (
  request: { body: Buffer; headers: unknown },
  response: { sendStatus: (status: number) => void },
) => void;

/** The handler that the snippet registers, run as JavaScript, and what it puts in its queue. */
function handlerOf(code: string, secret: string) {
  const queued: { type: string }[] = [];
  let handler: Handler | undefined;
  const names = {
    Webhook,
    app: { post: (_path: string, _parser: unknown, handle: Handler) => (handler = handle) },
    express: { raw: (options: object) => options },
    queue: { add: (event: { type: string }) => queued.push(event) },
    process: { env: { TANDEM_WEBHOOK_SECRET: secret } },
  };
  new Function(...Object.keys(names), code.replace(/^import .*$/m, ''))(...Object.values(names));
  if (!handler) throw new Error('the snippet registers no handler');
  return { handler, queued };
}

test('accepts what the service sends, and refuses a body that was changed', async () => {
  const workspace = await tandem.workspace();
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url('/snippet') });
  await happen(tandem, workspace.workspaceId, 1);
  const [request] = await receiver.received('/snippet', 1);
  assert.ok(request);
  const { typescript, python } = webhookSnippets();
  const { handler, queued } = handlerOf(typescript, endpoint.secret);
  const statuses: number[] = [];
  const response = { sendStatus: (status: number) => statuses.push(status) };
  handler({ body: Buffer.from(request.body), headers: request.headers }, response);
  assert.equal([statuses, queued.map(({ type }) => type)], [[204], ['todo.created']]);
  const changed = { body: Buffer.from(request.body.replace('todo.created', 'todo.deleted')), headers: request.headers };
  assert.throws(() => handler(changed, response));
  assert.equal(statuses, [204]);
  assert.match(python, 'Webhook(os.environ["TANDEM_WEBHOOK_SECRET"]).verify(request.get_data(), request.headers)');
});

test.run();
