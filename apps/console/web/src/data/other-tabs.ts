import type { SessionView } from './types.ts';

/** All tabs of a browser share one session. */
const channel = new BroadcastChannel('rewardhook-session');

/** Notifies the other tabs of a new session. */
export const notifyOtherTabs = (session: SessionView): void => channel.postMessage(session);

/** Calls back when another tab has a new session. */
export function onOtherTabs(changed: (session: SessionView) => void): void {
  channel.onmessage = ({ data }: MessageEvent<SessionView>) => changed(data);
}
