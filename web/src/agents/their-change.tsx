import type { Ref } from 'react';
import { Button } from '../ui/button.tsx';
import { mergedTexts } from '../ui/diff.ts';
import { Diff } from '../ui/diff-view.tsx';

interface TheirChangeProps {
  ref: Ref<HTMLDivElement>;
  /** The word for the text. */
  name: string;
  base: string | null;
  mine: string | null;
  theirs: string | null;
  /** Goes on with this text, which is compared with theirs from now on. */
  onKeep: (text: string | null) => void;
  onTake: () => void;
}

/** Shows what somebody else changed in a text since this person began, and offers what both come to. */
export function TheirChange({ ref, name, base, mine, theirs, onKeep, onTake }: TheirChangeProps) {
  const merged = mergedTexts(base, mine, theirs);
  return (
    <div className="callout warn" role="status" ref={ref} tabIndex={-1}>
      <div className="their-change">
        <p className="callout-title">Somebody else changed the {name} since you began. Yours is not saved.</p>
        <Diff label={`What they changed in the ${name}`} before={base} after={theirs} />
        <p>
          {merged === null
            ? 'You both changed the same lines. Copy what you need of theirs into yours, or take theirs.'
            : 'Both changes fit together.'}
        </p>
        <div className="form-actions">
          {merged !== null && <Button onPress={() => onKeep(merged)}>Use both changes</Button>}
          <Button onPress={() => onKeep(mine)}>Keep yours</Button>
          <Button onPress={onTake}>Take theirs</Button>
        </div>
      </div>
    </div>
  );
}
