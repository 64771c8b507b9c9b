import { audit } from './audit.ts';
import { auth } from './auth.ts';
import { common } from './common.ts';
import { credentials } from './credentials.ts';
import { decisions } from './decisions.ts';
import { deliveries } from './deliveries.ts';
import { docs } from './docs.ts';
import { home } from './home.ts';
import { errorTexts } from './error-texts.ts';
import { members } from './members.ts';
import { orders } from './orders.ts';
import { outcomes } from './outcomes.ts';
import { problems } from './problems.ts';
import { program } from './program.ts';
import { rewards } from './rewards.ts';
import { settings } from './settings.ts';
import { signatureChecker } from './signature-checker.ts';
import { team } from './team.ts';
import { testSide } from './test-side.ts';
import { webhooks } from './webhooks.ts';

/** The texts in English; their shape is that of all languages. */
export const en = {
  ...common,
  ...auth,
  ...home,
  ...orders,
  ...outcomes,
  ...problems,
  ...decisions,
  ...rewards,
  ...members,
  ...webhooks,
  ...deliveries,
  ...signatureChecker,
  ...program,
  ...errorTexts,
  ...credentials,
  ...team,
  ...settings,
  ...audit,
  ...docs,
  ...testSide,
};
