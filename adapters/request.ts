import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context, Principal } from '../routers/base.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request; null while nobody valid does. Set by the gate before any route runs. */
    principal: Principal | null;
    /** A bearer was sent, but no valid credential answers to it. */
    badCredential: boolean;
  }
}

/** Builds the context of one request; given by the process, which owns the database and the settings. */
export type ContextFor = (request: FastifyRequest, reply: FastifyReply) => Context;
