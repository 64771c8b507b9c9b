/** The signature checker. */
export const signatureChecker = {
  signatureChecker: {
    howToVerify: '서명 검증 방법',
    lead: '서버가 받은 요청을 붙여 넣으면 어떤 키로 서명했는지, 왜 검증되지 않는지 알려 줍니다.',
    paste: '서버가 받은 요청',
    pasteLead: '서버에서 키와 비교하기만 하고 보관하지 않습니다.',
    headers: '헤더',
    headersHint: '"이름: 값" 형식으로 전체 헤더를 넣거나, X-Service-Signature의 값만 넣어도 됩니다.',
    body: '원본 본문',
    bodyHint: 'JSON으로 해석하기 전, 받은 그대로 넣어 주세요.',
    action: '서명 검사',
    valid: '서명이 올바릅니다',
    invalid: '서명이 올바르지 않습니다',
    validBadge: '유효',
    invalidBadge: '유효하지 않음',
    known: '본문이 이벤트 {{id}} ({{type}}) 본문과 바이트까지 같습니다.',
    unknown: '본문과 바이트까지 같은 이벤트가 없습니다.',
    results: '헤더별 결과',
    header: '헤더',
    result: '결과',
    key: '키',
    fix: '해결 방법',
    noTimestamp:
      '서버가 webhook-id, webhook-timestamp, webhook-signature 헤더를 받았다면 함께 붙여 넣어 주세요. 받지 못했다면 프록시가 제거한 것이니 webhook-* 헤더를 통과시켜 주세요. 이 헤더가 없으면 예전 요청을 다시 보내는 공격을 막을 수 없습니다.',
    outcomes: {
      ok: { name: '유효', fix: '' },
      missing: { name: '없음', fix: '서버가 이 헤더를 받았다면 함께 붙여 넣어 주세요.' },
      malformed: { name: '형식 오류', fix: '헤더 값 전체를 그대로 복사해 주세요.' },
      trailing_newline: {
        name: '줄바꿈 또는 공백',
        fix: '본문 앞뒤의 줄바꿈이나 공백이 다릅니다. 받은 바이트 그대로 사용해 주세요.',
      },
      re_serialized: {
        name: 'JSON 재작성',
        fix: '본문을 해석한 뒤 다시 작성했습니다. 해석하기 전의 원본 바이트로 검증해 주세요.',
      },
      expired_key: { name: '만료된 키', fix: '만료된 키로 만든 서명입니다. 현재 키를 사용해 주세요.' },
      too_old: {
        name: '허용 시간 벗어남',
        fix: '서명은 맞지만 시각이 5분 넘게 차이 납니다. 서버 시계를 확인해 주세요.',
      },
      no_match: {
        name: '맞는 키 없음',
        fix: '다른 키로 서명했거나 본문이 다릅니다. 서명 키를 확인하고 본문이 그대로인지 확인해 주세요.',
      },
    },
    code: '코드에서 검증하기',
    codeLead:
      'receiver.mjs로 저장하고 REWARDHOOK_SIGNING_SECRET을 설정한 뒤 Node 20 이상에서 실행해 주세요. 8080 포트에서 수신합니다.',
  },
};
