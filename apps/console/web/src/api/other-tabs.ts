import type { SessionView } from './types.ts';

/** All tabs of a browser have one session, whichever of them changed it. */
const channel = new BroadcastChannel('rewardhook-session');

/** Tells the other tabs who is signed in now, and to which merchant. */
export const notifyOtherTabs = (session: SessionView): void => channel.postMessage(session);

/** Calls back with what another tab tells. */
export function onOtherTabs(heard: (session: SessionView) => void): void {
  channel.onmessage = ({ data }: MessageEvent<SessionView>) => heard(data);
}
