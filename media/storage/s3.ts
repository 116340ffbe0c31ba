import { defaultTimeouts, type S3Answer, type S3Settings, type S3Timeouts, s3Client } from './s3-requests.ts';
import { sizeOf, upload } from './s3-upload.ts';
import { elements, textOf } from './s3-xml.ts';
import {
  type AudioStore,
  type ByteRange,
  checkKey,
  checkPrefix,
  checkRange,
  isKey,
  MissingAudio,
  type StoredObject,
  StoreFault,
} from './store.ts';

/** Objects that are removed at the same time. */
const removalConcurrency = 16;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function atOnce<T>(items: readonly T[], count: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const run = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: count }, run));
}

/**
 * Audio in a bucket of S3 or of another store with its protocol. `pageSize`: objects listed by one request, at
 * most 1,000; fewer only in tests.
 */
export function createS3Store(settings: S3Settings, timeouts: Partial<S3Timeouts> = {}, pageSize = 1000): AudioStore {
  const merged = { ...defaultTimeouts, ...timeouts };
  const ask = s3Client(settings, merged);
  const pathOf = (key: string) => {
    checkKey(key);
    return settings.prefix + key;
  };

  async function* pages(prefix: string): AsyncGenerator<StoredObject[]> {
    checkPrefix(prefix);
    for (let token: string | null = null; ; ) {
      const query: Record<string, string> = {
        'list-type': '2',
        'max-keys': String(pageSize),
        prefix: settings.prefix + prefix,
        ...(token !== null && { 'continuation-token': token }),
      };
      const xml = await ask({ method: 'GET', path: '', query }, (answer) => answer.text());
      yield elements(xml, 'Contents').map((each) => ({
        key: (textOf(each, 'Key') ?? '').slice(settings.prefix.length),
        size: Number(textOf(each, 'Size')),
      }));
      token = textOf(xml, 'IsTruncated') === 'true' ? textOf(xml, 'NextContinuationToken') : null;
      if (token === null) return;
    }
  }

  /** The answer to a GET from byte `at`; null beyond the end. */
  const begin = (key: string, at: number, range: ByteRange | undefined, tag: string | null) => {
    const headers = {
      ...((range || at > 0) && { range: `bytes=${at}-${range?.end ?? ''}` }),
      // The rest must be of the same object as the beginning.
      ...(tag !== null && { 'if-match': tag }),
    };
    return ask<S3Answer | null>({ method: 'GET', path: pathOf(key), headers, accept: [404, 416] }, async (answer) => {
      const { status } = answer;
      if (status === 206 || (status === 200 && at === 0)) return answer;
      await answer.close();
      if (status === 404) throw new MissingAudio(key);
      if (status === 416) return null;
      throw new StoreFault(`The audio store answered ${status} where a range was asked for.`);
    });
  };

  return {
    put: async (key, bytes) => upload(ask, pathOf(key), bytes.byteLength, once(bytes)),
    putStream: async (key, size, bytes) => upload(ask, pathOf(key), size, bytes),
    list: async (prefix) => {
      const objects: StoredObject[] = [];
      for await (const page of pages(prefix)) objects.push(...page.filter(({ key }) => isKey(key)));
      return objects;
    },
    read: async function* (key, range) {
      if (range) checkRange(range);
      let at = range?.start ?? 0;
      let tag: string | null = null;
      for (let broken = 0; ; ) {
        const answer: S3Answer | null = await begin(key, at, range, tag);
        if (answer === null) return;
        tag = answer.headers.get('etag');
        const left = Number(answer.headers.get('content-length') ?? Number.NaN);
        const end = Number.isNaN(left) ? range?.end : at + left - 1;
        try {
          for await (const piece of answer.body()) {
            at += piece.byteLength;
            broken = 0;
            yield piece;
          }
          return;
        } catch (error) {
          if (!(error instanceof StoreFault) || ++broken >= merged.maxTries) throw error;
          if (end !== undefined && at > end) return;
        }
      }
    },
    size: async (key) => sizeOf(ask, pathOf(key)),
    remove: async (prefix) => {
      for await (const page of pages(prefix)) {
        await atOnce(page, removalConcurrency, ({ key }) =>
          ask({ method: 'DELETE', path: settings.prefix + key, accept: [404] }, (answer) => answer.close()),
        );
      }
    },
  };
}
