import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Operation, operationsOf } from '../../adapters/operations.ts';
import { mintSecret } from '../../db/secrets.ts';
import { readScopes, scopes } from '../../domain/scopes.ts';
import { appRouter } from '../../routers/index.ts';
import { type ValidRequest, validRequest } from '../fixtures/operations.ts';
import { assertFrame, revoke, sameFor } from './frame.ts';
import { type Answer, type CallOptions, startTestService, type TestService, type TestWorkspace } from './harness.ts';

/** All operations, in the order of the routers. */
export const operations = operationsOf(appRouter);

const always = [304, 400, 401, 403, 429, 500];

/** Sends a request of the operation and holds the answer to what every answer must keep. */
async function send(
  operation: Operation,
  { call }: Pick<TestWorkspace, 'call'>,
  request: ValidRequest,
  options: CallOptions = {},
  query = '',
): Promise<Answer> {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(request.path?.[name] ?? ''),
  );
  const { method, id, status, statuses } = operation;
  const search = [request.query, query].filter(Boolean).join('&');
  const credential = { ...(request.key !== undefined && { key: request.key }), ...options };
  const route = `${method} ${path}${search && `?${search}`}`;
  const answer = assertFrame(await call(route, request.body, credential), id);
  assert.ok([status, ...always, ...statuses].includes(answer.status), `${id} does not document ${answer.status}`);
  return answer;
}

