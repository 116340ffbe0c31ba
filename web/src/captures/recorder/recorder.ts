import { actorId } from '../../api/acting.ts';
import { createStopwatch } from './duration.ts';
import { mediaTypeOf } from './frames.ts';
import { createInput } from './input.ts';
import { type Link, type LinkEnd, openLink, type RecordingStatus } from './link.ts';
import { MicrophoneError } from './microphone.ts';
import { Outbox } from './outbox.ts';
import { clearStoredRecording, type StoredRecording, storeRecording } from './stored.ts';
import { hasUnsaved, idle, isBusy, type RecorderView } from './view.ts';

/** Data of a recording that is set before it starts. */
export interface NewRecording {
  title?: string;
  tags?: string[];
}

/** The response of startRecording. */
export interface Session {
  captureId: string;
  socketUrl: string;
  token: string;
}

/** Calls of the service that a recorder makes. */
export interface RecorderServices {
  /** @throws the error of the service. */
  openSession(about: NewRecording): Promise<Session>;
  /** Deletes a capture that will not get any audio. */
  discard(captureId: string): Promise<void>;
  statusOf(captureId: string): Promise<RecordingStatus>;
  /** Saves what the processing of the recording needs, such as notes. Resolves within seconds. */
  beforeStop(): Promise<void>;
}

/** The wanted microphone (null: any), and a format of `recordingFormat`. */
export interface Source {
  deviceId: string | null;
  format: string;
}

/**
 * Records in this window: microphone → encoder → outbox → link. Audio is stored until the service has acknowledged it.
 * Components read `view` and are updated by `subscribe`.
 */
