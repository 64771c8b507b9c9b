import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import '@mantine/notifications/styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type { i18n } from 'i18next';
import { I18nextProvider } from 'react-i18next';
import { Crash } from './crash.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { Routes } from './routes.tsx';
import { theme } from './theme.ts';

/** The root component. Mantine must not write `<style>` elements: the content security policy blocks them. */
export function App({ i18n, queryClient }: { i18n: i18n; queryClient: QueryClient }) {
  return (
    <I18nextProvider i18n={i18n}>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
      >
        <QueryClientProvider client={queryClient}>
          <Crash>
            <LeaveGuard>
              <Routes />
            </LeaveGuard>
          </Crash>
          <Notifications position="bottom-right" limit={3} />
        </QueryClientProvider>
      </MantineProvider>
    </I18nextProvider>
  );
}
