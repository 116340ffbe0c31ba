import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stopSilent } from '../../server/recordings/silence.ts';
import { defaultTimes } from '../../server/recordings/times.ts';
import type { Answer, TestWorkspace } from '../support/harness.ts';
import { Recorder } from '../support/recorder.ts';
import {
  audioDirectory,
  type OpenedSession,
  openSession,
  type RecordingWorld,
  rowOf,
  startIntake,
} from '../support/recording-fixtures.ts';
import { untilAnswer } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';

const test = suite('recordings that nobody came back to');

let directory: Awaited<ReturnType<typeof audioDirectory>>;
let tandem: RecordingWorld;

test.before(async () => {
  directory = await audioDirectory();
  tandem = await startIntake(directory.store, {}, { capturePauses: [0, 0] });
});
test.after(async () => {
  await tandem.close();
  await directory.remove();
});

/** The capture once nothing is done for it any more. */
function settled({ call }: TestWorkspace, { captureId }: Pick<OpenedSession, 'captureId'>): Promise<Answer> {
  return untilAnswer(
    () => call(`GET /captures/${captureId}`),
    ({ body }) => ['completed', 'failed'].includes(body.status),
  );
}

test('without usable audio they fail as connection_lost, whichever limit ends them', async () => {
  const workspace = await tandem.workspace();
  const log = pino({ level: 'silent' });
  // Never connected; connected and gone without audio; gone in the middle of what cannot be read.
  const sent = [null, [], [Buffer.from('a part of a header')]];
  for (const [what, seconds] of [
    ['silent', { last: 400, opened: 400 }],
    ['as long as it may be', { last: 100, opened: 20_000 }],
    ['both', { last: 20_000, opened: 20_000 }],
  ] as const) {
    for (const chunks of sent) {
      const session = await openSession(workspace);
      if (chunks) {
        const recorder = await Recorder.start(session);
        for (const chunk of chunks) recorder.record(chunk);
        await recorder.settled();
        await recorder.drop();
        await until(async () => (await rowOf(tandem, session)).holder === null);
      }
      const age = `update recordings set last_audio_at = now() - $2 * interval '1 second',
        opened_at = now() - $3 * interval '1 second' where id = $1`;
      await tandem.db.rows(age, [session.recordingId, seconds.last, seconds.opened]);
      while ((await stopSilent({ db: tandem.db }, defaultTimes, log)) > 0);
      const { failure } = (await settled(workspace, session)).body;
      assert.equal([failure.code, failure.retryable], ['connection_lost', false], `${what}, ${chunks?.length} chunks`);
    }
  }
});

test.run();
