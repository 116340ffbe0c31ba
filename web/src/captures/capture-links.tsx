import { NavLink } from 'react-router';
import { Icon } from '../ui/icons.tsx';
import { useRecorder } from './current-recording.ts';
import { Elapsed } from './elapsed.tsx';
import { mayUseMicrophone } from './microphone-policy.ts';
import { isBusy } from './recorder/view.ts';

/** To the captures, and to the recording page; the latter shows what is being recorded, on whichever page one is. */
export function CaptureLinks() {
  const view = useRecorder();
  const busy = isBusy(view);
  return (
    <nav aria-label="Captures" className="bar-links">
      <NavLink to="/captures" className="bar-link">
        <Icon name="captures" />
        <span className="bar-label">Captures</span>
      </NavLink>
      <NavLink to="/record" reloadDocument={!mayUseMicrophone} className={busy ? 'bar-link live' : 'bar-link'}>
        {busy ? (
          <>
            <span className={view.phase === 'recording' ? 'live-dot on' : 'live-dot'} />
            <span className="visually-hidden">Recording in progress</span>
            <span className="bar-clock">
              <Elapsed />
            </span>
          </>
        ) : (
          <>
            <Icon name="microphone" />
            <span className="bar-label">Record</span>
          </>
        )}
      </NavLink>
    </nav>
  );
}
