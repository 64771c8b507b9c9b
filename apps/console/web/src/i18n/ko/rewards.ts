/** Rewards. */
export const rewards = {
  rewardRoles: { referee: '피추천인', referrer: '추천인' },
  rewards: {
    lead: '회원이 받을 보상과 현재 상태입니다.',
    role: '받는 사람',
    allRoles: '추천인과 피추천인',
    amount: '금액',
    lastChange: '최근 변경',
    given: '생성 시각',
    confirmDue: '확정 예정',
    empty: '아직 보상이 없습니다',
    emptyText: '추천받은 회원의 결제 완료 주문이 프로그램 조건을 충족하면 보상이 생깁니다.',
    emptyAction: '프로그램 보기',
  },
};
