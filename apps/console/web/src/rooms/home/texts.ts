import type { Pairs } from '../../app/pairs.ts';

/** Texts of Home. */
export const texts = {
  home: {
    title: ['Home', '홈'],
    lead: ['Orders, rewards and deliveries at a glance.', '주문과 보상, 웹훅 전송 현황을 한눈에 봅니다.'],
    range: ['Time range', '기간'],
    ranges: { day: ['Day', '하루'], week: ['Week', '일주일'], month: ['Month', '한 달'] },
    orders: ['Orders', '주문'],
    rewardsConfirmed: ['Rewards confirmed', '확정된 보상'],
    rewardsRevoked: ['Rewards revoked', '회수된 보상'],
    deliveries: ['Deliveries', '전송'],
    success: ['Delivered', '전송 성공률'],
    p50: ['Response time (p50)', '응답 시간(p50)'],
    p95: ['Response time (p95)', '응답 시간(p95)'],
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
    plots: {
      orders: ['Orders received', '수신한 주문'],
      rewards: ['Rewards', '보상'],
      deliveries: ['Deliveries', '웹훅 전송'],
      successRate: ['{{rate}} delivered', '성공률 {{rate}}'],
      notDelivered: ['Not delivered', '미완료'],
      latency: ['Webhook response time', '웹훅 응답 시간'],
      reasons: ['Orders without a reward', '보상이 없는 주문'],
      reasonsLead: ['Decisions without a reward, by reason.', '보상이 없는 판정을 이유별로 보여 줍니다.'],
      empty: ['No data in this time range', '이 기간에는 데이터가 없습니다'],
      time: ['Time', '시각'],
      noData: ['No data', '데이터 없음'],
    },
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
