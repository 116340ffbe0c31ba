import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newNote, newRecording, workOf } from '../support/capture-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('texts that take too long');
let tandem: TestService;
let workspace: TestWorkspace;

const longText = 'We send the report to Ada by Friday. '.repeat(3000);
const beginDigest = `insert into capture_work (workspace_id, capture_id, step, lease_until) values ($1, $2, 'digest', now())`;

test.before(async () => {
  tandem = await startTestService({}, { taskLimits: { maxSeconds: 0.02 }, capturePauses: [0, 0] });
  workspace = await tandem.workspace();
});
test.after(() => tandem.close());

test('a transcript is refused', async () => {
  const transcript = { format: 'text', body: longText };
  const { status, body } = await workspace.call('POST /captures', { type: 'recording', transcript });
  assert.is(status, 400);
  assert.is(body.param, 'transcript.body');
  assert.match(body.message, 'Pass it in several parts');
});

test('a recording fails with a reason, after one try', async () => {
  const { id } = await newRecording(tandem, workspace, { status: 'processing', transcript: longText });
  await tandem.db.rows(beginDigest, [workspace.workspaceId, id]);
  await until(
    async () => (await workOf(tandem, id)) === undefined,
    () => `the work on ${id} ended`,
  );
  const { status, failure, transcript } = bodyOf(await workspace.call(`GET /captures/${id}`));
  assert.is(status, 'failed');
  assert.is(failure.code, 'summary_failed');
  assert.match(failure.message, 'takes too long');
  assert.is(transcript, longText);
});

test('a note stays as it is, and is not tried again', async () => {
  const id = await newNote(workspace, longText);
  await until(
    async () => (await workOf(tandem, id)) === undefined,
    () => `the work on ${id} ended`,
  );
  const { status, summary, content } = bodyOf(await workspace.call(`GET /captures/${id}`));
  assert.is(status, 'completed');
  assert.is(summary, null);
  assert.is(content, longText);
});

test('short texts are processed at the same time', async () => {
  const id = await newNote(workspace, 'The door is blue.');
  await until(
    async () => bodyOf(await workspace.call(`GET /captures/${id}`)).summary !== null,
    () => `${id} summarized`,
  );
});

test.run();
