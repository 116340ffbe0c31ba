import type { Connection } from './connection.ts';
import type { Engine } from './engine/index.ts';
import { afterBegin, steppedScope } from './stepped-scope.ts';
import { inTransaction, type Scope } from './transaction.ts';

/**
 * Runs a transaction as the engine does. `open` sends the statement that opens it: together with BEGIN, or behind the
 * answer to it on Citus.
 */
export function inTransactionOf<Result, Opened, First extends { text: string }>(
  engine: Engine,
  connection: Connection,
  first: First | undefined,
  open: (scope: Scope, first: First | undefined) => Opened,
  work: (scope: Scope, opened: Opened) => Promise<Result>,
): Promise<Result> {
  if (engine.name === 'postgres') return inTransaction(connection, (scope) => open(scope, first), work);
  return inTransaction(
    connection,
    () => undefined,
    async (scope) => {
      const stepped = steppedScope(scope);
      const result = await work(stepped, open(stepped, first && afterBegin(first)));
      await stepped.settled();
      return result;
    },
  );
}
