import type { BlockList } from 'node:net';
import { z } from 'zod';
import { isIn, rangesOf } from './addresses.ts';

/** A host name in ASCII, as `hooks.example.com` or `localhost` (RFC 1123 §2.1). */
const hostName = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

function isRange(entry: string): boolean {
  try {
    rangesOf([entry]);
    return true;
  } catch {
    return false;
  }
}

/** A name whose last label is a number is meant as an address (URL Standard, ends-in-a-number). */
const isName = (entry: string) => hostName.test(entry) && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(entry);

/** The settings of outgoing requests. */
export const outboundEnvironment = {
  OUTBOUND_ALLOW: z
    .string()
    .transform((list) => list.split(',').map((each) => each.trim().toLowerCase().replace(/\.$/, '')))
    .transform((entries) => entries.filter(Boolean))
    .refine(
      (entries) => entries.every((entry) => isRange(entry) || isName(entry)),
      'must be addresses, CIDRs or host names, separated by commas',
    )
    .default([]),
};

/** Destinations that public requests may reach although they are private. */
export interface AllowList {
  hasName(hostname: string): boolean;
  hasAddress(address: string): boolean;
  /** Whether it has addresses at all, beside names. */
  hasRanges: boolean;
}

/** The list of the entries of `OUTBOUND_ALLOW`. */
export function allowListOf(entries: readonly string[]): AllowList {
  const ranges: BlockList = rangesOf(entries.filter(isRange));
  const names = new Set(entries.filter((entry) => !isRange(entry)));
  return {
    hasName: (hostname) => names.has(hostname.toLowerCase().replace(/\.$/, '')),
    hasAddress: (address) => isIn(ranges, address),
    hasRanges: entries.some(isRange),
  };
}
