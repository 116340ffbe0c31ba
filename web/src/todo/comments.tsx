import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { once } from '../api/once.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { useStoredText } from '../session/stored-drafts.ts';
import { Button } from '../ui/button.tsx';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { Form } from '../ui/form.tsx';
import { CommentField, useMembers, useMentions } from './comment-field.tsx';
import { CommentRow } from './comment-row.tsx';
import { commentsQuery } from './queries.ts';

/** The comments on a todo, the oldest first, and a new one. */
export function Comments({ todoId }: { todoId: string }) {
  const { workspace } = useIdentity();
  const comments = useInfiniteQuery(commentsQuery(workspace.id, todoId));
  /** Reads on to the end, where a new comment is. */
  const readOn = async () => {
    const { data } = await comments.refetch();
    let isMore = data?.pages.at(-1)?.hasMore ?? false;
    while (isMore) {
      const { hasNextPage, isError } = await comments.fetchNextPage();
      isMore = hasNextPage && !isError;
    }
  };
  return (
    <Card title="Comments">
      <Loaded query={comments} what="the comments">
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0) return <Empty title="No comments yet">Members and agents can write them.</Empty>;
          return (
            <ul className="rows" aria-label="Comments">
              {all.map((comment) => (
                <CommentRow key={comment.id} comment={comment} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {comments.hasNextPage && (
        <Button isBusy={comments.isFetchingNextPage} onPress={() => void comments.fetchNextPage()}>
          Show later comments
        </Button>
      )}
      <NewComment todoId={todoId} onCreated={readOn} />
    </Card>
  );
}

function NewComment({ todoId, onCreated }: { todoId: string; onCreated: () => Promise<void> }) {
  const queryClient = useQueryClient();
  const members = useMembers();
  const mentionsIn = useMentions();
  const [text, write] = useStoredText(`comment.${todoId}`);
  const create = async () => {
    await once(api.todos.createComment.mutate, { todoId, text, mentions: await mentionsIn(text) });
    // What was typed on meanwhile stays.
    write('', text);
    await onCreated();
    void readAgain(queryClient, 'todos');
  };
  return (
    <Form
      fields={{ text: { label: 'Comment', required: 'Write a comment' } }}
      submit="Comment"
      busy="Sending…"
      label="New comment"
      onSubmit={create}
    >
      <CommentField label="New comment" value={text} members={members} onChange={write} />
    </Form>
  );
}
