import { type Adapter, errors } from 'oidc-provider';
import { endsTransaction } from '../../../db/errors.ts';
import { unavailableSeconds } from '../../../domain/errors.ts';

const description = `the service is temporarily unavailable, try again in ${unavailableSeconds} s`;

/**
 * The database is away, silent or full, or others change the same rows: 503, and in the redirect of an authorization request
 * the error that RFC 6749 §4.1.2.1 has for it. The library would answer 500.
 */
function outage(cause: unknown): Error {
  const error = new errors.CustomOIDCProviderError('temporarily_unavailable', description, { cause });
  return Object.assign(error, { status: 503, statusCode: 503 });
}

/** The same adapter; what it cannot do because of the database is noted, and an error 503 instead of that of the database. */
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
          throw outage(error);
        }
      };
    },
  });
}
