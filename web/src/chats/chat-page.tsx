import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useParams } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import { useApproveAll } from '../approvals/approve-all.tsx';
import type { Approval } from '../approvals/queries.ts';
import { useHeldApprovals } from '../approvals/use-approvals.ts';
import { assignableQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import { useStoredText } from '../session/stored-drafts.ts';
import { agentsQuery } from '../todo-common/queries.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Failed, Pending } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitle, Page } from '../ui/page.tsx';
import { ChatActions, ChatIntro, RenameChat, useArchive } from './chat-head.tsx';
import { ArchivedNote, BuiltInEngine, Composer } from './composer.tsx';
import { type Names, NamesContext } from './message-row.tsx';
import { Messages, useRows } from './messages.tsx';
import { Announcer } from './open-message.tsx';
import { OutgoingList } from './outgoing-list.tsx';
import { agentOf, type Chat, chatQuery, isWorking } from './queries.ts';
import { retryText } from './rows.ts';
import { lastSequence } from './transcript.ts';
import { TurnState } from './turn-state.tsx';
import { useAboveKeyboard } from './use-above-keyboard.ts';
import { useConversation } from './use-conversation.ts';
import { isGone, useOutbox } from './use-outbox.ts';
import { usePageEnd } from './use-page-end.ts';

/** Page `/chats/:chatId`: a conversation with an agent, live while it works. */
export function ChatPage() {
  const { chatId = '' } = useParams();
  // What is typed and received of one chat must not reach another one.
  return <OneChat key={chatId} chatId={chatId} />;
}

function OneChat({ chatId }: { chatId: string }) {
  const { workspace } = useIdentity();
  const read = useConversation(workspace.id, chatId);
  const { query, view, conversation } = read;
  if (isGone(query.error)) return <GoneChat chatId={chatId} />;
  const data = query.data;
  const error = view.isOpened ? query.error : (view.error ?? query.error);
  const retry = () => {
    if (data && view.error === error) void conversation.open(data.chat.messageCount);
    else void query.refetch({ cancelRefetch: false });
  };
  return (
    <>
      <Link to="/chats" className="back">
        <Icon name="back" />
        Chats
      </Link>
      <Page
        title={data?.chat.title ?? (data ? 'New chat' : 'Chat')}
        intro={data && <ChatIntro chat={data.chat} />}
        actions={
          data && (
            <span className="page-actions">
              <RenameChat chat={data.chat} />
              <ChatActions chat={data.chat} />
            </span>
          )
        }
      >
        {error !== null && <Failed error={error} retry={retry} />}
        {data && view.isOpened && <OpenedChat read={read} chat={data.chat} approvals={data.approvals} />}
        {!(data && view.isOpened) && error === null && (
          <Pending what="the chat" isPaused={query.fetchStatus === 'paused'} />
        )}
      </Page>
    </>
  );
}

/** What is left of a chat: the messages that were not sent, which hold a sign-out up until they are withdrawn. */
function GoneChat({ chatId }: { chatId: string }) {
  const { workspace } = useIdentity();
  const unsent = useOutbox(workspace.id, chatId);
  return (
    <Page title="Chat not found" intro="It may have been erased, or it belongs to another workspace.">
      <OutgoingList {...unsent} isWorking={false} edit={null} stop={() => {}} focusField={focusPageTitle} />
      <div>
        <ButtonLink to="/chats">All chats</ButtonLink>
      </div>
    </Page>
  );
}

interface OpenedChatProps {
  read: ReturnType<typeof useConversation>;
  chat: Chat;
  approvals: readonly Approval[];
}

function OpenedChat({ read: { conversation, view }, chat, approvals }: OpenedChatProps) {
  const { workspace } = useIdentity();
  const agents = useQuery(agentsQuery(workspace.id)).data;
  const agent = agentOf(chat, agents);
  const names = useNames(agent?.name, agents);
  const { approvals: shownApprovals, release } = useHeldApprovals(approvals);
  const { offerOf, dialog } = useApproveAll(shownApprovals, release);
  const rows = useRows(view);
  const dock = useRef<HTMLDivElement>(null);
  useAboveKeyboard(dock);
  const field = useRef<HTMLTextAreaElement>(null);
  const focusField = () => (field.current ? field.current.focus() : focusPageTitle());
  const [text, write] = useStoredText(`chat.${chat.id}.text`);
  const { outbox, outgoing } = useOutbox(workspace.id, chat.id);
  const { isAtEnd, toEnd } = usePageEnd(view.isOpened);
  const works = isWorking(chat.status);
  const { stop, isStopping } = useStop(workspace.id, chat.id);
  const archive = useArchive(chat);
  const last = lastSequence(view.messages);
  useEffect(() => outbox.received(last), [outbox, last]);
  const send = (message: string) => {
    outbox.add(message, !works);
    toEnd();
  };
  return (
    <NamesContext value={names}>
      <div className="conversation">
        <Messages conversation={conversation} view={view} rows={rows} isOpen={works} author={names.agent} />
        {shownApprovals.map((shown) => (
          <ApprovalCard key={shown.approval.id} {...shown} all={offerOf(chat.id)} onSettled={release} />
        ))}
        {dialog}
        <Announcer conversation={conversation} />
        <div ref={dock} className="dock">
          <ToEnd isAtEnd={isAtEnd} rows={rows} toEnd={toEnd} focusField={focusField} />
          <TurnState
            chat={chat}
            agent={agent}
            isStopping={isStopping}
            isStreamLost={view.isStreamLost}
            stop={stop}
            focusField={focusField}
            tryAgain={() => {
              send(retryText(view.messages));
              focusField();
            }}
          />
          <OutgoingList
            outbox={outbox}
            outgoing={outgoing}
            isWorking={works}
            edit={(taken) => write(text === '' ? taken : `${taken}\n\n${text}`)}
            stop={stop}
            focusField={focusField}
          />
          {chat.isArchived ? (
            <ArchivedNote isBusy={archive.isPending} restore={() => archive.mutate(false)} />
          ) : (
            <Composer
              ref={field}
              text={text}
              write={write}
              isWorking={works}
              approvals={approvals.length}
              send={send}
            />
          )}
          <BuiltInEngine />
        </div>
      </div>
    </NamesContext>
  );
}

/** Who writes in the chats of the workspace. */
function useNames(agent: string | undefined, agents: readonly { id: string; name: string }[] | undefined): Names {
  const { workspace, user } = useIdentity();
  const people = useQuery(assignableQuery(workspace.id)).data;
  return useMemo(
    () => ({
      userId: user.id,
      agent: agent ?? 'Agent',
      agents: new Map((agents ?? []).map(({ id, name }) => [id, name])),
      members: new Map((people ?? []).map(({ id, name }) => [id, name])),
    }),
    [user.id, agent, agents, people],
  );
}

/** Stops the agent of a chat. */
function useStop(workspaceId: string, chatId: string) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const { mutate, isPending } = useMutation({
    mutationFn: () => api.chats.cancel.mutate({ chatId }),
    onSuccess: async (chat) => {
      const { queryKey } = chatQuery(workspaceId, chatId);
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, { chat, approvals: [] });
      void readAgain(queryClient, 'chats');
    },
    onError: (error) => notify(problemOf(error).message),
  });
  const stop = useCallback(() => mutate(), [mutate]);
  return { stop, isStopping: isPending };
}

interface ToEndProps {
  isAtEnd: boolean;
  rows: readonly { sequence: number }[];
  toEnd: () => void;
  focusField: () => void;
}

/** The way back to the end, with the number of rows that arrived since the person left it. */
function ToEnd({ isAtEnd, rows, toEnd, focusField }: ToEndProps) {
  const last = rows.at(-1)?.sequence ?? 0;
  const [seen, setSeen] = useState(last);
  if (isAtEnd && seen !== last) setSeen(last);
  if (isAtEnd) return null;
  const count = rows.filter(({ sequence }) => sequence > seen).length;
  return (
    <Button
      aria-label={count > 0 ? `${count} new: go to the end` : 'Go to the end'}
      onPress={() => {
        toEnd();
        focusField();
      }}
    >
      {count > 0 ? `↓ ${count} new` : '↓ End'}
    </Button>
  );
}
