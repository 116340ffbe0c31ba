import { type Encoder, startEncoder } from './encoder.ts';
import { mediaTypeOf } from './frames.ts';
import { forgetRecording, type KeptRecording, keepRecording } from './kept.ts';
import { type Link, type LinkEnd, openLink, type Standing } from './link.ts';
import { type Microphone, NoMicrophone, openMicrophone } from './microphone.ts';
import { Outbox } from './outbox.ts';
import { createStopwatch } from './stopwatch.ts';
import { hasUnsaved, idle, isBusy, type RecorderView } from './view.ts';

/** What is known of a recording before it starts. */
export interface NewRecording {
  title?: string;
  tags?: string[];
}

/** A recording that the service opened. */
export interface Session {
  captureId: string;
  socketUrl: string;
  token: string;
}

/** What a recorder needs of the rest of the page. */
export interface RecorderWorld {
  /** @throws what the service answered. */
  openSession(about: NewRecording): Promise<Session>;
  /** Erases a capture that got no audio and never will. */
  discard(captureId: string): Promise<void>;
  standing(captureId: string): Promise<Standing>;
  /** Saves what must be there when the recording ends, such as notes; it is not waited for beyond seconds. */
  beforeStop(): Promise<void>;
}

/** What to start with: the microphone wanted (null: any), and a format of `recordingFormat`. */
export interface Source {
  deviceId: string | null;
  format: string;
}

/**
 * Records in this window: microphone → encoder → outbox → link. All audio is kept until the service has it. It knows
 * nothing of how it is shown: `view` and `subscribe` tell.
 */
