import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { Link } from 'react-router';
import { pollUnlessLive } from '../api/live-state.ts';
import { type Notification, type NotificationPage, notificationsQuery } from '../api/queries.ts';
import { useApproveAll } from '../approvals/approve-all.tsx';
import type { ShownApproval } from '../approvals/queries.ts';
import { useHeldApprovals } from '../approvals/use-approvals.ts';
import { ReadAll } from '../notifications/read-all.tsx';
import { useWrites } from '../outbox/current.ts';
import { withWrites } from '../outbox/shown.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Failed, Loaded, Pending, useLastError } from '../ui/card.tsx';
import { Page } from '../ui/page.tsx';
import { OlderRows, Rows } from '../ui/rows.tsx';
import { broughtBack, type Item, itemOf, newestFirst, snoozedOf, withoutListed } from './items.ts';
import { NeedRow, NotificationEntry, subjectOf } from './rows.tsx';
import { Snoozed, SnoozeProvider } from './snoozed.tsx';
import { useNeeds } from './use-needs.ts';
import { type RegisterRow, useRows } from './use-rows.ts';
import { useSnoozes } from './use-snoozes.ts';

const pollMs = 5_000;

/** All that needs the person, as far as it is loaded, whether it is put off or not. */
function useItems(needs: ReturnType<typeof useNeeds>, held: readonly ShownApproval[]): Item[] {
  const { approvals, failed, suggestions } = needs;
  const writes = useWrites();
  const suggested = (suggestions.data?.pages ?? [])
    .flatMap(({ data }) => data)
    .filter((todo) => {
      const { isSuggested, isArchived } = withWrites(todo, writes);
      return isSuggested && !isArchived;
    });
  return newestFirst<Item>([
    { items: held.map(itemOf.approval), isMore: approvals.hasNextPage },
    { items: (failed.data ?? []).map(itemOf.run), isMore: false },
    { items: suggested.map(itemOf.suggestion), isMore: suggestions.hasNextPage },
  ]);
}

/** Page `/inbox`: what needs the person who reads it, then the notifications, and what was put off. */
export function InboxPage() {
  const { workspace } = useIdentity();
  const box = useRef<HTMLDivElement>(null);
  const register = useRows(box);
  const needs = useNeeds(workspace.id, pollMs);
  const { approvals } = needs;
  const pending = useMemo(() => approvals.data?.pages.flatMap(({ data }) => data), [approvals.data]);
  const { approvals: held, release } = useHeldApprovals(pending);
  const { offerOf, dialog } = useApproveAll(held, release);
  const all = useItems(needs, held);
  const { ahead, back } = useSnoozes(workspace.id, pollMs);
  const items = broughtBack(
    all.filter(({ id }) => !ahead?.has(id)),
    back,
  );
  const notifications = useInfiniteQuery({
    ...notificationsQuery(workspace.id, false),
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });
  const listed = withoutListed(notifications.data?.pages.flatMap(({ data }) => data) ?? [], all);
  const state = stateOf(needs, ahead !== undefined);
  return (
    <Page
      title="Inbox"
      intro={`What agents ask, what failed and what is suggested in ${workspace.name}, and your notifications.`}
    >
      <SnoozeProvider>
        <div className="inbox" ref={box}>
          <Needs needs={needs} state={state} items={items} register={register} release={release} offerOf={offerOf} />
          <Notifications
            query={notifications}
            listed={listed.filter(({ id }) => !ahead?.has(id))}
            hasNeeds={items.length > 0}
            isHeld={!state.isKnown}
            register={register}
          />
          <Snoozed rows={snoozedOf(ahead, all, listed, (item) => subjectOf(item).name)} />
        </div>
      </SnoozeProvider>
      {dialog}
    </Page>
  );
}

