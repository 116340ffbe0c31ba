/*
 * The offer of the browser to install the pages as an application. It is made once, maybe before the sign-in, so that
 * it is stored from the start.
 */

/** The event `beforeinstallprompt` of Chromium. */
interface InstallOffer extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>;
}

/** The offer, while there is one; and who is called when that changes. */
export const installing: { offer: InstallOffer | null; changed: () => void } = { offer: null, changed: () => {} };

/** Whether these pages are the installed application. */
export function isInstalled(): boolean {
  return matchMedia('(display-mode: standalone)').matches;
}

/**
 * Stores the offer from now on. In the installed application it also registers the worker that takes what is shared.
 */
export function watchInstalling(): void {
  for (const name of ['beforeinstallprompt', 'appinstalled'])
    addEventListener(name, (event) => {
      event.preventDefault();
      installing.offer = 'prompt' in event ? (event as InstallOffer) : null;
      installing.changed();
    });
  if (isInstalled()) navigator.serviceWorker?.register('/offline-worker.js').catch(() => {});
}