export function createRecorder(world: RecorderWorld) {
  const listeners = new Set<() => void>();
  const watch = createStopwatch();
  let view = idle;
  let outbox = new Outbox();
  let link: Link | undefined;
  let microphone: Microphone | undefined;
  let encoder: Encoder | undefined;
  let about: NewRecording = {};
  let format = '';
  let kept: KeptRecording | null = null;

  const show = (changes: Partial<RecorderView>) => {
    view = { ...view, ...changes };
    watch.run(view.phase === 'recording');
    for (const listener of listeners) listener();
  };
  const keep = () => {
    if (kept) keepRecording({ ...kept, elapsedMs: watch.elapsedMs() });
  };

  const releaseMicrophone = async () => {
    const [ending, closing] = [encoder, microphone];
    encoder = undefined;
    microphone = undefined;
    await ending?.stop();
    closing?.close();
  };
  const onGone = () => {
    if (view.phase !== 'recording' && view.phase !== 'paused') return;
    void releaseMicrophone();
    link?.pause(true);
    show({ phase: 'paused', trouble: { kind: 'microphone_gone' } });
  };
  /** @throws NoMicrophone */
  const listen = async (wanted: string | null) => {
    const opened = await openMicrophone(wanted, onGone);
    await releaseMicrophone();
    microphone = opened;
    show({ deviceId: opened.deviceId });
  };
  const encode = () => {
    if (!microphone) return;
    const onChunk: Parameters<typeof startEncoder>[2] = (chunk) => {
      outbox.add(chunk);
      link?.push();
      show({ unsavedMs: outbox.unsavedMs });
    };
    encoder = startEncoder(microphone.stream, format, onChunk, onGone);
  };

  const finish = async (end: LinkEnd) => {
    const wasStopping = view.phase === 'stopping';
    await releaseMicrophone();
    kept = null;
    // The answer to our own stop was lost with the connection.
    const ending: LinkEnd =
      wasStopping && end.by === 'stop' && outbox.unsavedMs === 0 ? { by: 'stop', reason: 'stopped' } : end;
    if (ending.by !== 'fault') forgetRecording();
    show({ phase: 'ended', link: 'over', ending, unsavedMs: outbox.unsavedMs });
  };
  const connect = (captureId: string, way: { socketUrl: string; secret: string; resumes: boolean }) => {
    link = openLink({
      ...way,
      mediaType: mediaTypeOf(format),
      outbox,
      standing: () => world.standing(captureId),
      onReady: ({ resumeToken, maxDurationSeconds }) => {
        const { workspaceId } = view;
        if (workspaceId) kept = { workspaceId, captureId, resumeToken, socketUrl: way.socketUrl, elapsedMs: 0 };
        keep();
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
    const { captureId, socketUrl, token } = await world.openSession(about);
    connect(captureId, { socketUrl, secret: token, resumes: false });
  };
  /** Sends all audio of this window to a recording of its own. */
  const openAgain = async (before: string) => {
    outbox.startOver();
    await openSession();
    if (view.phase === 'paused') link?.pause(true);
    if (view.phase === 'stopping') link?.stop();
    await world.discard(before).catch(() => {});
  };

  /** Opens the microphone; false when there is none, which is shown. */
  const tryListening = async (wanted: string | null): Promise<boolean> => {
    try {
      await listen(wanted);
      return true;
    } catch (error) {
      if (!(error instanceof NoMicrophone)) throw error;
      const phase = view.phase === 'asking' ? 'idle' : view.phase;
      show({ phase, trouble: { kind: 'microphone', fault: error.fault } });
      return false;
    }
  };
  const begin = async (workspaceId: string, source: Source, elapsedMs: number, open: () => Promise<void> | void) => {
    if (view.phase !== 'idle') return;
    outbox = new Outbox();
    format = source.format;
    watch.set(elapsedMs);
    show({ ...idle, phase: 'asking', workspaceId });
    if (!(await tryListening(source.deviceId))) return;
    show({ phase: 'starting' });
    try {
      await open();
    } catch (error) {
      await releaseMicrophone();
      return show({ ...idle, trouble: { kind: 'refused', error } });
    }
    encode();
    show({ phase: 'recording' });
  };

  const recorder = {
    view: () => view,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    elapsedMs: watch.elapsedMs,
    /** How loud it is now, from 0 to 1. */
    level: () => (view.phase === 'recording' ? (microphone?.level() ?? 0) : 0),

    start: (workspaceId: string, source: Source, recording: NewRecording) => {
      about = recording;
      return begin(workspaceId, source, 0, openSession);
    },
    /** Goes on with the recording that this window made before it was loaded again. */
    goOn: ({ workspaceId, captureId, socketUrl, resumeToken, elapsedMs }: KeptRecording, source: Source) => {
      about = {};
      const way = { socketUrl, secret: resumeToken, resumes: true };
      return begin(workspaceId, source, elapsedMs, () => connect(captureId, way));
    },
    pause: () => {
      if (view.phase !== 'recording') return;
      encoder?.pause();
      microphone?.mute(true);
      link?.pause(true);
      show({ phase: 'paused', trouble: null });
      keep();
    },
    resume: async () => {
      if (view.phase !== 'paused') return;
      if (!microphone) {
        if (!(await tryListening(view.deviceId))) return;
        encode();
      }
      microphone?.mute(false);
      encoder?.resume();
      link?.pause(false);
      show({ phase: 'recording', trouble: null });
    },
    /** Records from another microphone; while it is being opened the one before is recorded. */
    listenTo: async (deviceId: string) => {
      if (view.phase === 'paused') {
        await releaseMicrophone();
        return show({ deviceId });
      }
      if (view.phase !== 'recording' || !(await tryListening(deviceId))) return;
      encode();
      show({ trouble: null });
    },
    stop: async () => {
      if (view.phase !== 'recording' && view.phase !== 'paused') return;
      show({ phase: 'stopping', trouble: null });
      await Promise.all([releaseMicrophone(), world.beforeStop()]);
      link?.stop();
    },
    /** Saves all audio that this window has as another recording, when the one it was made for has ended without it. */
    saveAsAnother: async () => {
      if (view.phase !== 'ended') return;
      const before = view;
      show({ phase: 'stopping', ending: null });
      outbox.startOver();
      try {
        await openSession();
        link?.stop();
      } catch (error) {
        show({ ...before, trouble: { kind: 'refused', error } });
      }
    },
    /** The audio that this window has, a file for each part. */
    audio: () => outbox.parts(),
    /** Ready for the next recording. */
    reset: () => {
      if (view.phase !== 'ended') return;
      outbox = new Outbox();
      link = undefined;
      watch.set(0);
      show(idle);
    },
  };

  addEventListener('online', () => link?.hurry());
  addEventListener('offline', () => link?.hurry());
  addEventListener('pagehide', keep);
  addEventListener('beforeunload', (event) => {
    if (isBusy(view) || hasUnsaved(view)) event.preventDefault();
  });
  return recorder;
}

export type Recorder = ReturnType<typeof createRecorder>;
