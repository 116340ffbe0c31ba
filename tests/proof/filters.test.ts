import { suite } from 'uvu';
import { compareCaptureFilters } from '../support/capture-filters.ts';
import { startWithoutDigests } from '../support/capture-fixtures.ts';
import { startTestService } from '../support/harness.ts';
import { compareFilters } from '../support/todo-filters.ts';

/* The quick tests take a sample of these (tests/domain/). `ORACLE_SEED` chooses other combinations. */

const test = suite('filters of lists');

test('300 combinations of filters, sort and order list, count and summarise todos as the rules say', async () => {
  const tandem = await startTestService();
  await compareFilters(tandem, 300).finally(tandem.close);
});

test('200 combinations of filters list and count captures as the rules say', async () => {
  const tandem = await startWithoutDigests();
  await compareCaptureFilters(tandem, 200).finally(tandem.close);
});

test.run();
