import type { Texts } from '../texts.ts';
import { common } from './common.ts';
import { credentials } from './credentials.ts';
import { data } from './data.ts';
import { doors } from './doors.ts';
import { judgement } from './judgement.ts';
import { overview } from './overview.ts';
import { program } from './program.ts';
import { sending } from './sending.ts';
import { signature } from './signature.ts';
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
