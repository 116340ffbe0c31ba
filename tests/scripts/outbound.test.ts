import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSources } from '../../scripts/imports.ts';
import { bypasses } from '../../scripts/outbound.ts';

const test = suite('outgoing requests: one client');

test('nothing in the service sends a request but outbound/', async () => {
  const sources = await readSources();
  assert.ok(sources.has('outbound/client.ts') && sources.has('media/storage/s3-requests.ts'), 'the sources were found');
  assert.equal(bypasses(sources), []);
});

const bypassesIn = (text: string, file = 'server/a.ts') => bypasses(new Map([[file, text]]));

test('every way to send a request is found, with its line', () => {
  assert.equal(bypassesIn('\nawait fetch(url);'), ['server/a.ts:2 uses fetch: requests are sent by outbound/']);
  for (const text of [
    'globalThis.fetch(url)',
    "globalThis['fetch'](url)",
    'const send = fetch;',
    'createAnthropic({ fetch })',
    'createAnthropic({ fetch: fetch })',
    'const parts = { send: fetch.bind(null) };',
    'signer.fetch(url)',
    'new EventSource(url)',
    "import { request } from 'undici';",
    "import undici from 'undici';",
    "import { request } from 'node:http';",
    "import { get as read, createServer } from 'http';",
    "import http from 'node:http';",
    "import * as http from 'node:http';",
    "import { Agent } from 'node:https';",
    "import { connect } from 'node:http2';",
    "const { request } = await import('node:http');",
    "import axios from 'axios';",
  ]) {
    assert.ok(bypassesIn(text).length > 0, text);
  }
});

test('what answers requests, names types or is no part of the service is no finding', () => {
  for (const text of [
    "import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http';",
    "import type { ClientRequest } from 'node:http';",
    "import type { Dispatcher } from 'undici';",
    'export type Send = typeof globalThis.fetch; type Other = typeof fetch;',
    "interface Parts { fetch?: Configuration['fetch'] }",
    'createAnthropic({ fetch: send })',
    'const { fetch: send } = parts;',
  ]) {
    assert.equal(bypassesIn(text), [], text);
  }
  assert.equal(bypassesIn('fetch(url)', 'cli/a.ts'), []);
  assert.equal(bypassesIn('modern.fetch(request)', 'adapters/mcp/server.ts'), []);
});

test.run();
