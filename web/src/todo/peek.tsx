import { useEffect, useRef } from 'react';
import { useSidebar } from '../shell/sidebar-state.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { maxWidth, minWidth, usePeekWidth } from './peek-width.ts';
import { type TodoFrame, TodoView } from './todo-view.tsx';

interface PeekProps {
  todoId: string;
  close: () => void;
}

/** A todo beside the list that it is in; in a narrow window it covers the list. */
export function Peek({ todoId, close }: PeekProps) {
  return (
    <section className="peek" aria-label="Todo beside the list">
      <Resizer />
      <div className="peek-content">
        <TodoView
          key={todoId}
          todoId={todoId}
          onErased={close}
          frame={(parts) => <PeekFrame {...parts} todoId={todoId} close={close} />}
        />
      </div>
    </section>
  );
}

function PeekFrame({ title, intro, actions, children, todoId, close }: TodoFrame & PeekProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { isWide } = useSidebar();
  useEffect(() => {
    // The row that had the focus is hidden then.
    if (!isWide) heading.current?.focus();
  }, [isWide]);
  return (
    <>
      <div className="peek-bar">
        <ButtonLink kind="quiet" to={`/todos/${todoId}`}>
          Open as page
        </ButtonLink>
        <button type="button" className="side-icon" aria-label="Close the todo beside the list" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div className="page-head">
        <div>
          <h2 ref={heading} tabIndex={-1} className="peek-title">
            {title}
          </h2>
          {intro && <p className="muted">{intro}</p>}
        </div>
        {actions}
      </div>
      <div className="page-parts">{children}</div>
    </>
  );
}

/** The edge of the panel, which arrow keys and a pointer move. */
function Resizer() {
  const { width, resize, move } = usePeekWidth();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no <hr> (ARIA, separator role).
    <div
      role="separator"
      className="peek-edge"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the todo beside the list"
      aria-valuenow={width}
      aria-valuemin={minWidth}
      aria-valuemax={maxWidth}
      onKeyDown={(event) => {
        if (move(event.key)) event.preventDefault();
      }}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={({ currentTarget, pointerId, clientX }) => {
        if (currentTarget.hasPointerCapture(pointerId)) resize(document.documentElement.clientWidth - clientX);
      }}
    />
  );
}
