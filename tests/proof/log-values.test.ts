import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Operation, operationsOf } from '../../adapters/operations.ts';
import { appRouter } from '../../routers/index.ts';
import { validRequest } from '../fixtures/operations.ts';
import type { TestWorkspace } from '../support/harness.ts';
import { type LoggedService, mark, markedEmail, startLoggedService } from '../support/logged-service.ts';

const test = suite('what people write in any field, and the log');
let service: LoggedService;

test.before(async () => {
  service = await startLoggedService();
});
test.after(() => service.close());

/** A value with the mark in every string: added to it, or in its place. */
function marked(value: unknown, replaces: boolean): unknown {
  if (typeof value === 'string') return replaces ? mark : value.includes('@') ? markedEmail() : `${value} ${mark}`;
  if (Array.isArray(value)) return value.map((each) => marked(each, replaces));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, marked(each, replaces)]));
}

/** Sends a valid request of the operation, and one each with marks added, in place of, and beside its values. */
async function exercise(operation: Operation, workspace: TestWorkspace): Promise<void> {
  const { path = {}, body, query = '', key } = await validRequest(operation, workspace);
  const route = (place: (value: string) => string) =>
    `${operation.method} ${operation.path.replace(/\{(\w+)\}/g, (_, name: string) => place(path[name] ?? ''))}`;
  const valid = route(encodeURIComponent);
  const options = key === undefined ? {} : { key };
  const requests: [string, unknown][] = [
    [`${valid}?${query}`, body && marked(body, false)],
    [`${valid}?${query}`, body && marked(body, true)],
    [`${valid}?${query}&${mark}=${mark}&cursor=${mark}&query=${mark}&timezone=${mark}`, body],
    [`${route(() => mark)}?${query}`, body],
    [valid, body && `{"${mark}": "${mark}`],
  ];
  for (const [each, content] of requests) await workspace.call(each, content, options);
}

test('no field of any operation shows in the log, whether it is valid or not', async () => {
  const workspace = await service.tandem.workspace();
  for (const operation of operationsOf(appRouter)) {
    // A stream lasts until its end, and these end the session; tests/server/log-values.test.ts has them.
    if (operation.stream || /Password|signOut|endSession|endOtherSessions/.test(operation.id)) continue;
    await exercise(operation, workspace);
  }
  assert.ok(service.lines.length > 300, `${service.lines.length}`);
  assert.not.match(service.lines.join('').toLowerCase(), mark.toLowerCase());
});

test.run();
