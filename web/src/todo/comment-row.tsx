import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { Markdown } from '../captures/markdown.tsx';
import { useIdentity } from '../session/session.ts';
import { storeDraft, storedDraft } from '../session/stored-drafts.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Form } from '../ui/form.tsx';
import { focusPageTitle } from '../ui/page.tsx';
import { Badge } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { CommentField, useMembers, useMentions } from './comment-field.tsx';
import type { Comment } from './queries.ts';

const draftOf = (commentId: string) => `comment.edit.${commentId}`;

/** A comment; its author can change and delete it. */
export function CommentRow({ comment }: { comment: Comment }) {
  const { user } = useIdentity();
  const queryClient = useQueryClient();
  const { id: commentId, todoId, author, text, createdAt, editedAt } = comment;
  const [edited, setEdited] = useState(storedDraft(draftOf(commentId)) === undefined ? null : 'again');
  const isOwn = author.type === 'user' && author.id === user.id;
  const isEditing = isOwn && edited !== null;
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
      {isEditing ? (
        <Editor
          comment={comment}
          isFocused={edited === 'now'}
          onSaved={(isDone) => {
            if (isDone) {
              setEdited(null);
              focusPageTitle();
            }
            void readComments();
          }}
          onCancel={() => setEdited(null)}
        />
      ) : (
        <Markdown text={text} />
      )}
      {isOwn && !isEditing && (
        <div className="form-actions">
          <Button kind="quiet" aria-label="Edit comment" onPress={() => setEdited('now')}>
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
  /** Not where it was open before a reload: the focus belongs to the page then. */
  isFocused: boolean;
  /** `isDone`: nothing was typed while it was being saved. */
  onSaved: (isDone: boolean) => void;
  onCancel: () => void;
}

/** Changes a comment. What is typed outlives a reload until it is saved. */
function Editor({ comment, isFocused, onSaved, onCancel }: EditorProps) {
  const members = useMembers();
  const mentionsIn = useMentions();
  const { todoId, id: commentId } = comment;
  const [text, setText] = useState(() => storedDraft<string>(draftOf(commentId)) ?? comment.text);
  const latest = useRef(text);
  const write = (next: string) => {
    latest.current = next;
    setText(next);
    storeDraft(draftOf(commentId), next === comment.text ? undefined : next);
  };
  const end = () => storeDraft(draftOf(commentId), undefined);
  return (
    <Form
      fields={{ text: { label: 'Comment', required: 'Write a comment' } }}
      submit="Save comment"
      busy="Saving…"
      label="Edit comment"
      onSubmit={async () => {
        await api.todos.updateComment.mutate({ todoId, commentId, text, mentions: await mentionsIn(text) });
        const isDone = latest.current === text;
        if (isDone) end();
        onSaved(isDone);
      }}
      actions={
        <Button
          onPress={() => {
            end();
            onCancel();
          }}
        >
          Cancel
        </Button>
      }
    >
      <CommentField label="Your comment" value={text} members={members} onChange={write} isFocused={isFocused} />
    </Form>
  );
}
