import type { Todo } from '../todo-common/queries.ts';

interface LabelChipsProps {
  labels: Todo['labels'];
  /** More than these are counted. */
  most?: number;
}

/** The labels of a todo, each with a dot in its colour. */
export function LabelChips({ labels, most = labels.length }: LabelChipsProps) {
  const rest = labels.length - most;
  return (
    <>
      {labels.slice(0, most).map(({ id, name, color }) => (
        <span key={id} className={`todo-chip label-chip ${color}`}>
          {name}
        </span>
      ))}
      {rest > 0 && <span className="todo-chip">+{rest}</span>}
    </>
  );
}

/** The labels of a todo in the name of its row; undefined where it has none. */
export function labelsInWords(labels: Todo['labels']): string | undefined {
  return labels.length === 0 ? undefined : `labelled ${labels.map(({ name }) => name).join(' and ')}`;
}
