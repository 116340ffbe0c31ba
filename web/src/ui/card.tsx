import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { problemOf } from '../api/problem.ts';
import { Button } from './button.tsx';
import { Countdown } from './countdown.tsx';
import { Icon } from './icons.tsx';

interface CardProps {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A section of a page with a heading. */
export function Card({ title, intro, actions, children }: CardProps) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-head">
        <div>
          <h2 id={id}>{title}</h2>
          {intro && <p className="muted">{intro}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}

interface LoadedProps<Data> {
  query: Pick<UseQueryResult, 'error' | 'fetchStatus' | 'isFetching' | 'refetch'> & { data: Data | undefined };
  /** What is loaded, for "Loading …". */
  what: string;
  /** Instead of the placeholder. */
  pending?: ReactNode;
  children: (data: Data) => ReactNode;
}

/**
 * The last error of a query, which has none while it is read again: without it the button to try again would lose the
 * focus.
 */
export function useLastError(error: unknown): unknown {
  const [last, setLast] = useState(error);
  if (error && error !== last) setLast(error);
  return error ?? last;
}

/**
 * The data of a query; a placeholder while loading, or the error with a retry button, which stays until there is data.
 */
export function Loaded<Data>({ query, what, pending, children }: LoadedProps<Data>) {
  const error = useLastError(query.error);
  if (query.data !== undefined) return children(query.data);
  const isPaused = query.fetchStatus === 'paused';
  if (error && !isPaused) {
    return <Failed error={error} isBusy={query.isFetching} retry={() => void query.refetch()} />;
  }
  if (pending !== undefined && !isPaused) return pending;
  return <Pending what={what} isPaused={isPaused} />;
}

/** A placeholder of what is being read, or waits for the connection. */
export function Pending({ what, isPaused }: { what: string; isPaused: boolean }) {
  if (isPaused)
    return (
      <div className="callout warn" role="status">
        <Icon name="warning" />
        <p className="callout-title">The service cannot be reached. This is read once the connection is back.</p>
      </div>
    );
  return (
    <div className="skeleton" aria-busy="true">
      <span className="visually-hidden">Loading {what}…</span>
      <i />
      <i />
    </div>
  );
}

/** An error with a retry button. */
export function Failed({ error, retry, isBusy = false }: { error: unknown; retry: () => void; isBusy?: boolean }) {
  return (
    <div className="callout danger" role="alert">
      <Icon name="warning" />
      <div>
        <p className="callout-title">{problemOf(error).message}</p>
        {!isBusy && <Countdown error={error} retry={retry} />}
        <Button isBusy={isBusy} onPress={retry}>
          {isBusy ? 'Trying again…' : 'Try again'}
        </Button>
      </div>
    </div>
  );
}

type PagesQuery = Pick<UseInfiniteQueryResult, 'isFetchNextPageError' | 'isFetching' | 'error' | 'fetchNextPage'>;

/** Stands below the rows of a list whose next page could not be read. */
export function NextPageFailed({ query }: { query: PagesQuery }) {
  const { isFetchNextPageError, isFetching, error, fetchNextPage } = query;
  return isFetchNextPageError && <Failed error={error} isBusy={isFetching} retry={() => void fetchNextPage()} />;
}

/** Placeholder of an empty list. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <p className="muted">{children}</p>}
    </div>
  );
}
