import type { NoticeType } from '@rewardhook/database/stages';

/** The texts of a notice type, in one language. */
export interface NoticeTexts {
  /** The subject of a digest with this notice only. */
  title: string;
  summary: string;
  /** What the merchant should do. */
  advice: string;
  /** Label of `disabled_at`. */
  disabledAt: string;
}

/** The other texts of a digest, in one language. */
export interface DigestLabels {
  shop: string;
  webhook: string;
  failingSince: string;
  failuresInARow: string;
  reason: string;
  console: string;
  nothingLost: string;
  /** The subject of a digest with several notices. */
  count(notices: number): string;
  /** Stands for the notices that are not described. */
  more(notices: number): string;
}

/** All texts of a digest in one language. */
export type DigestTexts = Record<NoticeType, NoticeTexts> & { labels: DigestLabels };

const koreanAdvice =
  '수신 서버가 15초 안에 2xx로 응답하는지 확인해 주세요. 정상 응답이 확인되면 자동으로 전송을 재개합니다.';

export const korean: DigestTexts = {
  'endpoint.failing': {
    title: '웹훅 전송 실패',
    summary:
      '아래 웹훅으로 보낸 요청이 계속 실패하고 있습니다. 복구될 때까지 확인 요청만 간격을 두고 보냅니다.',
    advice: koreanAdvice,
    disabledAt: '계속 실패하면 중지되는 시각',
  },
  'endpoint.disabling_soon': {
    title: '웹훅이 곧 중지됩니다',
    summary: '아래 웹훅이 오랫동안 한 번도 성공하지 못했습니다. 계속 실패하면 아래 시각에 전송이 중지됩니다.',
    advice: koreanAdvice,
    disabledAt: '중지 예정 시각',
  },
  'endpoint.disabled': {
    title: '웹훅 전송 중지됨',
    summary: '아래 웹훅으로의 전송을 중지했습니다.',
    advice: '수신 서버를 복구한 뒤 웹훅을 다시 활성화해 주세요. 자동으로 재개되지 않습니다.',
    disabledAt: '중지된 시각',
  },
  labels: {
    shop: '상점',
    webhook: '웹훅',
    failingSince: '실패 시작',
    failuresInARow: '연속 실패 횟수',
    reason: '최근 오류',
    console: '콘솔에서 보기',
    count: (notices) => `웹훅 알림 ${notices}건`,
    more: (notices) => `이 밖에 알림이 ${notices}건 더 있습니다. 콘솔의 웹훅 페이지에서 확인해 주세요.`,
    nothingLost: '사라지는 이벤트는 없습니다. 보내지 못한 이벤트는 보관되며, 전송이 재개되면 보내 드립니다.',
  },
};

const englishAdvice =
  'Check that your server answers with a 2xx within 15 seconds. Once it does, sending resumes automatically.';

export const english: DigestTexts = {
  'endpoint.failing': {
    title: 'Webhook failing',
    summary:
      'Requests to the webhook below keep failing. Until it recovers, only single test requests are sent, at intervals.',
    advice: englishAdvice,
    disabledAt: 'Will be disabled at',
  },
  'endpoint.disabling_soon': {
    title: 'Webhook about to be disabled',
    summary:
      'No request to the webhook below has succeeded for a long time. If it keeps failing, it is disabled at the time below.',
    advice: englishAdvice,
    disabledAt: 'Will be disabled at',
  },
  'endpoint.disabled': {
    title: 'Webhook disabled',
    summary: 'The webhook below has been disabled. Nothing is sent to it any more.',
    advice: 'Fix your server, then re-enable the webhook. Sending does not resume automatically.',
    disabledAt: 'Disabled at',
  },
  labels: {
    shop: 'Shop',
    webhook: 'Webhook',
    failingSince: 'Failing since',
    failuresInARow: 'Failures in a row',
    reason: 'Last error',
    console: 'Open in the console',
    count: (notices) => `${notices} webhook notices`,
    more: (notices) => `There are ${notices} more notices: see the webhooks page of the console.`,
    nothingLost:
      'Nothing is lost. Events that could not be sent are kept, and are sent when sending resumes.',
  },
};
