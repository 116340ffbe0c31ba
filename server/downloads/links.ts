import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';
import type { AudioRef } from '../../domain/media.ts';

/** How long a link opens the audio (CONTRACT §7). */
const lifetimeMs = 15 * 60 * 1000;

const version = 1;
/** Version, expiry in ms, three ids. */
const payloadLength = 1 + 6 + 3 * 16;

/** A link that this service made. */
export interface MediaLink extends AudioRef {
  expiresAt: Date;
}

export interface MediaLinks {
  /** A link to the audio that anybody may open for 15 minutes from `now` on. */
  urlFor(audio: AudioRef & { publicUrl: string; now: Date }): string;
  /** The content of a token; null when this service did not make it. It may have expired. */
  read(token: string): MediaLink | null;
}

const bytesOf = (id: string) => Buffer.from(parse(id));

/**
 * Links to audio, signed with HMAC-SHA256: `payload.signature`, both in base64url. Processes with one key share them.
 */
export function mediaLinks(key: KeyObject): MediaLinks {
  const sign = (payload: string) => createHmac('sha256', key).update(`media ${payload}`).digest();
  return {
    urlFor: ({ publicUrl, workspaceId, captureId, recordingId, now }) => {
      const head = Buffer.alloc(7);
      head[0] = version;
      head.writeUIntBE(now.getTime() + lifetimeMs, 1, 6);
      const ids = [workspaceId, captureId, recordingId].map(bytesOf);
      const payload = Buffer.concat([head, ...ids]).toString('base64url');
      return `${publicUrl}/media/${payload}.${sign(payload).toString('base64url')}`;
    },
    read: (token) => {
      const [, payload = '', signature = ''] = /^([\w-]{74})\.([\w-]{43})$/.exec(token) ?? [];
      const given = Buffer.from(signature, 'base64url');
      // One spelling of a signature alone: the last character holds bits that count for nothing.
      if (given.length !== 32 || given.toString('base64url') !== signature) return null;
      if (!timingSafeEqual(given, sign(payload))) return null;
      const bytes = Buffer.from(payload, 'base64url');
      if (bytes.length !== payloadLength || bytes[0] !== version) return null;
      const [workspaceId = '', captureId = '', recordingId = ''] = [7, 23, 39].map((at) =>
        stringify(bytes.subarray(at, at + 16)),
      );
      return { workspaceId, captureId, recordingId, expiresAt: new Date(bytes.readUIntBE(1, 6)) };
    },
  };
}
