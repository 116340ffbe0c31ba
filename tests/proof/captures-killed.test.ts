import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recorded } from '../support/audio-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { Recorder } from '../support/recorder.ts';
import { audioDirectory, type OpenedSession, openSession, socketOf } from '../support/recording-fixtures.ts';
import { startTranscriptionServer, type TranscriptionServer } from '../support/transcription-server.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('kill -9 while captures are recorded and worked on');
const recordings = 14;
const workers = 2;
const kills = 6;

let tandem: TestService;
let directory: Awaited<ReturnType<typeof audioDirectory>>;
let transcription: TranscriptionServer;
let model: ModelServer;
let environment: Record<string, string>;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const digest = {
  title: 'Talk about the report',
  subtitle: 'One line',
  summary: 'The report is to be sent.',
  todos: [{ title: 'Send the report', content: null, dueDate: null, assignee: null }],
};

test.before(async () => {
  directory = await audioDirectory();
  transcription = await startTranscriptionServer();
  transcription.answer(({ file }) => ({
    json: { text: `${file?.bytes.length} bytes were heard.` },
    delayMs: 100 + Math.random() * 500,
  }));
  model = await startModelServer('openai-compatible', async () => {
    await wait(100 + Math.random() * 500);
    return JSON.stringify(digest);
  });
  // This process makes workspaces and looks at the end; it takes no audio and works on nothing.
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  environment = {
    AUDIO_DIR: directory.path,
    TRANSCRIPTION_BASE_URL: transcription.url,
    TRANSCRIPTION_MODEL: 'whisper-1',
    AI_PROVIDER: 'openai-compatible',
    AI_BASE_URL: model.url,
    AI_API_KEY: 'none',
    AI_MODEL: 'any',
  };
});
test.after(async () => {
  await stopProcesses();
  await tandem.close();
  await Promise.all([transcription.close(), model.close()]);
  await directory.remove();
});

/** Does it until it succeeds; in between the recorder continues with another process. */
async function persist(recorder: Recorder, other: () => string, act: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const done = await act().then(
      () => true,
      () => false,
    );
    if (done) return;
    await wait(100);
    await recorder.resume(other()).catch(() => {});
  }
  throw new Error('the recorder found no process that takes its audio');
}

/**
 * Records; false where a kill came between the token that was spent and the frame that says so: nothing can be
 * recorded.
 */
async function record(session: OpenedSession, chunks: readonly Buffer[], other: () => string): Promise<boolean> {
  const start = async (): Promise<Recorder | undefined> => {
    try {
      return await Recorder.start({ ...session, socketUrl: other() });
    } catch (error) {
      if (String(error).includes('server response: 401')) return undefined;
      await wait(100);
      return start();
    }
  };
  const recorder = await start();
  if (!recorder) return false;
  for (const chunk of chunks) {
    recorder.record(chunk);
    await wait(40 + Math.random() * 80);
  }
  await persist(recorder, other, () => recorder.settled());
  return true;
}

const open = ({ workspaceId }: TestWorkspace) =>
  tandem.db.rows<{ id: string; status: string }>(
    `select id, status from captures where workspace_id = $1 and status in ('recording', 'processing')`,
    [workspaceId],
  );

test(`${recordings} recordings survive ${kills} kills: all audio is there, all complete, and each is paid once`, async () => {
  const workspace = await tandem.workspace();
  const chunks = recorded[0] ?? [];
  const services: ServiceProcess[] = [];
  for (let place = 0; place < workers; place++) services.push(await startProcess(environment));
  const other = () => socketOf(services[Math.floor(Math.random() * services.length)] as ServiceProcess);

  let isOver = false;
  const killer = (async () => {
    for (let killed = 0; killed < kills; killed++) {
      await wait(500 + Math.random() * 1000);
      const victim = services.splice(Math.floor(Math.random() * services.length), 1)[0];
      victim?.child.kill('SIGKILL');
      await victim?.exited;
      services.push(await startProcess(environment));
    }
    isOver = true;
  })();

  const sessions: OpenedSession[] = [];
  const make = async (place: number): Promise<void> => {
    await wait(place * 500);
    const session = await openSession(workspace);
    if (!(await record(session, chunks, other))) {
      // What a recorder does then: it starts a new recording.
      bodyOf(await workspace.call(`DELETE /captures/${session.captureId}?permanent=true`));
      return make(0);
    }
    sessions.push(session);
    bodyOf(await workspace.call(`POST /captures/${session.captureId}/stop`));
  };
  await Promise.all(Array.from({ length: recordings }, (_, place) => make(place)));
  await killer;
  assert.ok(isOver);
  let left: object[] = [];
  const isDone = async () => {
    left = [...(await open(workspace))];
    return left.length === 0;
  };
  await until(isDone, () => `left half done: ${JSON.stringify(left)}`);

  const { workspaceId } = workspace;
  const captures = await tandem.db.rows<Record<string, unknown>>(
    `select c.status, c.failure_message as failure, c.duration_seconds as seconds, c.title, c.transcript ~ '^\\d+ bytes' as transcribed,
      (select count(*)::int from todos t where t.workspace_id = $1 and t.capture_id = c.id) as todos,
      c.minutes = ceil(c.active_ms / 6000.0) / 10 as rounded,
      c.minutes = (select -sum(m.minutes) from minute_entries m where m.workspace_id = $1 and m.capture_id = c.id) as entered
    from captures c where c.workspace_id = $1`,
    [workspaceId],
  );
  const whole = {
    status: 'completed',
    failure: null,
    seconds: 5,
    title: digest.title,
    transcribed: true,
    todos: 1,
    rounded: true,
    entered: true,
  };
  assert.equal(
    [...captures],
    Array.from({ length: recordings }, () => whole),
  );
  const [ledger] = await tandem.db.rows<{ adds: boolean }>(
    `select agent_minutes = (select sum(minutes) from minute_entries where workspace_id = $1) as adds
    from workspaces where id = $1`,
    [workspaceId],
  );
  assert.ok(ledger?.adds, 'the entries add up to the balance');

  const sizes = new Set<number>();
  for (const { recordingId } of sessions) {
    const objects = await directory.store.list(`${workspaceId}/${recordingId}/`);
    const file = objects.find(({ key }) => key.endsWith('/audio.webm'));
    assert.ok(file, 'its audio is there');
    sizes.add(file.size);
  }
  assert.is(sizes.size, 1, 'the same chunks make the same file, whoever was killed');
});

test.run();
