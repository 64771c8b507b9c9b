import type { ProblemKind } from '@rewardhook/database/operations';

/** The texts of a kind of problem, in one language. */
interface KindTexts {
  title: string;
  advice: string;
}

/** All texts of a mail about problems, in one language. */
export interface ProblemTexts {
  kinds: Record<ProblemKind, KindTexts>;
  labels: {
    shop: string;
    subject: string;
    since: string;
    number: string;
    lastError: string;
    console: string;
    /** The title of a mail with several problems. */
    count(problems: number): string;
    /** Stands for the problems that are not described. */
    more(problems: number): string;
  };
}

export const korean: ProblemTexts = {
  kinds: {
    webhook_failing: {
      title: '웹훅 전송이 계속 실패합니다',
      advice: '수신 서버가 15초 안에 2xx로 응답하는지 확인해 주세요. 보내지 못한 이벤트는 보관됩니다.',
    },
    webhook_disabled: {
      title: '웹훅이 중지되어 있습니다',
      advice: '수신 서버를 복구한 뒤 콘솔에서 웹훅을 다시 활성화해 주세요.',
    },
    deliveries_exhausted: {
      title: '재시도가 모두 실패한 리워드가 있습니다',
      advice: '수신 서버를 복구한 뒤 콘솔에서 다시 보내 주세요.',
    },
    no_webhook: {
      title: '확정된 리워드를 받을 웹훅이 없습니다',
      advice: 'reward.issue 웹훅을 등록해 주세요. 이미 확정된 리워드는 이벤트 피드에서 읽을 수 있습니다.',
    },
    revocations_not_subscribed: {
      title: '리워드 회수를 받지 않는 웹훅이 있습니다',
      advice: '리워드가 회수되었습니다. 웹훅의 이벤트 유형에 reward.revoke를 추가해 주세요.',
    },
    requests_refused: {
      title: 'API 요청이 거부되고 있습니다',
      advice: '오류 코드의 의미는 오류 문서에서 확인해 주세요.',
    },
    orders_without_referrer: {
      title: '추천인이 없는 주문이 갑자기 늘었습니다',
      advice: '최근에 회원 연결(boot 또는 link 호출)을 바꾸었는지 확인해 주세요.',
    },
    referrals_to_review: {
      title: '검토할 추천이 있습니다',
      advice: '콘솔에서 추천을 승인하거나 거절해 주세요. 그때까지 리워드는 보류됩니다.',
    },
    budget_nearly_used: {
      title: '프로그램 예산이 거의 소진되었습니다',
      advice: '예산이 모두 소진되면 새 리워드가 지급되지 않습니다. 필요하면 예산을 늘려 주세요.',
    },
    signing_key_expiring: {
      title: '서명 키가 곧 만료됩니다',
      advice: '서명 키를 교체해 주세요. 키가 없으면 웹훅에 서명이 붙지 않습니다.',
    },
    finding: { title: '서비스 점검에서 문제가 발견되었습니다', advice: 'doctor 명령으로 확인해 주세요.' },
  },
  labels: {
    shop: '상점',
    subject: '대상',
    since: '발생 시각',
    number: '수',
    lastError: '최근 오류',
    console: '콘솔에서 보기',
    count: (problems) => `문제 ${problems}건`,
    more: (problems) => `이 밖에 문제가 ${problems}건 더 있습니다.`,
  },
};

export const english: ProblemTexts = {
  kinds: {
    webhook_failing: {
      title: 'A webhook keeps failing',
      advice:
        'Check that your server answers with a 2xx within 15 seconds. Events that could not be sent are kept.',
    },
    webhook_disabled: {
      title: 'A webhook is disabled',
      advice: 'Repair your server, then enable the webhook in the console.',
    },
    deliveries_exhausted: {
      title: 'Rewards were not delivered, and no retries are left',
      advice: 'Repair your server, then send them again from the console.',
    },
    no_webhook: {
      title: 'Confirmed rewards have no webhook',
      advice:
        'Register a webhook for reward.issue. Rewards that are confirmed already can be read from the event feed.',
    },
    revocations_not_subscribed: {
      title: 'A webhook does not receive revocations',
      advice: 'Rewards were revoked. Add reward.revoke to the event types of the webhook.',
    },
    requests_refused: {
      title: 'API requests are refused',
      advice: 'The documentation of errors explains the code.',
    },
    orders_without_referrer: {
      title: 'Many more orders than before have no referrer',
      advice: 'Check whether something has changed in how you link members (the boot or link call).',
    },
    referrals_to_review: {
      title: 'Referrals wait for a review',
      advice: 'Accept or reject them in the console. Their rewards stay pending until then.',
    },
    budget_nearly_used: {
      title: 'The budget of the program is nearly used',
      advice: 'When it is used up, no new rewards are given. Raise it if that is not what you want.',
    },
    signing_key_expiring: {
      title: 'The signing key expires soon',
      advice: 'Rotate it. Without a key, webhooks have no signature.',
    },
    finding: { title: 'The check of the service found a problem', advice: 'Run the command doctor.' },
  },
  labels: {
    shop: 'Shop',
    subject: 'Subject',
    since: 'Since',
    number: 'Number',
    lastError: 'Last error',
    console: 'Open the console',
    count: (problems) => `${problems} problems`,
    more: (problems) => `There are ${problems} more.`,
  },
};
