import type { ReactNode } from 'react';
import { Mark } from '../ui/icons.tsx';
import { PageTitle } from '../ui/page.tsx';

interface AccountPageProps {
  title: string;
  intro?: ReactNode;
  children?: ReactNode;
  /** Below the card: links to alternatives. */
  foot?: ReactNode;
  wide?: boolean;
}

/** Layout of pages outside the settings: one card with one task. */
export function AccountPage({ title, intro, children, foot, wide = false }: AccountPageProps) {
  return (
    <div className="account">
      <header className="account-head">
        <Mark />
        <span className="wordmark">Tandem</span>
      </header>
      <main className="account-main">
        <div className={`account-card${wide ? ' wide' : ''}`}>
          <PageTitle title={title} />
          {intro && <p className="intro">{intro}</p>}
          {children}
        </div>
        {foot && <div className="account-foot">{foot}</div>}
      </main>
      <footer className="account-claim">Work management for people and agents</footer>
    </div>
  );
}
