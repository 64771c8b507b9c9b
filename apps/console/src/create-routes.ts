import { invitationHandlers } from './account/invitations.ts';
import { passwordHandlers } from './account/password-routes.ts';
import { sessionHandlers } from './account/session-routes.ts';
import { signUpHandlers } from './account/sign-up.ts';
import { correctionHandlers } from './customers/correction-routes.ts';
import { memberHandlers } from './customers/member-routes.ts';
import { mergeHandlers } from './customers/merge-member.ts';
import { moveHandlers } from './customers/move-referral.ts';
import { orderHandlers } from './customers/order-routes.ts';
import { referralHandlers } from './customers/referral-routes.ts';
import { rewardHandlers } from './customers/reward-routes.ts';
import type { ConsoleDependencies } from './dependencies.ts';
import { certifyHandlers } from './developers/certify-route.ts';
import { credentialChangeHandlers } from './developers/change-credentials.ts';
import { controlHandlers } from './developers/control-routes.ts';
import { deliveryHandlers } from './developers/delivery-routes.ts';
import { earlierRewardHandlers } from './developers/earlier-rewards-routes.ts';
import { originHandlers } from './developers/origins.ts';
import { replayHandlers } from './developers/replay-routes.ts';
import { requestHandlers } from './developers/request-routes.ts';
import { revealHandlers } from './developers/reveal-secrets.ts';
import { credentialHandlers } from './developers/show-credentials.ts';
import { signatureHandlers } from './developers/signature-route.ts';
import { webhookHandlers } from './developers/webhook-routes.ts';
import { homeHandlers } from './home/home-route.ts';
import { problemHandlers } from './home/problem-routes.ts';
import { searchHandlers } from './home/search-route.ts';
import { joinHandlers } from './http/route.ts';
import type { Route } from './http/route.ts';
import { auditHandlers } from './people/activity-routes.ts';
import { settingsHandlers } from './people/settings-routes.ts';
import { teamHandlers } from './people/team-routes.ts';
import { performanceHandlers } from './program/performance-routes.ts';
import { programHandlers } from './program/program-routes.ts';
import { sampleHandlers } from './test-side/samples.ts';
import { testDataHandlers } from './test-side/test-data.ts';

/** All routes of the API with their handlers. One without a handler does not compile. */
export const createRoutes = (dependencies: ConsoleDependencies): Route[] =>
  joinHandlers({
    ...homeHandlers(dependencies),
    ...problemHandlers(dependencies),
    ...searchHandlers(dependencies),
    ...sampleHandlers(dependencies),
    ...testDataHandlers(dependencies),
    ...performanceHandlers(dependencies),
    ...programHandlers(dependencies),
    ...orderHandlers(dependencies),
    ...correctionHandlers(dependencies),
    ...rewardHandlers(dependencies),
    ...memberHandlers(dependencies),
    ...mergeHandlers(dependencies),
    ...referralHandlers(dependencies),
    ...moveHandlers(dependencies),
    ...credentialHandlers(dependencies),
    ...credentialChangeHandlers(dependencies),
    ...revealHandlers(dependencies),
    ...originHandlers(dependencies),
    ...webhookHandlers(dependencies),
    ...controlHandlers(dependencies),
    ...certifyHandlers(dependencies),
    ...earlierRewardHandlers(dependencies),
    ...replayHandlers(dependencies),
    ...deliveryHandlers(dependencies),
    ...requestHandlers(dependencies),
    ...signatureHandlers(dependencies),
    ...sessionHandlers(dependencies),
    ...signUpHandlers(dependencies),
    ...passwordHandlers(dependencies),
    ...invitationHandlers(dependencies),
    ...settingsHandlers(dependencies),
    ...teamHandlers(dependencies),
    ...auditHandlers(dependencies),
  });
