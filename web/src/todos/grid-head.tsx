import { Button } from '../ui/button.tsx';

interface GridHeadProps {
  /** Without a mouse and a keyboard, a button begins and ends the selection; undefined where these do. */
  toggleSelection: (() => void) | undefined;
  isSelecting: boolean;
  /** Todos that are not shown yet. */
  waiting: number;
  showWaiting: () => void;
}

/** What is above the rows: the button of the selection, and what is new. */
export function GridHead({ toggleSelection, isSelecting, waiting, showWaiting }: GridHeadProps) {
  return (
    <>
      {toggleSelection && (
        <div className="todo-select">
          <Button kind="quiet" onPress={toggleSelection}>
            {isSelecting ? 'End selection' : 'Select'}
          </Button>
        </div>
      )}
      <div className="todo-news">
        {waiting > 0 && (
          <Button onPress={showWaiting}>
            {waiting === 1 ? '1 todo is new: show it' : `${waiting} todos are new: show them`}
          </Button>
        )}
      </div>
    </>
  );
}
