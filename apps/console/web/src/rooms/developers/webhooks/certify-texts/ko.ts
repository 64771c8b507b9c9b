import type { CertifyTexts } from './texts.ts';

/** The texts in Korean. */
export const ko: CertifyTexts = {
  groups: {
    genuine: '진짜 웹훅은 받아들입니다',
    repeated: '보상은 한 번만 지급합니다',
    forged: '위조되었거나 오래된 요청은 거부합니다',
    robust: '드문 형태라도 진짜 웹훅은 받아들입니다',
  },
  checks: {
    valid: {
      title: 'reward.issue를 받아들입니다',
      sent: '실제 서비스와 똑같이 모든 헤더와 두 가지 서명을 갖춘 reward.issue.',
      expected: '15초 안에 2xx.',
      fix: '서명은 받은 본문의 바이트 그대로를 대상으로 합니다. 파싱했다가 다시 만든 JSON으로 검증하면 안 됩니다. 서명 키는 whsec_를 포함한 전체 값이어야 하고, 서버 시계의 오차는 5분 이내여야 합니다. 콘솔의 서명 확인 도구에 요청의 헤더와 본문을 붙여 넣으면 무엇이 다른지 알 수 있습니다.',
    },
    ping: {
      title: 'webhook.ping을 받아들입니다',
      sent: '서명된 webhook.ping. 콘솔의 테스트 이벤트이며 data가 비어 있습니다.',
      expected: '2xx.',
      fix: '먼저 서명을 검증한 뒤 유형을 확인해 주세요. 처리하지 않는 유형에는 2xx로 응답합니다. data.reward는 reward.issue와 reward.revoke에서만 읽어 주세요.',
    },
    revoked: {
      title: 'reward.revoke를 받아들입니다',
      sent: 'reward.issue를 보낸 뒤 같은 보상의 reward.revoke.',
      expected: '두 요청 모두 2xx. 지급이 취소됩니다.',
      fix: 'reward.revoke를 처리해 data.reward.id로 지급한 것을 회수해 주세요. 중복 확인에는 이벤트 유형과 보상 ID를 함께 사용합니다. 보상 ID만 사용하면 회수가 지급의 중복으로 처리됩니다.',
    },
    test_side: {
      title: '테스트 모드의 이벤트에 2xx로 응답합니다',
      sent: '테스트 모드의 웹훅이 받는 것처럼 "mode": "test"가 있고 서명이 올바른 reward.issue.',
      expected: '2xx, 지급 없음.',
      fix: '"mode": "test"인 이벤트는 실제 보상이 아닙니다. 2xx로 응답하고 아무것도 지급하지 마세요. 라이브와 테스트에 모두 등록된 URL은 이런 이벤트도 받습니다. 테스트 전용 수신 서버라면 지급해도 됩니다.',
    },
    test_event: {
      title: '테스트 이벤트에 2xx로 응답하고 지급하지 않습니다',
      sent: '콘솔이 보내는 것처럼 "test": true가 있고 서명이 올바른 reward.issue. 다른 요청에 테스트 표시가 없을 때도 보냅니다.',
      expected: '2xx, 지급 없음.',
      fix: '"test": true인 이벤트에는 2xx로만 응답하고 아무것도 지급하지 마세요. 실제로 있는 보상이 아닙니다.',
    },
    repeated: {
      title: '같은 전송이 다시 와도 2xx로 응답합니다',
      sent: '전송 ID가 같은 reward.issue 두 번. 두 번째는 재시도처럼 시도 번호가 2이고 시각이 새롭습니다.',
      expected: '두 요청 모두 2xx, 지급은 한 번.',
      fix: '중복은 성공입니다. 아무것도 하지 않고 2xx로 응답해 주세요. 그 밖의 응답에는 75시간 동안 다시 보냅니다.',
    },
    redelivered: {
      title: '같은 이벤트가 다른 전송으로 와도 2xx로 응답합니다',
      sent: '전송 ID만 다른 같은 reward.issue 두 번. 두 번째 웹훅이나 재전송이 이렇게 보냅니다.',
      expected: '두 요청 모두 2xx, 지급은 한 번.',
      fix: 'X-Service-Delivery가 아니라 이벤트 유형과 data.reward.id를 저장해 주세요. 전송 ID는 URL마다, 재전송마다 다릅니다. 중복에는 2xx로 응답합니다.',
    },
    concurrent: {
      title: '동시에 도착한 중복에도 2xx로 응답합니다',
      sent: '같은 reward.issue 다섯 개를 전송 ID 두 개로 동시에. 보상을 바꿔 세 번 반복합니다.',
      expected: '모두 2xx, 보상마다 지급은 한 번.',
      fix: '이벤트 유형과 보상 ID에 고유 키를 두고 지급과 같은 트랜잭션에서 저장해 데이터베이스가 판단하게 해 주세요. 먼저 조회하고 나중에 저장하면 두 요청이 함께 통과합니다. 나중 요청은 첫 요청을 기다렸다가 2xx로 응답합니다.',
    },
    reordered: {
      title: '보상보다 먼저 도착한 회수를 받아들입니다',
      sent: '보상의 reward.revoke를 먼저, 그다음에 reward.issue.',
      expected: '두 요청 모두 2xx, 남는 지급 없음.',
      fix: '이벤트는 순서 없이 도착합니다. 포인트라면 한쪽은 빼고 한쪽은 더해 주세요. 쿠폰이라면 지급 내역이 없는 회수를 저장해 두고 나중에 그 보상을 지급하지 않습니다. 오류로 응답해도 다시 올 때 달라지지 않습니다.',
    },
    unsigned: {
      title: '서명이 없는 요청을 거부합니다',
      sent: 'X-Service-Signature와 webhook-signature가 없는 reward.issue.',
      expected: '4xx(예: 400, 401).',
      fix: 'URL을 아는 누구나 보상을 지급할 수 있습니다. 서명이 없는 요청은 처리하기 전에 거부해 주세요.',
    },
    malformed: {
      title: '형식이 잘못된 서명을 거부합니다',
      sent: '서명이 "sha256=0"과 "v1,"로 잘린 reward.issue.',
      expected: '4xx.',
      fix: '상수 시간 비교 전에 길이를 먼저 비교해 주세요(timingSafeEqual은 길이가 다르면 오류를 냅니다). 서명의 앞부분만 비교해서도 안 됩니다.',
    },
    altered_signature: {
      title: '한 바이트만 다른 서명을 거부합니다',
      sent: '올바른 서명에서 처음, 가운데, 마지막 바이트를 바꾼 요청 세 개.',
      expected: '모두 4xx.',
      fix: '서명의 모든 바이트를 상수 시간으로 비교해 주세요. 일부만 비교하면 몇 번 시도해 위조할 수 있습니다.',
    },
    short_signature: {
      title: '앞부분만 있는 서명을 거부합니다',
      sent: '올바른 서명의 한 글자, 절반, 마지막 한 바이트를 뺀 나머지만 담은 요청 세 개.',
      expected: '모두 4xx.',
      fix: '전체 길이(16진수 64자 또는 base64 32바이트)인지 먼저 확인하고 전체를 비교해 주세요. 한 글자만으로 통과하면 64번 안에 위조됩니다.',
    },
    swapped_case: {
      title: '대소문자를 바꾼 서명을 거부합니다',
      sent: 'webhook-signature의 대문자와 소문자를 서로 바꾼 요청. base64에서는 다른 바이트입니다. X-Service-Signature는 한 바이트가 다릅니다.',
      expected: '4xx.',
      fix: '디코딩한 바이트를 비교하거나 텍스트를 그대로 비교해 주세요. base64는 대소문자를 구분해야 합니다.',
    },
    other_spelling: {
      title: '표기만 다른 올바른 서명을 거부합니다',
      sent: '요청 세 개: 대문자 16진수와 패딩 없는 base64, 완전한 서명 뒤에 다른 글자가 붙은 것.',
      expected: '4xx. 아니면 경고입니다. 키 없이는 위조할 수 없습니다.',
      fix: '서비스가 보내는 형식만 받아 주세요. 소문자 16진수 64자, 또는 패딩이 있는 base64이고 뒤에 아무것도 없어야 합니다.',
    },
    wrong_secret: {
      title: '다른 키로 서명한 요청을 거부합니다',
      sent: '아무도 갖고 있지 않은 키로 두 서명을 만든 reward.issue.',
      expected: '4xx.',
      fix: '내 서명 키로 서명을 계산해 전체를 상수 시간으로 비교해 주세요. 서명이 있다는 것만으로는 아무것도 증명되지 않습니다.',
    },
    empty_secret: {
      title: '빈 키로 서명한 요청을 거부합니다',
      sent: '누구나 만들 수 있는 빈 키로 두 서명을 만든 reward.issue.',
      expected: '4xx.',
      fix: '서명 키 중 하나가 비어 있습니다. 예를 들어 이전 키의 환경 변수가 설정되지 않았을 수 있습니다. 키가 없으면 서버가 시작되지 않게 해 주세요.',
    },
    altered_body: {
      title: '금액을 바꾼 요청을 거부합니다',
      sent: '서명한 뒤 금액을 바꾼 reward.issue.',
      expected: '4xx.',
      fix: '서명은 받은 본문 전체를 대상으로 검증해야 합니다.',
    },
    altered_bytes: {
      title: '공백을 하나 넣은 요청을 거부합니다',
      sent: '서명한 뒤 공백을 하나 넣은 reward.issue. 파싱한 JSON은 같습니다.',
      expected: '4xx.',
      fix: '파싱했다가 다시 만든 JSON으로 검증하고 있습니다. 원래 바이트를 검증해 주세요. Express에서는 이 경로에 express.json()보다 먼저 express.raw({ type: "*/*" })를 둡니다.',
    },
    altered_id: {
      title: '전송 ID를 바꾼 요청을 거부합니다',
      sent: '서명한 뒤 webhook-id와 X-Service-Delivery를 바꾼 reward.issue.',
      expected: '4xx.',
      fix: '"<webhook-id>.<webhook-timestamp>.<본문>"을 대상으로 하는 webhook-signature를 검증해 주세요. X-Service-Signature는 본문만 대상으로 합니다.',
    },
    altered_timestamp: {
      title: '시각만 새로 바꾼 오래된 요청을 거부합니다',
      sent: '10분 전에 서명하고 webhook-timestamp만 현재 시각으로 바꾼 요청.',
      expected: '4xx.',
      fix: '시각까지 대상으로 하는 webhook-signature를 검증해 주세요. 서명되지 않은 시각은 아무것도 막지 못합니다.',
    },
    stale: {
      title: '10분 전의 요청을 거부합니다',
      sent: '서명은 올바르지만 webhook-timestamp가 10분 전인 reward.issue. 녹화된 요청에 해당합니다.',
      expected: '4xx.',
      fix: 'webhook-signature를 검증한 뒤, webhook-timestamp가 서버 시계와 5분 넘게 차이 나면 거부해 주세요. 재시도에는 매번 새 시각이 들어갑니다.',
    },
    future: {
      title: '10분 뒤의 요청을 거부합니다',
      sent: '서명은 올바르지만 webhook-timestamp가 10분 뒤인 reward.issue.',
      expected: '4xx.',
      fix: '양쪽 방향의 차이를 모두 확인해 주세요. 먼 미래의 시각을 가진 요청은 그때까지 다시 보낼 수 있습니다. 서버 시계가 느리다면 NTP로 맞춰 주세요.',
    },
    without_timestamp: {
      title: '서명된 시각이 없는 요청을 거부합니다',
      sent: 'X-Service-Signature는 올바르지만 webhook-* 헤더가 없는 reward.issue.',
      expected: '4xx.',
      fix: 'webhook-* 헤더를 지우면 녹화한 요청을 언제든 다시 보낼 수 있습니다. webhook-signature를 필수로 해 주세요. 이 헤더를 지우는 프록시를 바꿀 수 없을 때만 허용하고, 그때는 지급 기록만이 중복 지급을 막습니다.',
    },
    other_json: {
      title: '표기가 다른 JSON을 받아들입니다',
      sent: '줄바꿈, 들여쓰기, 이스케이프 문자가 있고 서명이 올바른 reward.issue.',
      expected: '2xx.',
      fix: '파싱했다가 다시 만든 JSON으로 검증하고 있어 바이트가 달라집니다. 원래 바이트를 검증해 주세요. Express에서는 이 경로에 express.json()보다 먼저 express.raw({ type: "*/*" })를 둡니다.',
    },
    header_case: {
      title: '헤더 이름의 대소문자가 달라도 받아들입니다',
      sent: '헤더 이름의 대문자와 소문자를 서로 바꾼, 서명이 올바른 reward.issue.',
      expected: '2xx.',
      fix: '헤더는 대소문자를 구분하지 않고 읽어 주세요. 프록시와 HTTP/2가 바꿉니다.',
    },
    extra_fields: {
      title: '새로 생긴 필드는 무시합니다',
      sent: '최상위와 data 안에 아직 없는 필드가 있고 서명이 올바른 reward.issue.',
      expected: '2xx.',
      fix: '모르는 필드는 무시해 주세요. 새 필드는 예고 없이 추가될 수 있습니다.',
    },
    unknown_type: {
      title: '모르는 유형의 이벤트에 2xx로 응답합니다',
      sent: '존재하지 않는 유형이고 서명이 올바른 이벤트.',
      expected: '2xx.',
      fix: '처리하지 않는 유형에는 2xx로 응답해 주세요. 오류로 응답하면 75시간 동안 재시도하고, 웹훅의 실패로 집계됩니다.',
    },
    rotation_before: {
      title: '키 교체의 첫 단계를 받아들입니다',
      sent: 'webhook-signature에 새 키와 기존 키의 서명이 모두 있고, X-Service-Signature는 기존 키로 만든 reward.issue.',
      expected: '2xx.',
      fix: 'webhook-signature는 공백으로 구분된 목록입니다. 그중 하나라도 올바르면 받아들여 주세요.',
    },
    rotation_after: {
      title: '키 교체의 두 번째 단계를 받아들입니다',
      sent: '위와 같지만 X-Service-Signature를 아직 갖고 있지 않은 새 키로 만든 reward.issue.',
      expected: '2xx.',
      fix: '교체 중에 두 키가 모두 서명하는 webhook-signature를 검증해 주세요. X-Service-Signature를 검증한다면 새 키로 서명되기 전에 새 키를 등록해 두어야 합니다.',
    },
    slow_body: {
      title: '천천히 도착하는 본문을 받아들입니다',
      sent: '2.4초에 걸쳐 나누어 보낸 reward.issue.',
      expected: '본문을 모두 받은 뒤 2xx.',
      fix: '본문을 끝까지 읽어 주세요. "data" 이벤트 한 번이나 읽기 한 번은 일부일 뿐입니다. 최소 15초는 기다려야 합니다.',
    },
    large_body: {
      title: '큰 본문을 받아들입니다',
      sent: '가장 긴 ID와 여러 바이트 문자를 담은 64KiB의 reward.issue. 서명은 올바릅니다.',
      expected: '2xx.',
      fix: '최소 64KiB의 본문을 허용해 주세요. 검증할 때까지 바이트 그대로 보관합니다. 글자 중간에서 잘린 텍스트는 바이트가 달라집니다. ID는 255자까지입니다.',
    },
    keep_alive: {
      title: '거부한 뒤에도 같은 연결을 쓸 수 있습니다',
      sent: '한 연결에서 진짜 요청, 서명 없는 요청, 다시 진짜 요청을 차례로.',
      expected: '2xx, 4xx, 2xx. 응답 뒤에 연결을 끊는 것은 괜찮습니다.',
      fix: '요청을 거부하기 전에 본문을 끝까지 읽거나 "Connection: close"로 응답해 주세요. 그러지 않으면 남은 본문이 다음 요청으로 처리됩니다.',
    },
  },
  unseen: {
    parses_first: '서명을 검증하기 전에 본문을 파싱합니다.',
    works_after_answer: '지급을 저장하기 전에 응답합니다. 그 사이에 서버가 멈추면 보상을 잃습니다.',
    key_before_grant:
      '이벤트의 키를 지급과 같은 트랜잭션이 아니라 먼저 저장합니다. 그 사이에 서버가 멈추면 재시도가 중복으로 처리됩니다.',
  },
  findings: {
    as_expected: { text: '{{ms}}ms 만에 {{status}}로 응답했습니다.' },
    not_reused: { text: '{{ms}}ms 만에 {{status}}로 응답했고, 매번 새 연결이 필요했습니다.' },
    slow: {
      text: '{{status}}로 응답했지만 {{ms}}ms가 걸렸습니다.',
      fix: '이벤트를 저장하고 응답한 다음 작업해 주세요. 15초가 지나면 서비스는 실패로 보고, 이미 처리했더라도 다시 보냅니다.',
    },
    refused: { text: '진짜 요청을 {{status}}로 거부했습니다.' },
    duplicate_refused: { text: '중복에 {{status}}로 응답했습니다.' },
    copy_refused: { text: '{{total}}개 중 {{count}}개에 {{status}}로 응답했습니다.' },
    reuse_failed: { text: '요청을 거부한 뒤 같은 연결의 다음 요청에 {{status}}로 응답했습니다.' },
    redirected: {
      text: '{{status}}로 {{location}}에 리디렉션했습니다.',
      fix: '리디렉션은 따라가지 않습니다. 최종 URL을 사용해 주세요. http와 https, www, 끝의 슬래시를 확인합니다.',
    },
    not_found: {
      text: '{{status}}로 응답했습니다.',
      fix: '이 경로에 POST를 처리하는 코드가 없습니다. 경로와 허용 메서드를 확인해 주세요.',
    },
    gone: {
      text: '410 Gone으로 응답했습니다.',
      fix: '410은 웹훅을 사용 중지시키며, 그 뒤로는 아무것도 보내지 않습니다. 2xx로 응답해 주세요.',
    },
    limited: {
      text: '429로 응답했습니다.',
      fix: '웹훅에는 속도 제한을 두지 않거나 초당 10건 이상을 허용해 주세요. Retry-After로 응답하면 이 URL의 모든 전송이 멈춥니다.',
    },
    server_error: {
      text: '{{status}}로 응답했습니다.',
      fix: '받는 서버에서 오류가 났습니다. 점검한 시각의 로그를 확인해 주세요.',
    },
    no_connection: {
      text: '연결하지 못했습니다: {{message}}.',
      fix: '서버가 실행 중인지, 호스트와 포트, 인증서, 방화벽을 확인해 주세요.',
    },
    blocked: {
      text: '아무것도 보내지 않았습니다: {{message}}.',
      fix: '웹훅은 공인 주소로만 보냅니다. 공개된 https URL을 사용해 주세요. 내 컴퓨터의 서버는 명령줄에서 점검할 수 있습니다: rewardhook certify.',
    },
    timed_out: {
      text: '15초 안에 응답을 모두 받지 못했습니다.',
      fix: '먼저 응답하고 나중에 작업해 주세요. 거부하는 요청에도 응답해야 합니다. 서비스는 15초 뒤에 중단합니다.',
    },
    broke_off: {
      text: '응답을 마치지 않고 연결을 끊었습니다: {{message}}.',
      fix: '모든 요청에 상태 코드로 응답해 주세요. 서버 로그의 오류와 프록시의 제한을 확인합니다.',
    },
    answered_early: {
      text: '{{sending}}ms에 걸쳐 보낸 본문을 다 받기 전, {{ms}}ms 만에 {{status}}로 응답했습니다.',
      fix: '본문을 모두 읽고 검증한 뒤 응답해 주세요. 그전에 응답하면 갖고 있지 않은 이벤트를 받았다고 알리는 셈입니다.',
    },
    forgery_accepted: { text: '{{status}}로 응답해 요청을 받아들였습니다.' },
    forgery_crashed: {
      text: '{{status}}로 응답했습니다. 요청이 처리된 것 같지는 않지만 거부도 아닙니다.',
      fix: '4xx로 응답해 주세요. 누구나 보낼 수 있는 요청에서 오류가 나면 로그가 쌓이고 진짜 오류가 가려집니다.',
    },
    forgery_unanswered: {
      text: '응답이 없었습니다: {{message}}.',
      fix: '바로 4xx로 응답해 주세요. 누구나 보낼 수 있는 요청이 서버를 붙잡아 두어서는 안 됩니다.',
    },
    granted: { text: '서버의 집계로는 이 보상이 {{expected}}번이 아니라 {{observed}}번 지급되었습니다.' },
    test_granted: {
      text: '테스트로 표시된 보상을 지급했습니다.',
      fix: '"test": true인 이벤트에는 2xx로만 응답하고 아무것도 지급하지 마세요.',
    },
    grants_unreadable: {
      text: '응답은 올바르지만 지급 횟수를 읽지 못했습니다: {{message}}.',
      fix: '집계 URL은 5초 안에 200과 {"grants": 1} 또는 숫자만으로 응답해야 합니다.',
    },
    genuine_refused: { text: '점검하지 않았습니다. 먼저 진짜 웹훅을 받아들여야 합니다.' },
    not_answering: { text: '점검하지 않았습니다. 요청 두 개가 제한 시간을 넘겼습니다.' },
    time_is_up: { text: '마치지 못했습니다. {{seconds}}초가 지나 전체 점검을 끝냈습니다.' },
  },
};
