import { useEffect, useState } from 'react';
import { installing, isInstalled } from '../session/installing.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';

const intros = {
  installed: 'Tandem is installed on this device.',
  offered: 'It gets a window and an icon of its own, and takes texts, links and recordings that other apps share.',
  notOffered:
    'This browser does not offer to install it here. On iPhone and iPad choose Share, then “Add to Home Screen”; in other browsers look for “Install” in the menu.',
};

/** Offers to install the pages as an application. */
export function InstallCard() {
  const [offer, setOffer] = useState(installing.offer);
  const [isDone, setDone] = useState(isInstalled);
  useEffect(() => {
    installing.changed = () => setOffer(installing.offer);
    return () => {
      installing.changed = () => {};
    };
  }, []);
  const install = async () => {
    if (!offer) return;
    const { outcome } = await offer.prompt();
    // A browser makes an offer once.
    installing.offer = null;
    setOffer(null);
    setDone(outcome === 'accepted');
  };
  const intro = intros[isDone ? 'installed' : offer ? 'offered' : 'notOffered'];
  return (
    <Card title="App on this device" intro={<span role="status">{intro}</span>}>
      {offer && !isDone && (
        <div className="form-actions">
          <Button onPress={() => void install()}>Install Tandem</Button>
        </div>
      )}
    </Card>
  );
}
