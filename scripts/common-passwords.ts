import { readFile, writeFile } from 'node:fs/promises';
import { hashBytes, passwordDigest } from '../domain/sign-in/password-digest.ts';

/*
 * `node scripts/common-passwords.ts LIST` writes domain/sign-in/common-passwords.bin from a list of passwords,
 * one a line, the most frequent first (domain/sign-in/common-passwords.md): those that are long enough to be set, and
 * the most frequent shorter ones, which people lengthen by a year or a sign.
 */

const minLength = 12;
const minCore = 6;
const maxCores = 60_000;

const [source] = process.argv.slice(2);
if (!source) throw new Error('Name the list of passwords');
const passwords = (await readFile(source, 'utf8')).split(/\r?\n/);
const listed = passwords.filter(
  (password, rank) => password.length >= minLength || (rank < maxCores && password.length >= minCore),
);
const digests = [...new Set(listed.map((password) => passwordDigest(password).toString('hex')))].sort();
await writeFile('domain/sign-in/common-passwords.bin', Buffer.from(digests.join(''), 'hex'));
process.stdout.write(`${digests.length} passwords, ${digests.length * hashBytes} bytes\n`);
