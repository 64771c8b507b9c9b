import { findMemberFilter } from '@rewardhook/database';
import type { Database, MemberFilter } from '@rewardhook/database';
import type { Page, PageOfMember } from '../api-types.ts';

/** Reads a list by a member, who may be given by a former id. The page then names the surviving one. */
export async function filterByMember<T>(
  database: Database,
  merchantId: string,
  askedId: string | undefined,
  list: (filter: MemberFilter) => Promise<Page<T>>,
): Promise<PageOfMember<T>> {
  const filter = await findMemberFilter(database, merchantId, askedId);
  const page = await list(filter);
  const { memberId, formerId } = filter;
  return formerId === undefined || memberId === undefined ? page : { ...page, survivor_member_id: memberId };
}
