import { createHash } from 'node:crypto';
import type { Context, Parsed } from '../commands/invocation.ts';
import type { LocalCommand } from '../commands/local-command.ts';
import { isUnencrypted } from '../credentials/connection.ts';
import { CliFailure, exitCodes } from '../model/failure.ts';
import type { Calls } from '../service/calls.ts';
import { connectionFor } from '../sign-in/profiles.ts';
import { oneLine } from '../terminal/safe.ts';
import { type Installed, installedFile, replaceFile } from './installed-file.ts';

const requestTimeoutMs = 60_000;
const maxBytes = 20 * 2 ** 20;

/** The directory of the installer, where the service also serves the client. @throws CliFailure. */
async function downloadAddress(parsed: Parsed, context: Context, calls: Calls): Promise<string> {
  const operation = context.catalogue.operations.find(({ name }) => name === 'meta.serviceInfo');
  const answer = operation && ((await calls.send(operation, {})).body as { cliInstallUrl?: unknown });
  const address = String(answer?.cliInstallUrl);
  const { url } = connectionFor(parsed, context);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new CliFailure(exitCodes.failed, `${url} names no installer of the client.`);
  }
  if (isUnencrypted(address) && !isUnencrypted(url)) {
    const message = `The installer of ${url} is at ${oneLine(address)}, which is not https. Nothing was changed.`;
    throw new CliFailure(exitCodes.failed, message, ['The operator sets it with PUBLIC_URL or CLI_INSTALL_URL.']);
  }
  if (isUnencrypted(address)) context.err.write(`Warning: ${oneLine(address)} is not https.\n`);
  return new URL('cli/', address).href;
}

/** Downloads a file. @throws CliFailure 8 when it does not arrive. */
async function download(address: string, version: string): Promise<Buffer> {
  const failed = (why: string) =>
    new CliFailure(exitCodes.unreachable, `${oneLine(address)} could not be downloaded: ${oneLine(why)}.`, [
      'Nothing was changed.',
    ]);
  const signal = AbortSignal.timeout(requestTimeoutMs);
  const headers = { 'User-Agent': `Tandem-CLI/${version}` };
  try {
    const response = await fetch(address, { redirect: 'error', headers, signal });
    if (!response.ok) throw failed(`the response is ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) throw failed('it is too large');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    throw failed(error instanceof Error ? error.message : String(error));
  }
}

const checksumOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The client that the service serves. @throws CliFailure when its checksum is not the published one. */
async function downloadClient(base: string, installed: Installed, version: string): Promise<Buffer | undefined> {
  const published = (await download(`${base}tandem.cjs.sha256`, version)).toString('latin1').slice(0, 64);
  if (!/^[0-9a-f]{64}$/.test(published)) {
    throw new CliFailure(exitCodes.failed, `${oneLine(base)} publishes no checksum of the client.`, [
      'Nothing was changed.',
    ]);
  }
  if (checksumOf(installed.bytes) === published) return undefined;
  const bytes = await download(`${base}tandem.cjs`, version);
  const checksum = checksumOf(bytes);
  if (checksum === published) return bytes;
  throw new CliFailure(exitCodes.failed, `The SHA-256 of the download is ${checksum}, not ${published}.`, [
    'Nothing was changed. If the service was updated just now, try again.',
  ]);
}

/** `tandem update`. */
export function update(callsFor: (parsed: Parsed, context: Context) => Calls): LocalCommand {
  return {
    words: ['update'],
    summary: 'Update this client to the version of the service',
    description:
      'Downloads the client from the address of the installer of your service, compares its SHA-256 with the published one, and replaces this file in one step. A client that a package manager installed is not changed.',
    arguments: [],
    options: [],
    flags: [],
    examples: ['update', 'update --profile work'],
    run: async (parsed, context) => {
      const { out, catalogue } = context;
      const installed = installedFile(context.program);
      const base = await downloadAddress(parsed, context, callsFor(parsed, context));
      const bytes = await downloadClient(base, installed, catalogue.version);
      if (!bytes) {
        out.write(`tandem ${catalogue.version} is the version of the service.\n`);
        return exitCodes.done;
      }
      const version = replaceFile(installed, bytes);
      out.write(`Updated tandem ${catalogue.version} to ${oneLine(version)}: ${installed.path}\n`);
      return exitCodes.done;
    },
  };
}
