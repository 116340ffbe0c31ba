import type { ReactNode } from 'react';
import { PageTitle } from '../ui/page-title.tsx';

interface SettingsPageProps {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** Heading, what the page is for, its main action, and its parts. */
export function SettingsPage({ title, intro, actions, children }: SettingsPageProps) {
  return (
    <>
      <div className="page-head">
        <div>
          <PageTitle title={title} />
          {intro && <p className="muted">{intro}</p>}
        </div>
        {actions}
      </div>
      <div className="page-parts">{children}</div>
    </>
  );
}
