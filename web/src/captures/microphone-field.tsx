import { Suspense, useEffect, useState } from 'react';
import { Pending } from '../ui/card.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { recorder, useRecorder } from './current-recording.ts';
import { type InputDevice, listMicrophones } from './recorder/microphone.ts';
import { chooseMicrophone, chosenMicrophone } from './recorder/stored.ts';

// The browser lists microphones later: the recorder is there sooner.
const SelectField = lazyPart(() => import('../ui/choices.tsx').then(({ SelectField }) => SelectField));

/** The microphones that the browser lists; it does so once the page has permission. Undefined until it has answered. */
function useMicrophones(phase: string): InputDevice[] | undefined {
  const [devices, setDevices] = useState<InputDevice[]>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list changes when permission is granted
  useEffect(() => {
    const read = () => void listMicrophones().then(setDevices, () => setDevices([]));
    read();
    navigator.mediaDevices?.addEventListener('devicechange', read);
    return () => navigator.mediaDevices?.removeEventListener('devicechange', read);
  }, [phase]);
  return devices;
}

/** Selects the microphone, also while recording. */
export function MicrophoneField() {
  const { phase, deviceId } = useRecorder();
  const devices = useMicrophones(phase);
  const [chosen, setChosen] = useState(chosenMicrophone);
  const pending = <Pending what="the microphones" isPaused={false} />;
  if (devices === undefined) return pending;
  if (devices.length === 0) return null;
  const used = [deviceId, chosen].find((id) => devices.some((device) => device.id === id));
  const change = (id: string) => {
    chooseMicrophone(id);
    setChosen(id);
    void recorder.switchMicrophone(id);
  };
  return (
    <Suspense fallback={pending}>
      <SelectField
        label="Microphone"
        options={devices}
        value={used ?? devices[0]?.id ?? ''}
        onChange={change}
        isDisabled={phase === 'asking' || phase === 'starting'}
      />
    </Suspense>
  );
}
