import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { problemOf } from '../api/client.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

interface CardProps {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page with a heading of its own. */
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
  query: UseQueryResult<Data>;
  /** What is being read, for "Loading …". */
  what: string;
  children: (data: Data) => ReactNode;
}

/** What a query read; before that its place, or why it failed and a way to try again. */
export function Loaded<Data>({ query, what, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <div className="skeleton" aria-busy="true">
      <span className="visually-hidden">Loading {what}…</span>
      <i />
      <i />
    </div>
  );
}

export function Failed({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <div className="callout danger" role="alert">
      <Icon name="warning" />
      <div>
        <p className="callout-title">{problemOf(error).message}</p>
        <Button onPress={retry}>Try again</Button>
      </div>
    </div>
  );
}

/** What stands where a list has nothing. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <p className="muted">{children}</p>}
    </div>
  );
}
