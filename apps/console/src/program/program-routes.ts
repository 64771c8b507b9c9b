import Joi from 'joi';
import { dateTimeField, textField } from '@rewardhook/contract';
import {
  deleteProgramDraft,
  EditConflict,
  findLiveTerms,
  findMerchant,
  findNewestProgram,
  findProgramDraft,
  listFieldsChangedSince,
  listPrograms,
  noteUnchanged,
  publishProgram,
  readToday,
  readVersionFigures,
  saveProgramDraft,
} from '@rewardhook/database';
import type { Database, ProgramDraft, PublishedProgram } from '@rewardhook/database';
import { parseTerms, termsDifferences } from '@rewardhook/rewards';
import type { ProgramDraftView, ProgramVersionView, ProgramView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, notFound, versionConflict } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { addDays, mostDays } from './periods.ts';
import { openSimulate } from './simulate.ts';

/** The days whose orders are simulated, unless others are chosen. */
const simulatedDays = 90;

// parseTerms of @rewardhook/rewards validates the terms.
const terms = () => Joi.object().unknown().required();

export const programHandlers = ({ database, log }: ConsoleDependencies) => {
  const simulate = openSimulate(database);
  /** Date-times without an offset are in the time zone of the merchant. */
  const read = async (merchantId: string, sent: unknown) =>
    parseTerms(sent, (await findMerchant(database, merchantId))?.timezone);
  return {
    /** The newest 100 versions. */
    async 'GET /program'({ merchantId }): Promise<ProgramView> {
      const [{ versions, more }, draft] = await Promise.all([
        listPrograms(database, merchantId),
        findProgramDraft(database, merchantId),
      ]);
      // The test side was deleted meanwhile.
      if (versions.length === 0) throw notFound();
      return {
        versions: versions.map(toVersionView),
        more,
        draft: draft ? toDraftView(draft) : null,
      };
    },

    /** The figures of each version in the last 366 days, newest first; those without any are left out. */
    async 'GET /program/figures'({ merchantId }) {
      const today = await readToday(database, merchantId);
      if (today === undefined) throw notFound();
      const until = addDays(today, 1);
      return readVersionFigures(database, merchantId, { from: addDays(until, -mostDays), until });
    },

    'PUT /program/draft': {
      input: {
        terms: terms(),
        base_version: Joi.number().integer().min(1).required(),
        former_saved_at: dateTimeField().allow(null),
      },
      async handle({ merchantId, session, input }) {
        const { terms: draft, base_version: baseVersion, former_saved_at: former } = input;
        await saveProgramDraft(database, merchantId, {
          terms: await read(merchantId, draft),
          baseVersion,
          savedBy: session.email,
          formerSavedAt: readTime(former),
        });
      },
    },

    'DELETE /program/draft': {
      input: { former_saved_at: dateTimeField() },
      async handle({ merchantId, input: { former_saved_at: former } }) {
        await deleteProgramDraft(database, merchantId, { formerSavedAt: readTime(former) });
      },
    },

    'POST /program/simulate': {
      input: { terms: terms(), since: dateTimeField().allow(null) },
      async handle({ merchantId, input: { terms: draft, since } }) {
        const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
        const first = since ?? daysAgo(simulatedDays);
        if (first < daysAgo(mostDays)) throw invalidField('since', 'too_many_days', { limit: mostDays });
        return simulate(merchantId, { terms: await read(merchantId, draft), since: first });
      },
    },

    'POST /program': {
      input: {
        terms: terms(),
        base_version: Joi.number().integer().min(1).required(),
        note: textField(500).trim().allow(''),
      },
      async handle({ merchantId, input, session }) {
        const { terms: requested, base_version: baseVersion, note = '' } = input;
        const publication = { by: session.email, note };
        const published = await publishProgram(
          database,
          merchantId,
          await read(merchantId, requested),
          baseVersion,
          publication,
        ).catch(async (error: unknown) => {
          if (!(error instanceof EditConflict)) throw error;
          const { current } = error as EditConflict<PublishedProgram>;
          throw await newerVersion(database, current, { merchantId, baseVersion });
        });
        const { version } = published;
        log.info('program published', { merchantId, version, userId: session.userId });
        return toVersionView(published);
      },
    },

    /** Publishes the terms of the live side on the test side, unless both have the same. */
    async 'POST /program/copy-live'({ merchantId, session }) {
      const live = await findLiveTerms(database, merchantId);
      const newest = await findNewestProgram(database, merchantId);
      if (termsDifferences(newest.terms, live.terms).length === 0) {
        noteUnchanged();
        return toVersionView(newest);
      }
      const publication = { by: session.email, note: '' };
      const published = await publishProgram(database, merchantId, live.terms, undefined, publication);
      log.info('live program copied', { merchantId, version: published.version, userId: session.userId });
      return toVersionView(published);
    },
  } satisfies Partial<Handlers>;
};

/** The error for terms that are based on an older version than the newest. */
async function newerVersion(
  database: Database,
  newest: PublishedProgram,
  base: { merchantId: string; baseVersion: number },
): Promise<Error> {
  const changed = await listFieldsChangedSince(database, newest, base);
  if (!changed) return invalidField('base_version', 'program_version_unknown');
  return versionConflict(toVersionView(newest), changed);
}

const readTime = (at: string | null | undefined) => (typeof at === 'string' ? new Date(at) : at);

const toVersionView = ({ version, terms: published, ...about }: PublishedProgram): ProgramVersionView => ({
  version,
  published_at: about.publishedAt.toISOString(),
  published_by: about.publishedBy,
  note: about.note,
  terms: published,
});

const toDraftView = ({ terms: draft, baseVersion, savedBy, savedAt }: ProgramDraft): ProgramDraftView => ({
  terms: draft,
  base_version: baseVersion,
  saved_by: savedBy,
  saved_at: savedAt.toISOString(),
});
