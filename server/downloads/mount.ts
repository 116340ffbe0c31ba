import { createHash, type KeyObject } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../../db/client.ts';
import { Failure, notFound, unavailable } from '../../domain/errors.ts';
import { entityTags } from '../../domain/etag.ts';
import type { AudioRef } from '../../domain/media.ts';
import { OpenOfWorkspaces, requireFewStreams } from '../../domain/streams.ts';
import { type AudioStore, type ByteRange, MissingAudio } from '../../media/storage/store.ts';
import { headersOf, rangeApplies, rangeOf, type StoredAudio, unsatisfiable } from './headers.ts';
import { type MediaLink, mediaLinks } from './links.ts';

export interface MediaParts {
  db: Db;
  store: AudioStore;
  /** Secret of the links, shared by all processes. */
  key: KeyObject;
  /** Downloads that a workspace may have open on this process. */
  maxPerWorkspace: number;
  clock?: () => Date;
}

/** The audio of a capture that still exists; undefined when there is none. */
async function findAudio(db: Db, { workspaceId, captureId, recordingId }: AudioRef): Promise<StoredAudio | undefined> {
  const text = `select c.audio_key, c.audio_type from captures c
    where c.workspace_id = $1 and c.id = $2 and c.recording_id = $3 and c.audio_key is not null`;
  const [found] = await db.rows<StoredAudio>(text, [workspaceId, captureId, recordingId]);
  return found;
}

const again = 'Read the capture again: its mediaUrl is a new one.';

function badLink(): Failure {
  const message = `This link to audio is not valid. ${again}`;
  return new Failure({ status: 404, code: 'resource_not_found', message });
}

function expired(): Failure {
  const message = `This link to audio has expired. ${again}`;
  return new Failure({ status: 404, code: 'resource_not_found', message, reason: 'link_expired' });
}

/** The bytes as a stream, once the first are there: until then a failure can still be answered. @throws MissingAudio */
async function streamOf(store: AudioStore, key: string, range: ByteRange): Promise<Readable> {
  const bytes = store.read(key, range)[Symbol.asyncIterator]();
  const first = await bytes.next();
  async function* all() {
    for (let next = first; !next.done; next = await bytes.next()) yield next.value;
  }
  const stream = Readable.from(all(), { objectMode: false });
  // Not at the end of the generator: a generator that has not begun runs no `finally`, and the client may be gone
  // already.
  return stream.once('close', () => void bytes.return?.().catch(() => {}));
}

/** Downloads open on a process. Each holds a connection to S3, of which recorders need some to store their audio. */
const maxDownloads = 512;

/**
 * `GET` and `HEAD /media/{token}`: the audio of a recording, for every holder of the link. Requests with a link are not
 * counted by the gate, open downloads are: 429 where the workspace has many, 503 where the process has.
 */
export function mountMedia(
  app: FastifyInstance,
  { db, store, key, maxPerWorkspace, clock = () => new Date() }: MediaParts,
): void {
  const links = mediaLinks(key);
  const linkOf = (request: FastifyRequest) => links.read((request.params as { token: string }).token);
  const streams = new Set<Readable>();
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.destroy();
  });
  const open = new OpenOfWorkspaces();
  let downloads = 0;

  /** Opens the audio, counted until it is closed. @throws MissingAudio, Failure 429, 503. */
  const download = async ({ workspaceId }: MediaLink, audioKey: string, range: ByteRange): Promise<Readable> => {
    requireFewStreams('downloads of audio', open.of(workspaceId), maxPerWorkspace);
    if (downloads >= maxDownloads) throw unavailable();
    downloads++;
    const stopCounting = open.add(workspaceId);
    const end = () => {
      downloads--;
      stopCounting();
    };
    try {
      const stream = await streamOf(store, audioKey, range);
      streams.add(stream);
      return stream.once('close', () => {
        streams.delete(stream);
        end();
      });
    } catch (error) {
      end();
      throw error;
    }
  };

  const send = async (request: FastifyRequest, reply: FastifyReply, link: MediaLink, audio: StoredAudio) => {
    const size = await store.size(audio.audio_key);
    if (size === null) throw new MissingAudio(audio.audio_key);
    const tag = `"${createHash('sha256').update(`${audio.audio_key} ${size}`).digest('base64url').slice(0, 22)}"`;
    const headers = headersOf(link, audio, tag, clock());
    const known = entityTags(request.headers['if-none-match']?.toString() ?? '');
    if (known.some((each) => each === '*' || each.replace(/^W\//, '') === tag))
      return reply.headers(headers).code(304).send();
    // RFC 9110 §14.2: a range is of a GET alone.
    const isHead = request.method === 'HEAD';
    const asked = !isHead && rangeApplies(request.headers['if-range']?.toString(), tag);
    const range = asked ? rangeOf(request.headers.range, size) : 'whole';
    if (range === 'unsatisfiable') throw unsatisfiable(size);
    const { start, end } = range === 'whole' ? { start: 0, end: size - 1 } : range;
    const stream = isHead || size === 0 ? null : await download(link, audio.audio_key, { start, end });
    reply.headers({ ...headers, 'Content-Length': end + 1 - start }).type(audio.audio_type);
    if (range !== 'whole') reply.code(206).header('Content-Range', `bytes ${start}-${end}/${size}`);
    if (stream === null) return reply.send();
    return reply.send(stream);
  };

  app.route({
    method: ['GET', 'HEAD'],
    url: '/media/:token',
    // A player asks for many ranges, and a link of ours is a credential: only others count against the address.
    config: { ungated: (request) => linkOf(request) !== null },
    handler: async (request, reply) => {
      const link = linkOf(request);
      if (!link) throw badLink();
      if (link.expiresAt <= clock()) throw expired();
      const audio = await findAudio(db, link);
      if (!audio) throw notFound('audio', 'token');
      try {
        return await send(request, reply, link, audio);
      } catch (error) {
        if (!(error instanceof MissingAudio)) throw error;
        request.log.error({ err: error }, 'audio missing in the store');
        throw notFound('audio', 'token');
      }
    },
  });
}
