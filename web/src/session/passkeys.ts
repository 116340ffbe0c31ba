import type { TandemOutputs } from 'tandem/client';
import { ProblemError } from '../api/problem.ts';

type CreationOptions = TandemOutputs['secondFactors']['beginPasskey']['options'];
type RequestOptions = TandemOutputs['auth']['requestPasskey']['options'];

/** Whether this browser can use passkeys here: they are bound to a host name, so an IP address has none. */
export function arePasskeysSupported(): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
  return !isAddress && typeof window.PublicKeyCredential === 'function';
}

/** Why a browser did not use or make a passkey, as far as it says. */
function problemOfBrowser(error: unknown): ProblemError {
  const name = error instanceof Error ? error.name : '';
  const message =
    name === 'InvalidStateError'
      ? 'This device has a passkey of your account already.'
      : name === 'SecurityError'
        ? 'Passkeys do not work at this address. Open PUBLIC_URL, which needs a host name.'
        : 'No passkey was used: the request was cancelled or took too long. Try again.';
  return new ProblemError({ status: 0, code: 'passkey_failed', message, retryable: true, errors: [] });
}

/** Makes a passkey on a device that the person chooses. @throws ProblemError when there is none. */
export async function createPasskey(options: CreationOptions) {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const { id, rawId, type, response } = await startRegistration({
    optionsJSON: options as Parameters<typeof startRegistration>[0]['optionsJSON'],
  }).catch((error: unknown) => {
    throw problemOfBrowser(error);
  });
  const { clientDataJSON, attestationObject, transports = [] } = response;
  return { id, rawId, type, response: { clientDataJSON, attestationObject, transports } };
}

/** Uses a passkey that the person chooses. @throws ProblemError when there is none. */
export async function getPasskey(options: RequestOptions) {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { id, rawId, type, response } = await startAuthentication({
    optionsJSON: options as Parameters<typeof startAuthentication>[0]['optionsJSON'],
  }).catch((error: unknown) => {
    throw problemOfBrowser(error);
  });
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response;
  return { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } };
}
