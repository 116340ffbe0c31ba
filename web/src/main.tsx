// Before everything else: it begins the first read.
import './api/first-read.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { useRoutes } from 'react-router';
import { Navigation } from './navigation/navigation.tsx';
import { ChunkError } from './navigation/pages.ts';
import { startPage } from './navigation/start.ts';
import { routes } from './routes.tsx';
import { watchInstalling } from './session/installing.ts';
import { watchLinkToken } from './session/link-token.ts';
import { watchNamedPages } from './session/named-page.ts';
import './styles/tokens.css';
import './styles/live.css';
import './styles/account.css';
import './styles/settings.css';
import './styles/base.css';
import './styles/buttons.css';
import './styles/forms.css';
import './styles/strength.css';
import './styles/choices.css';
import './styles/overlays.css';
import './styles/lists.css';
import './styles/states.css';
import './styles/notifications.css';
import './styles/captures.css';
import './styles/capture.css';
import './styles/record.css';
import './styles/work.css';
import './styles/inbox.css';
import './styles/quick-add.css';
import './styles/chats.css';
import './styles/webhooks.css';
import './styles/todos.css';
import './styles/sub-todos.css';
import './styles/labels.css';
import './styles/agents.css';
import './styles/shell.css';
import './styles/palette.css';

watchLinkToken();
watchInstalling();
watchNamedPages();
startPage(location.pathname);

function Pages() {
  return useRoutes(routes);
}

const root = document.getElementById('app');
if (!root) throw new Error('index.html lacks #app');
createRoot(root, {
  // Code that cannot be loaded is no fault of a page: it is shown, and the browser has logged the request.
  onCaughtError: (error) => error instanceof ChunkError || console.error(error),
}).render(
  <StrictMode>
    <Navigation>
      <Pages />
    </Navigation>
  </StrictMode>,
);
