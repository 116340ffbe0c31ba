import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readsOn } from '../../web/src/ui/read-on.ts';
import { until } from '../support/until.ts';

const test = suite('lists that are read page by page');

/** A list of three pages that is read on as a page does it; the read of page `broken` fails as often as `failures`. */
function reading(broken: number, failures: number) {
  const reads: number[] = [];
  const queryClient = new QueryClient();
  const observer = new InfiniteQueryObserver(queryClient, {
    queryKey: ['list'],
    queryFn: async ({ pageParam }) => {
      reads.push(pageParam);
      await new Promise((resolve) => setImmediate(resolve));
      if (pageParam === broken && reads.filter((page) => page === broken).length <= failures) throw new Error('broken');
      return pageParam;
    },
    initialPageParam: 0,
    getNextPageParam: (page) => (page < 2 ? page + 1 : undefined),
    retry: false,
  });
  const unsubscribe = observer.subscribe((result) => {
    if (readsOn(result)) void result.fetchNextPage();
  });
  const close = () => {
    unsubscribe();
    queryClient.clear();
  };
  return { observer, reads, close };
}

test('all pages are read, one after the other', async () => {
  const { observer, reads, close } = reading(-1, 0);
  await until(() => observer.getCurrentResult().data?.pages.length === 3);
  assert.equal(reads, [0, 1, 2]);
  close();
});

test('a page that cannot be read is read once, and again when a person wants it', async () => {
  const { observer, reads, close } = reading(1, 1);
  await until(() => observer.getCurrentResult().isFetchNextPageError);
  for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(reads, [0, 1]);
  void observer.getCurrentResult().fetchNextPage();
  await until(() => observer.getCurrentResult().data?.pages.length === 3);
  assert.equal(reads, [0, 1, 1, 2]);
  close();
});

test.run();
