import { constants } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, loadEnv } from 'vite';
import { compression, defineAlgorithm } from 'vite-plugin-compression2';
import { documents } from './web/build/documents.ts';
import { mantineStyles } from './web/build/mantine-styles.ts';
import { texts } from './web/build/texts.ts';
import { themeVariables } from './web/build/theme-variables.ts';

const { CONSOLE_URL: consoleUrl } = loadEnv('development', '.', 'CONSOLE_');

/** Modules of list pages. Other pages load without them. */
const apart =
  /IconDownload|ui\/(?:list-page|paged-list|use-filters|filters|(?:use-)?day-range|use-query-state|csv-button|id-column)/;

/**
 * Builds the page of the console into apps/console/dist-web. As a development server (`npm run dev`), it reloads the page
 * on change and forwards API requests to the console at CONSOLE_URL.
 */
// eslint-disable-next-line import/no-default-export -- Vite requires it
export default defineConfig({
  root: 'web',
  // Workspace packages are read from their sources, as the other processes do in development.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  plugins: [
    react(),
    themeVariables(),
    mantineStyles(),
    documents(),
    texts(),
    // Compressed once in the build and not for each request. Files below 1 kB gain nothing.
    compression({
      algorithms: [
        defineAlgorithm('brotliCompress', { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
        'gzip',
      ],
      threshold: 1_024,
    }),
  ],
  build: {
    outDir: '../dist-web',
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // With all that they import: the first page of a visitor is one request. The other pages use most of it, too.
            { name: 'start', test: /web.src.(main|rooms.account.sign-in)\.tsx$/ },
            // What many pages share loads in one request instead of forty.
            { name: 'shared', minShareCount: 5, test: (id: string) => !apart.test(id) },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    strictPort: true,
    proxy: { '/api': consoleUrl ?? 'http://127.0.0.1:3002' },
  },
});
