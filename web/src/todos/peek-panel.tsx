import { Suspense } from 'react';
import { useOnPage } from '../edits/list-actions.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { focusPageTitle } from '../ui/page.tsx';
import type { FilterOfPage } from './use-filter.ts';

const Peek = lazyPart(() => import('../todo/peek.tsx').then(({ Peek }) => Peek));

/** The todo that the address names beside the list. Its code is loaded when one is first shown. */
export function PeekPanel({ at: { filter, change } }: { at: FilterOfPage }) {
  const { peek } = filter;
  const close = () => {
    const isInList = document.activeElement?.closest('.todo-grid, .board') != null;
    // At once: in a narrow window the list is hidden, and takes no focus, until then.
    change({ peek: undefined }, { replace: true, flushSync: true });
    if (isInList) return;
    const row = document.querySelector<HTMLElement>(`[data-id="${peek}"]`);
    if (row) row.focus();
    else focusPageTitle();
  };
  useOnPage('peek', peek === undefined ? null : { close });
  return (
    <>
      <p role="status" className="visually-hidden">
        {peek !== undefined && 'The todo is shown beside the list.'}
      </p>
      {peek !== undefined && (
        <Suspense>
          <Peek todoId={peek} close={close} />
        </Suspense>
      )}
    </>
  );
}
