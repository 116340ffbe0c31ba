import { suite } from 'uvu';
import { assertRoutesGuarded, routesOf } from '../support/guarded-routes.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('headers of the responses of all routes');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('every route, with a credential and without, keeps its answers from caches, frames and guessed types', () =>
  assertRoutesGuarded(tandem, routesOf(tandem)));

test.run();
