import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Children, type ReactNode } from 'react';
import { Button } from './button.tsx';

/** A list of resources, each with a title, facts and actions. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className="rows" aria-label={label}>
      {children}
    </ul>
  );
}

interface OlderRowsProps {
  /** Pages of rows, the newest first. */
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  children?: string;
}

/** The button below `Rows` that reads the next page. Nothing where all are shown. */
export function OlderRows({ query, children = 'Show older ones' }: OlderRowsProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (!hasNextPage) return null;
  return (
    <Button isBusy={isFetchingNextPage} onPress={() => void fetchNextPage()}>
      {isFetchingNextPage ? 'Loading…' : children}
    </Button>
  );
}

interface RowProps {
  /** Names the row for what moves the focus between rows, as `data-row`. */
  rowId?: string;
  icon?: ReactNode;
  title: ReactNode;
  badges?: ReactNode;
  detail?: ReactNode;
  facts?: ReactNode[];
  actions?: ReactNode;
}

/** One entry of `Rows`. */
export function Row({ rowId, icon, title, badges, detail, facts = [], actions }: RowProps) {
  return (
    <li className="row" data-row={rowId}>
      {icon}
      <div className="row-text">
        <p className="row-title">
          <strong>{title}</strong>
          {badges}
        </p>
        {detail && <div className="row-detail">{detail}</div>}
        {facts.length > 0 && (
          <ul className="facts">
            {Children.map(facts, (fact) => (
              <li>
                <span>{fact}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {actions && <div className="row-actions">{actions}</div>}
    </li>
  );
}

/** A short label with a tone. */
export function Badge({ tone = 'plain', children }: { tone?: 'plain' | 'good' | 'warn' | 'bad'; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

/** The first character of a name in a circle. */
export function Initial({ name }: { name: string }) {
  return (
    <span className="initial" aria-hidden="true">
      {[...name.trim()][0]?.toUpperCase() ?? '?'}
    </span>
  );
}
