import { type Rows, runSteps } from './engine/execute.ts';
import { stepsOf } from './engine/steps.ts';
import { isInTransaction, type Scope } from './transaction.ts';

/** A transaction whose statements are sent in steps where they have to be. */
export interface SteppedScope extends Scope {
  /** Resolves when every statement so far was answered. */
  settled(): Promise<void>;
}

function objectsOf(rows: Rows): object[] {
  const names = rows.columns.map(({ name }) => name);
  return rows.map((row) => Object.fromEntries(names.map((name, place) => [name, row[place]])));
}

/**
 * A transaction of Citus. Its statements are sent in their order: one behind another that is sent in steps waits for
 * it.
 */
export function steppedScope(scope: Scope): SteppedScope {
  let last: Promise<unknown> = Promise.resolve();
  let pending = 0;
  const behind = <Result>(run: () => Promise<Result>): Promise<Result> => {
    pending++;
    const answer = last.then(run).finally(() => pending--);
    last = answer.catch(() => {});
    return answer;
  };
  return {
    unsafe: (text, values = [], options = {}) => {
      const steps = stepsOf(text);
      if (!steps && pending === 0) return scope.unsafe(text, values, options);
      let asArrays = false;
      const send = async (part: string, own: readonly unknown[], isRepeated = true) => {
        const prepare = isRepeated && options.prepare === true;
        return (await scope.unsafe(part, [...own], { ...options, prepare }).values()) as Rows;
      };
      const answer = behind(async () => {
        const rows = steps ? await runSteps(steps, values, send) : await send(text, values);
        return asArrays ? rows : objectsOf(rows);
      });
      const arrays = () => {
        asArrays = true;
        return answer;
      };
      return Object.assign(answer, { values: arrays });
    },
    savepoint: (work) =>
      behind(() =>
        scope.savepoint(async (inner) => {
          const stepped = steppedScope(inner);
          const result = await work(stepped);
          await stepped.settled();
          return result;
        }),
      ),
    settled: async () => {
      await last;
    },
  };
}

/**
 * The statement that opens a transaction, as it is sent behind the answer to BEGIN: workers do not have its settings.
 */
export function afterBegin<Opening extends { text: string }>(first: Opening): Opening {
  return { ...first, text: first.text.replaceAll(isInTransaction, 'true') };
}
