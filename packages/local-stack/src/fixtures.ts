// What most tests use. It starts no process, and loads neither pg nor the stack.
export { buildItem, buildOrder, hoursAgo } from './order.ts';
export { freePort, freePorts } from './processes/free-ports.ts';
export { projectRoot } from './project-root.ts';
export { hasValidSignature, startReceiver } from './receiver.ts';
export type { ReceivedWebhook, Receiver, ReceiverOptions } from './receiver.ts';
export { startTcpProxy } from './servers/tcp-proxy.ts';
export type { TcpProxy } from './servers/tcp-proxy.ts';
export { temporaryFolder } from './temporary-folder.ts';
export type { TemporaryFolder } from './temporary-folder.ts';
export { scaled } from './time-scale.ts';
export { waitFor } from './wait-for.ts';
export type { WaitOptions } from './wait-for.ts';
