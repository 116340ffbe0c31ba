/*
 * Sends a WAV or WebM file as a recording, in chunks like a live recorder, and prints the result.
 *
 *   export TANDEM_URL=http://127.0.0.1:8080 TANDEM_EMAIL=you@example.com TANDEM_PASSWORD=…
 *   node examples/record.ts talk.wav "Talk with the caterer"
 *
 * Recordings need a session, not an API key. With a second factor, sign in with completeSignIn and set TANDEM_SESSION
 * to the token that it returns, instead of the password. Chunks that are not acknowledged are sent again after a lost
 * connection; after five minutes without audio the service stops the recording itself.
 * Needs nothing but Node ≥ 22.18. Exits with 0 when the recording was completed, else with 1.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

interface Capture {
  status: 'recording' | 'processing' | 'completed' | 'failed';
  title: string | null;
  durationSeconds: number | null;
  summary: string | null;
  transcript: string | null;
  failure: { message: string } | null;
}

/** A frame of the service. */
interface Frame {
  type: 'ready' | 'ack' | 'stopped' | 'error' | 'pong';
  resumeToken: string;
  nextSequence: number;
  sequence: number;
  window: number;
  reason: string;
  code: string;
  message: string;
}

const { TANDEM_URL: url = 'http://127.0.0.1:8080', TANDEM_SESSION, TANDEM_EMAIL, TANDEM_PASSWORD } = process.env;

async function call<Answer>(route: string, token: string | null, body?: object): Promise<Answer> {
  const [method = 'GET', path = ''] = route.split(' ');
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Answer & Record<string, string>;
  if (!response.ok) throw new Error(`${answer.code}: ${answer.message} (request ${answer.requestId})`);
  return answer;
}

/** The token of a session. @throws Error when a second factor is needed. */
async function signIn(): Promise<string> {
  const body = { email: TANDEM_EMAIL, password: TANDEM_PASSWORD };
  const answer = await call<{ object: string; token: string }>('POST /auth/sessions', null, body);
  if (answer.object === 'session') return answer.token;
  throw new Error(
    'This account has a second factor: call completeSignIn and set TANDEM_SESSION to the token it returns.',
  );
}

const chunkBytes = 64 * 1024;

/** Codes of errors after which resuming is of no use: mistakes of this program, and the end of its access. */
const finalCodes = `frame_not_understood chunk_not_understood sequence_gap format_missing format_conflict part_missing
  erased access_revoked`.split(/\s+/);
/** The close code where another connection has resumed the recording, and continues it. */
const replaced = 4001;

/**
 * Chunk `sequence` of the audio as one frame; undefined behind the last one. Its first byte marks the start of a part.
 */
function chunkOf(audio: Buffer, sequence: number): Buffer | undefined {
  const bytes = audio.subarray(sequence * chunkBytes, (sequence + 1) * chunkBytes);
  if (bytes.length === 0) return undefined;
  const header = Buffer.alloc(5);
  header.writeUInt8(sequence === 0 ? 1 : 0, 0);
  header.writeUInt32BE(sequence, 1);
  return Buffer.concat([header, bytes]);
}

/**
 * Sends over one connection until the recording is stopped or taken over; when it ends before, the token to resume
 * with.
 */
function send(socketUrl: string, token: string, audio: Buffer, mediaType: string): Promise<string | 'stopped'> {
  const socket = new WebSocket(socketUrl, `tandem.${token}`);
  let [next, durable, window, resume] = [0, 0, 1, token];
  const sendMore = () => {
    while (next < durable + window) {
      const chunk = chunkOf(audio, next);
      if (!chunk) break;
      socket.send(chunk);
      next++;
    }
    if (durable === next && !chunkOf(audio, next)) socket.send(JSON.stringify({ type: 'stop' }));
  };
  return new Promise((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(String(data)) as Frame;
      if (frame.type === 'ready') {
        [next, durable, window, resume] = [frame.nextSequence, frame.nextSequence, frame.window, frame.resumeToken];
        if (next === 0) socket.send(JSON.stringify({ type: 'format', mediaType }));
        sendMore();
      } else if (frame.type === 'ack') {
        durable = frame.sequence + 1;
        sendMore();
      } else if (frame.type === 'stopped') {
        resolve('stopped');
      } else if (frame.type === 'error' && finalCodes.includes(frame.code)) {
        reject(new Error(frame.message));
      }
    });
    // After an error there is always a close.
    socket.addEventListener('close', ({ code }) => resolve(code === replaced ? 'stopped' : resume));
  });
}

const [file = '', title = 'A recording'] = process.argv.slice(2);
const audio = await readFile(file);
const mediaType = audio.subarray(0, 4).toString('latin1') === 'RIFF' ? 'audio/wav' : 'audio/webm';
const token = TANDEM_SESSION ?? (await signIn());
const session = await call<{ captureId: string; socketUrl: string; token: string }>(
  'POST /captures/recordings',
  token,
  { title },
);

const read = () => call<Capture>(`GET /captures/${session.captureId}`, token);
let outcome = session.token;
let capture = await read();
for (let tries = 0; outcome !== 'stopped' && capture.status === 'recording'; tries++) {
  if (tries > 8) throw new Error('The connection was lost repeatedly.');
  await sleep(tries === 0 ? 0 : Math.min(250 * 2 ** tries, 5000));
  outcome = await send(session.socketUrl, outcome, audio, mediaType);
  capture = await read();
}
while (capture.status === 'recording' || capture.status === 'processing') {
  await sleep(500);
  capture = await read();
}

process.stdout.write(`${capture.title}: ${capture.status}, ${capture.durationSeconds} s\n`);
for (const text of [capture.failure?.message, capture.summary, capture.transcript]) {
  if (text) process.stdout.write(`${text}\n`);
}
process.exitCode = capture.status === 'completed' ? 0 : 1;
