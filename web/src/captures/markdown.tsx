import { lazy, Suspense } from 'react';

/** The text as it was written, until the parser is loaded and where it cannot be. */
function Written({ text }: { text: string }) {
  return (
    <div className="prose">
      <p>{text}</p>
    </div>
  );
}

/** The parser is a file of its own, which only pages with Markdown load. */
const Prose = lazy(() => import('./prose.tsx').catch(() => ({ default: Written })));

/** Markdown as it reads. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Written text={text} />}>
      <Prose text={text} />
    </Suspense>
  );
}
