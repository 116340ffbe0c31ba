import { Fragment, type ReactNode, useRef, useState } from 'react';
import { jsxs } from 'react/jsx-runtime';
import { Button } from '../ui/button.tsx';

/*
 * Texts of any length. A browser takes many seconds for hundreds of thousands of elements, and a call a limited number
 * of arguments.
 */

/** Siblings that never move, each known by its place. */
export function inOrder(nodes: readonly ReactNode[]): ReactNode {
  return jsxs(Fragment, { children: nodes });
}

/** Lines that are shown at first, and with each press. */
const partLines = 5_000;

/** The first lines of a text; all of it where nothing is below them. */
function firstLines(text: string, count: number): string {
  let end = -1;
  for (let line = 0; line < count; line++) {
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

/** A text, of which the first lines are shown where it has very many, and more of them as a person wants. */
export function LongText({ className, text, children }: LongTextProps) {
  const [parts, setParts] = useState(1);
  const place = useRef<HTMLDivElement>(null);
  const shown = firstLines(text, parts * partLines);
  const isCut = shown.length < text.length;
  const isNextLast = isCut && firstLines(text, (parts + 1) * partLines).length === text.length;
  const showMore = () => {
    // The button goes away with the last part.
    if (isNextLast) place.current?.focus({ preventScroll: true });
    setParts(parts + 1);
  };
  return (
    <div ref={place} className={className} {...((isCut || parts > 1) && { tabIndex: -1 })}>
      {children(shown)}
      {isCut && (
        <div>
          <Button onPress={showMore}>{isNextLast ? 'Show all' : 'Show more'}</Button>
        </div>
      )}
    </div>
  );
}
