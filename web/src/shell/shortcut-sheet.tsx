import { Link } from 'react-router';
import { useAppearance } from '../ui/appearance.ts';
import { Button } from '../ui/button.tsx';
import { Overlay } from '../ui/overlay.tsx';
import { commands } from './commands.ts';
import { shownKeys } from './keys.ts';
import { Keys } from './shortcut-keys.tsx';

/** All keys, made of the registry of commands. */
export function ShortcutSheet({ close }: { close: () => void }) {
  const { shortcuts } = useAppearance();
  const bound = commands.filter(({ keys }) => keys !== undefined);
  const sections = [...new Set(bound.map(({ section }) => section))];
  return (
    <Overlay title="Keyboard shortcuts" isDismissable close={close}>
      {shortcuts === 'off' && <p className="dialog-text">They are switched off in this browser.</p>}
      {sections.map((section) => (
        <section key={section} aria-label={section}>
          <h3>{section}</h3>
          <dl className="shortcuts">
            {bound
              .filter((command) => command.section === section)
              .map(({ id, title, keys = '' }) => (
                <div key={id}>
                  <dt>{title}</dt>
                  <dd>
                    <Keys of={keys} />
                    <span className="visually-hidden">{shownKeys(keys).join(' then ')}</span>
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <div className="dialog-actions">
        <Link to="/settings/appearance" onClick={close}>
          Switch them on or off
        </Link>
        <Button kind="primary" onPress={close}>
          Close
        </Button>
      </div>
    </Overlay>
  );
}
