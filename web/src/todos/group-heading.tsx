// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out the rows that are not visible.
// biome-ignore-all lint/a11y/useFocusableInteractive: in this grid rows have the focus, not cells (ARIA APG, treegrid).
import type { CSSProperties } from 'react';
import { Icon } from '../ui/icons.tsx';
import type { Group } from './use-groups.ts';

interface GroupHeadingProps {
  group: Group;
  /** Whether more of its todos may be loaded later. */
  isOpenEnded: boolean;
  /** Its place in the grid, from 1. */
  place: number;
  style: CSSProperties;
  /** Stays at the upper edge while its rows are scrolled. */
  isStuck: boolean;
  onToggle: () => void;
}

/** The heading of a group, which collapses and expands it. */
export function GroupHeading({ group, isOpenEnded, place, style, isStuck, onToggle }: GroupHeadingProps) {
  const { name, count, isCollapsed } = group;
  return (
    <div
      role="row"
      className={`todo-heading${isStuck ? ' stuck' : ''}`}
      aria-rowindex={place}
      style={isStuck ? { height: style.height } : style}
    >
      <span role="gridcell">
        <button type="button" aria-expanded={!isCollapsed} onClick={onToggle}>
          <Icon name="down" />
          {name}{' '}
          <span className="count">
            {count.toLocaleString('en')}
            {isOpenEnded && '+'}
          </span>
        </button>
      </span>
    </div>
  );
}
