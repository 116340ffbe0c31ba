import type Provider from 'oidc-provider';
import { type Adapter, errors } from 'oidc-provider';
import { endsTransaction } from '../../../db/errors.ts';
import { unavailableSeconds } from '../../../domain/errors.ts';
import type { Send } from '../../../outbound/client.ts';
import { findOutboundError } from '../../../outbound/errors.ts';

/**
 * The error 503 for what `subject` cannot do now. In the redirect of an authorization request it becomes the error that
 * RFC 6749 §4.1.2.1 defines for it.
 */
function outage(subject: string, cause: unknown): Error {
  const description = `${subject}, try again in ${unavailableSeconds} s`;
  const error = new errors.CustomOIDCProviderError('temporarily_unavailable', description, { cause });
  return Object.assign(error, { status: 503, statusCode: 503 });
}

/**
 * The same adapter, but with a 503 where the library would answer 500: when the database is away, silent or full, or
 * when others change the same rows. These errors are noted.
 */
export function withOutages<Stored extends Adapter>(adapter: Stored, note: (error: unknown) => void): Stored {
  return new Proxy(adapter, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]) => {
        try {
          return await member.apply(target, given);
        } catch (error) {
          if (!endsTransaction(error)) throw error;
          note(error);
          throw outage('the service is temporarily unavailable', error);
        }
      };
    },
  });
}

/** Faults that another try of the request would have too. */
const lasting = ['forbidden', 'too_large', 'unreadable'];

/** A site that answers, but not what was asked for. */
class SiteFails extends Error {
  override readonly name = 'SiteFails';
}

/**
 * Fetches documents as `fetchDocument`. @throws SiteFails for a status that may pass, whose cause the library drops.
 */
export function withSiteOutages(fetchDocument: Send): Send {
  return async (url, init) => {
    const response = await fetchDocument(url, init);
    if (response.status < 500 && response.status !== 429) return response;
    await response.body?.cancel();
    throw new SiteFails(`the site answered ${response.status}`);
  };
}

/** Whether a metadata document could not be fetched for a temporary reason, which says nothing about the client. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof errors.InvalidClient)) return false;
  const { cause } = error;
  const failed = findOutboundError(cause);
  if (failed) return !lasting.includes(failed.fault);
  return cause instanceof SiteFails || (cause instanceof Error && cause.name === 'TimeoutError');
}

/**
 * Makes the provider answer 503 while it cannot fetch the metadata document of a client. The library answers
 * `invalid_client`, and clients delete their tokens then.
 */
export function withClientOutages({ Client }: Provider): void {
  const find = Client.find.bind(Client);
  Client.find = (id) =>
    find(id).catch((error: unknown) => {
      throw isPassing(error) ? outage('the metadata document of the client cannot be fetched now', error) : error;
    });
}
