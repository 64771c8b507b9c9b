/** Home. */
export const overview = {
  home: {
    title: '홈',
    lead: '주문과 보상, 웹훅 전송 현황을 한눈에 봅니다.',
    range: '기간',
    ranges: { day: '하루', week: '일주일', month: '한 달' },
    orders: '주문',
    rewardsConfirmed: '확정된 보상',
    rewardsRevoked: '회수된 보상',
    deliveries: '전송',
    success: '전송 성공률',
    p50: '응답 시간 p50',
    p95: '응답 시간 p95',
    checklist: {
      title: '시작하기',
      lead: '{{of}}단계 중 {{count}}단계를 마쳤습니다.',
      done: '완료',
      open: '미완료',
      key_used: {
        name: '키 사용하기',
        text: '비밀 키로 첫 API를 호출해 보세요.',
        act: '인증 정보로 이동',
      },
      first_order: {
        name: '주문 보내기',
        text: '예제 코드를 붙여 넣고 주문이 들어오는지 확인하세요.',
        act: '예제 코드 보기',
      },
      webhook_registered: {
        name: '웹훅 등록하기',
        text: '보상을 알릴 주소를 등록하세요.',
        act: '웹훅 등록',
      },
      signature_verified: {
        name: '서명 확인하기',
        text: '서버가 받은 내용을 붙여 넣어 서명을 확인하세요.',
        act: '서명 검사기로 이동',
      },
    },
    plots: {
      orders: '저장된 주문',
      rewards: '보상',
      deliveries: '웹훅 전송',
      successRate: '성공률 {{rate}}',
      notDelivered: '미완료',
      latency: '웹훅 응답 시간',
      reasons: '보상이 없었던 이유',
      reasonsLead: '보상이 지급되지 않은 판정을 이유별로 모았습니다.',
      empty: '이 기간에는 데이터가 없습니다',
      time: '시각',
    },
  },
};
