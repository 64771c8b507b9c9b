/** Milliseconds that a count may take. */
const timeoutMs = 5_000;

/**
 * Reads from a URL of the merchant how often a reward is granted. `{reward_id}` and `{member_id}` in the URL are replaced;
 * without them, they are added as parameters. The answer is `{"grants": n}` or the number alone.
 */
export function openGrantCount(template: string): (rewardId: string, memberId: string) => Promise<number> {
  return async (rewardId, memberId) => {
    const response = await fetch(urlOf(template, rewardId, memberId), {
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      const { name, message, cause } = error as Error & { cause?: { code?: string } };
      throw new Error(name === 'TimeoutError' ? 'no answer within 5 s' : (cause?.code ?? message));
    });
    const text = (await response.text()).trim();
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    const grants = readGrants(text);
    if (grants === undefined) throw new Error(`"${text.slice(0, 40)}" is not {"grants": n} and not a number`);
    return grants;
  };
}

function urlOf(template: string, rewardId: string, memberId: string): string {
  const ids = { reward_id: rewardId, member_id: memberId };
  const filled = Object.entries(ids).reduce(
    (text, [name, id]) => text.replaceAll(`{${name}}`, encodeURIComponent(id)),
    template,
  );
  if (filled !== template) return filled;
  const url = new URL(template);
  for (const [name, id] of Object.entries(ids)) url.searchParams.set(name, id);
  return url.href;
}

function readGrants(text: string): number | undefined {
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  try {
    const { grants } = JSON.parse(text) as { grants?: unknown };
    return typeof grants === 'number' && Number.isInteger(grants) ? grants : undefined;
  } catch {
    return undefined;
  }
}
