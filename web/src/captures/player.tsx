import { type ReactNode, useRef, useState } from 'react';
import { api } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';

/** A link that fails within this time has not expired. */
const freshMs = 30_000;

/**
 * Plays the audio. Every response has a new link that expires after 15 minutes: the first one is used until it fails,
 * so that playback is not interrupted; the position is restored with the new link.
 */
export function Player({ captureId, mediaUrl, intro }: { captureId: string; mediaUrl: string; intro?: ReactNode }) {
  const [link, setLink] = useState({ url: mediaUrl, at: Date.now() });
  const [isBroken, setBroken] = useState(false);
  const audio = useRef<HTMLAudioElement>(null);
  const place = useRef({ seconds: 0, isPlaying: false });

  const renew = async () => {
    const fresh = await api.captures.get.query({ captureId }).catch(() => null);
    setBroken(!fresh?.mediaUrl);
    if (fresh?.mediaUrl) setLink({ url: fresh.mediaUrl, at: Date.now() });
  };
  const fail = () => {
    const { currentTime = 0, paused = true } = audio.current ?? {};
    place.current = { seconds: currentTime, isPlaying: !paused };
    if (Date.now() - link.at < freshMs) setBroken(true);
    else void renew();
  };
  const loaded = () => {
    const { seconds, isPlaying } = place.current;
    if (!audio.current || seconds === 0) return;
    audio.current.currentTime = seconds;
    place.current = { seconds: 0, isPlaying: false };
    if (isPlaying) void audio.current.play();
  };
  return (
    <Card title="Audio" intro={intro}>
      {isBroken ? (
        <p>
          The audio could not be loaded. <Button onPress={() => void renew()}>Try again</Button>
        </p>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: the transcript stands below
        <audio
          ref={audio}
          className="player"
          controls
          preload="metadata"
          src={link.url}
          onError={fail}
          onLoadedMetadata={loaded}
          aria-label="Audio of this recording"
        />
      )}
    </Card>
  );
}
