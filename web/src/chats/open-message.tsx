import { memo, useEffect, useState, useSyncExternalStore } from 'react';
import { Markdown } from '../captures/markdown.tsx';
import { Announcements } from './announcements.ts';
import type { Conversation } from './conversation.ts';
import { piecesOf } from './transcript.ts';

/** Parsed again only when its text changes: of a text that grows, that is the last piece. */
const Piece = memo(Markdown);

/** The text that the agent is writing, in an element of its own: the messages above are not rendered again for it. */
export function OpenMessage({ conversation, author }: { conversation: Conversation; author: string }) {
  const open = useSyncExternalStore(conversation.subscribeText, conversation.openText);
  if (open === null) return null;
  return (
    <div className="message agent open" data-sequence={open.sequence}>
      <p className="message-head">
        <strong>{author}</strong> is writing
      </p>
      {open.start > 0 && <p className="muted">The beginning of this text follows when it is complete.</p>}
      {piecesOf(open.text).map((piece, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only added at the end.
        <Piece key={place} text={piece} />
      ))}
    </div>
  );
}

const announceMs = 2_000;

/** Announces what the agent writes: whole sentences, at most every two seconds. */
export function Announcer({ conversation }: { conversation: Conversation }) {
  const [text, setText] = useState('');
  useEffect(() => {
    const announcements = new Announcements(conversation.view().messages);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const announce = () => {
      if (timer !== undefined) return;
      const next = announcements.take();
      if (next === '') return;
      setText(next);
      timer = setTimeout(() => {
        timer = undefined;
        announce();
      }, announceMs);
    };
    const ends = [
      conversation.subscribe(() => {
        announcements.messagesAre(conversation.view().messages);
        announce();
      }),
      conversation.subscribeText(() => {
        announcements.textIs(conversation.openText());
        announce();
      }),
    ];
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
  }, [conversation]);
  return (
    <p className="visually-hidden" aria-live="polite">
      {text}
    </p>
  );
}
