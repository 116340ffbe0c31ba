import { TRPCError } from '@trpc/server';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTransactionConflict, violatedConstraint } from '../../db/errors.ts';
import { translate } from '../../domain/errors.ts';

const test = suite('errors of the shards of Citus');

/** As a worker of Citus 13 reports them: the coordinator adds no fields. */
function fromWorker(code: string, message: string): Error {
  return Object.assign(new Error(message), { code, file: 'remote_commands.c', routine: 'ReportResultError' });
}
const duplicate = fromWorker('23505', 'duplicate key value violates unique constraint "agents_name_102017"');
const reference = (code: string) =>
  fromWorker(code, 'insert or update on table "todos_102148" violates foreign key constraint "todos_list_fk_102148"');
const check = fromWorker('23514', 'new row for relation "todos_102148" violates check constraint "todos_text"');

test('the constraint of a shard is that of the table', () => {
  assert.is(violatedConstraint(duplicate), 'agents_name');
  assert.is(violatedConstraint(reference('23503')), 'todos_list_fk');
  assert.is(violatedConstraint(reference('XX000')), 'todos_list_fk');
  assert.is(violatedConstraint(check), 'todos_text');
  assert.is(violatedConstraint(new Error('the driver failed', { cause: duplicate })), 'agents_name');
});

test('a taken name and a missing list are 409 and 404, not 500', () => {
  const statusOf = (cause: Error) => translate(new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause })).problem.status;
  assert.is(statusOf(duplicate), 409);
  assert.is(statusOf(reference('23503')), 404);
  assert.is(statusOf(check), 400);
});

test('a deadlock of nodes that is left after several tries is 503', () => {
  const text = 'canceling the transaction since it was involved in a distributed deadlock';
  const { problem } = translate(Object.assign(new Error(text), { code: '40P01' }));
  assert.equal([problem.status, problem.reason], [503, 'unavailable']);
});

test('a worker that is lost in the middle of a transaction is 503', () => {
  const statusOf = (routine: string, text: string) => {
    const cause = Object.assign(new Error(text), { code: 'XX000', routine });
    return translate(new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause })).problem.status;
  };
  const essential = 'failure on connection marked as essential: 10.0.0.2:5432';
  assert.is(statusOf('MarkRemoteTransactionFailed', essential), 503);
  const uncommitted = 'could not commit transaction for shard 102069 on any active node';
  assert.is(statusOf('ErrorIfPostCommitFailedShardPlacements', uncommitted), 503);
  for (const text of ['failed to complete COPY on 10.0.0.2:5432', 'server closed the connection unexpectedly']) {
    assert.is(statusOf('ReportCopyError', text), 503);
  }
  assert.is(statusOf('ReportCopyError', 'invalid input syntax for type integer: "x"'), 500);
  assert.is(statusOf('exec_stmt_raise', essential), 500);
});

test('a shard that was moved or split meanwhile is a conflict, which is tried again', () => {
  const errorOf = (text: string) =>
    Object.assign(new Error(text), { code: 'XX000', routine: 'LookupShardIdCacheEntry' });
  assert.ok(isTransactionConflict(errorOf('could not find valid entry for shard 102069')));
  assert.ok(
    isTransactionConflict(
      new Error('the driver failed', { cause: errorOf('shard for the given value does not exist') }),
    ),
  );
  assert.not(isTransactionConflict(errorOf('could not find valid entry for relation 102069')));
  assert.not(isTransactionConflict(new Error('could not find valid entry for shard 102069')));
});

test('a message that a user could have written names no constraint', () => {
  const message = 'violates unique constraint "agents_name_102017"';
  assert.is(
    violatedConstraint(Object.assign(new Error(message), { code: 'P0001', routine: 'exec_stmt_raise' })),
    undefined,
  );
  assert.is(violatedConstraint(new Error(message)), undefined);
});

test.run();
