import type { Page } from 'playwright-core';
import type { Stage, Window } from './browser.ts';
import { newChat, type PlayedAgent } from './chat-fixtures.ts';
import type { Answer, TestService, TestWorkspace } from './harness.ts';
import { callsOf, type Person } from './people.ts';

/* The pages of chats, whose agent the test plays: the service of the suite has no workers. */

/** A chat that is open in a window, while its agent works. */
export interface OpenChat {
  window: Window;
  page: Page;
  chatId: string;
  path: string;
  agent: PlayedAgent;
  call(request: string, body?: unknown): Promise<Answer>;
  workspaceId: string;
}

/** What `newChat` needs of the workspace of a person. */
export function workspaceOf(stage: Stage, person: Person): TestWorkspace {
  const call = callsOf(stage.tandem, person);
  return { call, workspaceId: person.session.workspace.id } as TestWorkspace;
}

type Options = Parameters<Stage['window']>[0] & { script?: string };

/**
 * Starts a chat with “What is due this week?” and opens its page. `script` runs in the window before those of the page.
 */
export async function openChat(stage: Stage, { script, ...options }: Options = {}): Promise<OpenChat> {
  const person = await stage.person();
  const workspace = workspaceOf(stage, person);
  const { chat, path, agent } = await newChat(stage.tandem, workspace, { title: 'This week' });
  const window = await stage.window({ ...options, as: person });
  if (script !== undefined) await window.page.addInitScript(script);
  await window.goTo(path, 'This week');
  const { call, workspaceId } = workspace;
  return { window, page: window.page, chatId: chat.id, path, agent, call, workspaceId };
}

const insert = `with written as (
    insert into messages (workspace_id, chat_id, sequence, id, role, text, blocks)
    select $1::uuid, $2::uuid, n, gen_random_uuid(), case when n % 2 = 0 then 'agent' else 'user' end, 'Message number ' || n,
      jsonb_build_array(jsonb_build_object('type', 'text', 'text', 'Message number ' || n || repeat(E'\\n\\nmore', n % 4)))
    from generate_series(2, $3::int) n returning 1
  ) update chats set message_count = $3::int from (select count(*) from written) w where workspace_id = $1 and id = $2`;

/** Fills a chat that has one message up to `count`. */
export async function addMessages(
  { db }: Pick<TestService, 'db'>,
  { workspaceId, chatId }: Pick<OpenChat, 'workspaceId' | 'chatId'>,
  count: number,
): Promise<void> {
  await db.rows(insert, [workspaceId, chatId, count]);
}

/** The texts that people sent in a chat, as the service has them. */
export async function sentTexts({ call, path }: Pick<OpenChat, 'call' | 'path'>): Promise<string[]> {
  const { body } = await call(`GET ${path}/messages?limit=100`);
  return body.data.filter(({ role }: { role: string }) => role === 'user').map(({ text }: { text: string }) => text);
}

/**
 * Cuts every stream of a chat after a random number of lines, always in the same way. `cuts` counts them in the window.
 */
export const cutStreams = `(() => {
  let state = 11;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const send = window.fetch;
  window.cuts = 0;
  window.fetch = async (address, init) => {
    const answer = await send(address, init);
    if (!String(address).includes('chats.stream') || !answer.ok) return answer;
    let left = 1 + Math.floor(random() * 9);
    const cut = new TransformStream({
      transform(bytes, controller) {
        let end = 0;
        while (left > 0 && end < bytes.length) if (bytes[end++] === 10) left--;
        controller.enqueue(bytes.subarray(0, end));
        if (left > 0) return;
        window.cuts++;
        controller.error(new TypeError('terminated'));
      },
    });
    return new Response(answer.body.pipeThrough(cut), { status: answer.status, headers: answer.headers });
  };
})()`;