/** How far all that needs the person is read. `isSnoozeRead`: whether it is known what is put off. */
function stateOf({ approvals, failed, suggestions }: ReturnType<typeof useNeeds>, isSnoozeRead: boolean) {
  const all = [approvals, failed, suggestions];
  const isRead = isSnoozeRead && all.every(({ data }) => data !== undefined);
  // One that is read again has no error meanwhile, and what is listed without it stays.
  const missing = all.filter(({ errorUpdateCount, data }) => errorUpdateCount > 0 && data === undefined);
  const isPaused = all.some(({ fetchStatus }) => fetchStatus === 'paused');
  return { isRead, missing, isPaused, isKnown: isRead || missing.length > 0 || isPaused };
}

interface NeedsProps {
  needs: ReturnType<typeof useNeeds>;
  state: ReturnType<typeof stateOf>;
  items: readonly Item[];
  register: RegisterRow;
  release: (approvalId: string) => void;
  offerOf: ReturnType<typeof useApproveAll>['offerOf'];
}

function Needs({ needs, state, items, ...row }: NeedsProps) {
  const { approvals, suggestions } = needs;
  const { isRead, missing, isPaused, isKnown } = state;
  const error = useLastError(missing.find(({ error }) => error !== null)?.error);
  const more = [approvals, suggestions].filter(({ hasNextPage }) => hasNextPage);
  const isLoading = more.some(({ isFetchingNextPage }) => isFetchingNextPage);
  return (
    <section className="inbox-part" aria-labelledby="needs-you">
      <h2 id="needs-you">Needs you</h2>
      {missing.length > 0 && (
        <Failed
          error={error}
          isBusy={missing.every(({ isFetching }) => isFetching)}
          retry={() => missing.forEach(({ refetch }) => void refetch())}
        />
      )}
      {items.length > 0 && isKnown && (
        <ul className="needs" aria-labelledby="needs-you">
          {items.map((item) => (
            <NeedRow key={item.id} item={item} {...row} />
          ))}
        </ul>
      )}
      {!isRead && missing.length === 0 && <Pending what="what needs you" isPaused={isPaused} />}
      {isRead && items.length === 0 && (
        <Empty title="Nothing needs you">
          Agents ask here before they change something, and what they suggest or could not finish is listed here.
        </Empty>
      )}
      {more.length > 0 && (
        <Button isBusy={isLoading} onPress={() => more.forEach(({ fetchNextPage }) => void fetchNextPage())}>
          {isLoading ? 'Loading…' : 'Show older ones that need you'}
        </Button>
      )}
    </section>
  );
}

interface NotificationsProps {
  query: UseInfiniteQueryResult<InfiniteData<NotificationPage>>;
  /** Those that are listed. */
  listed: readonly Notification[];
  /** Whether something is listed above, which has notifications as well. */
  hasNeeds: boolean;
  /** Whether they wait for what needs the person: rows of both would be shown twice, and move when that is listed. */
  isHeld: boolean;
  register: RegisterRow;
}

/** The notifications that are not about something that needs the person by itself. */
function Notifications({ query: notifications, listed, hasNeeds, isHeld, register }: NotificationsProps) {
  const pages = notifications.data?.pages;
  const newest = pages?.[0]?.data[0]?.id;
  return (
    <section className="inbox-part" aria-labelledby="notifications">
      <div className="inbox-head">
        <h2 id="notifications">Notifications</h2>
        <ReadAll newest={newest} unread={pages?.[0]?.unreadCount ?? 0} />
      </div>
      <Loaded query={notifications} what="your notifications">
        {() =>
          isHeld ? (
            <Pending what="your notifications" isPaused={false} />
          ) : listed.length === 0 ? (
            <Empty title={hasNeeds && newest !== undefined ? 'No other notifications' : 'No notifications'}>
              You are notified when a todo is due and when you are mentioned.
            </Empty>
          ) : (
            <div className="card">
              <Rows label="Notifications">
                {listed.map((notification) => (
                  <NotificationEntry key={notification.id} notification={notification} register={register} />
                ))}
              </Rows>
            </div>
          )
        }
      </Loaded>
      <OlderRows query={notifications}>Show older notifications</OlderRows>
      <p>
        <Link to="/settings/notifications">Notification settings</Link>
      </p>
    </section>
  );
}
