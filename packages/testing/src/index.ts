// What nearly all tests use: waiting, builders, temporary folders, receivers and a proxy that fails. The other entries are for the tests that need them:
// `./servers`, `./answers` (checks of answers), `./mail` and `./hostile-receiver`.
export {
  buildItem,
  buildOrder,
  freePort,
  freePorts,
  hasValidSignature,
  hoursAgo,
  projectRoot,
  scaled,
  startReceiver,
  startTcpProxy,
  temporaryFolder,
  waitFor,
} from '@rewardhook/local-stack/fixtures';
export type {
  ReceivedWebhook,
  Receiver,
  ReceiverOptions,
  TcpProxy,
  TemporaryFolder,
  WaitOptions,
} from '@rewardhook/local-stack/fixtures';
export type { Same } from './same-type.ts';
