import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { isReturn, scrolledAt } from '../navigation/history.ts';

/** Focuses the heading of the page, for when the focused element was removed. */
export function focusPageTitle(): void {
  document.querySelector('h1')?.focus();
}

/** Focuses the heading of the page once what was just done is rendered, if that removed the focused element. */
export function focusPageTitleIfLost(): void {
  setTimeout(() => document.activeElement === document.body && focusPageTitle(), 100);
}

/**
 * An address that ends in `#new` leads to a form: the focus goes to its field `name`, after that of the page. Not where
 * a person goes back: the page is shown where they left it.
 */
export function useFocusOnNew(name: string): void {
  const { hash, key } = useLocation();
  useEffect(() => {
    if (hash === '#new' && !isReturn(key)) document.querySelector<HTMLInputElement>(`input[name="${name}"]`)?.focus();
  }, [hash, key, name]);
}

/**
 * The main heading of a page, also set as document title. After a navigation inside the pages it receives the focus, so
 * that screen readers announce the page and keyboard navigation starts there. Where the navigation only filters the
 * page (`isFilter` in its state), the focus stays. A page that a person goes back to is scrolled to where they left it.
 */
export function PageTitle({ children, title }: { children?: ReactNode; title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key, state } = useLocation() as { key: string; state: { isFilter?: true } | null };
  useEffect(() => {
    document.title = `${title} · Tandem`;
  }, [title]);
  useEffect(() => {
    const top = scrolledAt.get(key);
    if (top === undefined && (key === 'default' || state?.isFilter)) return;
    window.scrollTo(0, top ?? 0);
    if (!state?.isFilter || document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [key, state]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  );
}

interface PageProps {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page: heading, introduction, main action, and its parts. */
export function Page({ title, intro, actions, children }: PageProps) {
  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle title={title} />
          {intro && <p className="muted">{intro}</p>}
        </div>
        {actions}
      </div>
      <div className="page-parts">{children}</div>
    </>
  );
}
