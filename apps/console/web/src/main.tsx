import './app/mantine-styles.ts';
import './app/theme-variables.css';
import './app/global.css';
import { createRoot } from 'react-dom/client';
import { openQueryClient } from './data/query-client.ts';
import { followOtherTabs, sessionQuery } from './data/session.ts';
import { App } from './app/app.tsx';
import { i18n, startI18n } from './app/i18n.ts';
import { guardBrowser } from './app/leave-guard.tsx';
import { withoutBase } from './app/mode.ts';
import { preloadPage } from './app/pages.ts';
import { preloadLinkedPages } from './app/preload.ts';

// Everything that the first page needs is requested at once.
const queryClient = openQueryClient();
followOtherTabs(queryClient);
guardBrowser();
preloadLinkedPages();
void queryClient.prefetchQuery(sessionQuery);
// Not awaited here: the chunk of the page imports this one.
void Promise.all([startI18n(), preloadPage(withoutBase(location.pathname))]).then(() =>
  createRoot(document.getElementById('root') as HTMLElement).render(
    <App i18n={i18n} queryClient={queryClient} />,
  ),
);
