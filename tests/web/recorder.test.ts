import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocketServer } from 'ws';
import { until } from '../support/until.ts';

/*
 * The recorder while the browser asks for a microphone, which it may do for minutes, with simulated devices and a
 * simulated service. tests/proof/pages-recording.test.ts records in a real browser.
 */

const test = suite('the recorder: while the browser asks for a microphone');

/** The parts that are used. It is imported by its name: it needs types of a browser, which the tests do without. */
interface Recorder {
  view(): { phase: string; link: string | null; deviceId: string | null; failure: unknown; ending: unknown };
  start(workspaceId: string, source: { deviceId: string | null; format: string }, about: object): Promise<void>;
  pause(): void;
  resume(): Promise<void>;
  switchMicrophone(deviceId: string): Promise<void>;
  stop(): Promise<void>;
}
const file: string = '../../web/src/captures/recorder/recorder.ts';
const { createRecorder } = (await import(file)) as { createRecorder(services: object): Recorder };

class Track {
  enabled = true;
  isStopped = false;
  onended: (() => void) | null = null;
  readonly #deviceId: string;
  constructor(deviceId: string) {
    this.#deviceId = deviceId;
  }
  getSettings = () => ({ deviceId: this.#deviceId });
  stop = () => {
    this.isStopped = true;
  };
}

interface Prompt {
  track: Track;
  isAllowed: boolean;
  allow(): void;
  deny(): void;
}

/** What the browser was asked for, in order, and the encoders that run. */
const prompts: Prompt[] = [];
const encoders = new Set<Encoder>();
/** Whether the browser asks: otherwise it has the permission. */
let asks = false;

class Encoder extends EventTarget {
  state = 'inactive';
  start() {
    this.state = 'recording';
    encoders.add(this);
  }
  requestData() {}
  pause() {
    this.state = 'paused';
  }
  resume() {
    this.state = 'recording';
  }
  stop() {
    this.state = 'inactive';
    encoders.delete(this);
    queueMicrotask(() => this.dispatchEvent(new Event('stop')));
  }
}

class Meter {
  createAnalyser = () => ({});
  createMediaStreamSource = () => ({ connect: () => {} });
  close = async () => {};
}

const getUserMedia = ({ audio }: { audio: { deviceId?: { ideal: string } } }) => {
  const track = new Track(audio.deviceId?.ideal ?? 'first');
  const { promise, resolve, reject } = Promise.withResolvers<{ getAudioTracks(): Track[] }>();
  const prompt: Prompt = {
    track,
    isAllowed: false,
    allow: () => {
      prompt.isAllowed = true;
      resolve({ getAudioTracks: () => [track] });
    },
    deny: () => reject(new DOMException('', 'NotAllowedError')),
  };
  prompts.push(prompt);
  if (!asks) prompt.allow();
  return promise;
};

const simulated = {
  window: { isSecureContext: true },
  navigator: { mediaDevices: { getUserMedia } },
  AudioContext: Meter,
  MediaRecorder: Encoder,
  addEventListener: () => {},
};
const before = Object.keys(simulated).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
let service: WebSocketServer;

test.before(async () => {
  for (const [name, value] of Object.entries(simulated))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  service = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  service.on('connection', (connection) => {
    const send = (frame: object) => connection.send(JSON.stringify(frame));
    connection.on('message', (data, isBinary) => {
      if (!isBinary && JSON.parse(String(data)).type === 'stop') send({ type: 'stopped', reason: 'stopped' });
    });
    send({ type: 'ready', resumeToken: 'again', nextSequence: 0, window: 32, maxDurationSeconds: 60 });
  });
  await new Promise((resolve) => service.once('listening', resolve));
});
test.after(() => {
  service.close();
  for (const [name, descriptor] of before) {
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
  }
});

/** A recorder that records from the device `first`; from then on the browser asks. */
async function recording(): Promise<Recorder> {
  prompts.length = 0;
  asks = false;
  const { port } = service.address() as AddressInfo;
  const recorder = createRecorder({
    openSession: async () => ({ captureId: 'one', socketUrl: `ws://127.0.0.1:${port}/`, token: 'once' }),
    discard: async () => {},
    statusOf: async () => 'recording',
    beforeStop: async () => {},
  });
  await recorder.start('workspace', { deviceId: null, format: 'audio/webm' }, {});
  await until(() => recorder.view().link === 'open');
  assert.is(recorder.view().phase, 'recording');
  asks = true;
  return recorder;
}

/** The prompt that was shown last. */
function lastPrompt(): Prompt {
  const prompt = prompts.at(-1);
  if (!prompt) throw new Error('the browser was not asked');
  return prompt;
}

const isQuiet = () => encoders.size === 0 && prompts.every(({ track, isAllowed }) => track.isStopped || !isAllowed);

/** A paused recorder without a microphone, which the choice of another one has closed. */
async function pausedWithoutMicrophone(): Promise<Recorder> {
  const recorder = await recording();
  recorder.pause();
  await recorder.switchMicrophone('second');
  assert.ok(isQuiet());
  return recorder;
}

async function ended(recorder: Recorder): Promise<void> {
  await until(() => recorder.view().phase === 'ended');
  assert.equal(recorder.view().ending, { by: 'stop', reason: 'stopped' });
}

test('another microphone replaces the one before when it is allowed', async () => {
  const recorder = await recording();
  const switching = recorder.switchMicrophone('second');
  assert.is(prompts[0]?.track.isStopped, false);
  lastPrompt().allow();
  await switching;
  assert.equal([recorder.view().phase, recorder.view().deviceId], ['recording', 'second']);
  assert.equal(
    prompts.map(({ track }) => track.isStopped),
    [true, false],
  );
  assert.is(encoders.size, 1);
  await recorder.stop();
  await ended(recorder);
  assert.ok(isQuiet());
});

test('a microphone that is allowed after the stop is closed, and records nothing', async () => {
  const recorder = await recording();
  const switching = recorder.switchMicrophone('second');
  await recorder.stop();
  await ended(recorder);
  lastPrompt().allow();
  await switching;
  assert.is(recorder.view().phase, 'ended');
  assert.ok(isQuiet());
});

test('a microphone that is allowed after a pause is closed, and is the one that records after it', async () => {
  const recorder = await recording();
  const switching = recorder.switchMicrophone('second');
  recorder.pause();
  lastPrompt().allow();
  await switching;
  assert.equal([recorder.view().phase, recorder.view().deviceId], ['paused', 'second']);
  assert.ok(isQuiet());
  const resuming = recorder.resume();
  lastPrompt().allow();
  await resuming;
  assert.equal([recorder.view().phase, recorder.view().deviceId], ['recording', 'second']);
  assert.is(encoders.size, 1);
  await recorder.stop();
  await ended(recorder);
});

test('a recording that is resumed does not go on where it was stopped before the microphone was allowed', async () => {
  for (const answer of ['allow', 'deny'] as const) {
    const recorder = await pausedWithoutMicrophone();
    const resuming = recorder.resume();
    await recorder.stop();
    await ended(recorder);
    lastPrompt()[answer]();
    await resuming;
    assert.equal([recorder.view().phase, recorder.view().failure], ['ended', null]);
    assert.ok(isQuiet());
  }
});

test('of two microphones that are asked for at once, only the last records', async () => {
  const recorder = await recording();
  const [first, second] = [recorder.switchMicrophone('second'), recorder.switchMicrophone('third')];
  for (const prompt of prompts.toReversed()) prompt.allow();
  await Promise.all([first, second]);
  assert.is(recorder.view().deviceId, 'third');
  assert.is(encoders.size, 1);
  await recorder.stop();
  await ended(recorder);
  assert.ok(isQuiet());
});

test('a microphone that is refused is said, and the one before records on', async () => {
  const recorder = await recording();
  const switching = recorder.switchMicrophone('second');
  lastPrompt().deny();
  await switching;
  assert.equal(recorder.view().failure, { kind: 'microphone', fault: 'denied' });
  assert.equal([recorder.view().phase, recorder.view().deviceId], ['recording', 'first']);
  await recorder.stop();
  await ended(recorder);
  assert.ok(isQuiet());
});

test.run();
