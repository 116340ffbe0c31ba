import type { Scope } from './scopes.ts';

/**
 * Who may call an operation. `public`: anybody. `any`: every valid credential. `scoped`: a credential with the scope.
 * `reader`: a credential with any scope for reading. `subscriber`: a session, or a key with any scope for reading; the
 * operation checks which. `session` and `key_management`: a signed-in person; the latter refuses keys with an error
 * code of its own.
 */
export type Access = 'public' | 'any' | 'scoped' | 'reader' | 'subscriber' | 'session' | 'key_management';

/** What decides whether a credential may call an operation. */
export interface OperationFacts {
  id: string;
  access: Access;
  scope: Scope | null;
  /** May be called by a person who still lacks the second factor that the workspace requires. */
  beforeSecondFactor?: boolean;
}

/** An operation of the service, as `allowedOperations` and the catalogue of scopes list it. */
export interface ListedOperation extends OperationFacts {
  /** The group of the operation in the document, such as `meta`. */
  tag: string;
}

/** The metadata of a tool, from which MCP and the tools of agents are derived. */
export interface ToolMeta {
  name: string;
  title: string;
  description: string;
  /** All of them are needed. */
  scopes: readonly Scope[];
  readOnly: boolean;
  /** A second call like the first changes nothing more. */
  idempotent: boolean;
  /** Longest text of an answer in characters; what is longer is cut. */
  maxText: number;
  /** Bytes of the largest request that calls it. */
  maxBody: number;
  /** How to get the rest of a text that was cut. */
  rest: string;
  /** Its answer may wait for a person, to whom the client can show a form (elicitation). */
  elicits: boolean;
  /**
   * For a tool that starts work in a new chat, which a client can follow as a task: the arguments of the call that only
   * reads that work again (`Resumed`) and has no other effect.
   */
  readAgain: Readonly<Record<string, unknown>> | null;
}
