// A receiver of webhooks that answers as no honest server does.
export type { HostileBehaviour, HostileGreeting, HostilePhase } from './hostile-receiver/behaviour.ts';
export { startHostileReceiver } from './hostile-receiver/hostile-receiver.ts';
export type { HostileOptions, HostileReceiver } from './hostile-receiver/hostile-receiver.ts';
export type { HostileRequest } from './hostile-receiver/read-requests.ts';
export { selfSigned } from './hostile-receiver/self-signed.ts';
export type { SelfSigned, SelfSignedOptions } from './hostile-receiver/self-signed.ts';
