import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { Markdown } from '../captures/markdown.tsx';
import { useIdentity } from '../session/session.ts';
import { useStoredDraft } from '../session/stored-drafts.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Form } from '../ui/form.tsx';
import { useIsHere } from '../ui/here.ts';
import { focusPageTitle } from '../ui/page.tsx';
import { Badge } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { CommentField, useMembers, useMentions } from './comment-field.tsx';
import type { Comment } from './queries.ts';

/** A comment; its author can change and delete it. */
export function CommentRow({ comment }: { comment: Comment }) {
  const { user } = useIdentity();
  const queryClient = useQueryClient();
  const { id: commentId, todoId, author, text, createdAt, editedAt } = comment;
  // Null while it is not edited. What is typed outlives a reload until it is saved.
  const [draft, change] = useStoredDraft<string | null>(
    `comment.edit.${commentId}`,
    (stored) => (stored as string | undefined) ?? null,
    (next) => next ?? undefined,
  );
  const [wasPressed, setPressed] = useState(false);
  const isOwn = author.type === 'user' && author.id === user.id;
  const readComments = async () => {
    await readAgain(queryClient, 'comments');
    void readAgain(queryClient, 'todos');
  };
  return (
    <li className="comment">
      <p className="row-title">
        <strong>{author.name}</strong>
        {author.type === 'agent' && <Badge>Agent</Badge>}
        <span className="muted small">
          <Ago at={createdAt} />
          {editedAt !== null && ', edited'}
        </span>
      </p>
      {isOwn && draft !== null ? (
        <Editor
          comment={comment}
          text={draft}
          isFocused={wasPressed}
          write={(next) => change(() => next)}
          onSaved={(sent) => {
            void readComments();
            return change((before) => (before === sent ? null : before)) === null;
          }}
        />
      ) : (
        <Markdown text={text} />
      )}
      {isOwn && draft === null && (
        <div className="form-actions">
          <Button
            kind="quiet"
            aria-label="Edit comment"
            onPress={() => {
              setPressed(true);
              change(() => text);
            }}
          >
            Edit
          </Button>
          <ConfirmButton
            label="Delete"
            about="comment"
            title="Delete this comment?"
            confirm="Delete"
            busy="Deleting…"
            onConfirm={async () => {
              await api.todos.deleteComment.mutate({ todoId, commentId });
              await readComments();
            }}
          >
            <p>It cannot be brought back.</p>
          </ConfirmButton>
        </div>
      )}
    </li>
  );
}

interface EditorProps {
  comment: Comment;
  text: string;
  /** Not where it was open before a reload: the focus belongs to the page then. */
  isFocused: boolean;
  /** Null ends it. */
  write: (text: string | null) => void;
  /** Returns whether nothing was typed while it was being saved: it ends then. */
  onSaved: (sent: string) => boolean;
}

/** Changes a comment. */
function Editor({ comment: { todoId, id: commentId }, text, isFocused, write, onSaved }: EditorProps) {
  const members = useMembers();
  const mentionsIn = useMentions();
  const isHere = useIsHere();
  return (
    <Form
      fields={{ text: { label: 'Comment', required: 'Write a comment' } }}
      submit="Save comment"
      busy="Saving…"
      label="Edit comment"
      onSubmit={async () => {
        await api.todos.updateComment.mutate({ todoId, commentId, text, mentions: await mentionsIn(text) });
        if (onSaved(text) && isHere()) focusPageTitle();
      }}
      actions={<Button onPress={() => write(null)}>Cancel</Button>}
    >
      <CommentField label="Your comment" value={text} members={members} onChange={write} isFocused={isFocused} />
    </Form>
  );
}