/** Registers, in a suite of this name, what each of these operations must keep. Whoever calls it runs the suite. */
export function operationSuite(name: string, chosen: readonly Operation[]): Test {
  const test = suite(name);
  let tandem: TestService;
  test.before(async () => {
    tandem = await startTestService();
  });
  test.after(() => tandem.close());

  const prepared = new Map<string, Promise<{ workspace: TestWorkspace; request: ValidRequest }>>();

  /** A valid request in a workspace, for the tests of an operation that are refused or read: they leave it as it is. */
  const untouched = (operation: Operation) => {
    const prepare = async () => {
      const workspace = await tandem.workspace();
      return { workspace, request: await validRequest(operation, workspace) };
    };
    const known = prepared.get(operation.id) ?? prepare();
    prepared.set(operation.id, known);
    return known;
  };

  for (const operation of chosen) {
    const { id, method } = operation;

    test(`${id} answers its status to a valid request`, async () => {
      const workspace = await tandem.workspace();
      const answer = await send(operation, workspace, await validRequest(operation, workspace));
      assert.is(answer.status, operation.status, answer.text);
      const media = operation.stream ? 'text/event-stream' : 'application/json';
      assert.is(answer.headers.get('content-type'), `${media}; charset=utf-8`);
      const tagged = operation.etag && method !== 'DELETE';
      assert.is(answer.headers.has('etag'), tagged, 'ETag on single-resource reads and writes');
    });

    test(`${id} refuses an unknown ${method === 'GET' ? 'query parameter where it is strict' : 'body field'}`, async () => {
      const { workspace, request } = await untouched(operation);
      if (method === 'GET') {
        const answer = await send(operation, workspace, request, {}, 'surprise=1');
        assert.is(answer.status, operation.strictQuery ? 400 : operation.status, answer.text);
        if (!operation.strictQuery) return;
        assert.is(answer.body.code, 'unknown_parameter');
        assert.is(answer.body.param, 'surprise');
        assert.ok(answer.body.allowedValues.length > 0);
        return;
      }
      const { status, body } = await send(operation, workspace, { ...request, body: { ...request.body, surprise: 1 } });
      assert.is(status, 400);
      assert.is(body.code, 'validation_failed');
      assert.is(body.param, 'surprise');
    });

    if (operation.pathParameters.length === 0) continue;

    test(`${id} names the path parameter that is no UUID`, async () => {
      const { workspace, request } = await untouched(operation);
      for (const name of operation.pathParameters) {
        for (const wrong of ['nonsense', '1', ' ', '%', 'a/b', '\0', "'; drop table todos; --", 'x'.repeat(600)]) {
          const path = { ...request.path, [name]: wrong };
          const { status, body } = await send(operation, workspace, { ...request, path });
          assert.is(status, 400, wrong);
          assert.is(body.code, 'validation_failed');
          assert.is(body.param, name);
        }
      }
    });

    test(`${id} tells an id of another workspace from an unknown one in nothing`, async () => {
      const [mine, other] = [await tandem.workspace(), await tandem.workspace()];
      const [request, foreign] = [await validRequest(operation, mine), await validRequest(operation, other)];
      for (const name of operation.pathParameters) {
        const at = (value: string) => ({ ...request, path: { ...request.path, [name]: value } });
        const stolen = await send(operation, mine, at(foreign.path?.[name] ?? ''));
        const unknown = await send(operation, mine, at('0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee'));
        const named = name === 'workspaceId';
        assert.is(unknown.status, named ? 403 : 404, unknown.text);
        assert.is(unknown.body.code, named ? 'workspace_access_denied' : 'resource_not_found');
        assert.is(unknown.body.param, name);
        assert.is(stolen.status, unknown.status);
        assert.equal(sameFor(stolen), sameFor(unknown));
      }
      assert.is((await send(operation, other, foreign)).status, operation.status, 'the other one still has it');
    });
  }

  for (const operation of chosen.filter(({ access }) => access !== 'public')) {
    const { id, scope, access } = operation;

    test(`${id} answers 401 to whoever shows no valid credential`, async () => {
      const { workspace, request } = await untouched(operation);
      const none = await send(operation, workspace, request, { key: null });
      assert.is(none.status, 401);
      assert.is(none.body.code, 'missing_credentials');
      assert.ok(none.headers.get('www-authenticate')?.startsWith('Bearer'));

      const revoked = await workspace.mint(scopes);
      await revoke(tandem, revoked);
      const expired = await workspace.mint(scopes, { expiresAt: new Date(Date.now() - 1).toISOString() });
      const last = workspace.key.endsWith('0') ? '1' : '0';
      const bad = { garbage: 'garbage', checksum: workspace.key.slice(0, -1) + last, unknown: mintSecret('sk') };
      for (const [kind, key] of Object.entries({ ...bad, revoked, expired })) {
        const { status, body } = await send(operation, workspace, request, { key });
        assert.is(status, 401, kind);
        assert.is(body.code, 'invalid_api_key', kind);
      }
    });

    if (access === 'session' || access === 'key_management') {
      test(`${id} refuses every API key`, async () => {
        const { workspace, request } = await untouched(operation);
        const { status, body } = await send(operation, workspace, request, { key: workspace.key });
        assert.is(status, 403);
        const expected =
          access === 'session' ? ['missing_scope', 'session_required'] : ['api_key_auth_required', undefined];
        assert.equal([body.code, body.reason], expected);
      });
    }

    if (access === 'reader') {
      test(`${id} needs some read scope, whichever it is`, async () => {
        const { workspace, request } = await untouched(operation);
        const writer = await workspace.mint(scopes.filter((each) => !readScopes.includes(each)));
        const { status, body } = await send(operation, workspace, request, { key: writer });
        assert.is(status, 403);
        assert.is(body.code, 'missing_scope');
        assert.equal(body.requiredScopes, readScopes);
        for (const key of await Promise.all([
          ...readScopes.map((each) => workspace.mint([each])),
          workspace.session(),
        ])) {
          assert.is((await send(operation, workspace, request, { key })).status, operation.status);
        }
      });
    }

    if (access === 'subscriber') {
      test(`${id} takes a session or a key with a read scope, and no OAuth token`, async () => {
        const workspace = await tandem.workspace();
        const request = await validRequest(operation, workspace);
        const writer = await workspace.mint(scopes.filter((each) => !readScopes.includes(each)));
        const refused = await send(operation, workspace, request, { key: writer });
        assert.equal(
          [refused.status, refused.body.code, refused.body.requiredScopes],
          [403, 'missing_scope', readScopes],
        );
        const token = await workspace.mint(scopes);
        const { body: identity } = await workspace.call('GET /me', undefined, { key: token });
        await tandem.db.rows(`update credentials set kind = 'oauth' where workspace_id = $1 and id = $2`, [
          workspace.workspaceId,
          identity.credential.id,
        ]);
        const app = await send(operation, workspace, request, { key: token });
        assert.equal([app.status, app.body.code, app.body.reason], [403, 'missing_scope', 'session_required']);
        const key = await workspace.session();
        assert.is((await send(operation, workspace, request, { key })).status, operation.status);
      });
    }

    if (access !== 'scoped') continue;
    test(`${id} needs the scope ${scope} and no other`, async () => {
      const workspace = await tandem.workspace();
      const request = await validRequest(operation, workspace);
      const without = await workspace.mint(scopes.filter((each) => each !== scope));
      const { status, body } = await send(operation, workspace, request, { key: without });
      assert.is(status, 403);
      assert.is(body.code, 'missing_scope');
      assert.equal(body.requiredScopes, [scope]);
      const only = await workspace.mint(scopes.filter((each) => each === scope));
      assert.is((await send(operation, workspace, request, { key: only })).status, operation.status);
    });
  }

  return test;
}
