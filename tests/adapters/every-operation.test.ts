import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../adapters/operations.ts';
import { exceptionIds } from '../fixtures/operations.ts';
import { operationSuite, operations } from '../support/operation-suite.ts';

const test = suite('operations');

/** What decides how an operation is mounted and guarded. */
function kindOf({ method, access, pathParameters, strictQuery, stream, etag }: Operation): string {
  return [method, access, pathParameters.length, strictQuery, stream !== null, etag].join();
}

test('exist where a request of their own is kept for them', () => {
  const ids = operations.map(({ id }) => id);
  assert.equal(
    exceptionIds.filter((id) => !ids.includes(id)),
    [],
  );
});

test('have an id of their own', () => {
  assert.is(new Set(operations.map(({ id }) => id)).size, operations.length);
});

test.run();

// One of each kind; the proofs take every one (tests/proof/every-operation.test.ts).
const ofEachKind = [...new Map(operations.map((each) => [kindOf(each), each])).values()];
operationSuite('one operation of each kind', ofEachKind).run();
