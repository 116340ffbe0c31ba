import { readFileSync } from 'node:fs';

const template = readFileSync(new URL('install.sh', import.meta.url), 'utf8');

/** A text as one word of a POSIX shell (IEEE Std 1003.1, 2.2.2). */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Line breaks would end a comment. */
const inComment = (text: string) => text.replace(/[^\x20-\x7e]/g, '');

/**
 * The installer of one service: it downloads the client from `publicUrl` and installs it only with this SHA-256
 * (hexadecimal).
 */
export function installer(
  { publicUrl, cliInstallUrl }: { publicUrl: string; cliInstallUrl: string },
  checksum: string,
): string {
  const values: Record<string, string> = {
    URL: inComment(publicUrl),
    INSTALL_URL: inComment(cliInstallUrl),
    QUOTED_URL: quoted(publicUrl),
    CHECKSUM: quoted(checksum),
  };
  return template.replace(/@([A-Z_]+)@/g, (whole, name: string) => values[name] ?? whole);
}
