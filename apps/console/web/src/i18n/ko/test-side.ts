/** The test side of a shop. */
export const testSide = {
  testSide: {
    switch: '라이브 또는 테스트',
    modes: { live: '라이브', test: '테스트' },
    banner: '테스트 모드입니다.',
    bannerText: '여기의 키, 웹훅, 데이터는 라이브와 분리되어 있습니다.',
    shared: '라이브와 테스트에 함께 적용됩니다.',
    sample: {
      title: '추천에서 보상까지 체험하기',
      lead: '회원 두 명을 만들어 추천으로 연결하고 결제된 주문을 보냅니다. 그다음은 실제 주문과 똑같이 처리됩니다.',
      create: '샘플 추천과 주문 만들기',
      hint: '몇 초면 끝납니다. 이벤트를 받아 보려면 먼저 웹훅을 등록해 주세요.',
      linked: '회원 연결',
      order: '주문 저장',
      decision: '주문 판정',
      rewards: '보상 확정',
      webhook: '웹훅 전송',
      endingHold: '이 프로그램에는 확정 대기 기간이 있습니다. 샘플의 대기는 지금 끝냅니다.',
      noReward: '이 프로그램에서는 이 주문에 보상이 없습니다.',
      noWebhook: 'reward.issue를 받는 웹훅이 아직 없습니다. 웹훅을 등록해 주세요.',
      states: { done: '완료', current: '진행 중', open: '시작 전', failed: '완료되지 않음' },
    },
    data: {
      title: '테스트 데이터',
      lead: '테스트의 회원, 추천, 주문, 보상, 이벤트, 전송 내역입니다. 키와 웹훅, 프로그램은 그대로 남습니다.',
      delete: '테스트 데이터 삭제',
      confirm: '테스트 데이터를 모두 삭제할까요?',
      confirmText:
        '테스트의 회원, 추천, 주문, 보상, 이벤트, 전송 내역을 모두 삭제하며 되돌릴 수 없습니다. 삭제가 끝나기 전에 보낸 데이터도 함께 삭제될 수 있습니다. 라이브 데이터에는 영향이 없습니다.',
      deleting: '테스트 데이터를 삭제하고 있습니다.',
      deleted: '마지막 삭제:',
      never: '테스트 데이터를 삭제한 적이 없습니다.',
    },
    program: {
      copy: '라이브 프로그램 복사',
      confirm: '라이브 프로그램을 복사할까요?',
      confirmText: '라이브에 적용 중인 규칙을 테스트의 다음 버전으로 게시합니다.',
    },
  },
};
