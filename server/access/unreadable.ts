import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { v7 as newId } from 'uuid';
import type { ServiceSettings } from '../../domain/context.ts';
import { errorBody, Failure } from '../../domain/errors.ts';
import { uncountedHeaders } from './gate.ts';
import { securityHeaders } from './response-headers.ts';

interface ClientError extends Error {
  code?: string;
  /** The bytes among which the parser stopped; a request begins with its method. */
  rawPacket?: unknown;
}

/** Node's own mark of a response under way on this socket, which a second one must not be written into. */
interface HttpSocket extends Socket {
  _httpMessage?: { _headerSent: boolean } | null;
}

const refusals: Record<string, { status: number; message: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The address and headers are too large. Send less than 16 KiB.' },
};
const unreadable = { status: 400, message: 'This is not a valid HTTP request.' };

/**
 * Answers bytes that are no HTTP request, with our error object, on the bare socket. There is no request to count. What
 * was sent is never logged, because it may contain a credential.
 */
export function answerUnreadable(perAddress: number, service: ServiceSettings) {
  return (error: ClientError, socket: HttpSocket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    if (socket.writable && !socket._httpMessage?._headerSent) {
      const { status, message } = refusals[error.code ?? ''] ?? unreadable;
      const failure = new Failure({ status, code: 'validation_failed', message });
      const requestId = newId();
      const body = JSON.stringify(errorBody(failure, requestId, `${service.publicUrl}/docs/errors`));
      const headers = {
        'X-Request-Id': requestId,
        ...securityHeaders(service.publicUrl),
        ...uncountedHeaders(perAddress),
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
        Connection: 'close',
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      // An answer to HEAD has no body, although it states its length (RFC 9110, section 9.3.2).
      const { rawPacket } = error;
      const isHead = Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 5).toString('latin1') === 'HEAD ';
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${isHead ? '' : body}`);
    }
    socket.destroy();
  };
}
