import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** The focus goes to the heading of the page, as where what was focused is gone. */
export function focusPageTitle(): void {
  document.querySelector('h1')?.focus();
}

/**
 * The one heading of a page, which names its window too. When the page was come to by a link of ours it takes the focus,
 * so that screen readers say where one is and the keyboard goes on from there.
 */
export function PageTitle({ children, title }: { children?: ReactNode; title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  useEffect(() => {
    document.title = `${title} · Tandem`;
  }, [title]);
  useEffect(() => {
    if (key === 'default') return;
    window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, [key]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  );
}
