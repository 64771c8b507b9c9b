import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Root } from 'react-dom/client';
import { init } from '../src/index.ts';
import type { Member, Settings } from '../src/index.ts';
import { useRewardhook } from '../src/react.ts';

let root: Root | undefined;

/** Calls init, and renders the app into the element `app` of the page. */
export function start(settings: Settings): void {
  init(settings);
  const { document } = globalThis as unknown as { document: { getElementById(id: string): never } };
  root = createRoot(document.getElementById('app'));
  show(null);
}

/** Renders the app for a member, or for nobody. */
export function show(member: Member | null): void {
  root?.render(createElement(StrictMode, null, createElement(Invitation, { member })));
}

function Invitation({ member }: { member: Member | null }) {
  const { status, data, error } = useRewardhook(member);
  return createElement(
    'p',
    { id: status, title: member?.userId },
    data?.link ?? error?.code ?? '',
    ' ',
    data?.shareLink ?? '',
  );
}
