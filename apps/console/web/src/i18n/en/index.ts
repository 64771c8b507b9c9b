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
