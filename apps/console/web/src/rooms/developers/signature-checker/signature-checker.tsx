import { Tabs, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSend } from '../../../data/use-send.ts';
import { useRight } from '../../../app/session-context.ts';
import { Form } from '../../../ui/form.tsx';
import { Page } from '../../../ui/page.tsx';
import { Section } from '../../../ui/section.tsx';
import { useChangeForm } from '../../../ui/use-change-form.ts';
import { useFormRules } from '../../../ui/use-form-rules.ts';
import { CheckResult } from './check-result.tsx';
import { Snippet } from '../../../ui/snippet.tsx';
import { libraryReceiverSnippet, nodeReceiverSnippet } from '../snippets/snippets.ts';

/** Checks whether a received request was signed by one of the merchant's keys, and explains differences. */
export function SignatureChecker() {
  const { t } = useTranslation();
  const canCheck = useRight('integrate');
  return (
    <Page docs="webhooks#headers" title={t('nav.signatureChecker')} lead={t('signatureChecker.lead')}>
      {canCheck ? <CheckForm /> : <p style={{ margin: 0 }}>{t('signatureChecker.cannotCheck')}</p>}
      <VerifySnippets />
    </Page>
  );
}

/** The received request, and below it the result of the check. */
function CheckForm() {
  const { t } = useTranslation();
  const rules = useFormRules();
  const check = useSend('POST /signature-check');
  const { form, submit, output } = useChangeForm({
    mode: 'uncontrolled',
    initialValues: { headers: '', body: '' },
    validate: { headers: rules.required, body: rules.required },
    send: (values) => check.mutateAsync(values),
  });
  const mono = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } };
  return (
    <>
      <Section title={t('signatureChecker.paste')} lead={t('signatureChecker.pasteLead')}>
        <Form submit={submit} actionLabel={t('signatureChecker.action')} maxWidth={1_100}>
          <Textarea
            label={t('signatureChecker.headers')}
            description={t('signatureChecker.headersHint')}
            placeholder={
              'X-Service-Signature: sha256=…\nwebhook-id: …\nwebhook-timestamp: …\nwebhook-signature: v1,…'
            }
            minRows={4}
            rows={5}
            required
            spellCheck={false}
            styles={mono}
            {...form.getInputProps('headers')}
          />
          <Textarea
            label={t('signatureChecker.body')}
            description={t('signatureChecker.bodyHint')}
            placeholder='{"id":"evt_…","type":"reward.issue",…}'
            rows={8}
            required
            spellCheck={false}
            styles={mono}
            {...form.getInputProps('body')}
          />
        </Form>
      </Section>
      <div aria-live="polite">{output && <CheckResult result={output} />}</div>
    </>
  );
}

/** Code examples that verify a webhook. */
function VerifySnippets() {
  const { t } = useTranslation();
  return (
    <Section title={t('signatureChecker.code')} lead={t('signatureChecker.codeLead')}>
      <Tabs defaultValue="node">
        <Tabs.List mb="sm">
          <Tabs.Tab value="node">node:crypto</Tabs.Tab>
          <Tabs.Tab value="library">@rewardhook/verify</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="library">
          <Snippet name={t('signatureChecker.code')} text={libraryReceiverSnippet} />
        </Tabs.Panel>
        <Tabs.Panel value="node">
          <Snippet name={t('signatureChecker.code')} text={nodeReceiverSnippet} />
        </Tabs.Panel>
      </Tabs>
    </Section>
  );
}
