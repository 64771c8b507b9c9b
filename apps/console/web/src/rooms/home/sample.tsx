import { Button } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleDashed, IconCircleXFilled } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../data/api-error.ts';
import { keyOfRead, useRead } from '../../data/use-read.ts';
import { useSend } from '../../data/use-send.ts';
import type { SampleView } from '../../data/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useRight } from '../../app/session-context.ts';
import { TextLink } from '../../ui/links.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { ReasonBadge } from '../../ui/reason-badge.tsx';
import { Section } from '../../ui/section.tsx';
import { useFormat } from '../../ui/use-format.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import classes from './sample.module.css';

/** Creates a sample referral and order, and shows how they lead to a reward and its webhook. */
export function Sample() {
  const { t } = useTranslation();
  const canEdit = useRight('integrate');
  const [get, set] = useQueryState();
  const client = useQueryClient();
  const create = useSend('POST /samples');
  const orderId = get('sample');
  const show = (sample: SampleView) => {
    client.setQueryData(keyOfRead('GET /samples/:order_id', { order_id: sample.order_id }), sample);
    set({ sample: sample.order_id });
  };
  return (
    <Section
      title={t('testSide.sample.title')}
      lead={t('testSide.sample.lead')}
      actions={
        canEdit && (
          <Button loading={create.isPending} onClick={() => create.mutate(undefined, { onSuccess: show })}>
            {t('testSide.sample.create')}
          </Button>
        )
      }
    >
      <ErrorNotice error={create.error} />
      {orderId ? (
        <Progress orderId={orderId} />
      ) : (
        <p className={classes['hint']}>{t('testSide.sample.hint')}</p>
      )}
    </Section>
  );
}

const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.code === 'not_found';

const finalSteps: SampleView['step'][] = ['done', 'no_reward'];

/** How far a sample is. Read again every second until its last step, or until it was deleted. */
function Progress({ orderId }: { orderId: string }) {
  const { t } = useTranslation();
  const sample = useRead(
    'GET /samples/:order_id',
    { order_id: orderId },
    {
      refetchInterval: ({ state: { data, error } }) =>
        isNotFound(error) || (data && finalSteps.includes(data.step)) ? false : 1_000,
    },
  );
  // It was deleted with the test data.
  if (isNotFound(sample.error)) return <p className={classes['hint']}>{t('testSide.sample.hint')}</p>;
  return <Loaded query={sample}>{(view) => <Steps sample={view} />}</Loaded>;
}

type StepState = 'done' | 'current' | 'open' | 'failed';

const icons = {
  done: IconCircleCheckFilled,
  current: IconCircleDashed,
  open: IconCircleDashed,
  failed: IconCircleXFilled,
};

/** The steps of a sample, from the members to the webhook. */
function Steps({ sample }: { sample: SampleView }) {
  const { t } = useTranslation();
  const { amount: format } = useFormat();
  const canEdit = useRight('integrate');
  const { order_id: orderId, referee_member_id: referee, referrer_member_id: referrer, step } = sample;
  const endHold = useSend('POST /samples/:order_id/end-hold', { order_id: orderId });
  const isHeld = step === 'holding' && sample.rewards.some(({ confirm_due_at: at }) => at !== null);
  useEffect(() => {
    if (isHeld && canEdit && endHold.isIdle) endHold.mutate();
  }, [isHeld, canEdit, endHold]);
  const delivered = sample.deliveries.filter(({ state }) => state === 'delivered').length;
  const isConfirmed = step === 'delivering' || step === 'done';
  const order = ['storing', 'evaluating', 'holding', 'delivering', 'done'].indexOf(
    step === 'no_reward' ? 'holding' : step,
  );
  const stateOf = (index: number): StepState =>
    order > index ? 'done' : order === index ? 'current' : 'open';
  const webhookState = (): StepState => {
    if (step !== 'done') return stateOf(3);
    if (sample.deliveries.length === 0) return 'open';
    return delivered === sample.deliveries.length ? 'done' : 'failed';
  };
  return (
    <ol className={classes['steps']} aria-live="polite">
      <Step state="done" name={t('testSide.sample.linked')}>
        <TextLink to={pathOf.member(referrer)}>{referrer}</TextLink> →{' '}
        <TextLink to={pathOf.member(referee)}>{referee}</TextLink>
      </Step>
      <Step state={stateOf(0)} name={t('testSide.sample.order')}>
        {order > 0 ? <TextLink to={pathOf.order(orderId)}>{orderId}</TextLink> : orderId}
      </Step>
      <Step state={step === 'no_reward' ? 'failed' : stateOf(1)} name={t('testSide.sample.decision')}>
        {sample.decision && <ReasonBadge reason={sample.decision.reason} />}
        {step === 'no_reward' && <div>{t('testSide.sample.noReward')}</div>}
      </Step>
      <Step
        state={step === 'no_reward' ? 'open' : isConfirmed ? 'done' : stateOf(2)}
        name={t('testSide.sample.rewards')}
      >
        {sample.rewards.map(({ id, role, amount, unit }) => (
          <div key={id}>
            {t(`program.${role}`)}: {format(amount, unit)}
          </div>
        ))}
        {isHeld && <div>{t('testSide.sample.endingHold')}</div>}
        <ErrorNotice error={endHold.error} />
      </Step>
      <Step state={webhookState()} name={t('testSide.sample.webhook')}>
        {sample.deliveries.map(({ id, state }) => (
          <div key={id}>
            <TextLink to={pathOf.delivery(id)}>{t(`states.${state}`)}</TextLink>
          </div>
        ))}
        {step === 'done' && sample.deliveries.length === 0 && (
          <TextLink to="/webhooks?new=1">{t('testSide.sample.noWebhook')}</TextLink>
        )}
      </Step>
    </ol>
  );
}

function Step({ state, name, children }: { state: StepState; name: string; children: ReactNode }) {
  const { t } = useTranslation();
  const Icon = icons[state];
  return (
    <li className={`${classes['step']} ${classes[state]}`}>
      <Icon size={20} role="img" aria-label={t(`testSide.sample.states.${state}`)} />
      <div>
        <p className={classes['name']}>{name}</p>
        <div className={classes['text']}>{children}</div>
      </div>
    </li>
  );
}
