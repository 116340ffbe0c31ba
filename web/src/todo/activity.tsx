import { useInfiniteQuery } from '@tanstack/react-query';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { Ago } from '../ui/time.tsx';
import { isListed, sentenceOf } from './activity-sentences.ts';
import { activityQuery } from './queries.ts';

/** What happened to a todo, the latest first. */
export function Activity({ todoId }: { todoId: string }) {
  const { workspace } = useIdentity();
  const activity = useInfiniteQuery(activityQuery(workspace.id, todoId));
  return (
    <Card title="Activity">
      <Loaded query={activity} what="the activity">
        {({ pages }) => {
          const events = pages.flatMap(({ data }) => data).filter(isListed);
          if (events.length === 0) return <Empty title="Nothing in the log any more" />;
          return (
            <ul className="activity" aria-label="Activity">
              {events.map((event) => (
                <li key={event.id}>
                  {sentenceOf(event)}{' '}
                  <span className="muted small">
                    <Ago at={event.occurredAt} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      {activity.hasNextPage && (
        <Button isBusy={activity.isFetchingNextPage} onPress={() => void activity.fetchNextPage()}>
          Show earlier activity
        </Button>
      )}
    </Card>
  );
}
