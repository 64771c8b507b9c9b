import Joi from 'joi';
import {
  findEventBody,
  listAllSigningKeys,
  recordSignatureChecked,
  signingKeyContext,
} from '@rewardhook/database';
import type { SignatureCheckResponse } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import type { Handlers } from '../http/route.ts';
import { claimedEventId } from './body-variants.ts';
import { checkSignature } from './check-signature.ts';
import { headersFit, maxHeaderLine, maxHeaderLines, parseHeaders } from './parse-headers.ts';

const maxHeaderCharacters = 16_384;
const maxBodyCharacters = 262_144;

export const signatureHandlers = ({ database, sealer }: ConsoleDependencies) =>
  ({
    /** The pasted text is neither stored nor logged. */
    'POST /signature-check': {
      input: {
        headers: Joi.string()
          .allow('')
          .max(maxHeaderCharacters)
          .required()
          .custom((pasted: string, helpers) =>
            headersFit(pasted)
              ? pasted
              : helpers.error('too_many_header_lines', { lines: maxHeaderLines, characters: maxHeaderLine }),
          ),
        body: Joi.string().allow('').max(maxBodyCharacters).required(),
      },
      // JSON escapes some characters with six.
      bodyBytes: 6 * (maxHeaderCharacters + maxBodyCharacters),
      async handle({ merchantId, input: pasted }): Promise<SignatureCheckResponse> {
        const eventId = claimedEventId(pasted.body);
        const [sealed, event] = await Promise.all([
          listAllSigningKeys(database, merchantId),
          eventId === undefined ? undefined : findEventBody(database, merchantId, eventId),
        ]);
        const results = checkSignature({
          headers: parseHeaders(pasted.headers),
          body: pasted.body,
          keys: sealed
            .map((key) => ({
              ...key,
              secret: sealer.open(key.secret, signingKeyContext(merchantId, key.id)),
            }))
            .toSorted((a, b) => Number(a.expired) - Number(b.expired)),
          stored: event?.body,
          nowSeconds: Math.floor(Date.now() / 1_000),
        });
        const good = (why: string) => why === 'ok' || why === 'too_old';
        const ok =
          results.some(({ why }) => good(why)) && results.every(({ why }) => good(why) || why === 'missing');
        if (ok) await recordSignatureChecked(database, merchantId);
        const sent = event !== undefined && event.body === pasted.body;
        return { ok, results, event: sent ? { id: event.id, type: event.type } : null };
      },
    },
  }) satisfies Partial<Handlers>;
