import type { Command } from './command.ts';
import { auditList } from './commands/audit.ts';
import { deliveryList, deliveryRetry, deliveryShow } from './commands/deliveries.ts';
import { doctor } from './commands/doctor.ts';
import { evaluationRetry } from './commands/evaluation.ts';
import { figuresRebuild } from './commands/figures.ts';
import { installationAdopt, installationShow } from './commands/installation.ts';
import { keyCreate, keyList, keyRevoke } from './commands/keys.ts';
import { memberErase, memberLink, memberMerge, memberMoveLink, memberShow } from './commands/members.ts';
import {
  merchantCreate,
  merchantFind,
  merchantIdentitySecret,
  merchantReplaceIdentitySecret,
  merchantInvite,
  merchantList,
  merchantShow,
  merchantUpdate,
  merchantWipe,
  merchantWipeLive,
} from './commands/merchants.ts';
import { orderExplain, orderShow } from './commands/orders.ts';
import { originList, originVerify } from './commands/origins.ts';
import { problemAcknowledge, problemList } from './commands/problems.ts';
import { programPublish, programShow, programSimulate } from './commands/programs.ts';
import { queueList, queueParked, queueRemove, queueRetry } from './commands/queues.ts';
import { referralAccept, referralList, referralReject } from './commands/referrals.ts';
import {
  replayCancel,
  replayCreate,
  replayList,
  replayPause,
  replayResume,
  replayShow,
} from './commands/replays.ts';
import { merchantPause, merchantResume } from './commands/pauses.ts';
import { retentionPrune, retentionShow } from './commands/retention.ts';
import { rewardAdjust, rewardExport, rewardGrant, rewardRevoke } from './commands/rewards.ts';
import { secretsRotate, secretsStatus } from './commands/secrets.ts';
import { signingKeyDelete, signingKeyRotate, signingKeyShow } from './commands/signing-keys.ts';
import { userResetPassword, userUnlock } from './commands/users.ts';
import {
  webhookAdd,
  webhookDelete,
  webhookEnable,
  webhookFind,
  webhookList,
  webhookPause,
  webhookResume,
  webhookSendEarlierRewards,
  webhookSet,
  webhookTest,
} from './commands/webhooks.ts';

/** Every command by its words, in the order of the help. */
export const commands: Record<string, Command> = {
  'merchant create': merchantCreate,
  'merchant list': merchantList,
  'merchant find': merchantFind,
  'merchant show': merchantShow,
  'merchant update': merchantUpdate,
  'merchant pause': merchantPause,
  'merchant resume': merchantResume,
  'merchant identity-secret': merchantIdentitySecret,
  'merchant replace-identity-secret': merchantReplaceIdentitySecret,
  'merchant invite': merchantInvite,
  'merchant wipe-live': merchantWipeLive,
  'merchant wipe-test': merchantWipe,
  'origin verify': originVerify,
  'origin list': originList,
  'user reset-password': userResetPassword,
  'user unlock': userUnlock,
  'key create': keyCreate,
  'key revoke': keyRevoke,
  'key list': keyList,
  'webhook add': webhookAdd,
  'webhook list': webhookList,
  'webhook find': webhookFind,
  'webhook delete': webhookDelete,
  'webhook enable': webhookEnable,
  'webhook pause': webhookPause,
  'webhook resume': webhookResume,
  'webhook set': webhookSet,
  'webhook send-earlier-rewards': webhookSendEarlierRewards,
  'webhook test': webhookTest,
  'signing-key show': signingKeyShow,
  'signing-key rotate': signingKeyRotate,
  'signing-key delete': signingKeyDelete,
  'problem list': problemList,
  'problem acknowledge': problemAcknowledge,
  'audit list': auditList,
  'secrets status': secretsStatus,
  'secrets rotate': secretsRotate,
  'member link': memberLink,
  'member move-link': memberMoveLink,
  'member show': memberShow,
  'member merge': memberMerge,
  'member erase': memberErase,
  'referral list': referralList,
  'referral accept': referralAccept,
  'referral reject': referralReject,
  'program show': programShow,
  'program publish': programPublish,
  'program simulate': programSimulate,
  'reward grant': rewardGrant,
  'reward adjust': rewardAdjust,
  'reward revoke': rewardRevoke,
  'reward export': rewardExport,
  'order show': orderShow,
  'order explain': orderExplain,
  'delivery list': deliveryList,
  'delivery show': deliveryShow,
  'delivery retry': deliveryRetry,
  'replay create': replayCreate,
  'replay list': replayList,
  'replay show': replayShow,
  'replay pause': replayPause,
  'replay resume': replayResume,
  'replay cancel': replayCancel,
  'evaluation retry': evaluationRetry,
  'figures rebuild': figuresRebuild,
  'queue list': queueList,
  'queue parked': queueParked,
  'queue retry': queueRetry,
  'queue remove': queueRemove,
  'installation show': installationShow,
  'installation adopt': installationAdopt,
  'retention show': retentionShow,
  'retention prune': retentionPrune,
  doctor,
};
