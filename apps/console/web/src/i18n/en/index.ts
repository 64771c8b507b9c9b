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

/** The texts in English; their shape is that of all languages. */
export const en = {
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
