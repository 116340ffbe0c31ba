import { problemOf } from '../api/client.ts';
import type { DraftView } from './draft.ts';

const said = { saved: 'Saved', waiting: 'Saving…', saving: 'Saving…' };

/** Whether what was filled in is saved. Nothing while it was never touched. */
export function SaveState({ view, isBound }: { view: DraftView<unknown>; isBound: boolean }) {
  if (view.state === 'failed') {
    const problem = problemOf(view.error);
    return (
      <p className="save-state bad" role="alert">
        Not saved yet: {problem.message} {problem.retryable && 'It is kept in this window and tried again.'}
      </p>
    );
  }
  return <p className="save-state">{isBound ? said[view.state] : 'Saved once the recording starts'}</p>;
}
