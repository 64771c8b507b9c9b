import { english, korean, problemKinds } from '@rewardhook/contract/problems';
import type { ProblemKind, ProblemTexts } from '@rewardhook/contract/problems';
import type { Pair, Pairs } from '../../app/pairs.ts';

type Kinds = Record<ProblemKind, Record<keyof ProblemTexts[ProblemKind], Pair>>;

/** The kinds of problems. Mails have the same texts. */
const kinds = Object.fromEntries(
  problemKinds.map((kind): [ProblemKind, Kinds[ProblemKind]] => {
    const [en, ko] = [english[kind], korean[kind]];
    return [kind, { title: [en.title, ko.title], advice: [en.advice, ko.advice], counts: [en.counts, ko.counts] }];
  }),
) as Kinds;

/** Texts of Home and the page of problems. */
export const texts = {
  home: {
    title: ['Home', '홈'],
    lead: ['What needs attention, and what referrals bring and cost.', '조치가 필요한 일과 추천의 성과, 비용을 봅니다.'],
    range: ['Time range', '기간'],
    ranges: { week: ['7 days', '7일'], days30: ['30 days', '30일'], month: ['This month', '이번 달'] },
    figuresOf: {
      week: ['Last 7 days', '최근 7일'],
      days30: ['Last 30 days', '최근 30일'],
      month: ['This month', '이번 달'],
    },
    newReferrals: ['New referrals', '새 추천'],
    firstOrders: ['First orders', '첫 주문'],
    revenue: ['Referred revenue', '추천 매출'],
    cost: ['Cost', '보상 비용'],
    costEach: ['Cost per first order', '첫 주문당 비용'],
    rewards: {
      title: ['Newest rewards', '최근 보상'],
      all: ['Show all rewards', '보상 모두 보기'],
      given: ['Given', '생성'],
      reward: ['Reward', '보상'],
      became: ['What became of it', '처리 결과'],
      empty: ['No rewards yet', '아직 보상이 없습니다'],
      emptyText: [
        'A reward appears here when a referred member places a first paid order.',
        '추천받은 회원이 처음으로 결제한 주문을 보내면 여기에 보상이 표시됩니다.',
      ],
    },
    checklist: {
      title: ['Get started', '시작하기'],
      lead: ['{{count}} of {{of}} steps completed', '{{of}}단계 중 {{count}}단계 완료'],
      done: ['Completed', '완료'],
      open: ['Not completed', '미완료'],
      key_used: {
        name: ['Use your API key', 'API 키 사용하기'],
        text: ['Make your first request with your secret key.', '비밀 키로 첫 요청을 보내 보세요.'],
        action: ['Open Credentials', '인증 정보 열기'],
      },
      first_order: {
        name: ['Send an order', '주문 보내기'],
        text: ['Run a code example and see the order arrive.', '예제 코드를 실행하고 주문이 들어오는지 확인해 보세요.'],
        action: ['Show code examples', '예제 코드 보기'],
      },
      webhook_registered: {
        name: ['Register a webhook', '웹훅 등록하기'],
        text: ['Set the URL that receives your reward events.', '보상 이벤트를 받을 URL을 등록해 주세요.'],
        action: ['Register webhook', '웹훅 등록'],
      },
      signature_verified: {
        name: ['Verify a signature', '서명 확인하기'],
        text: ['Paste a request that your server received and check its signature.', '서버가 받은 요청을 붙여 넣어 서명을 검사해 보세요.'],
        action: ['Open checker', '검사기 열기'],
      },
    },
  },
  problems: {
    kinds,
    about: ['Problems on this page', '이 페이지와 관련된 문제'],
    since: ['Since', '발생 시각'],
    until: ['Resolved', '해결 시각'],
    openings: ['Opened', '발생 횟수'],
    openingsCount_one: ['{{count}} time', '{{count}}회'],
    openingsCount_other: ['{{count}} times', '{{count}}회'],
    failures: ['Failures in a row', '연속 실패 횟수'],
    oldest: ['Oldest delivery', '가장 오래된 전송'],
    lastError: ['Last error', '최근 오류'],
    moreThan: ['more than {{number}}', '{{number}} 초과'],
    errors: {
      receiver_gone: ['Your server answered 410 Gone', '서버가 410 Gone으로 응답'],
      failing_with_status: ['Nothing but failures for five days', '5일 동안 모두 실패'],
      failing_with_error: ['Nothing but failures for five days', '5일 동안 모두 실패'],
    },
    links: {
      webhook: ['Open webhook', '웹훅 열기'],
      register: ['Register webhook', '웹훅 등록'],
      requests: ['Show requests', '요청 보기'],
      orders: ['Show orders', '주문 보기'],
      review: ['Review referrals', '추천 검토하기'],
      program: ['Open program', '프로그램 열기'],
      credentials: ['Open Credentials', '인증 정보 열기'],
    },
    lead: ['What is wrong and needs someone. The service looks every 15 seconds.', '조치가 필요한 문제입니다. 15초마다 확인합니다.'],
    open_one: ['{{count}} open problem', '해결되지 않은 문제 {{count}}건'],
    open_other: ['{{count}} open problems', '해결되지 않은 문제 {{count}}건'],
    all: ['Show all problems', '문제 모두 보기'],
    wellSince: ['All well since', '다음 시각부터 문제 없음:'],
    wellAlways: ['All well: no problem in the last 90 days.', '최근 90일 동안 문제가 없었습니다.'],
    resolved: ['Resolved', '해결된 문제'],
    resolvedLead: [
      'A problem is resolved when it was not found for 10 minutes. It is kept for 90 days.',
      '10분 동안 다시 발견되지 않으면 해결된 것으로 봅니다. 90일 동안 보관합니다.',
    ],
    noneResolved: ['No problem was resolved in the last 90 days', '최근 90일 동안 해결된 문제가 없습니다'],
    onlyLive: ['Only the live side is watched for problems.', '문제는 라이브에서만 확인합니다.'],
    openLive: ['Problems of the live side', '라이브의 문제 보기'],
  },
  testSide: {
    sample: {
      title: ['Try it: from a referral to a reward', '추천에서 보상까지 체험하기'],
      lead: [
        'Creates two members, links them, and sends a paid order. Everything after that runs as for a real order.',
        '회원 두 명을 만들어 추천으로 연결하고 결제된 주문을 보냅니다. 그다음은 실제 주문과 똑같이 처리됩니다.',
      ],
      create: ['Create sample referral and order', '샘플 추천과 주문 만들기'],
      hint: [
        'A sample takes a few seconds. Register a webhook first to receive its events.',
        '몇 초면 끝납니다. 이벤트를 받아 보려면 먼저 웹훅을 등록해 주세요.',
      ],
      linked: ['Members linked', '회원 연결'],
      order: ['Order stored', '주문 저장'],
      decision: ['Order evaluated', '주문 판정'],
      rewards: ['Rewards confirmed', '보상 확정'],
      webhook: ['Webhook delivered', '웹훅 전송'],
      endingHold: [
        'The program holds rewards for some days. For the sample, the hold ends now.',
        '이 프로그램에는 확정 대기 기간이 있습니다. 샘플의 대기는 지금 끝냅니다.',
      ],
      noReward: ['The program gives no reward for this order.', '이 프로그램에서는 이 주문에 보상이 없습니다.'],
      noWebhook: ['No webhook receives reward.issue yet. Register one.', 'reward.issue를 받는 웹훅이 아직 없습니다. 웹훅을 등록해 주세요.'],
      states: { done: ['Done', '완료'], current: ['In progress', '진행 중'], open: ['Not started', '시작 전'], failed: ['Not reached', '완료되지 않음'] },
    },
    data: {
      title: ['Test data', '테스트 데이터'],
      lead: [
        'Members, referrals, orders, rewards, events and deliveries of the test side. Keys, webhooks and the program stay.',
        '테스트의 회원, 추천, 주문, 보상, 이벤트, 전송 내역입니다. 키와 웹훅, 프로그램은 그대로 남습니다.',
      ],
      delete: ['Delete test data', '테스트 데이터 삭제'],
      confirm: ['Delete all test data?', '테스트 데이터를 모두 삭제할까요?'],
      confirmText: [
        'This deletes all members, referrals, orders, rewards, events and deliveries of the test side, and cannot be undone. Data that is sent until the deletion ends may be deleted too. Live data is not affected.',
        '테스트의 회원, 추천, 주문, 보상, 이벤트, 전송 내역을 모두 삭제하며 되돌릴 수 없습니다. 삭제가 끝나기 전에 보낸 데이터도 함께 삭제될 수 있습니다. 라이브 데이터에는 영향이 없습니다.',
      ],
      deleting: ['The test data is being deleted.', '테스트 데이터를 삭제하고 있습니다.'],
      deleted: ['Last deleted:', '마지막 삭제:'],
      never: ['The test data has never been deleted.', '테스트 데이터를 삭제한 적이 없습니다.'],
    },
  },
} satisfies Pairs;
