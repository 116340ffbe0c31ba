import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { Failed } from '../ui/card.tsx';
import type { Conversation, ConversationView } from './conversation.ts';
import { MessageRow } from './message-row.tsx';
import { OpenMessage } from './open-message.tsx';
import { type ChatRow, isSameRow, rowsOf } from './rows.ts';
import { useRowWindow } from './use-row-window.ts';

/** The rows of messages; one that shows the same as before is the same object. */
export function useRows({ messages }: ConversationView): readonly ChatRow[] {
  const known = useRef(new Map<string, ChatRow>());
  return useMemo(() => {
    const rows = rowsOf(messages).map((row) => {
      const before = known.current.get(row.key);
      return before && isSameRow(before, row) ? before : row;
    });
    known.current = new Map(rows.map((row) => [row.key, row]));
    return rows;
  }, [messages]);
}

interface MessagesProps {
  conversation: Conversation;
  view: ConversationView;
  rows: readonly ChatRow[];
  /** Whether the agent works: its last steps are open. */
  isOpen: boolean;
  /** Who writes the open text. */
  author: string;
}

/** The messages of a chat, of which a window is in the document where they are many. */
export function Messages({ conversation, view, rows, isOpen, author }: MessagesProps) {
  const list = useRef<HTMLOListElement>(null);
  const { shown, after, isWindowed, measure, setFocusedKey } = useRowWindow(list, rows);
  return (
    <>
      <Older conversation={conversation} view={view} list={list} />
      <ol
        ref={list}
        className="messages"
        tabIndex={-1}
        aria-label="Messages"
        style={{ paddingBottom: after }}
        onFocus={({ target }) => setFocusedKey(target.closest('li[data-key]')?.getAttribute('data-key') ?? undefined)}
        onBlur={() => setFocusedKey(undefined)}
      >
        {shown.map(({ index, key, before }) => {
          const row = rows[index];
          return (
            row && (
              <li
                key={key}
                ref={measure}
                data-index={index}
                data-key={key}
                style={{ marginTop: before }}
                {...(isWindowed && { 'aria-setsize': rows.length, 'aria-posinset': index + 1 })}
              >
                <MessageRow row={row} isOpen={isOpen && index === rows.length - 1} />
              </li>
            )
          );
        })}
      </ol>
      <OpenMessage conversation={conversation} author={author} />
      {view.newerError !== null && <Failed error={view.newerError} retry={() => void conversation.readNewer()} />}
    </>
  );
}

/** Older messages are read when the beginning of the known ones is so near to what is visible. */
const nearPixels = 600;

interface OlderProps {
  conversation: Conversation;
  view: ConversationView;
  list: RefObject<HTMLOListElement | null>;
}

/** Reads older messages when it comes near to what is visible, and when it is pressed. */
function Older({ conversation, view, list }: OlderProps) {
  const { messages, isReadingOlder, error } = view;
  const place = useRef<HTMLDivElement>(null);
  const hasOlder = (messages[0]?.sequence ?? 1) > 1;
  const isFailed = error !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: checked again after each page, as it may still be near.
  useEffect(() => {
    if (!hasOlder || isReadingOlder || isFailed) return;
    const check = () => {
      const bottom = place.current?.getBoundingClientRect().bottom;
      if (bottom !== undefined && bottom > -nearPixels) void conversation.readOlder();
    };
    // In the next frame, as the page is scrolled to its end in this one.
    const frame = requestAnimationFrame(check);
    window.addEventListener('scroll', check, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', check);
    };
  }, [conversation, hasOlder, isReadingOlder, isFailed, messages]);
  const read = async () => {
    await conversation.readOlder();
    // The button goes away with the last page; the focus goes to what it has brought.
    if (conversation.view().messages[0]?.sequence === 1) list.current?.focus({ preventScroll: true });
  };
  if (isFailed) return <Failed error={error} retry={() => void conversation.readOlder()} />;
  if (!hasOlder) return null;
  return (
    <div ref={place} className="older">
      <Button isBusy={isReadingOlder} onPress={() => void read()}>
        {isReadingOlder ? 'Loading…' : 'Show older messages'}
      </Button>
    </div>
  );
}
