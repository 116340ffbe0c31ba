import type { ReactNode } from 'react';
import { Card } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { inOrder, LongText } from './long-text.tsx';

/** Name of the speaker in front of a paragraph. */
const speaker = /^([^\s:][^:\n]{0,59}): /;

/** A transcript, split into paragraphs. */
export function Transcript({ text }: { text: string }) {
  return (
    <Card
      title="Transcript"
      intro="The transcript cannot be edited. Write corrections in the notes."
      actions={<CopyButton kind="quiet" text={text} label="Copy" what="The transcript is" />}
    >
      <LongText className="prose transcript" text={text}>
        {(shown) => inOrder(paragraphsOf(shown).map(paragraphOf))}
      </LongText>
    </Card>
  );
}

function paragraphsOf(text: string): string[] {
  return text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
}

function paragraphOf(text: string): ReactNode {
  const name = speaker.exec(text)?.[1];
  if (name === undefined) return <p>{text}</p>;
  return (
    <p>
      <strong>{name}</strong> {text.slice(name.length + 2)}
    </p>
  );
}
