import { Button, Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { apiUrlOf } from '../../api/api-url.ts';
import { useEnter } from '../../api/session.ts';
import type { SignUpAnswer } from '../../api/types.ts';
import { SecretField } from '../../parts/secret-field.tsx';
import { Snippet } from '../../parts/snippet.tsx';
import { syncWithCurl } from '../../parts/sync-snippets.ts';
import { announceArrival } from '../../shell/arrival.ts';
import { Doorway } from '../../shell/doorway.tsx';

/** Shows the keys of a new merchant, the secret one for the only time, and a first call to paste. */
export function FirstKeys({ answer }: { answer: SignUpAnswer }) {
  const { t } = useTranslation();
  const [stored, setStored] = useState(false);
  const enter = useEnter();
  const [, navigate] = useLocation();
  const goOn = () => {
    enter(answer.session);
    announceArrival();
    navigate('/', { replace: true });
  };
  return (
    <Doorway wide title={t('firstKeys.title')} lead={t('firstKeys.lead')}>
      <Stack gap="lg">
        <SecretField
          label={t('credentials.secretKey')}
          value={answer.secret_key}
          hint={t('firstKeys.once')}
        />
        <SecretField
          label={t('credentials.publicKey')}
          value={answer.public_key}
          hint={t('credentials.publicHint')}
        />
        <div>
          <p style={{ margin: '0 0 6px', fontWeight: 560 }}>{t('firstKeys.firstCall')}</p>
          <Snippet
            what={t('firstKeys.firstCall')}
            text={syncWithCurl(apiUrlOf(answer.session), answer.secret_key)}
          />
        </div>
        <Checkbox
          label={t('firstKeys.stored')}
          checked={stored}
          onChange={(event) => setStored(event.currentTarget.checked)}
        />
        <Button disabled={!stored} onClick={goOn}>
          {t('firstKeys.goOn')}
        </Button>
      </Stack>
    </Doorway>
  );
}
