import { readFileSync } from 'node:fs';
import { invalid } from '../errors.ts';
import { hashBytes, passwordDigest } from './password-digest.ts';

/*
 * Passwords that attackers try first (ASVS 5.0, 6.2.4, 6.2.11 and 6.2.12): those of a list of stolen passwords, also
 * with a few digits and signs around them; runs on the keyboard and repetitions; and names that belong to the account.
 */

/** Sorted digests of the listed passwords, one after another (domain/sign-in/common-passwords.md). */
const digests = readFileSync(new URL('./common-passwords.bin', import.meta.url));

/** What may be added around a listed password without making it another one. */
const maxAdded = 8;
/** A repetition of something longer is as good as that. */
const minUnit = 8;
const minRun = 3;
/** What must be left of a password without the names of the account in it. */
const minOwn = 8;
const minName = 3;

const rows = [
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
  'abcdefghijklmnopqrstuvwxyz',
  '1234567890',
];
const columns = '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p';
const reversed = (text: string) => [...text].reverse().join('');
const runs = [...rows, columns].flatMap((row) => [row.repeat(2), reversed(row).repeat(2)]);

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

/** Whether the list has the text, ignoring case. One in ten million texts that are not in the list is found too. */
function isListed(text: string): boolean {
  const wanted = passwordDigest(text);
  let [low, high] = [0, digests.length / hashBytes];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = digests.compare(wanted, 0, hashBytes, middle * hashBytes, (middle + 1) * hashBytes);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** The text without digits, signs and spaces at its ends. */
function coreOf(text: string): string {
  return text.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '');
}

function isCommon(text: string): boolean {
  const core = coreOf(text);
  return isListed(text) || (text.length - core.length <= maxAdded && isListed(core));
}

/** The shortest text of which the whole is a repetition; the whole itself when it is none. */
function unitOf(text: string): string {
  const length = (text + text).indexOf(text, 1);
  return text.slice(0, length);
}

/** The length of the longest run of neighbouring characters at the start of a text. */
function runLength(text: string): number {
  let length = 0;
  while (length < text.length && runs.some((run) => run.includes(text.slice(0, length + 1)))) length++;
  return length;
}

function isRuns(text: string): boolean {
  for (let rest = text; rest !== ''; ) {
    const length = runLength(rest);
    if (length < minRun) return false;
    rest = rest.slice(length);
  }
  return true;
}

/** What is known of an account before its password is guessed. */
export interface KnownOfAccount {
  name?: string | undefined;
  email?: string | undefined;
  workspaceName?: string | undefined;
  /** Address of the service. */
  publicUrl: string;
}

/** Whether little but names of the account and of the service is in the text. */
function isNames(text: string, { name = '', email = '', workspaceName = '', publicUrl }: KnownOfAccount): boolean {
  const texts = [name, email, workspaceName, new URL(publicUrl).hostname, 'tandem'].map(folded);
  const words = texts.flatMap((each) => [each.replace(/\s+/g, ''), ...each.split(/[^\p{L}\p{N}]+/u)]);
  const names = [...new Set(words)].filter((word) => word.length >= minName).sort((a, b) => b.length - a.length);
  const rest = names.reduce((left, word) => left.replaceAll(word, ' '), text);
  return rest !== text && rest.replace(/\s+/g, '').length < minOwn;
}

/** Why a password is easily guessed, as a sentence; null when it is not. */
export function weaknessOf(password: string, known: KnownOfAccount): string | null {
  const text = folded(password);
  const unit = unitOf(text);
  if (isCommon(text) || (unit !== text && isCommon(unit))) {
    return 'This password is in lists of stolen passwords, or close to one that is. Choose another, such as a few unrelated words.';
  }
  if (isRuns(text) || (unit !== text && unit.length < minUnit)) {
    return 'This password repeats itself or follows the keyboard or the alphabet. Choose another, such as a few unrelated words.';
  }
  if (isNames(text, known)) {
    return 'This password is little more than your name, your address, or the name of the workspace or service. Choose another.';
  }
  return null;
}

/** Refuses a new password that is easily guessed. `param` names it. @throws Failure 400. */
export function requireUncommonPassword(param: string, password: string, known: KnownOfAccount): void {
  const weakness = weaknessOf(password, known);
  if (weakness !== null) throw invalid(param, weakness);
}
