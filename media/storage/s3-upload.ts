import type { S3Request, s3Client } from './s3-requests.ts';
import { elements, encode, textOf } from './s3-xml.ts';
import { StoreFault } from './store.ts';

type Ask = ReturnType<typeof s3Client>;

/** S3 takes no smaller parts (but the last), and no more than 10,000. */
const minPartBytes = 5 * 2 ** 20;
const maxParts = 10_000;

/**
 * Bytes in pieces of exactly `size`, the last one what is left. @throws StoreFault when other than `total` bytes come
 */
async function* inParts(bytes: AsyncIterable<Uint8Array>, size: number, total: number): AsyncGenerator<Uint8Array> {
  let part = Buffer.alloc(Math.min(size, total));
  let filled = 0;
  let sent = 0;
  const wrong = (came: number) => new StoreFault(`${came} bytes of audio came where ${total} were announced.`);
  for await (const piece of bytes) {
    if (sent + filled + piece.byteLength > total) throw wrong(sent + filled + piece.byteLength);
    for (let at = 0; at < piece.byteLength; ) {
      const taken = Math.min(piece.byteLength - at, part.length - filled);
      part.set(piece.subarray(at, at + taken), filled);
      at += taken;
      filled += taken;
      if (filled < part.length) continue;
      yield part;
      sent += filled;
      filled = 0;
      part = Buffer.alloc(Math.min(size, total - sent));
    }
  }
  if (sent + filled !== total) throw wrong(sent + filled);
}

async function inMany(ask: Ask, put: S3Request, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const { path } = put;
  const begin: S3Request = { ...put, method: 'POST', query: { uploads: '' } };
  const uploadId = await ask(begin, async (answer) => {
    const id = textOf(await answer.text(), 'UploadId');
    if (!id) throw new StoreFault('The audio store began an upload without an id.');
    return id;
  });
  try {
    const parts: string[] = [];
    for await (const body of inParts(bytes, Math.max(minPartBytes, Math.ceil(size / maxParts)), size)) {
      const query = { partNumber: String(parts.length + 1), uploadId };
      const tag = await ask({ method: 'PUT', path, query, body }, async (answer) => {
        await answer.close();
        const etag = answer.headers.get('etag');
        if (!etag) throw new StoreFault('The audio store took a part without an ETag.');
        return etag;
      });
      parts.push(`<Part><PartNumber>${query.partNumber}</PartNumber><ETag>${encode(tag)}</ETag></Part>`);
    }
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    await ask({ method: 'POST', path, query: { uploadId }, body, accept: [404] }, async (answer) => {
      const text = await answer.text();
      // The answer to an earlier try was lost: the upload is over, and the object is there.
      const done = answer.status === 404 && (await sizeOf(ask, path)) === size;
      // S3 may find out that it cannot after it has sent the 200.
      if (!done && (answer.status === 404 || elements(text, 'Error').length > 0))
        throw new StoreFault(`The audio store could not join the parts (${textOf(text, 'Code') ?? answer.status}).`);
    });
  } catch (error) {
    await ask({ method: 'DELETE', path, query: { uploadId }, accept: [404] }, (answer) => answer.close()).catch(
      () => {},
    );
    throw error;
  }
}

/** Bytes of an object; null when it is not there. */
export function sizeOf(ask: Ask, path: string): Promise<number | null> {
  return ask({ method: 'HEAD', path, accept: [404] }, async (answer) => {
    await answer.close();
    if (answer.status === 404) return null;
    const length = answer.headers.get('content-length');
    if (length === null || !/^\d+$/.test(length)) throw new StoreFault('The audio store sent no Content-Length.');
    return Number(length);
  });
}

/**
 * Puts an object of `size` bytes: at once when it fits into a part, else in parts of at least 5 MiB, one in memory at a
 * time. An upload that fails is aborted; one whose process dies leaves parts, which a life-cycle rule of the bucket
 * clears.
 */
export async function upload(ask: Ask, path: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream' };
  const put: S3Request = { method: 'PUT', path, headers };
  if (size > minPartBytes) return inMany(ask, put, size, bytes);
  let body: Uint8Array = new Uint8Array(0);
  for await (const part of inParts(bytes, minPartBytes, size)) body = part;
  await ask({ ...put, body }, (answer) => answer.close());
}
