import type { ProblemTexts } from './problem-kinds.ts';

/** The kinds of problems in Korean. */
export const korean: ProblemTexts = {
  webhook_failing: {
    title: '웹훅 전송이 계속 실패합니다',
    advice: '수신 서버가 15초 안에 2xx로 응답하는지 확인해 주세요. 보내지 못한 이벤트는 보관됩니다.',
    counts: '대기 중인 전송',
  },
  webhook_disabled: {
    title: '웹훅이 중지되어 있습니다',
    advice: '수신 서버를 복구한 뒤 웹훅을 다시 활성화해 주세요.',
    counts: '보류된 전송',
  },
  deliveries_exhausted: {
    title: '재시도가 모두 실패한 보상이 있습니다',
    advice: '수신 서버를 복구한 뒤 웹훅 페이지에서 다시 보내 주세요.',
    counts: '재시도가 끝난 전송',
  },
  no_webhook: {
    title: '확정된 보상을 받을 웹훅이 없습니다',
    advice: 'reward.issue 웹훅을 등록해 주세요. 이미 확정된 보상은 이벤트 피드에서 읽을 수 있습니다.',
    counts: '보상',
  },
  revocations_not_subscribed: {
    title: '보상 회수를 받지 않는 웹훅이 있습니다',
    advice: '보상이 회수되었습니다. 웹훅의 이벤트 유형에 reward.revoke를 추가해 주세요.',
    counts: '7일간 회수된 보상',
  },
  requests_refused: {
    title: 'API 요청이 거부되고 있습니다',
    advice: '콘솔의 요청 화면에서 잘못된 필드를 확인해 주세요. 오류 코드의 의미는 오류 문서에 있습니다.',
    counts: '요청',
  },
  orders_without_referrer: {
    title: '추천인이 없는 주문이 갑자기 늘었습니다',
    advice: '최근에 회원 연결(boot 또는 link 호출)을 바꾸었는지 확인해 주세요.',
    counts: '최근 1시간의 주문',
  },
  referrals_to_review: {
    title: '검토할 추천이 있습니다',
    advice: '추천을 승인하거나 거절해 주세요. 그때까지 보상은 확정되지 않습니다.',
    counts: '추천',
  },
  budget_nearly_used: {
    title: '프로그램 예산이 거의 소진되었습니다',
    advice: '예산이 모두 소진되면 새 보상이 지급되지 않습니다. 필요하면 예산을 늘려 주세요.',
    counts: '사용한 예산(%)',
  },
  signing_key_expiring: {
    title: '서명 키가 곧 만료됩니다',
    advice: '서비스 운영자에게 새 서명 키를 요청해 주세요. 키가 없으면 웹훅에 서명이 붙지 않습니다.',
    counts: '서명 키',
  },
  finding: {
    title: '서비스 점검에서 문제가 발견되었습니다',
    advice: 'doctor 명령으로 확인해 주세요.',
    counts: '수',
  },
};
