import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scopes } from '../../domain/scopes.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { authorizeUrl, Browser, decide, register, send } from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';

const test = suite('oauth: metadata');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('the metadata of the authorization server is whole, wherever clients look for it', async () => {
  const { url } = tandem;
  const expected = {
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    registration_endpoint: `${url}/oauth/register`,
    revocation_endpoint: `${url}/oauth/revoke`,
    scopes_supported: [...scopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [`${url}/mcp`],
    service_documentation: `${url}/docs`,
  };
  for (const path of ['', '/mcp']) {
    const { status, body, headers } = await send(url, `GET /.well-known/oauth-authorization-server${path}`);
    assert.is(status, 200);
    assert.match(headers.get('content-type') ?? '', 'application/json');
    assert.is(headers.get('access-control-allow-origin'), '*');
    assert.equal(body, expected);
  }
  const openid = ['/.well-known/openid-configuration', '/.well-known/openid-configuration/mcp'];
  for (const path of [...openid, '/mcp/.well-known/openid-configuration']) {
    const { jwks_uri, ...rest } = (await send(url, `GET ${path}`)).body;
    assert.equal(rest, {
      ...expected,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['EdDSA'],
    });
    const [key, ...others] = (await send(url, `GET ${new URL(jwks_uri).pathname}`)).body.keys;
    assert.is(others.length, 0);
    assert.equal([key.kty, key.crv, key.use, key.d], ['OKP', 'Ed25519', 'sig', undefined]);
  }
});

test('the metadata of the MCP endpoint names its authorization server', async () => {
  for (const path of ['', '/mcp']) {
    const { status, body } = await send(tandem.url, `GET /.well-known/oauth-protected-resource${path}`);
    assert.is(status, 200);
    assert.equal(body, {
      resource: `${tandem.url}/mcp`,
      authorization_servers: [tandem.url],
      scopes_supported: [...scopes],
      bearer_methods_supported: ['header'],
      resource_name: 'Tandem',
      resource_documentation: `${tandem.url}/docs`,
    });
  }
});

test('a page of another site may register and redeem, and the errors are readable to it', async () => {
  const headers = { origin: 'https://inspector.example', 'access-control-request-method': 'POST' };
  for (const path of ['/oauth/token', '/oauth/register', '/oauth/revoke']) {
    const { status, headers: answered } = await send(tandem.url, `OPTIONS ${path}`, { headers });
    assert.is(status, 204);
    assert.is(answered.get('access-control-allow-origin'), '*');
  }
  const form = { grant_type: 'authorization_code', client_id: await register(tandem.url), code: 'none' };
  const answer = await send(tandem.url, 'POST /oauth/token', { form, headers: { origin: headers.origin } });
  assert.is(answer.status, 400);
  assert.is(answer.headers.get('access-control-allow-origin'), '*');
  assert.is(answer.headers.get('access-control-allow-credentials'), null);
  const decision = { workspaceId: crypto.randomUUID() };
  const unknown = await decide(
    new Browser(await newAccount(tandem)),
    authorizeUrl(tandem.url, form.client_id, ''),
    decision,
  );
  assert.is(unknown.searchParams.get('error'), 'invalid_request');
});

test.run();
