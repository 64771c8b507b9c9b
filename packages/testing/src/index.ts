// What nearly all tests use: waiting, builders, temporary folders and receivers. The other entries are for the tests that need them:
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
  temporaryFolder,
  waitFor,
} from '@rewardhook/local-stack/fixtures';
export type {
  ReceivedWebhook,
  Receiver,
  ReceiverOptions,
  TemporaryFolder,
  WaitOptions,
} from '@rewardhook/local-stack/fixtures';
export type { Same } from './same-type.ts';
