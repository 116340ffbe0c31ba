import { Suspense } from 'react';
import { NavLink } from 'react-router';
import { Icon } from '../ui/icons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';

const Recording = lazyPart(
  () => import('../captures/recorder-meters.tsx').then(({ RecordingState }) => RecordingState),
  ({ idle }) => idle,
);

/** The link to the recorder in a document that may record: it shows the elapsed time of a running recording. */
export function RecordLink({ className }: { className: string }) {
  const idle = (
    <>
      <Icon name="microphone" />
      <span className="side-label">Record</span>
    </>
  );
  return (
    <NavLink to="/record" className={className}>
      <Suspense fallback={idle}>
        <Recording idle={idle} />
      </Suspense>
    </NavLink>
  );
}
