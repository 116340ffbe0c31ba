import { Suspense } from 'react';
import { lazyPart } from '../ui/lazy-part.tsx';

/** The text as it was written, until the parser is loaded and where it cannot be. */
function Written({ text }: { text: string }) {
  return (
    <div className="prose">
      <p>{text}</p>
    </div>
  );
}

/** The parser is a file of its own, which only pages with Markdown load. */
const Prose = lazyPart<MarkdownProps>(() => import('./prose.tsx').then((loaded) => loaded.default), Written);

interface MarkdownProps {
  text: string;
  /** An object with this one text that never changes: it is parsed once, however often it is shown. */
  source?: object | undefined;
}

/** Markdown as it reads. */
export function Markdown({ text, source }: MarkdownProps) {
  return (
    <Suspense fallback={<Written text={text} />}>
      <Prose text={text} source={source} />
    </Suspense>
  );
}