export function createRecorder(services: RecorderServices) {
  const listeners = new Set<() => void>();
  const watch = createStopwatch();
  let view = idle;
  let outbox = new Outbox();
  let link: Link | undefined;
  let about: NewRecording = {};
  let format = '';
  let stored: StoredRecording | null = null;
  let userId: string | undefined;

  const show = (changes: Partial<RecorderView>) => {
    view = { ...view, ...changes };
    watch.run(view.phase === 'recording');
    for (const listener of listeners) listener();
  };
  const persist = () => {
    if (stored) storeRecording({ ...stored, elapsedMs: watch.elapsedMs() });
  };

  const input = createInput({
    onChunk: (chunk) => {
      outbox.add(chunk);
      link?.push();
      show({ unsavedMs: outbox.unsavedMs });
    },
    onLost: () => {
      if (view.phase !== 'recording' && view.phase !== 'paused') return;
      void input.release();
      link?.pause(true);
      show({ phase: 'paused', failure: { kind: 'microphone_gone' } });
    },
  });

  const finish = async (end: LinkEnd) => {
    const wasStopping = view.phase === 'stopping';
    await input.release();
    stored = null;
    // The response to our stop was lost with the connection.
    const ending: LinkEnd =
      wasStopping && end.by === 'stop' && outbox.unsavedMs === 0 ? { by: 'stop', reason: 'stopped' } : end;
    if (ending.by !== 'fault') clearStoredRecording(userId);
    show({ phase: 'ended', link: 'over', ending, unsavedMs: outbox.unsavedMs });
  };
  const connect = (captureId: string, way: { socketUrl: string; secret: string; resumes: boolean }) => {
    link = openLink({
      ...way,
      mediaType: mediaTypeOf(format),
      outbox,
      status: () => services.statusOf(captureId),
      onReady: ({ resumeToken, maxDurationSeconds }) => {
        const { workspaceId } = view;
        if (workspaceId)
          stored = { userId, workspaceId, captureId, resumeToken, socketUrl: way.socketUrl, elapsedMs: 0 };
        persist();
        show({ maxDurationSeconds });
      },
      onChange: () => show({ link: link?.state ?? 'connecting', unsavedMs: outbox.unsavedMs }),
      onEnd: (end) => {
        if (end.by === 'refused') void openAgain(captureId).catch(() => finish(end));
        else void finish(end);
      },
    });
    show({ captureId, link: link.state });
  };
  const openSession = async () => {
    const { captureId, socketUrl, token } = await services.openSession(about);
    connect(captureId, { socketUrl, secret: token, resumes: false });
  };
  /** Sends all audio of this window to a new recording. */
  const openAgain = async (before: string) => {
    outbox.startOver();
    await openSession();
    if (view.phase === 'paused') link?.pause(true);
    if (view.phase === 'stopping') link?.stop();
    await services.discard(before).catch(() => {});
  };

  /**
   * Opens the microphone; on failure returns false and shows why. The prompt may stay open for minutes: returns false
   * too where the recording was stopped meanwhile, or paused, which keeps the choice only.
   */
  const tryOpenMicrophone = async (wanted: string | null): Promise<boolean> => {
    const { phase } = view;
    try {
      const deviceId = await input.open(wanted);
      if (deviceId === null) return false;
      show({ deviceId });
      if (view.phase === phase) return true;
      await input.release();
    } catch (error) {
      if (!(error instanceof MicrophoneError)) throw error;
      const failure = { kind: 'microphone' as const, fault: error.fault };
      if (view.phase === phase) show({ phase: phase === 'asking' ? 'idle' : phase, failure });
    }
    return false;
  };
  const begin = async (workspaceId: string, source: Source, elapsedMs: number, open: () => Promise<void> | void) => {
    if (view.phase !== 'idle') return;
    userId = actorId();
    outbox = new Outbox();
    format = source.format;
    watch.set(elapsedMs);
    show({ ...idle, phase: 'asking', workspaceId });
    if (!(await tryOpenMicrophone(source.deviceId))) return;
    show({ phase: 'starting' });
    try {
      await open();
    } catch (error) {
      await input.release();
      return show({ ...idle, failure: { kind: 'refused', error } });
    }
    input.encode(format);
    show({ phase: 'recording' });
  };

  const recorder = {
    view: () => view,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    elapsedMs: watch.elapsedMs,
    /** Loudness now, from 0 to 1; 0 unless recording. */
    level: () => (view.phase === 'recording' ? input.level() : 0),

    start: (workspaceId: string, source: Source, recording: NewRecording) => {
      about = recording;
      return begin(workspaceId, source, 0, openSession);
    },
    /** Resumes the recording that this window made before it was reloaded. */
    resumeStored: ({ workspaceId, captureId, socketUrl, resumeToken, elapsedMs }: StoredRecording, source: Source) => {
      about = {};
      const way = { socketUrl, secret: resumeToken, resumes: true };
      return begin(workspaceId, source, elapsedMs, () => connect(captureId, way));
    },
    pause: () => {
      if (view.phase !== 'recording') return;
      input.pause();
      link?.pause(true);
      show({ phase: 'paused', failure: null });
      persist();
    },
    resume: async () => {
      if (view.phase !== 'paused') return;
      if (!input.isOpen()) {
        if (!(await tryOpenMicrophone(view.deviceId))) return;
        input.encode(format);
      }
      input.resume();
      link?.pause(false);
      show({ phase: 'recording', failure: null });
    },
    /** Switches the microphone; the previous one is recorded until the new one is open. */
    switchMicrophone: async (deviceId: string) => {
      if (view.phase === 'paused') {
        show({ deviceId });
        return input.release();
      }
      if (view.phase !== 'recording' || !(await tryOpenMicrophone(deviceId))) return;
      input.encode(format);
      show({ failure: null });
    },
    stop: async () => {
      if (view.phase !== 'recording' && view.phase !== 'paused') return;
      show({ phase: 'stopping', failure: null });
      await Promise.all([input.release(), services.beforeStop()]);
      link?.stop();
    },
    /** Saves all audio of this window as another recording, when the service ended the original without it. */
    saveAsAnother: async () => {
      if (view.phase !== 'ended') return;
      const before = view;
      show({ phase: 'stopping', ending: null });
      outbox.startOver();
      try {
        await openSession();
        link?.stop();
      } catch (error) {
        show({ ...before, failure: { kind: 'refused', error } });
      }
    },
    /** The audio of this window, one blob per part. */
    audio: () => outbox.parts(),
    /** Resets to idle after a recording has ended. */
    reset: () => {
      if (view.phase !== 'ended') return;
      outbox = new Outbox();
      link = undefined;
      watch.set(0);
      show(idle);
    },
  };

  addEventListener('online', () => link?.checkNow());
  addEventListener('offline', () => link?.checkNow());
  addEventListener('pagehide', persist);
  addEventListener('beforeunload', (event) => {
    if (isBusy(view) || hasUnsaved(view)) event.preventDefault();
  });
  return recorder;
}

export type Recorder = ReturnType<typeof createRecorder>;
