import type { CatalogueOperation } from '../model/catalogue.ts';

/** The parts of a request beside its operation. */
export interface RequestParts {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>> | undefined;
  /** Generated where the operation takes one and none is given. */
  idempotencyKey?: string | undefined;
  ifMatch?: string | undefined;
  /** Sent with the credential of this operation instead of its own. */
  as?: CatalogueOperation | undefined;
}

/** A response with its parsed body; null when it has none. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Calls operations of the service with the credentials of the profile. */
export interface Calls {
  /** Whether there is a credential that the operation takes. */
  canCall(operation: CatalogueOperation): boolean;
  /** @throws Refused for an error of the service; CliFailure when it cannot be reached. */
  send(operation: CatalogueOperation, parts: RequestParts): Promise<Answer>;
  /** The body of an operation that streams. @throws as `send`. */
  open(operation: CatalogueOperation, parts: RequestParts, signal: AbortSignal, lastEventId: string): Promise<Response>;
}
