import { korean } from '@rewardhook/contract/problems';

/** Problems. The texts of the kinds are those of the mails. */
export const problems = {
  problems: {
    kinds: korean,
    lead: '조치가 필요한 문제입니다. 15초마다 확인합니다.',
    open_one: '해결되지 않은 문제 {{count}}건',
    open_other: '해결되지 않은 문제 {{count}}건',
    about: '이 페이지와 관련된 문제',
    all: '문제 모두 보기',
    wellSince: '다음 시각부터 문제 없음:',
    wellAlways: '최근 90일 동안 문제가 없었습니다.',
    resolved: '해결된 문제',
    resolvedLead: '10분 동안 다시 발견되지 않으면 해결된 것으로 봅니다. 90일 동안 보관합니다.',
    noneResolved: '최근 90일 동안 해결된 문제가 없습니다',
    onlyLive: '문제는 라이브에서만 확인합니다.',
    openLive: '라이브의 문제 보기',
    since: '발생 시각',
    until: '해결 시각',
    openings: '발생 횟수',
    openingsCount_one: '{{count}}회',
    openingsCount_other: '{{count}}회',
    failures: '연속 실패 횟수',
    oldest: '가장 오래된 전송',
    lastError: '최근 오류',
    moreThan: '{{number}} 초과',
    errors: {
      receiver_gone: '서버가 410 Gone으로 응답',
      failing_with_status: '5일 동안 모두 실패',
      failing_with_error: '5일 동안 모두 실패',
    },
    links: {
      webhook: '웹훅 열기',
      register: '웹훅 등록',
      errors: '오류 코드의 의미',
      orders: '주문 보기',
      review: '추천 검토하기',
      program: '프로그램 열기',
      credentials: '인증 정보 열기',
    },
  },
};
