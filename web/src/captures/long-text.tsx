import { Fragment, type ReactNode, useRef, useState } from 'react';
import { jsxs } from 'react/jsx-runtime';
import { Button } from '../ui/button.tsx';

/* Texts of any length. A browser takes many seconds for hundreds of thousands of elements, and a call a limited number of arguments. */

/** Siblings that never move, each known by its place. */
export function inOrder(nodes: readonly ReactNode[]): ReactNode {
  return jsxs(Fragment, { children: nodes });
}

/** Lines of a text that are shown at first. */
const maxLines = 5_000;

/** The first lines of a text; all of it where nothing is below them. */
function firstLines(text: string): string {
  let end = -1;
  for (let line = 0; line < maxLines; line++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return text;
  }
  return text.slice(end).trim() === '' ? text : text.slice(0, end);
}

interface LongTextProps {
  className: string;
  text: string;
  /** Shows the text, or its first lines. */
  children: (shown: string) => ReactNode;
}

/** A text, of which the first lines are shown where it has very many, until a person wants all of it. */
export function LongText({ className, text, children }: LongTextProps) {
  const [isAll, setAll] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const first = firstLines(text);
  const isLong = first.length < text.length;
  const showAll = () => {
    // The button goes away.
    place.current?.focus({ preventScroll: true });
    setAll(true);
  };
  return (
    <div ref={place} className={className} {...(isLong && { tabIndex: -1 })}>
      {children(isAll ? text : first)}
      {isLong && !isAll && (
        <div>
          <Button onPress={showAll}>Show all</Button>
        </div>
      )}
    </div>
  );
}
