import { createServer } from 'node:http';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { bundleReactApp, makeBundles } from './bundles.ts';

/** A merchant's web site on its own port, so that calls of the API are cross-origin. */
export interface MerchantSite {
  /** Without a slash at the end. */
  url: string;
  /** The HTML of additional pages by their path. Tests may add some. */
  pages: Record<string, string>;
  close(): Promise<void>;
}

/** They are the same for every site of a run. */
let builtBundles: ReturnType<typeof buildBundles> | undefined;

async function buildBundles() {
  return { ...(await makeBundles()), reactApp: await bundleReactApp() };
}

/**
 * Serves both bundles, and at every other path a page that calls init: with the classic script, below `/module/` with the
 * module, below `/framed/` in a frame without storage, below `/strict/` with the Content Security Policy of docs/linking.md, and
 * below `/react/` a React app, which `window.show(member)` renders.
 */
export async function startMerchantSite(settings: {
  publicKey: string;
  apiUrl: string;
}): Promise<MerchantSite> {
  const bundles = await (builtBundles ??= buildBundles());
  const given = JSON.stringify(settings);
  const classic = `<script src="/rewardhook.js"></script><script>Rewardhook.init(${given})</script>`;
  const module = `<script type="module">
    import { init, boot } from '/rewardhook.mjs';
    init(${given});
    window.bootByModule = boot;
  </script>`;
  const files: Record<string, string> = {
    '/rewardhook.js': bundles.classic,
    '/rewardhook.mjs': bundles.module,
    '/react-app.js': bundles.reactApp,
  };
  const pages: Record<string, string> = {};
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://site');
    const file = files[pathname];
    if (file !== undefined) {
      response.writeHead(200, {
        'content-type': 'text/javascript; charset=utf-8',
        // A sandboxed frame has an opaque origin, so the script is cross-origin for it.
        'access-control-allow-origin': '*',
      });
      return void response.end(file);
    }
    const page = pages[pathname];
    const nonce = randomBytes(16).toString('base64');
    const policy =
      `default-src 'none'; script-src 'self' 'nonce-${nonce}'; connect-src ${settings.apiUrl}; ` +
      `img-src data:; base-uri 'none'`;
    const strict = pathname.startsWith('/strict/');
    const react = `<div id="app"></div><script src="/react-app.js"></script><script>ReactApp.start(${given})</script>`;
    const frame = `<iframe sandbox="allow-scripts" src="/${search}"></iframe>`;
    const plain = pathname.startsWith('/module/') ? module : pathname.startsWith('/react/') ? react : classic;
    const scripts = strict ? plain.replaceAll('<script>', `<script nonce="${nonce}">`) : plain;
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      ...(strict && { 'content-security-policy': policy }),
    });
    const content = page ?? (pathname.startsWith('/framed/') ? frame : scripts);
    response.end(`<!doctype html><title>Shop</title><link rel="icon" href="data:," />${content}`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
