import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { Markdown } from '../captures/markdown.tsx';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Form } from '../ui/form.tsx';
import { focusPageTitle } from '../ui/page.tsx';
import { Badge } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { CommentField, useMembers, useMentions } from './comment-field.tsx';
import type { Comment } from './queries.ts';

/** A comment; its author can change and delete it. */
export function CommentRow({ comment }: { comment: Comment }) {
  const { user } = useIdentity();
  const queryClient = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const { id: commentId, todoId, author, text, createdAt, editedAt } = comment;
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
      {isEditing ? (
        <Editor
          comment={comment}
          onDone={() => {
            setEditing(false);
            focusPageTitle();
            void readComments();
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <Markdown text={text} />
      )}
      {isOwn && !isEditing && (
        <div className="form-actions">
          <Button kind="quiet" aria-label="Edit comment" onPress={() => setEditing(true)}>
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
  onDone: () => void;
  onCancel: () => void;
}

function Editor({ comment, onDone, onCancel }: EditorProps) {
  const members = useMembers();
  const mentionsIn = useMentions();
  const [text, setText] = useState(comment.text);
  const { todoId, id: commentId } = comment;
  return (
    <Form
      fields={{ text: { label: 'Comment', required: 'Write a comment' } }}
      submit="Save comment"
      busy="Saving…"
      label="Edit comment"
      onSubmit={async () => {
        await api.todos.updateComment.mutate({ todoId, commentId, text, mentions: await mentionsIn(text) });
        onDone();
      }}
      actions={<Button onPress={onCancel}>Cancel</Button>}
    >
      <CommentField label="Your comment" value={text} members={members} onChange={setText} isFocused />
    </Form>
  );
}
