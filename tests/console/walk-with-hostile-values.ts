import { createRoutes } from '../../apps/console/src/routes.ts';
import { goodPassword, openConsole } from '../../apps/console/testing/open-console.ts';
import type { Answer } from '../../apps/console/testing/open-console.ts';
import { errorTexts as english } from '../../apps/console/web/src/i18n/en/error-texts.ts';
import { errorTexts as korean } from '../../apps/console/web/src/i18n/ko/error-texts.ts';
import { startFlow } from '../harness/start-flow.ts';
import { hostileCalls } from './hostile-calls.ts';
import type { HostileCall } from './hostile-calls.ts';
import { openMerchantWithData } from './merchant-with-data.ts';

/**
 * Calls every route of the console with hostile values, eight at a time. Returns the calls that were answered with
 * 5xx, and the errors without a text in both languages.
 */
export async function walkWithHostileValues(): Promise<{
  calls: number;
  failures: string[];
  untranslated: string[];
}> {
  const flow = await startFlow();
  const running = await openConsole(flow.environment);
  const { owner, ids, close } = await openMerchantWithData(flow, running, 'hostile');
  const own = { email: owner.email, password: goodPassword };
  const calls = hostileCalls(createRoutes(running.dependencies), ids, own);
  const failures: string[] = [];
  const untranslated: string[] = [];
  const send = async ({ method, path, body }: HostileCall) => {
    const answer = await owner.browser.send(method, path, body);
    // This call selects the new merchant, which has none of the data that the other calls need.
    if (path === '/merchants' && answer.status === 201)
      await owner.browser.post('/session/merchant', { merchant_id: owner.merchant.id });
    return answer;
  };
  const left = [...calls];
  const work = async () => {
    for (let call = left.shift(); call; call = left.shift()) {
      const answer = await sendAgain(send, call, await send(call));
      if (answer.status >= 500)
        failures.push(`${call.method} ${call.path} ${JSON.stringify(call.body)} answered ${answer.status}`);
      if (answer.status >= 400 && !isTranslated(answer.body)) untranslated.push(answer.text);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  await close();
  await running.close();
  await flow.close();
  return { calls: calls.length, failures, untranslated };
}

/** Whether the page has a text for the reason and for every field that `params` names. */
function isTranslated({ reason, params = {}, fields = {} }: Answer['body']): boolean {
  const codes = [reason?.code, ...Object.keys(params).map((path) => fields[path]?.code)];
  return codes.every((code) => code !== undefined && code in english.errorTexts && code in korean.errorTexts);
}

/** A rule is validated only if it is based on the newest version. */
async function sendAgain(
  send: (call: HostileCall) => Promise<Answer>,
  call: HostileCall,
  answer: Answer,
): Promise<Answer> {
  const newest = answer.body.current as { version?: number } | undefined;
  if (answer.body.code !== 'version_conflict' || newest?.version === undefined) return answer;
  return send({ ...call, body: { ...(call.body as object), base_version: newest.version } });
}
