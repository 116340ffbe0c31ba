import { useRef } from 'react';
import { TheirChange } from '../agents/their-change.tsx';
import type { DraftView } from './draft.ts';

export interface TheirDraftProps {
  /** The word for the field. */
  name: string;
  view: DraftView<string | string[]>;
  /** Goes on with this text; tags are lines. */
  settle: (text: string) => void;
}

const textOf = (value: string | string[]) => [value].flat().join('\n');

/** Asks what stays where somebody else changed the same as a draft. */
export function TheirDraft({ name, view: { value, theirs }, settle }: TheirDraftProps) {
  const around = useRef<HTMLDivElement>(null);
  if (theirs === null) return null;
  return (
    <TheirChange
      ref={around}
      name={name}
      base={textOf(theirs.base)}
      mine={textOf(value)}
      theirs={textOf(theirs.value)}
      onKeep={(text) => settle(text ?? '')}
      onTake={() => settle(textOf(theirs.value))}
    />
  );
}
