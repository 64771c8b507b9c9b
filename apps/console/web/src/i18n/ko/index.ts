import type { Texts } from '../texts.ts';
import { common } from './common.ts';
import { credentials } from './credentials.ts';
import { data } from './orders.ts';
import { doors } from './auth.ts';
import { judgement } from './decisions.ts';
import { overview } from './home.ts';
import { program } from './program.ts';
import { sending } from './deliveries.ts';
import { signature } from './signature-checker.ts';
import { webhooks } from './webhooks.ts';

/** The texts in Korean. */
export const ko: Texts = {
  ...common,
  ...doors,
  ...overview,
  ...data,
  ...judgement,
  ...sending,
  ...webhooks,
  ...signature,
  ...program,
  ...credentials,
};
