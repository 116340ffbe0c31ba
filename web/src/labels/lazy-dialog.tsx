import type { Todo } from '../todo-common/queries.ts';
import { lazyOverlay } from '../ui/lazy-overlay.tsx';
import type { LabelChange } from './choices.ts';

const LabelDialog = lazyOverlay(() => import('./label-dialog.tsx').then(({ LabelDialog }) => LabelDialog));

/** The todos whose labels are being chosen, and what is done with the choice; null: the dialog is closed. */
export interface Labelling {
  todos: readonly Todo[];
  save: (change: LabelChange, outcome: string) => void;
}

/** The dialog of labels, whose code is loaded when it is first opened. */
export function LazyLabelDialog({ of, close }: { of: Labelling | null; close: () => void }) {
  if (of === null) return null;
  return <LabelDialog todos={of.todos} onChange={of.save} close={close} />;
}
