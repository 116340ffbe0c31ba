import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from 'react-router';
import { ProblemError, problemIn } from '../api/problem.ts';
import { setRestore } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { setReads } from '../navigation/start.ts';
import { setGuards } from '../session/session.ts';
import { failedPage, reloading } from '../ui/failed-page.tsx';
import { startReads } from './reads.ts';

// What is not loaded is not restored either: the code was stored with the data.
setRestore((client) =>
  import('../offline/saved-reads.ts').then(
    ({ restoreReads }) => restoreReads(client),
    () => null,
  ),
);
// When this chunk is evaluated, so that data is asked for while the code of the page is still under way.
setReads(startReads);
setGuards(() =>
  import('./background.ts')
    .then(({ loadGuards }) => loadGuards())
    .catch(() => {
      throw new ProblemError({ ...problemIn(null, 0), message: `${failedPage(true).intro} ${reloading.label}.` });
    }),
);

// The pages are in English in every browser. This is what React Aria's I18nProvider sets, without its code.
Object.assign(window, { [Symbol.for('react-aria.i18n.locale')]: 'en-US' });

/** Wraps the pages that read data. */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Outlet />
    </QueryClientProvider>
  );
}
