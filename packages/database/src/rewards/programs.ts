import { budgetOf, readTerms, termsDifferences } from '@rewardhook/rewards';
import type { Program, Terms } from '@rewardhook/rewards';
import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { readTime } from '../client/database-clock.ts';
import { EditConflict } from '../client/edit-conflict.ts';

/** Who publishes a version, and why. */
export interface Publication {
  /** The e-mail address of a user of the console, or 'operator'. */
  by: string;
  /** In their words; can be empty. */
  note: string;
}

/** A published version of a merchant's program. */
export interface PublishedProgram extends Program {
  publishedAt: Date;
  /** Null for the first version of a side. */
  publishedBy: string | null;
  note: string;
}

/** The next version of a program as somebody has saved it. */
export interface ProgramDraft {
  terms: Terms;
  /** The version that it was made from. */
  baseVersion: number;
  savedBy: string;
  savedAt: Date;
}

interface StoredVersion {
  programId: string;
  version: number;
  terms: unknown;
  publishedAt: Date;
  publishedBy: string | null;
  note: string;
}

const programOf = ({ programId: id, terms, ...version }: StoredVersion): PublishedProgram => ({
  id,
  version: version.version,
  terms: readTerms(terms),
  publishedAt: version.publishedAt,
  publishedBy: version.publishedBy,
  note: version.note,
});

/** The most versions that are listed. Each can have terms of 64 KiB. */
const mostListed = 100;

/** Lists the newest 100 versions of a merchant's program, newest first. `more`: whether there are older ones. */
export async function listPrograms(
  database: Transaction,
  merchantId: string,
): Promise<{ versions: PublishedProgram[]; more: boolean }> {
  const versions = await database.programVersion.findMany({
    where: { merchantId },
    orderBy: { version: 'desc' },
    take: mostListed + 1,
  });
  return { versions: versions.slice(0, mostListed).map(programOf), more: versions.length > mostListed };
}

/**
 * Lists the fields in which the newest version differs from the one that terms were made from, `baseVersion`; undefined when the merchant
 * has no such version.
 */
export async function listFieldsChangedSince(
  database: Transaction,
  newest: PublishedProgram,
  { merchantId, baseVersion }: { merchantId: string; baseVersion: number },
): Promise<string[] | undefined> {
  if (baseVersion > newest.version) return undefined;
  const base = await database.programVersion.findUnique({
    where: { merchantId_version: { merchantId, version: baseVersion } },
  });
  return base ? termsDifferences(readTerms(base.terms), newest.terms) : undefined;
}

/**
 * Finds the version of a merchant's program that is in force: the newest.
 * @throws when the merchant has none
 */
export async function findNewestProgram(prisma: Transaction, merchantId: string): Promise<PublishedProgram> {
  const newest = await prisma.programVersion.findFirst({
    where: { merchantId },
    orderBy: { version: 'desc' },
  });
  if (!newest) throw new Error(`merchant ${merchantId} has no program`);
  return programOf(newest);
}

/** Inserts the program of a new merchant with its first version. */
export async function insertFirstProgram(
  tx: Transaction,
  merchantId: string,
  { id, terms }: { id: string; terms: Terms },
): Promise<void> {
  await tx.program.create({ data: { merchantId, id } });
  await insertVersion(tx, merchantId, { id, version: 1, terms });
}

/**
 * Publishes terms as the next version. Rewards that exist keep the version that they were given under. `baseVersion`
 * is the version that the terms were derived from: it must still be the newest. A saved draft of the same terms is done, and is deleted.
 * @throws EditConflict<PublishedProgram> with the newest version
 */
export function publishProgram(
  database: Database,
  merchantId: string,
  terms: Terms,
  baseVersion?: number,
  publication: Publication = { by: 'operator', note: '' },
): Promise<PublishedProgram> {
  return database.$transaction(async (tx) => {
    // A statement of its own: the next one reads what a concurrent publication has committed.
    await tx.$executeRaw`SELECT 1 FROM programs WHERE merchant_id = ${merchantId} FOR UPDATE`;
    const newest = await findNewestProgram(tx, merchantId);
    if (baseVersion !== undefined && baseVersion !== newest.version) throw new EditConflict(newest);
    const version = newest.version + 1;
    const published = await insertVersion(tx, merchantId, { id: newest.id, version, terms }, publication);
    const draft = await findProgramDraft(tx, merchantId);
    if (draft && termsDifferences(draft.terms, terms).length === 0)
      await tx.programDraft.deleteMany({ where: { merchantId } });
    await audit(tx, {
      subjectId: newest.id,
      details: { version, changed: termsDifferences(newest.terms, terms) },
    });
    return published;
  });
}

async function insertVersion(
  tx: Transaction,
  merchantId: string,
  { id: programId, version, terms }: Program,
  publication?: Publication,
): Promise<PublishedProgram> {
  const { by: publishedBy = null, note = '' } = publication ?? {};
  const data = { merchantId, version, programId, terms: terms as object, publishedBy, note };
  const published = programOf(await tx.programVersion.create({ data }));
  await tx.program.update({ where: { merchantId }, data: { budget: budgetOf(terms) } });
  return published;
}

/** Finds the saved draft of a side. */
export async function findProgramDraft(
  database: Transaction,
  merchantId: string,
): Promise<ProgramDraft | undefined> {
  const draft = await database.programDraft.findUnique({ where: { merchantId } });
  return draft ? { ...draft, terms: readTerms(draft.terms) } : undefined;
}

interface ReadDraft {
  /** When the draft that the caller has read was saved; null when they have read that there is none. Without it nothing is compared. */
  formerSavedAt?: Date | null | undefined;
}

/** @throws EditConflict when another draft is stored by now, or none */
async function requireSameDraft(
  tx: Transaction,
  merchantId: string,
  { formerSavedAt }: ReadDraft,
): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM programs WHERE merchant_id = ${merchantId} FOR UPDATE`;
  if (formerSavedAt === undefined) return;
  const stored = await findProgramDraft(tx, merchantId);
  if ((stored?.savedAt.getTime() ?? null) !== (formerSavedAt?.getTime() ?? null))
    throw new EditConflict({ draft: stored?.savedBy ?? null });
}

/**
 * Saves a draft in place of the one that the caller has read.
 * @throws EditConflict when another one is stored by now
 */
export function saveProgramDraft(
  database: Database,
  merchantId: string,
  { formerSavedAt, terms, ...draft }: Omit<ProgramDraft, 'savedAt'> & ReadDraft,
): Promise<void> {
  return database.$transaction(async (tx) => {
    await requireSameDraft(tx, merchantId, { formerSavedAt });
    const data = { ...draft, terms: terms as object, savedAt: await readTime(tx) };
    await tx.programDraft.upsert({ where: { merchantId }, create: { merchantId, ...data }, update: data });
    await audit(tx);
  });
}

/**
 * Deletes the draft that the caller has read.
 * @throws EditConflict when another one is stored by now, or none
 */
export function deleteProgramDraft(database: Database, merchantId: string, read: ReadDraft): Promise<void> {
  return database.$transaction(async (tx) => {
    await requireSameDraft(tx, merchantId, read);
    await tx.programDraft.deleteMany({ where: { merchantId } });
    await audit(tx);
  });
}
