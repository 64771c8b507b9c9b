import { checkGroups, checks, findings, unseen } from '@rewardhook/certify';
import type { CertifyTexts } from './texts.ts';

/** The English texts are those of the command line. */
export const en: CertifyTexts = { groups: checkGroups, checks, findings, unseen };
